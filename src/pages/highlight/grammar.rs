//! Turns code of the many other languages into classed text with the grammars of the syntax library.
//!
//! Must not know how it becomes HTML. The grammars are loaded once for the process, and only when one is needed.

use std::sync::OnceLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::Html;

/// A language that the syntax library knows.
pub(super) struct Grammar(&'static SyntaxReference);

/// What is loaded once: all grammars, and the classes of scopes.
struct Loaded {
    syntaxes: SyntaxSet,
    classes: Vec<(Scope, &'static str)>,
}

/// Scopes and the classes they are shown in, the special before the general; an empty class ends the search.
const CLASSES: [(&str, &str); 31] = [
    ("comment", "c"),
    ("punctuation.definition.comment", "c"),
    ("constant.numeric", "n"),
    ("constant.character", "s"),
    ("constant.language", "k"),
    ("string", "s"),
    ("punctuation.definition.string", "s"),
    ("keyword.operator.word", "k"),
    ("keyword.operator.logical.python", "k"),
    ("keyword.operator", ""),
    ("keyword.control.import.include", "p"),
    ("keyword", "k"),
    ("storage.type.numeric", "t"),
    ("storage.type.function", "k"),
    ("storage.type.class", "k"),
    ("storage.type.struct", "k"),
    ("storage.type.rust", "t"),
    ("storage", "k"),
    ("entity.name.function", "f"),
    ("entity.name.tag", "k"),
    ("entity.name.section", "p"),
    ("entity.name", "t"),
    ("entity.other.attribute-name", "t"),
    ("support.function", "f"),
    ("variable.function", "f"),
    ("support.type", "t"),
    ("support.class", "t"),
    ("variable.language", "k"),
    ("variable.other.readwrite.shell", "b"),
    ("markup.heading", "p"),
    ("meta.annotation", "p"),
];

fn loaded() -> &'static Loaded {
    static LOADED: OnceLock<Loaded> = OnceLock::new();
    LOADED.get_or_init(|| Loaded {
        syntaxes: SyntaxSet::load_defaults_newlines(),
        // A scope that does not parse would be a slip in the table above; it would show as plain text, and a test looks.
        classes: CLASSES.iter().filter_map(|&(scope, class)| Some((Scope::new(scope).ok()?, class))).collect(),
    })
}

/// The grammar of `language`, by name or by the ending of its files, in lower case.
pub(super) fn find(language: &str) -> Option<Grammar> {
    loaded().syntaxes.find_syntax_by_token(language).filter(|syntax| syntax.name != "Plain Text").map(Grammar)
}

impl Grammar {
    /// Appends `text`, all of it; what the grammar can't read stays plain.
    pub(super) fn read(&self, text: &str, html: &mut Html) {
        let Loaded { syntaxes, classes } = loaded();
        let (mut state, mut stack) = (ParseState::new(self.0), ScopeStack::new());
        for line in text.split_inclusive('\n') {
            let Ok(operations) = state.parse_line(line, syntaxes) else {
                html.push(line, "");
                continue;
            };
            let mut shown = 0;
            for (at, operation) in operations {
                if let Some(part) = line.get(shown..at).filter(|part| !part.is_empty()) {
                    html.push(part, class(&stack, classes));
                    shown = at;
                }
                if stack.apply(&operation).is_err() {
                    break;
                }
            }
            html.push(line.get(shown..).unwrap_or_default(), class(&stack, classes));
        }
    }
}

/// The class of the innermost scope that has one.
fn class(stack: &ScopeStack, classes: &[(Scope, &'static str)]) -> &'static str {
    let class_of = |scope: &Scope| classes.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|&(_, class)| class);
    stack.scopes.iter().rev().find_map(class_of).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_of_the_table_is_one() {
        assert_eq!(loaded().classes.len(), CLASSES.len());
    }
}

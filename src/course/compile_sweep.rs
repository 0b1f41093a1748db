//! Turns what a manifest of the kind `compile` says into a sweep that launches nothing: kernels, options, architectures, counts.
//!
//! Must not know values, nor which architectures a toolkit has.
//!
//! ```toml
//! kind = "compile"
//! title = "What does a cap on registers cost?"
//! source = "spill.cu"
//! kernels = "sum"                           # or a list, or { expression = "…text over the row…" }
//! options = ["--std=c++17", "--maxrregcount={cap}"]   # what stands in braces is an expression over the row; `{{` is a brace
//! architectures = ["sm_80", "sm_90"]        # or "all": every one that the toolkit compiles for
//!
//! [axes]                                    # or [[rows]], or neither
//! cap = [32, 64, 255]
//!
//! [sass]                                    # columns that count machine instructions
//! stores = { count = "STL" }
//! loads_first = { count = "LDG", before = ["FMUL", "FFMA"] }
//! ```

use std::collections::BTreeMap;

use crate::base::problem::{Problem, Problems};
use crate::base::sass::OpcodePattern;
use crate::base::slice::Slice;
use crate::base::span::Span;
use crate::expr::Expr;

use super::columns::is_compiled;
use super::keys::{self, Keys, unexpected};
use super::manifest;
use super::sweep::{KernelSpec, UnitSpec};
use super::toml::Value;

/// Kernels to compile, row by row and for several architectures.
#[derive(Debug, Clone)]
pub struct CompileSweep {
    /// What is compiled; its options are the author's text, as [`CompileSweep::options`] has them in parts.
    pub unit: UnitSpec,
    /// The kernels, each a row of its own.
    pub kernels: Vec<KernelSpec>,
    /// Options for NVRTC.
    pub options: Vec<OptionSpec>,
    /// The architectures, such as `sm_90`; `None`: all that the toolkit compiles for.
    pub architectures: Option<Vec<String>>,
    /// Columns that count instructions.
    pub sass: Vec<SassColumn>,
}

/// An option, parts of which may depend on the row.
#[derive(Debug, Clone)]
pub struct OptionSpec {
    /// Its parts, in order.
    pub parts: Vec<OptionPart>,
}

/// A part of an option.
#[derive(Debug, Clone)]
pub enum OptionPart {
    /// As it is.
    Text(String),
    /// The text or the digits of a value.
    Value(Expr),
}

/// A column that counts instructions in a kernel's machine code.
#[derive(Debug, Clone)]
pub struct SassColumn {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub at: Span,
    /// What is counted.
    pub count: OpcodePattern,
    /// If there are any: only what stands before the first of these counts.
    pub before: Vec<OpcodePattern>,
}

/// Reads what a compile sweep adds; `names` are the constants' and axes', to which the counting columns are added.
pub(super) fn read(keys: &mut Keys<'_>, names: &mut BTreeMap<String, Span>, problems: &mut Problems) -> Option<CompileSweep> {
    for (name, at) in names.iter().filter(|(name, _)| is_compiled(name)) {
        let message = format!("`{name}` is taken: every row of a compile sweep has it already");
        problems.push(Problem::error("manifest-name", at.clone(), message).hint("choose another name"));
    }
    let unit = manifest::unit_spec(keys, problems);
    let options = keys.texts("options", problems).iter().filter_map(|text| problems.note(option(text))).collect();
    let kernels = kernels(keys, problems);
    let architectures = architectures(keys, problems);
    let sass = sass(keys, names, problems);
    Some(CompileSweep { unit: unit?, kernels: kernels?, options, architectures: architectures?, sass })
}

fn kernels(keys: &mut Keys<'_>, problems: &mut Problems) -> Option<Vec<KernelSpec>> {
    let item = keys.item("kernels");
    let item = keys.required("kernels", item, problems)?;
    if let Value::Table(_) = &item.value {
        let mut fields = keys.table("kernels", "`kernels`", problems)?;
        let expr = fields.expr("expression", problems);
        let expr = fields.required("expression", expr, problems);
        fields.finish(problems);
        return Some(vec![KernelSpec::Expression(expr?)]);
    }
    let names = keys.texts("kernels", problems);
    for (index, name) in names.iter().enumerate() {
        if let Some(first) = names[..index].iter().find(|first| first.text() == name.text()) {
            let message = format!("`{}` is listed twice in `kernels`", name.text());
            problems.push(Problem::error("manifest-value", name.whole(), message).related(first.whole(), "the first"));
        }
    }
    if names.is_empty() {
        problems.push(Problem::error("manifest-value", item.at.clone(), "`kernels` names at least one kernel"));
        return None;
    }
    Some(names.into_iter().map(KernelSpec::Name).collect())
}

/// `None` after a problem; `Some(None)` for all.
fn architectures(keys: &mut Keys<'_>, problems: &mut Problems) -> Option<Option<Vec<String>>> {
    let item = keys.item("architectures");
    let item = keys.required("architectures", item, problems)?;
    let texts = keys.texts("architectures", problems);
    if matches!(&item.value, Value::Text(text) if text.text() == "all") {
        return Some(None);
    }
    let mut names: Vec<String> = Vec::new();
    for text in &texts {
        let name = text.text();
        let problem = if !is_architecture(name) {
            Problem::error("manifest-value", text.whole(), format!("`{name}` is no architecture"))
                .hint("architectures are written `sm_90`, or \"all\" stands for every one that the toolkit compiles for")
        } else if names.iter().any(|known| known == name) {
            Problem::error("manifest-value", text.whole(), format!("`{name}` is listed twice in `architectures`"))
        } else {
            names.push(name.to_owned());
            continue;
        };
        problems.push(problem);
    }
    if texts.is_empty() {
        problems.push(Problem::error("manifest-value", item.at.clone(), "`architectures` names at least one architecture"));
    }
    (!names.is_empty()).then_some(Some(names))
}

/// `sm_90`, `sm_100`, `sm_90a`, `sm_100f`.
fn is_architecture(name: &str) -> bool {
    name.strip_prefix("sm_").is_some_and(|number| {
        let digits = number.strip_suffix(['a', 'f']).unwrap_or(number);
        (2..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
    })
}

/// The parts of `text`: what stands in braces is an expression, a doubled brace is one.
pub(super) fn option(text: &Slice) -> Result<OptionSpec, Problem> {
    let whole = text.text();
    if ["--gpu-architecture", "-arch"].iter().any(|option| whole.starts_with(option)) {
        return Err(Problem::error("manifest-value", text.whole(), "the architecture is no option")
            .hint("a kernel is compiled for its device; a compile sweep lists `architectures`, which gives each a row of its own"));
    }
    let mut parts = Vec::new();
    let (mut plain, mut at) = (String::new(), 0);
    while let Some(c) = whole[at..].chars().next() {
        let rest = &whole[at..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            plain.push(c);
            at += 2;
        } else if c == '{' {
            let Some(length) = rest.find('}') else {
                return Err(Problem::error("manifest-value", text.span(at, whole.len()), "the brace is never closed")
                    .hint("a brace that belongs to the option is doubled: `{{`"));
            };
            if !plain.is_empty() {
                parts.push(OptionPart::Text(std::mem::take(&mut plain)));
            }
            parts.push(OptionPart::Value(Expr::parse(&text.part(at + 1, at + length))?));
            at += length + 1;
        } else if c == '}' {
            return Err(Problem::error("manifest-value", text.span(at, at + 1), "the brace closes nothing")
                .hint("a brace that belongs to the option is doubled: `}}`"));
        } else {
            plain.push(c);
            at += c.len_utf8();
        }
    }
    if !plain.is_empty() {
        parts.push(OptionPart::Text(plain));
    }
    Ok(OptionSpec { parts })
}

fn sass(keys: &mut Keys<'_>, names: &mut BTreeMap<String, Span>, problems: &mut Problems) -> Vec<SassColumn> {
    let mut columns = Vec::new();
    let Some(mut table) = keys.table("sass", "`[sass]`", problems) else { return columns };
    for (name, at, item) in table.all() {
        if is_compiled(name) {
            problems.push(manifest::every_row_has(name, at));
            continue;
        }
        manifest::take_name(name, at, names, problems);
        let Value::Table(fields) = &item.value else {
            problems.push(unexpected(item, &format!("a table for `{name}`, such as {{ count = \"LDG\" }}")));
            continue;
        };
        let mut fields = Keys::of(fields, "a column of `[sass]`", at.clone());
        let opcode = |text: &Slice| OpcodePattern::parse(text.text()).map_err(|why| Problem::error("manifest-opcode", text.whole(), why));
        let count = fields.item("count");
        let count = fields.required("count", count, problems);
        let count =
            count.and_then(|item| problems.note(keys::text(item, "an opcode in quotes for `count`").and_then(|text| opcode(&text))));
        let before = fields.texts("before", problems).iter().filter_map(|text| problems.note(opcode(text))).collect();
        fields.finish(problems);
        columns.extend(count.map(|count| SassColumn { name: name.to_owned(), at: at.clone(), count, before }));
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::span::SourceName;
    use crate::course::sweep::{self, Kind, Sweep};

    fn read(more: &str) -> (Option<Sweep>, Vec<(&'static str, String)>) {
        let text = format!("kind = 'compile'\ntitle = 'T'\nsource = 'a.cu'\n{more}");
        let name: SourceName = "kernels/a.toml".into();
        let mut problems = Problems::new();
        let sweep = sweep::read(&name, "a", &text, &mut problems);
        let place = |problem: &Problem| problem.at.as_ref().map(|at| text[at.start..at.end].to_owned()).unwrap_or_default();
        (sweep, problems.sorted().iter().map(|problem| (problem.id, place(problem))).collect())
    }

    #[test]
    fn a_whole_sweep_is_read() {
        let (sweep, problems) = read(
            "kernels = ['sum', 'sum<2>']\noptions = ['--std=c++17', '-DN={2 * cap}', '-DM={{{cap}}}']\n\
             architectures = ['sm_80', 'sm_90a']\n[axes]\ncap = [32, 64]\n[sass]\nstores = { count = 'STL' }\n\
             first = { count = 'LDG.128', before = ['FMUL', 'FFMA'] }\n[columns]\nmore = 'stores + spill_stores'\n",
        );
        assert_eq!(problems, []);
        let sweep = sweep.expect("it is whole");
        let Kind::Compile(compile) = &sweep.kind else { panic!("{sweep:?}") };
        assert_eq!(compile.architectures.as_deref(), Some(["sm_80".to_owned(), "sm_90a".to_owned()].as_slice()));
        let shown = |option: &OptionSpec| -> String {
            let part = |part: &OptionPart| match part {
                OptionPart::Text(text) => text.clone(),
                OptionPart::Value(expr) => format!("[{}]", expr.text()),
            };
            option.parts.iter().map(part).collect()
        };
        assert_eq!(compile.options.iter().map(shown).collect::<Vec<_>>(), ["--std=c++17", "-DN=[2 * cap]", "-DM={[cap]}"]);
        assert_eq!(compile.sass[1].before.iter().map(ToString::to_string).collect::<Vec<_>>(), ["FMUL", "FFMA"]);
        let (all, problems) = read("kernels = { expression = \"'k'\" }\narchitectures = 'all'\n");
        assert_eq!(problems, [], "neither axes nor rows are needed");
        assert!(matches!(all.expect("it is whole").kind, Kind::Compile(compile) if compile.architectures.is_none()));
    }

    #[test]
    fn mistakes_stand_where_they_are() {
        let fine = "kernels = 'k'\narchitectures = 'sm_90'\n";
        let cases: &[(&str, &[(&str, &str)])] = &[
            ("kernels = 'k'\n", &[("toml-missing-key", "")]),
            ("kernels = 'k'\narchitectures = ['sm_90', 'compute_90']\n", &[("manifest-value", "compute_90")]),
            ("kernels = 'k'\narchitectures = ['sm_90', 'sm_90']\n", &[("manifest-value", "sm_90")]),
            ("kernels = ['k', 'k']\narchitectures = 'all'\n", &[("manifest-value", "k")]),
            (&format!("{fine}options = ['-arch=sm_80']\n"), &[("manifest-value", "-arch=sm_80")]),
            (&format!("{fine}options = ['-DN={{cap']\n[axes]\ncap = [1]\n"), &[("manifest-value", "{cap")]),
            (&format!("{fine}options = ['-DN=cap}}']\n"), &[("manifest-value", "}")]),
            (&format!("{fine}[sass]\na = {{ count = 'ldg' }}\n"), &[("manifest-opcode", "ldg")]),
            (&format!("{fine}[sass]\nregisters = {{ count = 'LDG' }}\n"), &[("manifest-name", "registers")]),
            (&format!("{fine}[sass]\na = {{ before = 'LDG' }}\n"), &[("toml-missing-key", "a")]),
            (&format!("{fine}[axes]\narch = [1]\n"), &[("manifest-name", "arch")]),
            (&format!("{fine}[axes]\na = [1]\n[sass]\na = {{ count = 'LDG' }}\n"), &[("manifest-name", "a")]),
            (&format!("{fine}[launch]\nkernel = 'k'\n"), &[("toml-unknown-key", "launch")]),
            (&format!("{fine}[columns]\nspill_stores = '1'\n"), &[("manifest-name", "spill_stores")]),
        ];
        for (text, expected) in cases {
            let (_, problems) = read(text);
            let problems: Vec<(&str, &str)> = problems.iter().map(|(id, at)| (*id, at.as_str())).collect();
            assert_eq!(problems, *expected, "{text}");
        }
    }
}

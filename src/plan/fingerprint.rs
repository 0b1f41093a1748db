//! Turns all that can change a measurement into lines of text, and the lines into one digest.
//!
//! Must not know how a difference is shown; equal lines mean that an old run still speaks for this code.

use crate::base::cuda::{self, Kind, Token};
use crate::base::digest::Digest;

/// What a run is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The hashed lines, readable: code as its tokens, a statement a line; options, sizes, policy.
    pub lines: Vec<String>,
    /// The digest of the lines, each with its LF.
    pub digest: Digest,
}

impl Fingerprint {
    /// The fingerprint of `lines`.
    #[must_use]
    pub fn of(lines: Vec<String>) -> Self {
        let mut text = lines.join("\n");
        text.push('\n');
        Self { digest: Digest::of(&text), lines }
    }
}

/// `text`, CUDA or C++, as hashed lines: its tokens without comments and white space, a statement or a directive a line.
///
/// A line ends after `;`, `{` and `}` outside of parentheses. Strings stay as they are, but for the line ends of raw
/// ones. `#line` does not count, since it moves with code that isn't compiled.
#[must_use]
pub fn code_lines(text: &str) -> Vec<String> {
    located(text).into_iter().map(|(_, line)| line).collect()
}

/// The lines of [`code_lines`], each with the byte of `text` at which it begins.
pub(super) fn located(text: &str) -> Vec<(usize, String)> {
    let mut lines = CodeLines::default();
    for token in cuda::tokens(text) {
        lines.take(&token, text);
    }
    lines.end_directive();
    lines.end_line();
    lines.lines
}

/// The lines so far and the ones being written.
#[derive(Default)]
struct CodeLines {
    lines: Vec<(usize, String)>,
    code: String,
    /// Where the code of the line being written begins, and its directive.
    code_at: usize,
    directive_at: usize,
    /// Open parentheses and brackets in the code.
    depth: usize,
    directive: Option<String>,
    /// Whether the token before this one ran into a backslash and line end, with nothing between.
    spliced: bool,
    /// Whether white space or a comment came since the last token.
    apart: bool,
    /// Tokens of the directive so far.
    words: usize,
}

impl CodeLines {
    fn take(&mut self, token: &Token, text: &str) {
        let word = token.text(text);
        match token.kind {
            Kind::Newline => {
                self.end_directive();
                self.apart = true;
            }
            Kind::Splice => self.spliced = !self.apart,
            Kind::Space | Kind::LineComment | Kind::BlockComment => (self.apart, self.spliced) = (true, false),
            Kind::Directive if self.directive.is_none() => {
                self.directive = Some(format!("#{}", cuda::directive_word(word)));
                self.directive_at = token.start;
                self.words = 1;
                (self.apart, self.spliced) = (false, false);
            }
            _ => self.code_token(token, word),
        }
    }

    fn code_token(&mut self, token: &Token, word: &str) {
        // Two tokens that only a backslash and line end parts are one to the compiler. And `#define F(x)` is not `#define F (x)`.
        let parameters = self.words == 2 && word == "(" && self.directive.as_deref().is_some_and(|line| line.starts_with("#define "));
        let glued = !self.apart && (self.spliced || parameters);
        (self.apart, self.spliced) = (false, false);
        if self.directive.is_none() && self.code.is_empty() {
            self.code_at = token.start;
        }
        let line = self.directive.as_mut().unwrap_or(&mut self.code);
        if !line.is_empty() && !glued {
            line.push(' ');
        }
        match token.kind {
            Kind::RawString => line.push_str(&word.replace('\\', "\\\\").replace('\n', "\\n")),
            Kind::String | Kind::Char => line.push_str(&word.replace("\\\n", "")),
            _ => line.push_str(word),
        }
        if self.directive.is_some() {
            self.words += 1;
            return;
        }
        match word {
            "(" | "[" => self.depth += 1,
            ")" | "]" => self.depth = self.depth.saturating_sub(1),
            ";" | "{" | "}" if self.depth == 0 => self.end_line(),
            _ => {}
        }
    }

    /// Ends a directive, and the part of a statement that stands before it.
    fn end_directive(&mut self) {
        if let Some(line) = self.directive.take().filter(|line| line != "#line" && !line.starts_with("#line ")) {
            self.end_line();
            self.lines.push((self.directive_at, line));
        }
    }

    fn end_line(&mut self) {
        if !self.code.is_empty() {
            self.lines.push((self.code_at, std::mem::take(&mut self.code)));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(code_lines(text), expected, "{text:?}");
    }

    #[test]
    fn a_statement_or_directive_is_a_line() {
        check("", &[]);
        check("int a;  int b;", &["int a ;", "int b ;"]);
        check("for (int i = 0; i < n; ++i) { f(i); }", &["for ( int i = 0 ; i < n ; ++ i ) {", "f ( i ) ;", "}"]);
        check("f([] { a; b; });", &["f ( [ ] { a ; b ; } ) ;"]);
        check("#  pragma  unroll // all\nx;", &["#pragma unroll", "x ;"]);
        check("#define F(a) \\\n  a + \\\n  1\nx", &["#define F( a ) a + 1", "x"]);
        check("a /* one */ + // two\n  b;", &["a + b ;"]);
        check("// snippet: x\na;\n// end snippet", &["a ;"]);
        check("#line 3 \"a.cu\"\na\n#line 9\n;", &["a ;"]);
        check("a\n#if B\n+ b\n#endif\n;", &["a", "#if B", "+ b", "#endif", ";"]);
    }

    #[test]
    fn strings_stay_and_a_line_stays_a_line() {
        check("f(\"a  // b\");", &["f ( \"a  // b\" ) ;"]);
        check("\"a\\\nb\"", &["\"ab\""]);
        check("R\"(a\nb)\"", &["R\"(a\\nb)\""]);
        check("R\"(a\\nb)\"", &["R\"(a\\\\nb)\""]);
    }

    #[test]
    fn what_a_compiler_tells_apart_differs() {
        let pairs = [
            ("a+ +b", "a++b"),
            ("a- -b", "a--b"),
            ("x = a & &b", "x = a && b"),
            ("1'000", "1 000"),
            ("\"a b\"", "\"a  b\""),
            ("R\"(a\nb)\"", "R\"(a\\nb)\""),
            ("#define F(x) x", "#define F (x) x"),
            ("#if A\nb;", "#if A b;"),
            ("foo\\\nbar", "foo bar"),
            ("// a\nb;", "// a \\\nb;"),
            ("#pragma unroll\nx", "x"),
            ("'\\n'", "'n'"),
            ("k<<<1, 2>>>(x)", "k<<<2, 1>>>(x)"),
        ];
        for (a, b) in pairs {
            assert_ne!(code_lines(a), code_lines(b), "{a:?} and {b:?}");
        }
    }

    /// Tokens as an author may write them, none of which needs a neighbour.
    const TOKENS: [&str; 46] = [
        "a",
        "bc",
        "int",
        "__global__",
        "blockIdx",
        "float4",
        "0",
        "1'000",
        "0x1.8p-3f",
        "'x'",
        "'\\''",
        "\"a // b\"",
        "\"\"",
        "R\"(a\n\\)\"",
        "R\"x(/*)x\"",
        "+",
        "++",
        "-",
        "->",
        "*",
        "/",
        "%",
        "&",
        "&&",
        "|",
        "<",
        "<<",
        ">",
        ">>",
        "<=",
        "=",
        "==",
        "<<<",
        ">>>",
        "::",
        "...",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ";",
        ",",
        "?",
        "operator",
    ];

    /// White space and comments that may stand between two tokens.
    const GAPS: [&str; 8] = [" ", "  ", "\n", "\t\n ", " /* c */ ", " // c\n", " /* c\n // d */\n", " \\\n "];

    fn written(tokens: &[usize], gaps: &[usize]) -> String {
        let gaps = gaps.iter().chain(std::iter::repeat(&0));
        tokens.iter().zip(gaps).map(|(&token, &gap)| format!("{}{}", GAPS[gap], TOKENS[token])).collect()
    }

    proptest! {
        #[test]
        fn comments_and_white_space_do_not_count(tokens in prop::collection::vec(0..TOKENS.len(), 0..40), gaps in prop::collection::vec(0..GAPS.len(), 40)) {
            prop_assert_eq!(code_lines(&written(&tokens, &[])), code_lines(&written(&tokens, &gaps)));
        }

        #[test]
        fn any_other_token_counts(tokens in prop::collection::vec(0..TOKENS.len(), 1..40), at in 0..40_usize, other in 0..TOKENS.len()) {
            let at = at % tokens.len();
            prop_assume!(tokens[at] != other);
            let mut changed = tokens.clone();
            changed[at] = other;
            prop_assert_ne!(code_lines(&written(&tokens, &[])), code_lines(&written(&changed, &[])));
        }

        #[test]
        fn a_dropped_token_counts(tokens in prop::collection::vec(0..TOKENS.len(), 1..40), at in 0..40_usize) {
            let mut changed = tokens.clone();
            changed.remove(at % tokens.len());
            prop_assert_ne!(code_lines(&written(&tokens, &[])), code_lines(&written(&changed, &[])));
        }

        #[test]
        fn any_text_has_lines_without_line_ends(text in any::<String>()) {
            prop_assert!(code_lines(&text).iter().all(|line| !line.is_empty() && !line.contains('\n')));
        }
    }
}

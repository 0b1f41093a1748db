//! Turns text into tokens in one pass over its bytes, marking called names as the bracket after them comes by.
//!
//! Must not know what anyone does with the tokens.

mod literal;

use super::{Kind, Token, directive_word, words};

/// The tokens of `text`: they cover it exactly and begin and end between characters.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        tokens: Vec::with_capacity(text.len() / 3),
        line_start: true,
        outer: None,
        header_next: false,
        pragma_next: false,
        types: Vec::new(),
        scope: Scope::default(),
    };
    while let Some(&byte) = lexer.bytes.get(lexer.at) {
        let start = lexer.at;
        let kind = lexer.scan(byte);
        lexer.push(kind, start);
    }
    lexer.tokens
}

/// What brackets and names have been seen in the code, or in the directive that stands in it.
#[derive(Default)]
struct Scope {
    /// Open brackets of all kinds.
    depth: usize,
    /// Launches whose `>>>` is still to come.
    launches: Vec<LaunchFrame>,
    /// The last token that is code.
    previous: Option<usize>,
}

/// A `<<<` that waits for its `>>>`.
struct LaunchFrame {
    /// The depth it stands at.
    depth: usize,
    /// How many `<` after a name wait for their `>` at that depth: perhaps templates.
    open: usize,
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    /// Whether only white space and comments have been seen on this line.
    line_start: bool,
    /// The scope around the directive that is being read.
    outer: Option<Scope>,
    /// Whether `<` opens a header's name.
    header_next: bool,
    /// Whether the next word belongs to `#pragma`.
    pragma_next: bool,
    /// Names that the text declares as types.
    types: Vec<&'a [u8]>,
    scope: Scope,
}

/// The steps in a walk back from `>` to the name before its `<`; a bound, so that no text costs more than its length.
const TEMPLATE_STEPS: usize = 128;

/// The length from which on runs of `>` are alike, for the same reason.
const LONGEST_RUN: usize = 64;

/// The types of a text that are remembered, for the same reason.
const MOST_TYPES: usize = 32;

impl<'a> Lexer<'a> {
    /// The kind of the token that begins with `byte`; moves past it, by one byte at least.
    fn scan(&mut self, byte: u8) -> Kind {
        match byte {
            b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' => {
                self.skip_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c'));
                Kind::Space
            }
            b'\n' => self.take(1, Kind::Newline),
            b'\\' if self.peek(1) == Some(b'\n') => self.take(2, Kind::Splice),
            b'/' if self.peek(1) == Some(b'/') => self.line_comment(),
            b'/' if self.peek(1) == Some(b'*') => self.block_comment(),
            b'"' => self.quoted(b'"', Kind::String),
            b'\'' => self.quoted(b'\'', Kind::Char),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_some_and(|b| b.is_ascii_digit()) => self.number(),
            b'#' if self.line_start && self.outer.is_none() => self.directive(),
            b'<' => self.less(),
            b'>' => self.greater(),
            b'(' | b'[' | b'{' | b')' | b']' | b'}' | b',' | b';' => self.take(1, Kind::Punctuation),
            _ if is_name_byte(byte) => self.word(),
            _ => self.operator(),
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn take(&mut self, bytes: usize, kind: Kind) -> Kind {
        self.at = (self.at + bytes).min(self.bytes.len());
        kind
    }

    fn skip_while(&mut self, mut wanted: impl FnMut(u8) -> bool) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|&byte| !wanted(byte)).unwrap_or(rest.len());
    }

    fn word(&mut self) -> Kind {
        let start = self.at;
        self.skip_while(is_name_byte);
        let word = &self.bytes[start..self.at];
        match self.peek(0) {
            Some(b'"') if matches!(word, b"R" | b"u8R" | b"uR" | b"UR" | b"LR") => self.raw_string(),
            Some(b'"') if matches!(word, b"u8" | b"u" | b"U" | b"L") => self.quoted(b'"', Kind::String),
            Some(b'\'') if matches!(word, b"u8" | b"u" | b"U" | b"L") => self.quoted(b'\'', Kind::Char),
            _ if self.pragma_next => Kind::Directive,
            _ => match words::kind(word) {
                Kind::Identifier => self.name(word),
                kind => kind,
            },
        }
    }

    /// A name that no list holds: a type where the text says so, and from there on.
    fn name(&mut self, name: &'a [u8]) -> Kind {
        let known = self.types.contains(&name);
        let declared = !known
            && self.previous_kind() == Some(Kind::Keyword)
            && matches!(self.previous_text(), Some("typename" | "class" | "struct" | "union" | "enum" | "concept"));
        if declared && self.types.len() < MOST_TYPES {
            self.types.push(name);
        }
        if known || declared { Kind::Type } else { Kind::Identifier }
    }

    fn directive(&mut self) -> Kind {
        let start = self.at;
        self.at += 1;
        while let Some(b' ' | b'\t') = self.peek(0) {
            self.at += 1;
        }
        let blank = self.at;
        self.skip_while(is_name_byte);
        // `# 12 "file"` and a bare `#` are directives without a word.
        if self.at == blank || self.bytes[blank].is_ascii_digit() {
            self.at = start + 1;
        }
        let word = directive_word(self.text.get(start..self.at).unwrap_or_default());
        self.header_next = matches!(word, "include" | "include_next" | "import");
        self.pragma_next = word == "pragma";
        self.outer = Some(std::mem::take(&mut self.scope));
        Kind::Directive
    }

    fn less(&mut self) -> Kind {
        if self.header_next {
            self.skip_while(|b| b != b'>' && b != b'\n');
            return if self.peek(0) == Some(b'>') { self.take(1, Kind::Header) } else { Kind::Header };
        }
        let launch = self.peek(1) == Some(b'<') && self.peek(2) == Some(b'<') && self.previous_text() != Some("operator");
        if launch {
            self.scope.launches.push(LaunchFrame { depth: self.scope.depth, open: 0 });
            return self.take(3, Kind::Launch);
        }
        let start = self.at;
        let after_name = self.previous_kind().is_some_and(|kind| matches!(kind, Kind::Identifier | Kind::Type | Kind::Builtin));
        let kind = self.operator();
        if after_name
            && self.at - start == 1
            && let Some(frame) = self.frame()
        {
            frame.open += 1;
        }
        kind
    }

    /// `>` in its many lengths. Of a run in a launch, the last three close it, unless as many `<` wait as the run is long.
    fn greater(&mut self) -> Kind {
        let run = self.bytes[self.at..].iter().take(LONGEST_RUN).take_while(|&&b| b == b'>').count();
        let Some(frame) = self.frame() else { return self.operator() };
        if run >= 3 && frame.open < run {
            let length = match run {
                3 => {
                    self.scope.launches.pop();
                    return self.take(3, Kind::Launch);
                }
                4 => 1,
                _ => 2,
            };
            frame.open = frame.open.saturating_sub(length);
            return self.take(length, Kind::Operator);
        }
        frame.open = frame.open.saturating_sub(run.min(2));
        self.operator()
    }

    /// The launch that is open at this very depth.
    fn frame(&mut self) -> Option<&mut LaunchFrame> {
        let depth = self.scope.depth;
        self.scope.launches.last_mut().filter(|frame| frame.depth == depth)
    }

    /// The longest operator that begins here; a byte that begins none is a token of its own.
    fn operator(&mut self) -> Kind {
        let rest = &self.bytes[self.at..];
        match rest {
            [b'<', b'<', b'=', ..] | [b'>', b'>', b'=', ..] | [b'-', b'>', b'*', ..] | [b'.', b'.', b'.', ..] | [b'<', b'=', b'>', ..] => {
                self.take(3, Kind::Operator)
            }
            [b':', b':', ..] | [b'-', b'>', ..] | [b'.', b'*', ..] | [b'#', b'#', ..] | [b'<', b'<', ..] | [b'>', b'>', ..] => {
                self.take(2, Kind::Operator)
            }
            [a @ (b'+' | b'-' | b'&' | b'|'), b, ..] if a == b => self.take(2, Kind::Operator),
            [b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'=' | b'!' | b'<' | b'>', b'=', ..] => self.take(2, Kind::Operator),
            [b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'=' | b'!' | b'<' | b'>' | b'~' | b'?' | b':' | b'.' | b'#', ..] => {
                self.take(1, Kind::Operator)
            }
            _ => self.take(1, Kind::Other),
        }
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let index = self.tokens.len();
        if kind == Kind::Newline {
            self.line_start = true;
            self.header_next = false;
            self.pragma_next = false;
            if let Some(outer) = self.outer.take() {
                self.scope = outer;
            }
        }
        self.tokens.push(Token { kind, directive: self.outer.is_some(), start, end: self.at });
        if !kind.is_code() {
            return;
        }
        self.line_start = false;
        if !(kind == Kind::Directive && self.scope.previous.is_none()) {
            self.header_next = false;
            self.pragma_next = false;
        }
        match (kind, self.bytes[start]) {
            (Kind::Punctuation, b'(') => {
                self.mark_call();
                self.scope.depth += 1;
            }
            (Kind::Launch, b'<') => self.mark_call(),
            (Kind::Punctuation, b'[' | b'{') => self.scope.depth += 1,
            (Kind::Punctuation, b')' | b']' | b'}') => {
                self.scope.depth = self.scope.depth.saturating_sub(1);
                let depth = self.scope.depth;
                while self.scope.launches.pop_if(|frame| frame.depth > depth).is_some() {}
            }
            (Kind::Punctuation, b';') => {
                let depth = self.scope.depth;
                while self.scope.launches.pop_if(|frame| frame.depth == depth).is_some() {}
            }
            _ => {}
        }
        self.scope.previous = Some(index);
    }

    fn previous_kind(&self) -> Option<Kind> {
        Some(self.tokens.get(self.scope.previous?)?.kind)
    }

    fn previous_text(&self) -> Option<&str> {
        Some(self.tokens.get(self.scope.previous?)?.text(self.text))
    }

    /// Marks the name before the bracket that was just read as called.
    fn mark_call(&mut self) {
        let Some(previous) = self.scope.previous else { return };
        let name = match self.tokens[previous] {
            Token { kind: Kind::Identifier, .. } => Some(previous),
            Token { kind: Kind::Operator, start, .. } if self.bytes[start] == b'>' => self.template_name(previous),
            _ => None,
        };
        if let Some(token) = name.and_then(|index| self.tokens.get_mut(index)) {
            let word = &self.bytes[token.start..token.end];
            token.kind = if words::is_builtin_call(word) { Kind::Builtin } else { Kind::Call };
        }
    }

    /// The name whose template arguments the `>` at `close` ends: it touches their `<`, as a comparison seldom does.
    fn template_name(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for index in (close.saturating_sub(TEMPLATE_STEPS)..=close).rev() {
            let token = self.tokens.get(index)?;
            match (token.kind, token.text(self.text)) {
                (Kind::Operator, ">") => depth += 1,
                (Kind::Operator, ">>") => depth += 2,
                (Kind::Operator, "<") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        let name = index.checked_sub(1)?;
                        return self.tokens.get(name).filter(|token| token.kind == Kind::Identifier).map(|_| name);
                    }
                }
                (Kind::Operator, "&&" | "||" | ">=" | "<=") | (Kind::Punctuation, ";" | "{" | "}") | (Kind::Launch, _) => return None,
                _ => {}
            }
        }
        None
    }
}

/// Whether a byte may stand in a name: letters, digits, `_`, `$`, and every byte of a character beyond ASCII.
fn is_name_byte(byte: u8) -> bool {
    NAME_BYTES[byte as usize]
}

static NAME_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
        byte += 1;
    }
    table
};

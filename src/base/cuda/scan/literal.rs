//! Turns what runs to a mark of its own end into one token: comments, strings, characters and numbers.
//!
//! Must not know what stands around it.

use super::{Kind, Lexer, is_name_byte};

impl Lexer<'_> {
    pub(super) fn line_comment(&mut self) -> Kind {
        loop {
            self.skip_while(|b| b != b'\n');
            // A backslash right before the line end carries the comment on.
            if self.at == self.bytes.len() || self.bytes.get(self.at.wrapping_sub(1)) != Some(&b'\\') {
                return Kind::LineComment;
            }
            self.at += 1;
        }
    }

    pub(super) fn block_comment(&mut self) -> Kind {
        self.at += 2;
        loop {
            self.skip_while(|b| b != b'*');
            if self.peek(1) == Some(b'/') || self.at == self.bytes.len() {
                return self.take(2, Kind::BlockComment);
            }
            self.at += 1;
        }
    }

    /// A string or character from its opening quote on, with a literal's suffix.
    pub(super) fn quoted(&mut self, quote: u8, kind: Kind) -> Kind {
        self.at += 1;
        loop {
            self.skip_while(|b| b != quote && b != b'\\' && b != b'\n');
            match self.peek(0) {
                Some(b'\\') => self.at = (self.at + 2).min(self.bytes.len()),
                Some(b) if b == quote => {
                    self.at += 1;
                    self.skip_while(is_name_byte);
                    return kind;
                }
                _ => return kind,
            }
        }
    }

    /// A raw string from its opening quote on; without a delimiter and a `(` it is an ordinary one.
    pub(super) fn raw_string(&mut self) -> Kind {
        let open = self.at + 1;
        let length = self.bytes[open..].iter().take(17).position(|&b| matches!(b, b'(' | b')' | b'\\' | b'"' | b' ' | b'\t' | b'\n'));
        let Some(length) = length.filter(|length| self.bytes.get(open + length) == Some(&b'(')) else {
            return self.quoted(b'"', Kind::String);
        };
        let delimiter = &self.bytes[open..open + length];
        self.at = open + length + 1;
        loop {
            self.skip_while(|b| b != b')');
            let Some(rest) = self.bytes.get(self.at + 1..) else { return Kind::RawString };
            if rest.starts_with(delimiter) && rest.get(length) == Some(&b'"') {
                self.at += length + 2;
                self.skip_while(is_name_byte);
                return Kind::RawString;
            }
            self.at += 1;
        }
    }

    /// A preprocessing number, which is what a compiler reads before it knows what it means.
    pub(super) fn number(&mut self) -> Kind {
        while let Some(byte) = self.peek(0) {
            match (byte, self.peek(1)) {
                (b'e' | b'E' | b'p' | b'P', Some(b'+' | b'-')) => self.at += 2,
                (b'\'', Some(next)) if next.is_ascii_alphanumeric() || next == b'_' => self.at += 2,
                (b'.', _) => self.at += 1,
                _ if is_name_byte(byte) => self.at += 1,
                _ => break,
            }
        }
        Kind::Number
    }
}

//! Turns a compiler's messages into messages without paths, so that no record tells where a machine keeps its files.
//!
//! Must not know compilers.

/// `log` with every absolute path cut down to its last part. Compilers run under relative names, so what is left to cut are their
/// own headers and temporary files.
#[must_use]
pub(crate) fn without_paths(log: &str) -> String {
    let mut out = String::with_capacity(log.len());
    let mut rest = log;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let path = if before.is_alphanumeric() || matches!(before, '/' | '.' | '_' | '-' | ')' | '<') { None } else { absolute(rest) };
        match path {
            Some(path) => {
                let last = path.rfind(['/', '\\']).map_or(0, |at| at + 1);
                out.push_str(&path[last..]);
                before = path.chars().next_back().unwrap_or(' ');
                rest = &rest[path.len()..];
            }
            None => {
                out.push(c);
                before = c;
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

/// The absolute path that `text` begins with: at least two parts, so that a division or a comment is none.
fn absolute(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let drive = bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'\\' | b'/');
    let root = if drive { 2 } else { 0 };
    if !matches!(bytes.get(root), Some(b'/' | b'\\')) || (!drive && bytes[0] != b'/') {
        return None;
    }
    let end = text[root..].find(|c: char| !(c.is_alphanumeric() || "/\\._-+~@".contains(c))).map_or(text.len(), |at| root + at);
    let path = text[..end].trim_end_matches('.');
    let parts: Vec<&str> = path[root..].split(['/', '\\']).skip(1).collect();
    (parts.len() >= 2 && parts.iter().all(|part| !part.is_empty())).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::without_paths;

    #[test]
    fn absolute_paths_lose_their_folders_and_nothing_else_changes() {
        let cases = [
            ("block-size.cu(7): error: x", "block-size.cu(7): error: x"),
            ("/usr/include/c++/12/cmath:42: note", "cmath:42: note"),
            ("In file included from /tmp/a b/x.h", "In file included from a b/x.h"),
            ("/usr/bin/ld: /tmp/ccX1.o: undefined", "ld: ccX1.o: undefined"),
            ("  y = a / b; // half", "  y = a / b; // half"),
            ("x = a /b; /* c */ ../x/y.h", "x = a /b; /* c */ ../x/y.h"),
            ("'C:\\Users\\me\\x.h'", "'x.h'"),
            ("kernels/a/b.cu:1", "kernels/a/b.cu:1"),
            ("", ""),
        ];
        for (log, expected) in cases {
            assert_eq!(without_paths(log), expected);
        }
    }
}

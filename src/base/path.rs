//! Turns a path as an author writes it, seen from a folder of the course, into one from the course's root.
//!
//! Must not know disks: paths have `/` between their parts, and nothing is looked up.

/// `path` seen from `folder`, its `.` and `..` resolved; `None` if it leads out of the root.
#[must_use]
pub fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder that the file `path` lies in; empty for the root.
#[must_use]
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// `path` fit for a web address: whatever is not a plain character of one is written as its bytes.
#[must_use]
pub fn encoded(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_their_folder() {
        let cases = [
            ("lessons", "b.md", Some("lessons/b.md")),
            ("lessons", "../kernels/x.cu", Some("kernels/x.cu")),
            ("lessons", "./b.md", Some("lessons/b.md")),
            ("", "a//b/./c.h", Some("a/b/c.h")),
            ("", "../x", None),
            ("lessons", "../../x", None),
        ];
        for (from, path, expected) in cases {
            assert_eq!(join(from, path).as_deref(), expected, "{path}");
        }
        assert_eq!(encoded("a b/é.c+"), "a%20b/%C3%A9.c%2B");
        assert_eq!((folder("a/b/c.cu"), folder("c.cu")), ("a/b", ""));
    }
}

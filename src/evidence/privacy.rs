//! Turns a record into the first absolute path that it holds, if any: a published record must not say who measured where.
//!
//! Must not know the machine; names of users and hosts are kept out by the one who writes the record.

use super::lines;
use super::output::Output;
use super::record::{Outcome, Record, RowPlan};

/// The first line (from 1) of `record` that holds an absolute path, and the path.
#[must_use]
pub fn first_path(record: &Record) -> Option<(usize, String)> {
    let header = &record.header;
    let (identity, circumstance) = (&header.identity, &header.circumstance);
    let written: [Option<&str>; 14] = [
        Some(&header.sweep),
        identity.host_compiler.as_deref(),
        identity.nvrtc.as_deref(),
        identity.toolkit.as_deref(),
        identity.disassembler.as_deref(),
        identity.profiler.as_deref(),
        circumstance.clock_locks.as_deref(),
        circumstance.driver.as_deref(),
        circumstance.host_cpu.as_deref(),
        circumstance.kernel.as_deref(),
        circumstance.hypervisor.as_deref(),
        circumstance.replayed.as_deref(),
        Some(&header.code.source),
        Some(&circumstance.backend),
    ];
    let maps = header.logs.values().chain(header.unknown.values()).chain(circumstance.cuda_environment.values()).chain(&circumstance.busy);
    let in_header =
        written.into_iter().flatten().chain(maps.map(String::as_str)).chain(identity.compile_options.iter().map(String::as_str));
    if let Some(path) = in_header.filter_map(absolute_path).next() {
        return Some((1, path.to_owned()));
    }
    // The code is the author's own text, published as such; only what names a person is refused there.
    let code = [&header.code.device, &header.code.host];
    let code = code.into_iter().chain(header.code.headers.values()).chain(&header.fingerprint_lines);
    if let Some(path) = code.filter_map(|text| home(text)).next() {
        return Some((1, path.to_owned()));
    }
    let spoilt = |outcome: &Outcome| outcome.why().and_then(absolute_path).map(str::to_owned);
    let skipped = |row: &RowPlan| row.skipped.iter().chain(&row.command).find_map(|text| absolute_path(text)).map(str::to_owned);
    let row = record.rows.iter().enumerate().find_map(|(index, row)| Some((index + 2, skipped(row)?)));
    let result = || {
        record
            .results
            .iter()
            .enumerate()
            .find_map(|(index, one)| spoilt(&one.outcome).map(|path| (lines::result_line(record, index), path)))
    };
    let canary = || {
        record
            .canaries
            .iter()
            .enumerate()
            .find_map(|(index, one)| spoilt(&one.outcome).map(|path| (lines::canary_line(record, index), path)))
    };
    let compiled = || {
        let first = 2 + record.rows.len();
        record.compiled.iter().enumerate().find_map(|(index, one)| Some((first + index, spoilt(&one.outcome)?)))
    };
    let profiled = || {
        let first = 2 + record.rows.len();
        record.profiled.iter().enumerate().find_map(|(index, one)| Some((first + index, spoilt(&one.outcome)?)))
    };
    let output = || {
        let path = |one: &Output| [&one.stdout, &one.stderr].into_iter().find_map(|text| absolute_path(text)).map(str::to_owned);
        let first = 2 + record.rows.len();
        record.outputs.iter().enumerate().find_map(|(index, one)| Some((first + index, spoilt(&one.outcome).or_else(|| path(one))?)))
    };
    row.or_else(result).or_else(canary).or_else(compiled).or_else(profiled).or_else(output)
}

/// The first absolute path in `text`: `/a/b` where no word, dot or slash stands before it, after an option's letter too
/// (`-I/a/b`), or `C:\a`, or `~/a`.
#[must_use]
pub fn absolute_path(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let part = |b: Option<&u8>| b.is_some_and(|&b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'+' | b'@'));
    (0..bytes.len()).find_map(|at| {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let opens = match bytes[at] {
            b'/' => {
                let option = at.checked_sub(2).is_some_and(|dash| bytes[dash] == b'-') && (at < 3 || bytes[at - 3] == b' ');
                let free =
                    before.is_none_or(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'/' | b'_' | b'.' | b'-' | b')' | b'\\' | b'*'));
                let length = bytes[at + 1..].iter().take_while(|&b| part(Some(b))).count();
                let nested = bytes.get(at + 1 + length) == Some(&b'/') && part(bytes.get(at + 2 + length));
                (free && before != Some(b'~') || option) && length > 0 && nested
            }
            b'~' => bytes.get(at + 1) == Some(&b'/') && part(bytes.get(at + 2)) && before.is_none_or(|b| !b.is_ascii_alphanumeric()),
            b':' => before.is_some_and(|b| b.is_ascii_alphabetic()) && bytes.get(at + 1) == Some(&b'\\') && part(bytes.get(at + 2)),
            _ => false,
        };
        if !opens {
            return None;
        }
        let start = if bytes[at] == b':' { at - 1 } else { at };
        let length = text[start..].find([' ', '\t', '\n', '"', '\'', ')', '(', ',', ';', '>']).unwrap_or(text.len() - start);
        Some(&text[start..start + length])
    })
}

/// The first path in `text` that names somebody's home.
fn home(text: &str) -> Option<&str> {
    ["/home/", "/Users/", "/root/", ":\\Users\\"].into_iter().find_map(|root| {
        let at = text.find(root)?;
        let length = text[at..].find([' ', '\n', '"', '\'']).unwrap_or(text.len() - at);
        Some(&text[at..at + length])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_code_and_addresses() {
        let cases = [
            ("block-size.cu(12): error: expected a `;`", None),
            ("/usr/include/stdio.h:3: warning", Some("/usr/include/stdio.h:3:")),
            ("-I/opt/cuda/include -O2", Some("/opt/cuda/include")),
            ("--include-path=/opt/cuda/include", Some("/opt/cuda/include")),
            ("see https://docs.nvidia.com/cuda/nvrtc", None),
            ("a /b", None),
            ("bytes/ms and read/write/copy", None),
            ("in ~/course/kernels", Some("~/course/kernels")),
            ("at C:\\work\\x.cu", Some("C:\\work\\x.cu")),
            ("// a / b / c", None),
            ("(/tmp/x/y.o)", Some("/tmp/x/y.o")),
        ];
        for (text, expected) in cases {
            assert_eq!(absolute_path(text), expected, "{text}");
        }
    }
}

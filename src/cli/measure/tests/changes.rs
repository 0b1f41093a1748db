//! Turns a new run into what it changes on the pages, with the commands as typed.
//!
//! Must not need a GPU.

use super::*;

const LESSON: &str = r#"+++
title = "Copies at `= row('64').ms | fixed(3)`"
sweeps = ["copy"]
+++

A block of 64 threads takes `= row('64').ms | fixed(4)`; the best is `= fastest().label`; there are `= len(rows)` rows.

> claim: wider { holds = ["row('256').ms < row('64').ms", "row('64').registers >= 1"] }
> Wider is faster, from `= from(rows where threads < 1000, 'threads', ms < 0.10 ms)` threads on.

> claim: quick { holds = "all(rows where threads < 1000, ms < 1 ms)" }
> All are quick.

> claim: cliff { holds = "from(rows where threads < 1000, 'threads', ms < 0.10 ms) >= 64" }
> At some size it is.
"#;

/// The part of `out` that says what changes.
fn changes(out: &str) -> String {
    out.split_once("what changes on the pages\n").map(|(_, changes)| changes.replace('\u{a0}', " ")).unwrap_or_default()
}

#[test]
fn a_new_run_ends_with_what_it_changes_on_the_pages() {
    let root = course();
    write(root.path(), "lessons/copies.md", LESSON);
    let fake = |text: &str| write(root.path(), "kernels/copy.fake.toml", text);
    // 64 threads take 0.1205 ms, 256 take 0.0905 ms: noise, which the order of rows is a part of, never changes the digits asked for.
    fake("ms = \"1 ms * (0.1305 - threads * 0.01 / 64)\"\nnoise = 0.001\n");
    let (ending, out, err) = measure(root.path(), "--device fake");
    assert_eq!(ending, Ending::Fine, "{err}");
    assert_eq!(
        changes(&out),
        "nothing that a page says changes: 3 claims are judged for the first time, and stand, 5 figures have their first values\n"
    );

    // The same again: digits may waver, and nothing else.
    fake("ms = \"1 ms * (0.1305 - threads * 0.01 / 64)\"\nnoise = 0.001\nseed = 2\n");
    let (_, out, _) = measure(root.path(), "--device fake --force");
    assert!(changes(&out).starts_with("nothing that a page says changes: "), "{out}");
    assert!(changes(&out).contains("3 claims stay"), "{out}");

    // Now 256 are slower than 64.
    fake("ms = \"1 ms * (0.0805 + threads * 0.01 / 64)\"\nnoise = 0.001\nseed = 3\n");
    let (ending, out, _) = measure(root.path(), "--device fake --force");
    assert_eq!(ending, Ending::Fine);
    let said = changes(&out);
    assert!(said.contains("lessons/copies.md:8:28: claim `wider` on fake: supported -> refuted: `row('256').ms` is 0.12"), "{said}");
    assert!(said.contains("lessons/copies.md:14:27: claim `cliff` on fake: supported -> refuted"), "{said}");
    assert!(said.contains("`= row('64').ms | fixed(4)`: 0.12"), "{said}");
    assert!(said.contains(" -> 0.090") && said.contains(" %)"), "{said}");
    assert!(said.contains("`= fastest().label`: 256 -> 64"), "{said}");
    assert!(said.contains("`= from(rows where threads < 1000, 'threads', ms < 0.10 ms)`: 256 -> nowhere"), "{said}");
    assert!(said.contains("claim `cliff` on fake: `from(rows where threads < 1000, 'threads', ms < 0.1 ms)`: 256 -> nowhere"), "{said}");
    assert!(said.contains("  copy on fake: 256 was faster than 64, and is slower now\n  copy on fake: the fastest: 256 -> 64\n"), "{said}");
    assert!(said.ends_with("besides: 1 claim stays, 1 figure stays\n"), "{said}");

    // Asked afterwards, the same is said; of the run before, what would change back.
    let verify = |words: &str| lessonc(root.path(), "verify", words);
    let last = record(&out);
    let (_, again, _) = verify(&format!("--fresh {last}"));
    assert_eq!(changes(&again), said);
}

#[test]
fn a_change_of_the_code_is_compared_with_what_the_pages_said_before() {
    let root = course();
    write(root.path(), "lessons/copies.md", LESSON);
    write(root.path(), "kernels/copy.fake.toml", "ms = \"1 ms * (0.13 - threads * 0.01 / 64)\"\nnoise = 0.0001\n");
    measure(root.path(), "--device fake");
    write(root.path(), "kernels/copy.cu", &KERNEL.replace("unsigned long long n) {}", "unsigned long long n) { n += 1; }"));
    write(root.path(), "kernels/copy.fake.toml", "ms = \"1 ms * (0.16 - threads * 0.01 / 64)\"\nnoise = 0.0001\n");
    let (_, out, _) = measure(root.path(), "--device fake");
    let said = changes(&out);
    assert!(said.contains("`= row('64').ms | fixed(4)`: 0.1200 ms -> 0.1500 ms (+25.0 %)"), "{said}");
    assert!(said.contains("claim `cliff` on fake: supported -> refuted"), "{said}");
}

#[test]
fn a_course_without_lessons_has_no_pages_to_change() {
    let root = course();
    let (_, out, _) = measure(root.path(), "--device fake");
    assert!(!out.contains("what changes on the pages"), "{out}");
}

//! Turns sweeps into checks of their rows with `measure --check`, on the fake device.
//!
//! Must not need a GPU.

use super::*;

/// The files below `root`.
fn files(root: &Path) -> Vec<std::path::PathBuf> {
    let entries = walkdir::WalkDir::new(root).sort_by_file_name();
    entries.into_iter().filter_map(Result::ok).map(walkdir::DirEntry::into_path).collect()
}

fn check(root: &Path, more: &str) -> (Ending, String, String) {
    measure(root, &format!("--check --device fake {more}"))
}

#[test]
fn a_check_launches_every_row_once_and_keeps_nothing() {
    let root = course();
    let before = files(root.path());
    let (ending, out, err) = check(root.path(), "");
    assert_eq!(ending, Ending::Fine, "{err}");
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["copy"]);
    assert_eq!(rows[2], ["64", "32", "32", "4194304", "0", "0", "ok"]);
    // A shape that the device refuses is no wrong result.
    assert_eq!((rows[4][0], rows[4][6]), ("2048", "skipped"));
    assert!(rows[5][..2] == ["2048:", "skipped:"], "{out}");
    assert_eq!(files(root.path()), before);
}

#[test]
fn what_is_wrong_or_faults_ends_badly_and_the_rest_is_checked() {
    // After a launch that is refused, the rows to come have a process of their own.
    for word in ["incorrect", "launch"] {
        let root = course();
        write(root.path(), "kernels/copy.fake.toml", &format!("[[faults]]\nrow = \"64\"\noutcome = \"{word}\"\n"));
        let (ending, out, err) = check(root.path(), "");
        assert_eq!(ending, Ending::Problems, "{word}: {err}");
        let ends = |label: &str| out.lines().find(|line| line.starts_with(label)).and_then(|line| line.split_whitespace().last());
        assert_eq!((ends("64"), ends("256")), (Some(word), Some("ok")), "{out}");
        assert!(out.contains(&format!("  64: {word}: ")), "{out}");
        assert_eq!(check(root.path(), "copy --rows 256").0, Ending::Fine, "the wrong row was not asked for");
    }
}

#[test]
fn what_cannot_be_checked_is_said() {
    let root = course();
    let (ending, _, err) = check(root.path(), "--rounds 7");
    assert!(ending == Ending::Failed && err.contains("--rounds"), "{err}");
    let (ending, _, err) = check(root.path(), "copy --rows 65");
    assert!(ending != Ending::Fine && err.contains("no row `65`"), "{err}");
    // Nothing of it is measured or checked: what the driver says of its launches is all.
    let residency = SWEEP.replace("warmup_ms = 2", "time = false").replace("[check]", "[unused]");
    let (from, to) = (residency.find("[unused]").expect("a check"), residency.find("[launch]").expect("a launch"));
    write(root.path(), "kernels/copy.toml", &format!("{}{}", &residency[..from], &residency[to..]));
    let (ending, out, err) = check(root.path(), "copy");
    assert!(ending == Ending::Fine && out.is_empty() && err.contains("copy: launches nothing"), "{out}{err}");
}

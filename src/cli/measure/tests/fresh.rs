//! Turns two runs of a small course into comparisons, with the commands as typed.
//!
//! Must not need a GPU.

use super::*;

#[test]
fn a_new_run_is_compared_with_the_one_before() {
    let root = course();
    let fake = |text: &str| write(root.path(), "kernels/copy.fake.toml", text);
    fake("ms = \"bytes / (400 GB/s)\"\n");
    let (_, out, _) = measure(root.path(), "--device fake");
    assert!(!out.contains("recorded"), "there was none to compare with: {out}");
    let first = record(&out);
    let verdict = |text: &str| {
        fake(text);
        let (ending, out, err) = measure(root.path(), "--device fake --force");
        assert_eq!(ending, Ending::Fine, "{err}");
        let name = record(&out);
        assert!(out.contains(&format!("\nrecorded  {first}\nfresh     {name}\n")), "{out}");
        let whole = out.lines().find(|line| line.contains(" (rows: ")).expect("a verdict").to_owned();
        // Each is compared with the first: the others did not happen.
        std::fs::remove_file(root.path().join(&name)).expect("removable");
        std::fs::remove_file(root.path().join(name.replace(".jsonl", ".txt"))).expect("removable");
        (whole, err)
    };
    let untimed = ", 1 without a time in either run)";
    let cases = [
        ("ms = \"bytes / (400 GB/s)\"\nseed = 2\n", "SAME (rows: 2 SAME"),
        ("ms = \"1.02 * bytes / (400 GB/s)\"\nseed = 2\n", "SLOWER (rows: 2 SLOWER"),
        ("ms = \"0.98 * bytes / (400 GB/s)\"\nseed = 2\n", "FASTER (rows: 2 FASTER"),
        ("ms = \"bytes / (400 GB/s)\"\nseed = 2\nmachine = 1.02\n", "MACHINE-DRIFT (rows: 2 MACHINE-DRIFT"),
    ];
    for (text, expected) in cases {
        let (whole, err) = verdict(text);
        assert_eq!(whole, expected.to_owned() + untimed);
        assert!(err.contains("round 11 of 11") && !err.contains("more rounds"), "{err}");
    }
    let (whole, err) = verdict("ms = \"bytes / (400 GB/s)\"\nseed = 2\nnoise = 0.2\n");
    assert!(whole.starts_with("UNRESOLVED"), "{whole}");
    assert!(err.contains("can't be told from the recorded run yet: 11 more rounds") && err.contains("round 33 of 33"), "{err}");
}

#[test]
fn a_run_from_elsewhere_is_compared_with_the_current_one() {
    let root = course();
    write(root.path(), "kernels/copy.fake.toml", "ms = \"bytes / (400 GB/s)\"\n");
    let name = record(&measure(root.path(), "--device fake").1);
    let verify = |words: &str| lessonc(root.path(), "verify", words);
    let (ending, _, err) = verify(&format!("--fresh {name}"));
    assert!(ending == Ending::Failed && err.contains("no other complete run of copy on fake"), "{err}");

    // A second run of the same code, in the course and, moved out of it, in a file.
    write(root.path(), "kernels/copy.fake.toml", "ms = \"1.05 * bytes / (400 GB/s)\"\nseed = 3\n");
    let second = record(&measure(root.path(), "--device fake --force").1);
    let stem = second.strip_suffix(".jsonl").expect("a record");
    for named in [&second, stem, stem.rsplit_once('/').expect("a folder").1, root.path().join(&second).to_str().expect("text")] {
        let (ending, out, err) = verify(&format!("--fresh {named}"));
        assert_eq!(ending, Ending::Problems, "{err}");
        assert!(out.starts_with(&format!("copy on fake\nrecorded  {name}\nfresh     {second}\n")), "{out}");
        assert!(out.contains("\nSLOWER (rows: 2 SLOWER, 1 without"), "{out}");
    }
    let outside = root.path().join("lessons/elsewhere.jsonl");
    std::fs::rename(root.path().join(&second), &outside).expect("movable");
    std::fs::remove_file(root.path().join(stem.to_owned() + ".txt")).expect("removable");
    let outside = outside.to_str().expect("text");
    let (ending, out, _) = verify(&format!("--fresh {outside}"));
    assert!(ending == Ending::Problems && out.contains("\nSLOWER") && out.contains(&format!("fresh     {outside}\n")), "{out}");

    // The same run against itself is no comparison; a text that is no record says so; nor does a missing one pass.
    let copy = root.path().join("lessons/same.jsonl");
    std::fs::copy(root.path().join(&name), &copy).expect("readable");
    let (ending, _, err) = verify(&format!("--fresh {}", copy.display()));
    assert!(ending == Ending::Failed && err.contains("no other complete run"), "{err}");
    let (ending, _, err) = verify(&format!("--fresh {}", root.path().join("kernels/copy.toml").display()));
    assert!(ending == Ending::Failed && err.contains("copy.toml:1: "), "{err}");
    let (ending, _, err) = verify("--fresh nothing");
    assert!(ending == Ending::Failed && err.contains("there is no run `nothing`"), "{err}");
    assert_eq!(verify("--across-code").0, Ending::Failed);

    // Other code: named, and compared on request only.
    write(root.path(), "kernels/copy.cu", &KERNEL.replace("unsigned long long n) {}", "unsigned long long n) { y[0] = x[0]; }"));
    let (_, out, err) = measure(root.path(), "--device fake");
    assert!(out.contains("two versions of the code are compared"), "{out}{err}");
    let (ending, out, _) = verify(&format!("--fresh {outside}"));
    assert!(ending == Ending::Problems && out.contains("\n  fingerprint  ") && out.contains("\nNOT-COMPARABLE (rows: 2 NOT"), "{out}");
    write(root.path(), "kernels/copy.fake.toml", "ms = \"bytes / (400 GB/s)\"\nseed = 4\n");
    measure(root.path(), "--device fake --force");
    let (ending, out, _) = verify(&format!("--fresh {name} --across-code"));
    assert!(ending == Ending::Fine && out.contains("two versions of the code are compared") && out.contains("\nSAME ("), "{out}");
}

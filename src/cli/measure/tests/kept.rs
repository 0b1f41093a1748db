//! What is kept of runs beside the ones that count: looks at some rows, replays, transcripts.

use super::*;

#[test]
fn transcripts_are_made_anew_and_nothing_else_is_touched() {
    let root = course();
    let name = record(&measure(root.path(), "--device fake").1);
    let transcript = name.replace(".jsonl", ".txt");
    let read = |name: &str| std::fs::read_to_string(root.path().join(name)).expect("it is there");
    let (text, kept) = (read(&transcript), read(&name));
    let (ending, out, err) = measure(root.path(), "--transcripts");
    assert_eq!((ending, out.as_str(), err.as_str()), (Ending::Fine, "", "0 of 1 transcripts made anew\n"));
    write(root.path(), &transcript, &text.replace("Sweep          copy", "Sweep: copy"));
    write(root.path(), "evidence/copy/notes.md", "Mine.\n");
    let (ending, out, err) = measure(root.path(), "copy --transcripts");
    assert_eq!((ending, out, err.as_str()), (Ending::Fine, format!("{transcript}\n"), "1 of 1 transcripts made anew\n"));
    assert_eq!((read(&transcript), read(&name), read("evidence/copy/notes.md")), (text.clone(), kept.clone(), "Mine.\n".to_owned()));
    std::fs::remove_file(root.path().join(&transcript)).expect("it is there");
    assert_eq!(measure(root.path(), "--transcripts").0, Ending::Fine);
    assert_eq!(read(&transcript), text);
    // A record that was edited gives none, and keeps the one it has.
    write(root.path(), &name, &kept.replacen("\"spans_ns\":[", "\"spans_ns\":[1", 1));
    let (ending, out, err) = measure(root.path(), "--transcripts");
    assert_eq!((ending, out.as_str()), (Ending::Problems, ""));
    assert!(err.contains("0 of 0 transcripts") && err.contains("evidence-digest"), "{err}");
    assert_eq!(read(&transcript), text);
    assert_eq!(measure(root.path(), "--transcripts --force").0, Ending::Failed);
}

#[test]
fn some_rows_are_a_look_and_never_current() {
    let root = course();
    let (ending, out, err) = measure(root.path(), "copy --device fake --rows 64,2048");
    assert_eq!(ending, Ending::Fine, "{err}");
    assert!(err.contains("copy: only some rows were asked for; the run is kept, and is not current"), "{err}");
    assert!(out.contains("11/11         ok") && out.contains("0/11  not tried"), "{out}");
    assert!(measure(root.path(), "--list").1.contains("fake: missing"));
    for (words, text) in [("--rows 65", "copy has no row `65`; did you mean `64`?"), ("--gpu 0", "--gpu chooses among GPUs")] {
        let (ending, _, err) = measure(root.path(), &format!("--device fake {words}"));
        assert_eq!(ending, Ending::Failed, "{words}");
        assert!(err.contains(text), "{words}: {err}");
    }
    let (ending, _, err) = measure(root.path(), "--gpu first");
    assert_eq!(ending, Ending::Failed);
    assert!(err.contains("expected a number, or a UUID"), "{err}");
}

#[test]
fn a_replay_is_compared_and_is_no_evidence() {
    let root = course();
    write(root.path(), "kernels/copy.fake.toml", "[[faults]]\nrow = \"64\"\nround = 3\noutcome = \"runtime\"\n");
    let name = record(&measure(root.path(), "--device fake").1);
    let stem = name.trim_end_matches(".jsonl").rsplit('/').next().expect("a stem");
    for run in [name.as_str(), stem] {
        let (ending, out, err) = measure(root.path(), &format!("--device replay:{run}"));
        assert_eq!(ending, Ending::Fine, "{out}{err}");
        assert!(out.contains("replay .lessonc/replay/copy/") && out.contains(&format!("equal to {name} in every line")), "{out}");
    }
    assert!(measure(root.path(), "--list").1.contains(&format!("current, {name}")));
    let (ending, _, err) = measure(root.path(), "--device replay:nothing");
    assert_eq!(ending, Ending::Failed);
    assert!(err.contains("there is no run `nothing`"), "{err}");
    write(root.path(), "kernels/copy.toml", &SWEEP.replace("64, 256", "64, 512"));
    let (ending, _, err) = measure(root.path(), &format!("--device replay:{name}"));
    assert_eq!(ending, Ending::Failed);
    assert!(err.contains("is a run of other code"), "{err}");
}

//! `lessonc try`: a reader's figures beside the published ones, and nothing of the course changed.

use lessonc::cli::Ending;
use serde_json::Value;

use super::fixture::{fixture, found};
use super::support::{Folder, Said, lessonc_with};

/// Runs `lessonc try` on the course in `folder`.
fn attempt(folder: &Folder, arguments: &[&str]) -> Said {
    let mut words: Vec<&dyn AsRef<std::ffi::OsStr>> = vec![&"try", &"--no-open", &"--device", &"fake", &"--course"];
    let path = folder.path();
    words.push(&path);
    words.extend(arguments.iter().map(|argument| argument as &dyn AsRef<std::ffi::OsStr>));
    lessonc_with(&words)
}

/// Everything that is published or stands for it, by name.
fn course(folder: &Folder) -> Vec<(String, String)> {
    let names = ["evidence", "kernels", "lessons", "site"].into_iter().flat_map(|below| folder.files(below));
    names.map(|name| (name.clone(), folder.read(&name))).collect()
}

/// A card on which four times the elements take no longer.
const FLAT: &str = "ms = 0.5\nnoise = 0.0005\n";

#[test]
fn a_reader_sees_both_cards_and_the_course_stays_as_it_is() {
    let folder = fixture();
    let before = course(&folder);
    folder.write("kernels/copy.fake.toml", FLAT);
    let tried = attempt(&folder, &["copy"]);
    assert_eq!(tried.ending, Ending::Fine, "a sentence that does not hold on a reader's card is no failure: {tried:?}");
    folder.remove("kernels/copy.fake.toml");
    assert_eq!(course(&folder), before, "evidence and site are as they were");
    assert_eq!(found(&folder), [""; 0], "and pass");
    assert!(tried.err.contains("runs code of this course on Fake: 1 sweep"), "{tried:?}");

    let page = folder.read(".lessonc/try/fake/site/copy.html");
    // The card is of the published kind, and stands beside it all the same.
    assert!(page.contains("data-devices=\"fake yours\""), "{page}");
    assert!(page.contains("<span class=\"ltr\">Fake</span> (your card, "), "{page}");
    let claim = |id: &str, status: &str| page.contains(&format!("<section class=\"claim {status} on d1\" id=\"claim-{id}-on-1\""));
    assert!(claim("grows", "refuted") || claim("grows", "unresolved"), "{page}");
    assert!(page.contains("<section class=\"claim supported on d0\" id=\"claim-doubles\"") && claim("doubles", "refuted"), "{page}");
    assert!(page.contains("your own run, no evidence of this course"), "{page}");
    assert!(
        page.matches("<figure class=\"exhibit table on d").count() == 2 && page.matches("<figure class=\"exhibit chart on d").count() == 2
    );
    assert!(page.contains("between-devices") && page.contains("lessonc try copy"), "{page}");

    let record = folder.files(".lessonc/try/fake/evidence").into_iter().find(|name| name.ends_with(".jsonl")).unwrap();
    assert!(folder.read(&record).contains("\"private\":\"try\""));
    assert!(folder.read(&record.replace(".jsonl", ".txt")).contains("Private        made by `lessonc try`, and no evidence"));
    assert_eq!(folder.read(".lessonc/.gitignore"), "*\n");

    // What the summary says: the figures of both, what holds first, what doesn't last, where one looks.
    for part in [
        "on your Fake",
        "copy: measured, 5 rounds",
        "row('2').ms > 1.9 * row('1').ms\n      yours: 0.50",
        "on your Fake: 1 can't be told, 1 doesn't hold.",
    ] {
        assert!(tried.out.contains(part), "{part}: {}", tried.out);
    }
    assert!(tried.out.trim_end().ends_with(".lessonc/try/fake/site/copy.html"), "{}", tried.out);
}

#[test]
fn a_run_that_a_sentence_names_is_the_published_one() {
    let folder = fixture();
    let record = folder.files("evidence").into_iter().find(|name| name.ends_with(".jsonl")).unwrap();
    let name = record.rsplit('/').next().unwrap().strip_suffix(".jsonl").unwrap();
    let text = format!("`= run('{name}').row('1').ms` and `= row('1').ms`");
    folder.write("lessons/copy.md", &format!("{}\nThen {text}.\n", folder.read("lessons/copy.md")));
    folder.write("kernels/copy.fake.toml", FLAT);
    let tried = attempt(&folder, &["copy"]);
    assert_eq!(tried.ending, Ending::Fine, "{tried:?}");
    // The reader's run is of the same day and, by its card, of the same name.
    let page = folder.read(".lessonc/try/fake/site/copy.html");
    let then = page.split("<p>Then ").nth(1).unwrap().split("</p>").next().unwrap();
    let (first, second) = then.split_once(" and ").unwrap();
    assert!(first.contains("1.04") && !first.contains("0.50") && !first.contains("your own run"), "{then}");
    assert!(second.contains("1.04") && second.contains("0.4999") | second.contains("0.500"), "{then}");
}

#[test]
fn what_was_measured_is_kept_until_more_is_asked_for() {
    let folder = fixture();
    let records = || folder.files(".lessonc/try/fake/evidence").into_iter().filter(|name| name.ends_with(".jsonl")).count();
    for (arguments, words, count) in [
        (&["copy.md"][..], "measured, 5 rounds", 1),
        (&["lessons/copy.md"], "; --again measures it anew", 1),
        (&["copy", "--rounds", "6"], "measured, 6 rounds", 2),
        (&["copy", "--rounds", "5"], "; --again measures it anew", 2),
        (&["copy", "--again"], "measured, 5 rounds", 3),
    ] {
        let tried = attempt(&folder, arguments);
        assert!(tried.ending == Ending::Fine && tried.out.contains(words), "{arguments:?}: {tried:?}");
        assert_eq!(records(), count, "{arguments:?}");
    }
    // Other code was not tried yet.
    folder.edit("kernels/copy.toml", "items = [1, 2, 4]", "items = [1, 2, 4, 8]");
    assert!(attempt(&folder, &["copy"]).out.contains("measured, 5 rounds"));
    // What is only compiled has one round, however many are asked for.
    folder.edit("kernels/copy.toml", "rounds = 5", "time = false");
    assert!(attempt(&folder, &["copy", "--rounds", "6"]).out.contains("copy: measured"));
    assert!(attempt(&folder, &["copy", "--rounds", "6"]).out.contains("; --again measures it anew"));
}

#[test]
fn a_private_record_never_becomes_evidence() {
    let folder = fixture();
    attempt(&folder, &["copy", "--again"]);
    let name = folder.files(".lessonc/try/fake/evidence").into_iter().find(|name| name.ends_with(".jsonl")).unwrap();
    let stem = name.strip_suffix(".jsonl").unwrap();
    let target = format!("{}-9", stem.strip_prefix(".lessonc/try/fake/").unwrap());
    for ending in [".jsonl", ".txt"] {
        folder.write(&format!("{target}{ending}"), &folder.read(&format!("{stem}{ending}")));
    }
    assert_eq!(found(&folder), ["error evidence-private"]);
    let built = lessonc_with(&[&"build", &"--course", &folder.path()]);
    assert!(built.ending == Ending::Problems && built.err.contains("made by `lessonc try` and is no evidence"), "{built:?}");
}

const PROGRAM: &str =
    "kind = \"program\"\ntitle = \"By itself\"\nsource = \"copy.cu\"\nrun = [\"true\"]\n\n[values.x]\npattern = 'x (\\d+)'\n";

#[test]
fn what_cannot_run_is_named_and_the_rest_goes_on() {
    let folder = fixture();
    folder.write("kernels/alone.toml", PROGRAM);
    folder.edit("lessons/copy.md", "sweeps = [\"copy\"]", "sweeps = [\"alone\", \"copy\", \"gone\"]");
    folder.write("kernels/copy.fake.toml", "[[faults]]\nrow = \"4\"\noutcome = \"incorrect\"\n");
    let tried = attempt(&folder, &["copy"]);
    assert_eq!(tried.ending, Ending::Fine, "{tried:?}");
    for part in ["alone: not measured: a program has no stand-in", "copy: measured, 5 rounds; without `4`: incorrect"] {
        assert!(tried.out.contains(part), "{part}: {tried:?}");
    }
    assert!(tried.err.contains("gone: can't be planned as it is"), "{tried:?}");
    let summary: Value = serde_json::from_str(&attempt(&folder, &["copy", "--format", "json"]).out).unwrap();
    assert_eq!(summary["sweeps"][0]["state"], "failed");
    assert_eq!(summary["sweeps"][1]["left_out"][0]["row"], "4");
    assert_eq!((&summary["lesson"], &summary["published"]["slug"]), (&Value::from("copy"), &Value::from("fake")));
    let sentences = summary["sentences"].as_array().unwrap();
    assert_eq!(sentences.len(), 2);
    assert!(sentences.iter().all(|sentence| sentence["here"]["verdict"].is_string() && sentence["published"]["conditions"].is_array()));

    // Where nothing runs, nothing was shown to anybody.
    folder.write("kernels/copy.fake.toml", "compile = \"copy.cu(3): error: no such thing\"\n");
    let failed = attempt(&folder, &["copy", "--again"]);
    assert_eq!(failed.ending, Ending::Failed, "{failed:?}");
    assert!(failed.err.contains("kernel-compile") && failed.err.contains("nothing of copy could be measured here"), "{failed:?}");
}

#[test]
fn it_says_what_it_cannot_do() {
    let folder = fixture();
    folder.write("lessons/plain.md", "+++\ntitle = \"Plain\"\n+++\n\nText.\n");
    let here = folder.path().to_str().unwrap().to_owned();
    for (arguments, words) in [
        (&["cpoy"][..], "there is no lesson `cpoy` in this course; did you mean `copy`?"),
        (&["plain"], "plain stands on no sweep"),
        (&["copy", "--gpu", "1"], "--gpu chooses among GPUs"),
        (&["copy", "--out", &format!("{here}/site")], "holds what is published"),
        (&["copy", "--out", &format!("{here}/evidence/x")], "where the course's inputs are"),
    ] {
        let tried = attempt(&folder, arguments);
        assert!(tried.ending == Ending::Failed && tried.err.contains(words), "{arguments:?}: {tried:?}");
    }
    let busy = "busy = \"another process\"\n";
    folder.write("kernels/copy.fake.toml", busy);
    let tried = attempt(&folder, &["copy"]);
    assert!(tried.ending == Ending::Failed && tried.err.contains("the GPU is busy: another process"), "{tried:?}");
    assert_eq!(attempt(&folder, &["copy", "--allow-busy"]).ending, Ending::Fine);
}

#[test]
fn without_a_gpu_it_says_so_once_and_what_it_would_take() {
    let folder = fixture();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lessonc"));
    let output = command.args(["try", "copy", "--course"]).arg(folder.path()).env("CUDA_VISIBLE_DEVICES", "").output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{err}");
    assert!(err.starts_with("lessonc: there is no GPU here to try copy on: "), "{err}");
    for part in ["would measure 1 sweep", ": copy\n", "an NVIDIA GPU with 2.0 GiB of free memory", "a C++ compiler", "`lessonc doctor`"] {
        assert!(err.contains(part), "{part}: {err}");
    }
    assert!(!folder.path().join(".lessonc/try").exists());
}

#[test]
fn another_folder_holds_all_of_it_and_ignores_itself() {
    let (folder, elsewhere) = (fixture(), Folder::new());
    let out = elsewhere.path().join("mine");
    let tried = attempt(&folder, &["copy", "--out", out.to_str().unwrap()]);
    assert_eq!(tried.ending, Ending::Fine, "{tried:?}");
    assert_eq!(elsewhere.read("mine/.gitignore"), "*\n");
    assert!(elsewhere.path().join("mine/fake/site/copy.html").is_file());
    assert!(!folder.path().join(".lessonc/try").exists());
}

#[test]
fn a_lesson_without_own_runs_shows_no_further_device() {
    let folder = fixture();
    folder.write("lessons/other.md", "+++\ntitle = \"Other\"\nsweeps = [\"more\"]\n+++\n\n`= row('1').ms`\n");
    folder.write("kernels/more.toml", &folder.read("kernels/copy.toml"));
    assert_eq!(attempt(&folder, &["copy"]).ending, Ending::Fine);
    assert!(!folder.read(".lessonc/try/fake/site/other.html").contains("data-devices"));
    assert!(folder.read(".lessonc/try/fake/site/copy.html").contains("data-devices"));
}

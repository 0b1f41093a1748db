//! `lessonc measure` through real processes on the fake device: killed, stopped, started twice, and out of disk.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use lessonc::evidence::lines;
use lessonc::evidence::record::{Outcome, Record};

use super::support::{Folder, repository};

/// The fixture with rounds in processes of their own, and slow enough to break in. `more` is added to the fake's file.
fn course(more: &str) -> Folder {
    let folder = Folder::copy_of(&repository().join("tests/fixture"));
    folder.write("kernels/copy.fake.toml", &format!("processes = true\npace_ms = 40\n{more}"));
    folder
}

fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lessonc"));
    command.args(["measure", "--device", "fake", "--course"]).arg(root).args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A run that goes on beside the test, killed with it.
struct Running(Child);

impl Running {
    fn start(root: &Path, arguments: &[&str]) -> Self {
        Self(command(root, arguments).spawn().expect("lessonc starts"))
    }

    fn signal(&self, signal: &str) {
        send(signal, self.0.id());
    }

    fn wait(&mut self) -> Option<i32> {
        let until = Instant::now() + Duration::from_secs(60);
        while Instant::now() < until {
            if let Some(status) = self.0.try_wait().expect("it can be waited for") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("lessonc does not end");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn send(signal: &str, process: u32) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {process}")]).status().expect("sh runs");
    assert!(sent.success(), "kill -{signal} {process}");
}

fn journal(root: &Path) -> PathBuf {
    root.join(".lessonc/measure/copy-fake.jsonl")
}

/// The lines of results in the journal, whole ones.
fn finished(root: &Path) -> usize {
    let text = std::fs::read_to_string(journal(root)).unwrap_or_default();
    text.split_inclusive('\n').filter(|line| line.starts_with("{\"line\":\"result\"") && line.ends_with('\n')).count()
}

/// Waits until `rows` rows are finished.
fn wait_for(root: &Path, rows: usize) {
    let until = Instant::now() + Duration::from_secs(60);
    while finished(root) < rows {
        assert!(Instant::now() < until, "no {rows} rows after a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn end(root: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command(root, arguments).output().expect("lessonc starts");
    (status.code(), String::from_utf8_lossy(&stdout).into_owned(), String::from_utf8_lossy(&stderr).into_owned())
}

/// The one record in the evidence.
fn record(root: &Path) -> Record {
    let found: Vec<PathBuf> = walkdir::WalkDir::new(root.join("evidence"))
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .collect();
    let [path] = &found[..] else { panic!("{found:?}") };
    lines::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The worker that `parent` has at this moment.
fn worker(parent: u32) -> u32 {
    let until = Instant::now() + Duration::from_secs(60);
    while Instant::now() < until {
        let children = Command::new("ps").args(["-o", "pid=", "--ppid", &parent.to_string()]).output().expect("ps runs");
        if let Some(child) = String::from_utf8_lossy(&children.stdout).split_whitespace().next_back().and_then(|pid| pid.parse().ok()) {
            return child;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("no worker");
}

#[test]
fn a_killed_run_is_gone_on_with_in_any_round() {
    let folder = course("");
    let root = folder.path();
    // In the first round and twice later: 3 rows, 11 rounds.
    for _ in 0..3 {
        let before = finished(root);
        let mut running = Running::start(root, &["--rounds", "11"]);
        wait_for(root, before + 2);
        let orphan = worker(running.0.id());
        running.signal("KILL");
        assert_eq!(running.wait(), None, "it was killed");
        assert!(finished(root) >= before + 2);
        // The worker of a parent that is gone ends by itself, with its row.
        let until = Instant::now() + Duration::from_secs(20);
        while Path::new(&format!("/proc/{orphan}")).exists() && !is_dead(orphan) {
            assert!(Instant::now() < until, "the worker goes on without its parent");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let kept = finished(root);
    let (code, out, err) = end(root, &["--rounds", "11"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains(&format!("cut short: {kept} finished rows are kept")), "{err}");
    assert!(out.contains("record evidence/copy/"), "{out}");
    let record = record(root);
    assert_eq!(record.results.len(), 33);
    assert!(record.results.iter().all(|result| result.outcome == Outcome::Ok));
    let footer = record.footer.unwrap();
    assert_eq!((footer.complete, footer.resumed.len()), (true, 3));
    assert!(!journal(root).exists());
}

/// Whether a process is only waiting to be forgotten.
fn is_dead(process: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat"))
        .map_or(true, |stat| stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')))
}

#[test]
fn a_killed_worker_costs_its_row_and_no_other() {
    let folder = course("");
    let root = folder.path();
    let mut running = Running::start(root, &[]);
    wait_for(root, 4);
    send("KILL", worker(running.0.id()));
    assert_eq!(running.wait(), Some(0));
    let record = record(root);
    let lost: Vec<&Outcome> = record.results.iter().map(|result| &result.outcome).filter(|outcome| **outcome != Outcome::Ok).collect();
    assert!(lost.len() <= 1, "{lost:?}");
    assert_eq!(record.results.len(), 15);
    for outcome in lost {
        assert!(matches!(outcome, Outcome::Runtime(why) if why.contains("signal: 9")), "{outcome:?}");
    }
}

#[test]
fn a_crash_and_a_hang_are_outcomes_of_their_rows() {
    let fault = |row: &str, round: u32, outcome: &str| format!("[[faults]]\nrow = \"{row}\"\nround = {round}\noutcome = \"{outcome}\"\n");
    let faults = ["grace_s = 1\n".to_owned(), fault("1", 1, "crash"), fault("2", 2, "hang"), fault("4", 4, "runtime")].concat();
    let folder = course(&faults);
    folder.edit("kernels/copy.toml", "rounds = 5", "rounds = 5\nlimit_s = 1\nwarmup_ms = 2");
    let root = folder.path();
    let (code, _, err) = end(root, &[]);
    assert_eq!(code, Some(0), "{err}");
    let record = record(root);
    let wrong = record.results.iter().filter(|result| result.outcome != Outcome::Ok);
    let mut wrong: Vec<String> = wrong.map(|result| format!("{} {} {}", result.row, result.round, result.outcome.word())).collect();
    wrong.sort();
    assert_eq!(wrong, ["0 1 runtime", "1 2 timeout", "2 4 runtime"]);
    assert_eq!((record.results.len(), record.is_complete()), (15, true));
    for words in ["exit status: 70", "no answer within 2 s; its process was ended", "told to fault"] {
        assert!(err.contains(words), "{words}: {err}");
    }
}

#[test]
fn two_at_once_on_one_course_are_refused() {
    let folder = course("");
    let root = folder.path();
    let mut running = Running::start(root, &["--rounds", "30"]);
    wait_for(root, 1);
    let (code, out, err) = end(root, &["--force"]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
    assert!(err.contains(&format!("another lessonc (process {}) measures this course", running.0.id())), "{err}");
    assert_eq!(running.wait(), Some(0));
    assert_eq!(record(root).results.len(), 90);
}

#[test]
fn an_interrupt_ends_after_the_row_in_hand() {
    let folder = course("");
    let root = folder.path();
    let mut running = Running::start(root, &[]);
    wait_for(root, 4);
    running.signal("INT");
    assert_eq!(running.wait(), Some(1));
    let kept = finished(root);
    assert!((4..15).contains(&kept), "{kept}");
    let mut err = String::new();
    std::io::Read::read_to_string(running.0.stderr.as_mut().unwrap(), &mut err).unwrap();
    assert!(err.contains(&format!("copy: interrupted; {kept} finished rows are kept, and the same command goes on")), "{err}");
    let (code, out, _) = end(root, &["--list"]);
    assert_eq!(code, Some(0));
    assert!(out.contains(&format!("fake: a run was cut short at {kept} of 15 rows; measuring goes on with it")), "{out}");
    let (code, _, err) = end(root, &[]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(record(root).results.len(), 15);
}

/// A file system of so many kilobytes at `at`, unmounted when dropped; `None`, with a word, where this user may not have one.
struct Small<'a>(&'a Path);

impl<'a> Small<'a> {
    fn mount(at: &'a Path, kilobytes: usize) -> Option<Self> {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "tmpfs"]).arg(at).output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(at)),
            _ => {
                eprintln!("skipped: a small file system needs root and the right to mount");
                None
            }
        }
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_loses_no_finished_row() {
    let folder = course("");
    let root = folder.path();
    let side = root.join(".lessonc");
    std::fs::create_dir(&side).unwrap();
    let Some(_small) = Small::mount(&side, 64) else { return };
    // Room for the plan of the run and for some results: the rest is taken.
    let ballast = side.join("ballast");
    std::fs::write(&ballast, vec![0; 44 << 10]).unwrap();
    let (code, out, err) = end(root, &[]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
    assert!(err.contains("No space left on device") && err.contains("copy-fake.jsonl"), "{err}");
    let kept = finished(root);
    assert!(kept > 0 && kept < 15, "{kept}");
    assert!(err.contains(&format!("{kept} finished row")) && err.contains("measuring again goes on with them"), "{err}");
    assert!(std::fs::read_to_string(journal(root)).unwrap().ends_with('\n'), "no half line is left");
    // Still full: nothing gets lost by trying.
    let (code, _, _) = end(root, &[]);
    assert_eq!((code, finished(root)), (Some(2), kept));
    std::fs::remove_file(ballast).unwrap();
    let (code, _, err) = end(root, &[]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(record(root).results.len(), 15);
}

#[test]
fn a_full_disk_below_the_evidence_loses_no_run() {
    let folder = course("");
    let root = folder.path();
    let evidence = root.join("evidence");
    std::fs::create_dir(&evidence).unwrap();
    let Some(_small) = Small::mount(&evidence, 4) else { return };
    let (code, _, err) = end(root, &[]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("No space left on device") && err.contains("measuring again puts them into the evidence"), "{err}");
    assert_eq!(finished(root), 15);
    drop(_small);
    let (code, _, err) = end(root, &[]);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("15 finished rows are kept"), "{err}");
    assert_eq!(record(root).results.len(), 15);
}

//! Turns the commits of a course's repository into what they say of its records.
//!
//! Must not run anything that the repository names: git is asked for stored objects only, by commands that run no hook, filter,
//! pager or transport, and is told so where its configuration could say otherwise.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::base::digest::Checksum;
use crate::base::problem::Problems;
use crate::evidence::name::FOLDER;
use crate::rules::history::{Committed, History};
use crate::tree::SourceTree;

/// What the commits that lead to the present one say of the records of the course at `root`.
///
/// # Errors
/// Why they say nothing: one sentence. That is no fault of the course.
pub fn history(root: &Path) -> Result<History, String> {
    if !root.ancestors().any(|folder| std::fs::symlink_metadata(folder.join(".git")).is_ok()) {
        return Err("the course is in no git repository".to_owned());
    }
    let shallow = finished(git(root).args(["rev-parse", "--is-shallow-repository"]).output())?.trim() == "true";
    let first = first_commits(root)?;
    let digests = digests(root, first.values().map(|(_, blob)| blob.as_str()))?;
    let records = first.into_iter().map(|(name, (commit, blob))| (name, Committed { commit, digest: digests.get(&blob).copied() }));
    Ok(History { records: records.collect(), shallow })
}

/// Git in the folder `root`, deaf to what a stranger's repository could tell it to start.
fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).arg("--no-replace-objects").arg("--literal-pathspecs");
    for setting in ["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.sshCommand=false", "protocol.allow=never"] {
        command.args(["-c", setting]);
    }
    // The course's folder says which repository it is, and objects that a partial clone lacks are not fetched.
    for name in
        ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_EXTERNAL_DIFF"]
    {
        command.env_remove(name);
    }
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0").env("GIT_GRAFT_FILE", "/dev/null");
    command.env("LC_ALL", "C").stdin(Stdio::null()).stderr(Stdio::piped());
    command
}

/// The text that a command of git's printed.
fn finished(output: std::io::Result<Output>) -> Result<String, String> {
    let output = output.map_err(|_| "git is not installed".to_owned())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().next().unwrap_or("nothing").trim_start_matches("fatal: ").to_owned();
    Err(if first.contains("bad revision 'HEAD'") { "the repository has no commit yet".to_owned() } else { format!("git says: {first}") })
}

/// By name, the first commit that had each record and the object that it had; whatever became of it since.
fn first_commits(root: &Path) -> Result<BTreeMap<String, (String, String)>, String> {
    // Side branches count too: a record that one of them had was committed.
    let commits = git(root).args(["rev-list", "--full-history", "--topo-order", "--reverse", "HEAD", "--", FOLDER]).output();
    let commits = finished(commits)?;
    let mut command = git(root);
    command.args([
        "diff-tree",
        "--stdin",
        "-r",
        "-m",
        "--root",
        "--raw",
        "--no-renames",
        "--no-abbrev",
        "--no-ext-diff",
        "--relative",
        "-z",
    ]);
    let changes = finished(fed(command.args(["--", FOLDER]), &commits))?;
    let mut first = BTreeMap::new();
    let (mut commit, mut words) = ("", changes.split(['\0', '\n']));
    while let Some(word) = words.next() {
        let Some(change) = word.strip_prefix(':') else {
            if !word.is_empty() {
                commit = word;
            }
            continue;
        };
        let parts: Vec<&str> = change.split(' ').collect();
        let (Some(name), &[_, mode, _, blob, _]) = (words.next(), parts.as_slice()) else { continue };
        if name.ends_with(".jsonl") && mode.starts_with("100") {
            first.entry(name.to_owned()).or_insert_with(|| (commit.to_owned(), blob.to_owned()));
        }
    }
    Ok(first)
}

/// Runs `command` with `text` on its standard input.
fn fed(command: &mut Command, text: &str) -> std::io::Result<Output> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let input = child.stdin.take();
    // Written beside the reading, or both would wait for each other once a pipe is full.
    std::thread::scope(|scope| {
        scope.spawn(move || input.map(|mut input| input.write_all(text.as_bytes())));
        child.wait_with_output()
    })
}

/// The digests of the texts that `blobs` hold, as a course's tree counts them; those that are not there are left out.
fn digests<'a>(root: &Path, blobs: impl Iterator<Item = &'a str>) -> Result<BTreeMap<String, Checksum>, String> {
    let wanted: String = blobs.map(|blob| format!("{blob}\n")).collect();
    let output = fed(git(root).args(["cat-file", "--batch"]), &wanted).map_err(|_| "git is not installed".to_owned())?;
    let mut reader = BufReader::new(&*output.stdout);
    let (mut digests, mut line) = (BTreeMap::new(), String::new());
    while reader.read_line(&mut line).is_ok_and(|length| length > 0) {
        let parts: Vec<&str> = line.trim_end().split(' ').collect();
        if let [blob, "blob", size] = parts[..] {
            let mut bytes = vec![0; size.parse().map_err(|_| format!("git says: {line}"))?];
            let mut end = [0];
            reader
                .read_exact(&mut bytes)
                .and_then(|()| reader.read_exact(&mut end))
                .map_err(|error| format!("git says too little: {error}"))?;
            let mut tree = SourceTree::new();
            tree.insert("record", &bytes, &mut Problems::new());
            digests.extend(tree.get("record").map(|file| (blob.to_owned(), file.digest)));
        }
        line.clear();
    }
    Ok(digests)
}

#[cfg(test)]
mod tests;

use super::*;

/// A repository with commits, made by git; gone when dropped.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        let names = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgSign=false"];
        let output = command.arg("-C").arg(self.path()).args(names).args(arguments).output().expect("git is installed");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Commits all that lies there; the commit.
    fn commit(&self) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "x"]);
        self.git(&["rev-parse", "HEAD"])
    }
}

/// What the history of `root` says: name, commit, and the digest of which text.
fn held(root: &Path, texts: &[&str]) -> Vec<(String, String, Option<String>)> {
    let text = |digest: Checksum| texts.iter().find(|text| Checksum::of(text) == digest).map_or("?", |text| *text).to_owned();
    let history = history(root).unwrap();
    history.records.into_iter().map(|(name, first)| (name, first.commit, first.digest.map(text))).collect()
}

#[test]
fn the_first_commit_that_had_a_record_counts() {
    let repository = Repository::new();
    repository.write("evidence/s/a b.jsonl", "one\r\n");
    repository.write("evidence/s/a b.txt", "transcript");
    repository.write("kernels/k.cu", "k");
    let first = repository.commit();
    repository.write("evidence/s/a b.jsonl", "two\n");
    repository.write("evidence/s/ä.jsonl", "three\n");
    let second = repository.commit();
    std::fs::remove_file(repository.path().join("evidence/s/a b.jsonl")).unwrap();
    repository.commit();
    let expected = [
        ("evidence/s/a b.jsonl".to_owned(), first, Some("one\n".to_owned())),
        ("evidence/s/ä.jsonl".to_owned(), second, Some("three\n".to_owned())),
    ];
    assert_eq!(held(repository.path(), &["one\n", "two\n", "three\n"]), expected);
}

#[test]
fn a_record_of_a_branch_that_was_merged_counts() {
    let repository = Repository::new();
    repository.commit();
    repository.git(&["checkout", "--quiet", "-b", "side"]);
    repository.write("evidence/s/a.jsonl", "one\n");
    let added = repository.commit();
    std::fs::remove_file(repository.path().join("evidence/s/a.jsonl")).unwrap();
    repository.commit();
    repository.git(&["checkout", "--quiet", "main"]);
    repository.write("other", "x");
    repository.commit();
    repository.git(&["merge", "--quiet", "--no-edit", "side"]);
    assert_eq!(held(repository.path(), &["one\n"]), [("evidence/s/a.jsonl".to_owned(), added, Some("one\n".to_owned()))]);
}

#[test]
fn a_course_may_be_a_folder_of_its_repository() {
    let repository = Repository::new();
    repository.write("courses/gpu/evidence/s/a.jsonl", "one\n");
    repository.write("evidence/s/b.jsonl", "two\n");
    let commit = repository.commit();
    let course = repository.path().join("courses/gpu");
    assert_eq!(held(&course, &["one\n"]), [("evidence/s/a.jsonl".to_owned(), commit, Some("one\n".to_owned()))]);
}

#[test]
fn a_shallow_copy_says_so() {
    let repository = Repository::new();
    repository.write("evidence/s/a.jsonl", "one\n");
    repository.commit();
    repository.write("evidence/s/a.jsonl", "two\n");
    let last = repository.commit();
    assert!(!history(repository.path()).unwrap().shallow);
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy");
    let from = format!("file://{}", repository.path().display());
    repository.git(&["clone", "--quiet", "--depth=1", &from, copy.to_str().unwrap()]);
    assert!(history(&copy).unwrap().shallow);
    assert_eq!(held(&copy, &["one\n", "two\n"]), [("evidence/s/a.jsonl".to_owned(), last, Some("two\n".to_owned()))]);
}

#[test]
fn where_no_commit_speaks_it_says_why() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(history(folder.path()), Err("the course is in no git repository".to_owned()));
    let repository = Repository::new();
    assert_eq!(history(repository.path()), Err("the repository has no commit yet".to_owned()));
    std::fs::write(folder.path().join(".git"), "gitdir: nowhere\n").unwrap();
    assert!(history(folder.path()).unwrap_err().starts_with("git says: "));
}

#[cfg(unix)]
#[test]
fn a_strangers_repository_starts_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let repository = Repository::new();
    repository.write(".gitattributes", "*.jsonl diff=x filter=x\n");
    repository.write("evidence/s/a.jsonl", "one\n");
    repository.commit();
    let traps = tempfile::tempdir().unwrap();
    let trap = traps.path().join("trap");
    std::fs::write(&trap, format!("#!/bin/sh\necho \"$0 $*\" >> {}/sprung\nexit 1\n", traps.path().display())).unwrap();
    std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
    let trap = trap.to_str().unwrap();
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.askPass",
        "core.editor",
        "core.gitProxy",
        "diff.external",
        "diff.x.command",
        "diff.x.textconv",
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "gpg.program",
        "gpg.ssh.program",
        "credential.helper",
        "pager.rev-list",
        "pager.diff-tree",
        "pager.cat-file",
        "uploadpack.packObjectsHook",
        "core.alternateRefsCommand",
    ] {
        repository.git(&["config", key, trap]);
    }
    for (key, value) in
        [("alias.rev-list", format!("!{trap}")), ("alias.diff-tree", format!("!{trap}")), ("log.showSignature", "true".to_owned())]
    {
        repository.git(&["config", key, &value]);
    }
    repository.git(&["config", "core.hooksPath", traps.path().to_str().unwrap()]);
    // A partial clone whose missing objects would be fetched by a program of the stranger's.
    repository.git(&["config", "extensions.partialClone", "origin"]);
    repository.git(&["config", "core.repositoryFormatVersion", "1"]);
    repository.git(&["config", "remote.origin.promisor", "true"]);
    repository.git(&["config", "remote.origin.url", &format!("ext::{trap}")]);
    repository.git(&["config", "protocol.ext.allow", "always"]);
    let _ = std::fs::remove_file(traps.path().join("sprung")); // setting the traps may have sprung one
    let blob = repository.git(&["rev-parse", "HEAD:evidence/s/a.jsonl"]);
    std::fs::remove_file(repository.path().join(format!(".git/objects/{}/{}", &blob[..2], &blob[2..]))).unwrap();
    let _ = std::fs::remove_file(traps.path().join("sprung"));
    let found = history(repository.path());
    assert!(!traps.path().join("sprung").exists(), "{}", std::fs::read_to_string(traps.path().join("sprung")).unwrap());
    let found = found.unwrap();
    assert_eq!(found.records["evidence/s/a.jsonl"].digest, None, "the object is gone");
}

//! What speaks for a record besides itself: who signed it, and the commits that had it.

use std::path::Path;
use std::process::Command;

use lessonc::cli::Ending;
use lessonc::evidence::signature::NAMESPACE;
use ssh_key::private::{Ed25519Keypair, KeypairData};
use ssh_key::{LineEnding, PrivateKey};

use super::fixture::{build, fixture, found};
use super::support::{Folder, Said, lessonc};

/// A key that is the same in every run of the tests.
fn key(seed: u8) -> PrivateKey {
    PrivateKey::new(KeypairData::from(Ed25519Keypair::from_seed(&[seed; 32])), "test").unwrap()
}

fn write_key(folder: &Folder, seed: u8) -> std::path::PathBuf {
    let path = folder.path().join(format!("key-{seed}"));
    key(seed).write_openssh_file(&path, LineEnding::LF).unwrap();
    path
}

fn public(seed: u8) -> String {
    key(seed).public_key().to_openssh().unwrap()
}

fn verify(course: &Folder) -> Said {
    lessonc([&"verify", &"--course", &course.path()])
}

fn records(course: &Folder) -> Vec<String> {
    course.files("evidence").into_iter().filter(|name| name.ends_with(".jsonl")).collect()
}

/// The fixture, its one run measured again and signed with the key `seed`.
fn signed(seed: u8) -> (Folder, String) {
    let (course, keys) = (fixture(), Folder::new());
    let before = records(&course);
    let sign = format!("--sign={}", write_key(&keys, seed).display());
    let measured = lessonc([&"measure", &"--course", &course.path(), &"--device", &"fake", &"--force", &sign]);
    assert_eq!(measured.ending, Ending::Fine, "{measured:?}");
    let record = records(&course).into_iter().find(|name| !before.contains(name)).unwrap();
    assert!(measured.out.contains(&format!("signature {record}.sig")), "{measured:?}");
    assert!(measured.err.contains(&public(seed)[..60]), "it says which line would trust the key: {measured:?}");
    assert!(!course.path().join(format!("{}.sig", before[0])).exists(), "what was there is not signed");
    (course, record)
}

fn trust(course: &Folder, line: &str) {
    course.write("lessons/allowed_signers", &format!("{line}\n"));
    build(course);
}

fn require(course: &Folder) {
    let text = course.read("lessons/course.toml");
    course.write("lessons/course.toml", &format!("{text}\n[policy]\nsignatures = \"required\"\n"));
}

#[test]
fn a_signed_run_passes_where_its_signer_is_trusted() {
    let (course, record) = signed(1);
    build(&course);
    assert_eq!(found(&course), ["warning signature-unknown"], "nobody is trusted yet");
    assert!(!course.read("site/copy.html").contains("signed by"), "no page names whom nobody trusts");
    trust(&course, &format!("ada namespaces=\"{NAMESPACE}\" {}", public(1)));
    require(&course);
    build(&course);
    assert_eq!(found(&course), [""; 0]);
    let said = verify(&course);
    assert!(said.out.contains("1 of 1 run signed by people whom the course trusts"), "{said:?}");
    // Readers of the site can check it too.
    assert_eq!(course.read(&format!("site/{record}.sig")), course.read(&format!("{record}.sig")));
    assert_eq!(course.read(&format!("site/{record}")), course.read(&record));
    let transcript = course.read(&format!("site/{}", record.replace(".jsonl", ".html")));
    let name = record.rsplit('/').next().unwrap();
    assert!(transcript.contains(&format!("{name}.sig\">signature (.sig)</a>")), "{transcript}");
    // Every source of the run says who vouches for it: those of exhibits, of the page, of the transcript.
    let lesson = course.read("site/copy.html");
    assert_eq!(lesson.matches("<span>signed by ada</span>").count(), lesson.matches("run again:").count(), "{lesson}");
    assert!(lesson.matches("run again:").count() > 3, "{lesson}");
}

/// A change of the course and its signed record.
type Change = fn(&Folder, &str);

#[test]
fn what_nobody_trusted_signed_does_not_pass_where_it_must() {
    let harm: [(&str, Change, &str); 8] = [
        ("no signature", |course, record| course.remove(&format!("{record}.sig")), "error signature-missing"),
        (
            "a signature of another record",
            |course, record| {
                let other = key(1).sign(NAMESPACE, ssh_key::HashAlg::Sha512, b"another").unwrap();
                course.write(&format!("{record}.sig"), &other.to_pem(LineEnding::LF).unwrap());
            },
            "error signature-wrong",
        ),
        (
            "a signature for another purpose",
            |course, record| {
                let other = key(1).sign("git", ssh_key::HashAlg::Sha512, course.read(record).as_bytes()).unwrap();
                course.write(&format!("{record}.sig"), &other.to_pem(LineEnding::LF).unwrap());
            },
            "error signature-wrong",
        ),
        ("no signature at all", |course, record| course.write(&format!("{record}.sig"), "signed, Ada\n"), "error signature-wrong"),
        ("another signer", |course, _| course.write("lessons/allowed_signers", &format!("eve {}\n", public(2))), "error signature-unknown"),
        (
            "a signer of other things",
            |course, _| course.write("lessons/allowed_signers", &format!("ada namespaces=\"git\" {}\n", public(1))),
            "error signature-unknown",
        ),
        (
            "a signer of another time",
            |course, _| course.write("lessons/allowed_signers", &format!("ada valid-before=\"20200101\" {}\n", public(1))),
            "error signature-unknown",
        ),
        ("a line that says nothing", |course, _| course.write("lessons/allowed_signers", "ada\n"), "error signers-unread"),
    ];
    for (what, change, expected) in harm {
        let (course, record) = signed(1);
        trust(&course, &format!("ada {}", public(1)));
        require(&course);
        build(&course);
        change(&course, &record);
        let found = found(&course);
        assert!(found.iter().any(|id| id == expected), "{what}: {found:?}");
        assert_eq!(lessonc([&"build", &"--course", &course.path()]).ending, Ending::Problems, "{what}");
    }
}

#[test]
fn whoever_asks_may_bring_the_signers() {
    let (course, _) = signed(1);
    // The course trusts its own key, and asks for no signature.
    trust(&course, &format!("eve {}", public(1)));
    let signers = Folder::new();
    signers.write("mine", &format!("ada {}\n", public(1)));
    signers.write("others", &format!("ada {}\n", public(2)));
    let with =
        |name: &str| lessonc([&"verify", &"--course", &course.path(), &"--format", &"short", &"--signers", &signers.path().join(name)]);
    assert_eq!(with("mine").ending, Ending::Fine);
    let refused = with("others");
    assert!(refused.ending == Ending::Problems && refused.out.contains("error[signature-unknown]"), "{refused:?}");
    let unsigned = fixture();
    let refused = lessonc([&"verify", &"--course", &unsigned.path(), &"--format", &"short", &"--signers", &signers.path().join("mine")]);
    assert!(refused.ending == Ending::Problems && refused.out.contains("error[signature-missing]"), "{refused:?}");
}

#[test]
fn a_key_that_can_not_sign_costs_no_run() {
    let course = fixture();
    let before = records(&course);
    for key in ["--sign=/no/such/key", &format!("--sign={}", course.path().join("lessons/course.toml").display())] {
        let said = lessonc([&"measure", &"--course", &course.path(), &"--device", &"fake", &"--force", &key]);
        assert_eq!(said.ending, Ending::Failed, "{said:?}");
    }
    assert_eq!(records(&course), before);
}

fn ssh_keygen(arguments: &[&dyn AsRef<std::ffi::OsStr>], input: Option<&Path>) -> Option<bool> {
    let mut command = Command::new("ssh-keygen");
    arguments.iter().for_each(|argument| _ = command.arg(argument));
    if let Some(input) = input {
        command.stdin(std::fs::File::open(input).unwrap());
    }
    match command.output() {
        Ok(output) => Some(output.status.success()),
        Err(_) => {
            eprintln!("skipped: ssh-keygen is not installed");
            None
        }
    }
}

#[test]
fn ssh_keygen_and_lessonc_take_each_others_signatures() {
    let keys = Folder::new();
    for kind in ["ed25519", "ecdsa"] {
        let file = keys.path().join(kind);
        let Some(made) = ssh_keygen(&[&"-q", &"-t", &kind, &"-N", &"", &"-f", &file], None) else { return };
        assert!(made);
        let line = format!("ada@example.org namespaces=\"{NAMESPACE}\" {}", keys.read(&format!("{kind}.pub")));
        keys.write("signers", &line);
        // Ours, checked by theirs.
        let course = fixture();
        let [first] = records(&course).try_into().unwrap();
        let sign = format!("--sign={}", file.display());
        assert_eq!(lessonc([&"measure", &"--course", &course.path(), &"--device", &"fake", &"--force", &sign]).ending, Ending::Fine);
        let second = records(&course).into_iter().find(|name| *name != first).unwrap();
        let (record, signature) = (course.path().join(&second), course.path().join(format!("{second}.sig")));
        let theirs = |input: &Path| {
            let signers = keys.path().join("signers");
            ssh_keygen(&[&"-Y", &"verify", &"-f", &signers, &"-I", &"ada@example.org", &"-n", &NAMESPACE, &"-s", &signature], Some(input))
        };
        assert_eq!(theirs(&record), Some(true), "{kind}");
        assert_eq!(theirs(&course.path().join(&first)), Some(false), "{kind}");
        // Theirs, checked by ours.
        std::fs::remove_file(&signature).unwrap();
        assert_eq!(ssh_keygen(&[&"-q", &"-Y", &"sign", &"-n", &NAMESPACE, &"-f", &file, &record], None), Some(true));
        trust(&course, &line);
        require(&course);
        build(&course);
        assert_eq!(found(&course), [""; 0], "{kind}");
    }
}

#[test]
fn a_key_that_only_ssh_keygen_can_use_signs_through_it() {
    let keys = Folder::new();
    let file = keys.path().join("rsa");
    let Some(true) = ssh_keygen(&[&"-q", &"-t", &"rsa", &"-b", &"2048", &"-N", &"", &"-f", &file], None) else { return };
    let course = fixture();
    let said = lessonc([&"measure", &"--course", &course.path(), &"--device", &"fake", &"--force", &format!("--sign={}", file.display())]);
    // It was signed, and such a key is not taken: that is said at once and not in CI.
    assert_eq!(said.ending, Ending::Failed, "{said:?}");
    assert!(said.err.contains("would not be taken") && said.err.contains("ssh-ed25519"), "{said:?}");
}

/// Makes the course a repository with all of it in one commit.
fn commit(course: &Folder) {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        let names = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgSign=false"];
        assert!(command.arg("-C").arg(course.path()).args(names).args(arguments).status().unwrap().success(), "{arguments:?}");
    };
    if !course.path().join(".git").exists() {
        git(&["init", "--quiet"]);
    }
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "x"]);
}

#[test]
fn commits_speak_for_the_records_they_added() {
    let course = fixture();
    assert!(verify(&course).out.contains("records were not held to commits: the course is in no git repository"));
    commit(&course);
    let said = verify(&course);
    assert!(said.ending == Ending::Fine && said.out.contains("1 of 1 record held to the commits that added them"), "{said:?}");
    // A run that is not committed yet is nobody's yet.
    let measured = lessonc([&"measure", &"--course", &course.path(), &"--device", &"fake", &"--force"]);
    assert_eq!(measured.ending, Ending::Fine, "{measured:?}");
    build(&course);
    assert!(verify(&course).out.contains("1 of 2 records held"), "{:?}", verify(&course));
    // Another run in the place of the first one: whole in itself, and not what was committed.
    let [first, second] = records(&course).try_into().unwrap();
    let (committed, transcript) = if second.contains("-2.") { (first, second) } else { (second, first) };
    let original = course.read(&committed);
    for ending in [".jsonl", ".txt"] {
        let text = course.read(&transcript.replace(".jsonl", ending));
        course.write(&committed.replace(".jsonl", ending), &text);
        course.remove(&transcript.replace(".jsonl", ending));
    }
    build(&course);
    assert_eq!(found(&course), ["error evidence-rewritten"]);
    // Committing the change does not make it so.
    commit(&course);
    assert_eq!(found(&course), ["error evidence-rewritten"]);
    course.write(&committed, &original.replace('\n', "\r\n"));
    let renewed = lessonc([&"measure", &"--course", &course.path(), &"--transcripts"]);
    assert_eq!(renewed.ending, Ending::Fine, "{renewed:?}");
    build(&course);
    assert_eq!(found(&course), [""; 0], "restored, with the line ends of another system");
}

#[test]
fn a_record_that_is_gone_is_missed() {
    let course = fixture();
    assert_eq!(lessonc([&"measure", &"--course", &course.path(), &"--device", &"fake", &"--force"]).ending, Ending::Fine);
    build(&course);
    commit(&course);
    let gone = records(&course).into_iter().find(|name| name.contains("-2.")).unwrap();
    course.remove(&gone);
    course.remove(&gone.replace(".jsonl", ".txt"));
    build(&course);
    assert_eq!(found(&course), ["warning evidence-removed"]);
    commit(&course);
    assert_eq!(found(&course), ["warning evidence-removed"]);
    let said = lessonc([&"verify", &"--course", &course.path(), &"--format", &"short"]);
    assert!(said.out.starts_with(&*format!("{}/{gone}:1:1: warning", course.path().display())) || said.out.contains(&gone), "{said:?}");
}

//! The course that mutations start from: `tests/fixture`, measured on the fake device, built, and shown to pass.

use std::sync::OnceLock;

use lessonc::cli::Ending;

use super::support::{Folder, Said, lessonc, repository};

/// A fresh copy of the course as it passes `verify`: with evidence and site.
pub(crate) fn fixture() -> Folder {
    static READY: OnceLock<Folder> = OnceLock::new();
    passing(&READY, "tests/fixture", |folder| lessonc([&"measure", &"--course", &folder.path(), &"--device", &"fake"]))
}

/// A fresh copy of the course in `source` as it passes `verify`, once measured by `measure` and kept in `ready`.
pub(crate) fn passing(ready: &OnceLock<Folder>, source: &str, measure: fn(&Folder) -> Said) -> Folder {
    let made = ready.get_or_init(|| {
        let folder = Folder::copy_of(&repository().join(source));
        let measured = measure(&folder);
        assert_eq!(measured.ending, Ending::Fine, "{measured:?}");
        build(&folder);
        let verified = lessonc([&"verify", &"--course", &folder.path()]);
        assert_eq!(verified.ending, Ending::Fine, "{verified:?}");
        folder
    });
    Folder::copy_of(made.path())
}

pub(crate) fn build(folder: &Folder) {
    let built = lessonc([&"build", &"--course", &folder.path()]);
    assert_eq!(built.ending, Ending::Fine, "{built:?}");
}

/// What `verify` finds: severity and id of each problem, sorted, each once.
pub(crate) fn found(folder: &Folder) -> Vec<String> {
    let verified = lessonc([&"verify", &"--course", &folder.path(), &"--format", &"json"]);
    let value: serde_json::Value = serde_json::from_str(&verified.out).unwrap_or_else(|error| panic!("{error}: {verified:?}"));
    let mut ids: Vec<String> = value["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| format!("{} {}", problem["severity"].as_str().unwrap(), problem["id"].as_str().unwrap()))
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!(verified.ending == Ending::Problems, ids.iter().any(|id| id.starts_with("error")), "{verified:?}");
    ids
}

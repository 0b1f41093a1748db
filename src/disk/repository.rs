//! Turns the folder of a course into where it lies in its repository.
//!
//! Must not read the repository itself.

use std::path::Path;

/// The way from the root of the repository that holds the course at `root` to the course: empty, or with a final `/`. Empty where
/// there is no repository.
#[must_use]
pub fn course_in_repository(root: &Path) -> String {
    let Some(repository) = root.ancestors().find(|folder| std::fs::symlink_metadata(folder.join(".git")).is_ok()) else {
        return String::new();
    };
    let below = root.strip_prefix(repository).unwrap_or(Path::new(""));
    below.components().map(|part| format!("{}/", part.as_os_str().to_string_lossy())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_may_be_the_repository_or_a_folder_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("one/courses/gpu")).unwrap();
        std::fs::create_dir_all(at("one/.git")).unwrap();
        std::fs::create_dir_all(at("two")).unwrap();
        std::fs::write(at("two/.git"), "gitdir: elsewhere\n").unwrap(); // as in a work tree of git's
        let cases = [("one", ""), ("one/courses/gpu", "courses/gpu/"), ("two", "")];
        for (course, expected) in cases {
            assert_eq!(course_in_repository(&at(course)), expected, "{course}");
        }
    }
}

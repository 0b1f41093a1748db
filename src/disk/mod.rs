//! Turns folders into values and values into folders: the course into a source tree, the site into files.
//!
//! Must not know what any file means.

mod found;
mod history;
mod private;
pub mod publish;
pub mod published;
pub mod read;
mod repository;
mod staging;
pub mod unchanged;

pub use self::history::history;
pub use self::private::take_in_private;
pub use self::publish::{Published, Publishing, clean, publish};
pub use self::published::published;
pub use self::read::{CourseFiles, find_course, read_course, read_course_once};
pub use self::repository::course_in_repository;
pub use self::unchanged::{Build, builds};

/// The bytes of the file `path` if it is a file and no link, device or pipe: a stranger's repository may hold any of them.
fn read_plain(path: &std::path::Path) -> std::io::Result<Vec<u8>> {
    if std::fs::symlink_metadata(path)?.is_file() {
        std::fs::read(path)
    } else {
        Err(std::io::Error::new(std::io::ErrorKind::NotFound, "it is no plain file"))
    }
}

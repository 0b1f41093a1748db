//! Turns folders into values and values into folders: the course into a source tree, the site into files.
//!
//! Must not know what any file means; the only module above the command line that touches the disk for `build` and `verify`.

pub mod publish;
pub mod published;
pub mod read;

pub use self::read::{CourseFiles, find_course, read_course};

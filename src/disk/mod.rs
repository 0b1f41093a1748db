//! Turns folders into values and values into folders: the course into a source tree, the site into files.
//!
//! Must not know what any file means.

pub mod publish;
pub mod published;
pub mod read;

pub use self::publish::{Published, publish};
pub use self::published::published;
pub use self::read::{CourseFiles, find_course, read_course};

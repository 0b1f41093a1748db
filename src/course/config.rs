//! Turns `lessons/course.toml` into the course's configuration.
//!
//! Must not know the lessons themselves.

/// What the course says of itself.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The course's title.
    pub title: String,
    /// A sentence on what it is about.
    pub summary: String,
    /// Language of lessons that name none, such as `en`.
    pub language: String,
    /// Published devices by slug; the first is primary.
    pub devices: Vec<String>,
    /// Whether `site/` is committed and must equal a fresh build.
    pub site_committed: bool,
    /// Web address of the repository's files, for links to sources, if any.
    pub repository: Option<String>,
    /// Lessons in the order of the course, by name; lessons it leaves out follow by their front matter's order.
    pub outline: Vec<String>,
    /// Days after which evidence is too old; `None`: never.
    pub evidence_days: Option<u32>,
}

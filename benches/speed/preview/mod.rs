//! Turns an edit of one character into the time until a preview serves it, for lessonc and for others.
//!
//! Must not help a server: it is started as an author starts it, and asked as a browser asks, over loopback.

mod server;
mod subjects;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use crate::compare::{PeerArguments, digits, folder, remove, source};
use crate::course::{self, Tool};

use self::server::Server;
use self::subjects::{SUBJECTS, Subject};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// How many lessons the courses have
    #[arg(long, value_delimiter = ',', default_values_t = [100, 1000, 10_000])]
    lessons: Vec<usize>,
    /// Edits of each kind
    #[arg(long, default_value_t = 10)]
    edits: u32,
    /// The longest course that others than lessonc are shown
    #[arg(long, default_value_t = 1000)]
    others_up_to: usize,
    /// Seconds that a server may take to serve its first page, or an edit
    #[arg(long, default_value_t = 120)]
    limit_s: u64,
    #[command(flatten)]
    peers: PeerArguments,
}

/// What lessonc should not exceed at this many lessons, milliseconds from the notice of a change.
const GOAL: (usize, f64) = (1000, 15.0);
/// How often a page is asked for.
const POLL: Duration = Duration::from_millis(1);
/// How long a server is left alone before an edit, so that it has done what it does behind the last one.
const REST: Duration = Duration::from_millis(700);

/// Which file is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    /// The text of one lesson.
    Lesson,
    /// A region that ten lessons show.
    Shared,
}

/// What an edit took.
struct Served {
    /// From just before the file was written until the new text was there, milliseconds.
    whole: f64,
    /// What the server says it worked, and the request that brought the new text.
    noticed: Option<f64>,
}

/// Prints a table; whether lessonc met its goal.
///
/// # Errors
/// When lessonc's preview fails, or the disk refuses.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let peers = arguments.peers.peers();
    println!("Medians of {} edits of one character; {}.\n", arguments.edits, crate::machine::line());
    println!("| preview | lessons | edit of | written to served, ms | least to most | of that since the notice, ms | start, s |");
    println!("| --- | ---: | --- | ---: | ---: | ---: | ---: |");
    let (mut good, mut missing) = (true, Vec::new());
    for &lessons in &arguments.lessons {
        for subject in SUBJECTS.iter().filter(|subject| arguments.peers.wants(subject.tool)) {
            if subject.tool != Tool::Lessonc && lessons > arguments.others_up_to {
                continue;
            }
            eprintln!("{}, {lessons} lessons", subject.name);
            let program = match peers.program(subject.tool) {
                Ok(program) => program,
                Err(why) => {
                    missing.push(format!("{}: {why}", subject.name));
                    continue;
                }
            };
            match edits(subject, &program, lessons, arguments) {
                Ok(met) => good &= met,
                Err(error) if subject.tool == Tool::Lessonc => return Err(error),
                Err(error) => missing.push(format!("{} at {lessons} lessons: {error:#}", subject.name)),
            }
        }
    }
    missing.dedup();
    missing.iter().for_each(|line| println!("\nWithout {line}."));
    Ok(good)
}

/// Shows a course of `lessons` lessons with `program` and edits it; prints a line for each kind of edit.
fn edits(subject: &Subject, program: &Path, lessons: usize, arguments: &Arguments) -> Result<bool> {
    let limit = Duration::from_secs(arguments.limit_s);
    let (course, out) = (source(subject.tool, lessons)?, folder().join("preview"));
    remove(&out)?;
    let began = Instant::now();
    let mut server = Server::start(|port| (subject.serve)(program, &course, &out, port), subject.tool == Tool::Lessonc)?;
    let mut good = true;
    for edit in [Edit::Lesson, Edit::Shared] {
        let Some(place) = Place::of(edit, subject.tool, &course, lessons)? else { continue };
        server.wait(&place.url, &place.text(0), Duration::from_millis(20), limit).context("its first page")?;
        let start = began.elapsed().as_secs_f64();
        let mut served = Vec::new();
        for count in 1..=arguments.edits {
            std::thread::sleep(REST);
            served.push(place.edit(count, &mut server, limit)?);
        }
        good &= print(subject, lessons, edit, served, start);
    }
    Ok(good)
}

/// Prints a line of the table; whether it is as good as it should be.
fn print(subject: &Subject, lessons: usize, edit: Edit, served: Vec<Served>, start: f64) -> bool {
    let mut whole: Vec<f64> = served.iter().map(|served| served.whole).collect();
    let mut noticed: Vec<f64> = served.iter().filter_map(|served| served.noticed).collect();
    let (whole, noticed, ends) = (median(&mut whole), median(&mut noticed), whole);
    let what = if edit == Edit::Lesson { "a lesson" } else { "code on ten pages" };
    println!(
        "| {} | {lessons} | {what} | {} | {} to {} | {} | {start:.1} |",
        subject.name,
        whole.map_or_else(String::new, digits),
        ends.first().copied().map_or_else(String::new, digits),
        ends.last().copied().map_or_else(String::new, digits),
        noticed.map_or_else(String::new, digits),
    );
    let is_held = subject.tool == Tool::Lessonc && lessons == GOAL.0 && edit == Edit::Lesson;
    let good = !is_held || noticed.is_some_and(|noticed| noticed <= GOAL.1);
    if is_held {
        eprintln!("goal: {} ms at most from the notice at {} lessons: {}", GOAL.1, GOAL.0, if good { "met" } else { "not met" });
    }
    good
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// A text in a file that a page shows.
struct Place {
    file: PathBuf,
    url: String,
    /// The file as it was, with a digit to change between the two.
    before: String,
    after: String,
    /// What stands before the digit on the page.
    mark: &'static str,
}

impl Place {
    /// The place of `edit` in the course of `lessons` lessons in `root`; `None` where the tool shows no region.
    fn of(edit: Edit, tool: Tool, root: &Path, lessons: usize) -> Result<Option<Self>> {
        // A lesson in the middle that shows what ten show.
        let index = (lessons / 10).max(1) * 5.min(lessons.saturating_sub(1));
        let (name, mark) = match edit {
            Edit::Lesson => (Some(tool.lesson_file(index)), course::MARK),
            Edit::Shared => (tool.shared_file(), course::MARK_IN_SHARED),
        };
        let Some(name) = name else { return Ok(None) };
        let file = root.join(name);
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let (before, after) = text.split_once(&format!("{mark}0")).with_context(|| format!("{} lacks {mark}0", file.display()))?;
        let (before, after) = (before.to_owned(), after.to_owned());
        Ok(Some(Self { url: tool.page(index), before, after, mark, file }))
    }

    fn text(&self, count: u32) -> String {
        format!("{}{}", self.mark, count % 10)
    }

    /// Writes the file with the digit of `count`, and waits until the page shows it.
    fn edit(&self, count: u32, server: &mut Server, limit: Duration) -> Result<Served> {
        let text = self.text(count);
        let bytes = format!("{}{text}{}", self.before, self.after);
        server.forget();
        let began = Instant::now();
        fs::write(&self.file, bytes)?;
        let request = server.wait(&self.url, &text, POLL, limit)?;
        let whole = began.elapsed();
        ensure!(whole >= request, "a page was served before it was asked for");
        let milliseconds = |time: Duration| 1e3 * time.as_secs_f64();
        let noticed = server.worked().map(|worked| worked + milliseconds(request));
        Ok(Served { whole: milliseconds(whole), noticed })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // The next to read the course is to find what was generated.
        let _ = fs::write(&self.file, format!("{}{}{}", self.before, self.text(0), self.after));
    }
}

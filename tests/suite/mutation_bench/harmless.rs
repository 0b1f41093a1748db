//! Turns a course into ones that are as good: comments, white space, line ends, the order of keys, words, strangers in folders.
//!
//! Must not know what is looked at: each edit is harmless by what it means to a reader, a compiler or a checkout.

use lessonc::disk;

use super::super::support::{Folder, repository};
use super::course::{Change, Course, Files};
use super::random::Random;
use super::text::regex;

/// An edit after which a course is as good as before, once it was built.
pub(super) struct Edit<'a> {
    pub(super) what: &'static str,
    /// The course, or the part of it, that is edited.
    pub(super) course: &'a Course,
    pub(super) change: Change,
    /// What a checkout does to the site.
    pub(super) checkout: fn(&mut Files),
}

fn same(_: &mut Files) {}

type Rewrite = fn(&str, &mut Random) -> Option<String>;

/// For each file of an ending below a folder, each with what it does.
const REWRITES: &[(&str, &str, &str, Rewrite)] = &[
    ("a comment more in a kernel", "kernels", ".cu", |text, random| before_line(text, random, is_plain_code, "// One more remark.\n")),
    ("a line of a kernel indented further", "kernels", ".cu", |text, random| before_line(text, random, is_plain_code, "    ")),
    ("an empty line more in a kernel", "kernels", ".cu", |text, random| before_line(text, random, is_plain_code, "\n")),
    ("a remark at a line's end in a kernel", "kernels", ".cu", |text, random| {
        line(text, random, is_plain_code, |line| format!("{line} // so"))
    }),
    ("blanks at a line's end in a kernel", "kernels", ".cu", |text, random| line(text, random, is_plain_code, |line| format!("{line}  "))),
    ("line ends of another system in a kernel", "kernels", ".cu", |text, _| Some(text.replace('\n', "\r\n"))),
    ("a mark of the byte order before a kernel", "kernels", ".cu", |text, _| Some(format!("\u{feff}{text}"))),
    ("a kernel without its last line end", "kernels", ".cu", |text, _| text.strip_suffix('\n').map(str::to_owned)),
    ("a comment more in a manifest", "kernels", ".toml", |text, random| before_line(text, random, is_key, "# One more remark.\n")),
    ("wider spaces in a manifest", "kernels", ".toml", |text, random| line(text, random, is_key, |line| line.replacen(" = ", "   =  ", 1))),
    ("keys of a table in another order", "kernels", ".toml", |text, random| exchanged(text, random)),
    ("inline keys in another order", "kernels", ".toml", |text, random| inline(text, random)),
    ("line ends of another system in a manifest", "kernels", ".toml", |text, _| Some(text.replace('\n', "\r\n"))),
    ("a mark of the byte order before a manifest", "kernels", ".toml", |text, _| Some(format!("\u{feff}{text}"))),
    ("another title of a sweep", "kernels", ".toml", |text, _| {
        Some(regex(r#"(?m)^title = ".*""#).replace(text, "title = \"What is asked here\"").into_owned())
    }),
    ("line ends of another system in a lesson", "lessons", ".md", |text, _| Some(text.replace('\n', "\r\n"))),
    ("a mark of the byte order before a lesson", "lessons", ".md", |text, _| Some(format!("\u{feff}{text}"))),
    ("empty lines at the end of a lesson", "lessons", ".md", |text, _| Some(format!("{text}\n\n\n"))),
    ("a paragraph more in a lesson", "lessons", ".md", |text, _| Some(format!("{text}\nThat is all there is to say.\n"))),
    ("a comment more in front matter", "lessons", ".md", |text, _| {
        text.strip_prefix("+++\n").map(|rest| format!("+++\n# A remark.\n{rest}"))
    }),
    ("another tag", "lessons", ".md", |text, _| Some(text.replacen("tags = [", "tags = [\"memory\", ", 1))),
    ("line ends of another system in a record", "evidence", ".jsonl", |text, _| Some(text.replace('\n', "\r\n"))),
    ("line ends of another system in a transcript", "evidence", ".txt", |text, _| Some(text.replace('\n', "\r\n"))),
    ("line ends of another system in a template", "templates", ".html", |text, _| Some(text.replace('\n', "\r\n"))),
];

/// Most edits of one sort.
const EACH: usize = 4;

pub(super) fn all<'a>(course: &'a Course, parts: &'a [Course]) -> Vec<Edit<'a>> {
    let mut edits = Vec::new();
    for &(what, folder, ending, rewrite) in REWRITES {
        let mut random = Random::of(what);
        let names = course.names(folder, ending);
        let step = names.len().div_ceil(EACH).max(1);
        for name in names.iter().skip(random.below(step)).step_by(step) {
            let text = course.tree.text(name);
            let course = parts.iter().find(|part| part.tree.get(name).is_some()).unwrap_or(course);
            let change = rewrite(text, &mut random).filter(|new| new != text).map(|new| Change::of(name, new));
            edits.extend(change.map(|change| Edit { what, course, change, checkout: same }));
        }
    }
    edits.extend(sites(course));
    edits.push(Edit {
        course,
        what: "a checkout elsewhere, with what editors and tools leave behind",
        change: elsewhere(course),
        checkout: same,
    });
    edits
}

/// What a checkout or its owner may do to a site.
fn sites(course: &Course) -> Vec<Edit<'_>> {
    let edit = |what, checkout| Edit { what, course, change: Change::default(), checkout };
    vec![
        edit("a site with line ends of another system", |site| {
            for bytes in site.values_mut().filter(|bytes| !bytes.contains(&0)) {
                let text = String::from_utf8_lossy(bytes).replace('\n', "\r\n");
                *bytes = text.into_bytes();
            }
        }),
        edit("a file of the owner's in the site", |site| _ = site.insert("CNAME".to_owned(), b"lessons.example\n".to_vec())),
        edit("a folder of the owner's in the site", |site| _ = site.insert("talks/slides.pdf".to_owned(), b"%PDF\0".to_vec())),
    ]
}

/// The course read from another folder, among hidden files and those of editors; what is read otherwise is the change.
fn elsewhere(course: &Course) -> Change {
    let folder = Folder::new();
    for (name, _) in course.tree.iter() {
        let target = folder.path().join("a b/elsewhere").join(&**name);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(repository().join(&**name), target).unwrap();
    }
    for stray in [
        "lessons/.a.md.swp",
        "lessons/a.md~",
        "kernels/.git/config",
        "kernels/#k.cu#",
        "evidence/.DS_Store",
        "lessons/Thumbs.db",
        "README.md",
    ] {
        folder.write(&format!("a b/elsewhere/{stray}"), "stray");
    }
    let (tree, problems) = disk::read_course(&folder.path().join("a b/elsewhere")).unwrap();
    assert!(problems.is_empty(), "{problems:?}");
    let gone =
        course.tree.iter().filter(|(name, _)| tree.get(name).is_none()).fold(Change::default(), |change, (name, _)| change.without(name));
    tree.iter()
        .filter(|(name, file)| course.tree.get(name).map(AsRef::as_ref) != Some(*file))
        .fold(gone, |change, (name, file)| change.and(name, &*file.text()))
}

/// One of the lines of `text` that `fits`, changed.
fn line(text: &str, random: &mut Random, fits: fn(&str) -> bool, change: impl FnOnce(&str) -> String) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let fitting: Vec<usize> = (0..lines.len()).filter(|&at| fits(&lines[at]) && !is_within_brackets(&lines[..at])).collect();
    let &at = random.pick(&fitting)?;
    lines[at] = change(&lines[at]);
    Some(lines.join("\n") + "\n")
}

fn before_line(text: &str, random: &mut Random, fits: fn(&str) -> bool, more: &str) -> Option<String> {
    line(text, random, fits, |line| format!("{more}{line}"))
}

/// Whether a bracket of `lines` is still open: what follows goes on with a line.
fn is_within_brackets(lines: &[String]) -> bool {
    let count = |open: char| {
        lines.iter().filter(|line| !line.trim_start().starts_with(['#', '/'])).map(|line| line.matches(open).count()).sum::<usize>()
    };
    count('[') != count(']')
}

/// A line of code that neither a marker nor a directive is, nor goes on with one.
fn is_plain_code(line: &str) -> bool {
    let trimmed = line.trim();
    trimmed.ends_with([';', '{', '}']) && !trimmed.starts_with(['#', '/', '*'])
}

fn is_key(line: &str) -> bool {
    regex(r#"^[a-zA-Z"]\S* = .*[^\[]$"#).is_match(line)
}

/// Two lines of keys that follow each other exchanged. Rows, constants, buffers and columns keep theirs: their order is what is shown.
fn exchanged(text: &str, random: &mut Random) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let known = |line: &str| {
        regex(r"^(?:title|source|host|options|kernel|block|grid|bytes|flop|reference|relative|absolute|cache|rounds|samples) = .*[^\[]$")
            .is_match(line)
    };
    let pairs: Vec<usize> = (1..lines.len()).filter(|&at| known(lines[at - 1]) && known(lines[at])).collect();
    let &at = random.pick(&pairs)?;
    let mut lines = lines;
    lines.swap(at - 1, at);
    Some(lines.join("\n") + "\n")
}

/// The first key of an inline table put last.
fn inline(text: &str, random: &mut Random) -> Option<String> {
    super::text::one(text, r#"\{ (?<here>(?<first>\w+ = (?:"[^"]*"|\w+)), (?<rest>\w+ = [^{}\n]*)) \}"#, random, |found, _| {
        Some(format!("{}, {}", &found["rest"], &found["first"]))
    })
}

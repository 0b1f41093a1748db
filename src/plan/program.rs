//! Turns a sweep of the kind `program` into files and commands, and all that can change what it prints into a fingerprint.
//!
//! Must not know what is read out of the output: the rules for that may change after a run, and its text stays.

use std::collections::BTreeMap;

use crate::base::name::is_name;
use crate::base::problem::{Problem, Problems};
use crate::base::quantity::Quantity;
use crate::base::slice::Slice;
use crate::course::source::{Language, Source};
use crate::course::sweep::ProgramSweep;

use super::fingerprint::{Fingerprint, located};
use super::launch::Code;
use super::lines;
use super::unit::{self, Shelf};
use super::values;
use super::{OwnValue, PlannedRow};

/// The label of the only row of a program that has neither axes nor rows.
pub const ONLY: &str = "run";

/// The slug, the architecture and the backend of a run that needs no GPU.
pub const HOST: &str = "host";

/// The architecture that commands are planned with before a device is known.
const SOME_ARCHITECTURE: &str = "sm_90";

/// A program to build and run.
#[derive(Debug, Clone)]
pub struct ProgramJob {
    /// The files that it is built from, by their paths in its folder.
    pub files: BTreeMap<String, String>,
    /// Its source and local headers, as a record keeps them.
    pub code: Code,
    /// Whether it runs without a GPU.
    pub host: bool,
    /// Rounds.
    pub rounds: u32,
    /// Time limit of a process, seconds.
    pub limit_s: u32,
    build: Vec<Vec<Slice>>,
    run: Vec<Slice>,
    constants: Vec<(String, Quantity)>,
}

/// Plans `sweep` with its rows.
pub(super) fn plan(
    sweep: &ProgramSweep,
    constants: &[(String, Quantity)],
    rows: &[PlannedRow],
    sources: &Shelf<'_>,
    problems: &mut Problems,
) -> Option<(ProgramJob, Fingerprint)> {
    let Some(source) = sources.get(&sweep.source) else {
        problems.push(unit::missing_file(&sweep.source, &sweep.source_at, sources));
        return None;
    };
    let mut sourced: BTreeMap<&str, &Source> = unit::local_headers(source, sources, problems);
    for (path, at) in &sweep.files {
        match sources.get(path) {
            Some(file) => _ = sourced.insert(&file.path, file),
            None => problems.push(unit::missing_file(path, at, sources)),
        }
    }
    sourced.remove(source.path.as_str());
    let headers: BTreeMap<String, String> = sourced.values().map(|file| (file.path.clone(), file.text.to_string())).collect();
    let code = Code { source: source.path.clone(), device: source.text.to_string(), host: String::new(), headers, options: Vec::new() };
    let mut files = code.headers.clone();
    files.insert(code.source.clone(), code.device.clone());
    let job = ProgramJob {
        files,
        code,
        host: sweep.host,
        rounds: sweep.rounds,
        limit_s: sweep.limit_s,
        build: sweep.build.clone(),
        run: sweep.run.clone(),
        constants: constants.to_vec(),
    };
    let before = problems.errors();
    problems.note(job.build(SOME_ARCHITECTURE));
    for row in rows {
        if problems.note(job.command(row, SOME_ARCHITECTURE)).is_none() {
            break; // the other rows would only say it again
        }
    }
    let fingerprint = Fingerprint::of(fingerprint_lines(&job, rows));
    (problems.errors() == before).then_some((job, fingerprint))
}

fn fingerprint_lines(job: &ProgramJob, rows: &[PlannedRow]) -> Vec<String> {
    let mut lines = lines::opening();
    lines.push(if job.host { "program, without a GPU" } else { "program" }.to_owned());
    lines.extend(code(&job.code));
    let words = |command: &[Slice]| command.iter().map(|word| format!("{:?}", word.text())).collect::<Vec<_>>().join(" ");
    lines.extend(job.build.iter().map(|command| format!("build {}", words(command))));
    lines.push(format!("run {}", words(&job.run)));
    let used = |name: &str| job.build.iter().flatten().chain(&job.run).any(|word| word.text().contains(&format!("{{{name}}}")));
    let mut constants: Vec<String> = job
        .constants
        .iter()
        .filter(|(name, _)| used(name))
        .map(|(name, value)| format!("constant {name} = {}", values::digits(value)))
        .collect();
    constants.sort();
    lines.extend(constants);
    let mut planned: Vec<String> = rows.iter().map(lines::row).collect();
    planned.sort();
    lines.extend(planned);
    lines.push(self::rounds(job.rounds, job.limit_s));
    lines
}

/// The lines of a program's source and of the files beside it.
#[must_use]
pub fn code(code: &Code) -> Vec<String> {
    let mut lines: Vec<String> = text_lines(&code.source, &code.device).into_iter().map(|line| format!("source: {line}")).collect();
    for (path, text) in &code.headers {
        lines.extend(text_lines(path, text).into_iter().map(|line| format!("file {path}: {line}")));
    }
    lines
}

/// The file `path` as hashed lines: code as its tokens, anything else as its lines.
fn text_lines(path: &str, text: &str) -> Vec<String> {
    text_located(path, text).into_iter().map(|(_, line)| line).collect()
}

/// The same, each with the byte of `text` at which it begins.
pub(super) fn text_located(path: &str, text: &str) -> Vec<(usize, String)> {
    if Language::of(path) == Language::Cuda {
        return located(text);
    }
    let mut at = 0;
    let line = |line: &str| {
        let start = at;
        at += line.len();
        (start, line.trim_end().to_owned())
    };
    text.split_inclusive('\n').map(line).filter(|(_, line)| !line.is_empty()).collect()
}

/// The line of how often a program is run, and for how long at most.
#[must_use]
pub fn rounds(rounds: u32, limit_s: u32) -> String {
    format!("rounds {rounds}, limit_s {limit_s}")
}

impl ProgramJob {
    /// The name of what is built, from its folder.
    #[must_use]
    pub fn binary(&self) -> String {
        let name = self.code.source.rsplit('/').next().unwrap_or_default();
        match name.rsplit_once('.') {
            Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
            _ => format!("{name}.out"),
        }
    }

    /// The commands that build it for `architecture`, as words.
    ///
    /// # Errors
    /// At a word that names what is not there.
    pub fn build(&self, architecture: &str) -> Result<Vec<Vec<String>>, Problem> {
        self.build.iter().map(|command| command.iter().map(|word| self.word(word, None, architecture)).collect()).collect()
    }

    /// The command of `row` on `architecture`, as words.
    ///
    /// # Errors
    /// As for [`ProgramJob::build`].
    pub fn command(&self, row: &PlannedRow, architecture: &str) -> Result<Vec<String>, Problem> {
        self.run.iter().map(|word| self.word(word, Some(row), architecture)).collect()
    }

    /// `word` with its names in braces replaced by what they stand for.
    fn word(&self, word: &Slice, row: Option<&PlannedRow>, architecture: &str) -> Result<String, Problem> {
        let text = word.text();
        let (mut out, mut at) = (String::new(), 0);
        while let Some(next) = text[at..].find(['{', '}']).map(|next| at + next) {
            out.push_str(&text[at..next]);
            let brace = &text[next..=next];
            if text[next + 1..].starts_with(brace) {
                out.push_str(brace);
                at = next + 2;
                continue;
            }
            let end = text[next..].find('}').map(|end| next + end).filter(|_| brace == "{");
            let Some(end) = end else {
                let problem = Problem::error("manifest-value", word.span(next, next + 1), "a brace stands alone");
                return Err(problem.hint("`{name}` stands for a value; a brace itself is written twice: `{{`"));
            };
            let name = &text[next + 1..end];
            out.push_str(&self.named(name, row, architecture).ok_or_else(|| self.unknown(name, row, word, (next, end + 1)))?);
            at = end + 1;
        }
        out.push_str(&text[at..]);
        Ok(out)
    }

    fn named(&self, name: &str, row: Option<&PlannedRow>, architecture: &str) -> Option<String> {
        match name {
            "program" => return Some(format!("./{}", self.binary())),
            "source" => return Some(self.code.source.clone()),
            "architecture" => return Some(architecture.to_owned()),
            "label" => return row.map(|row| row.label.clone()),
            _ => {}
        }
        let own = row.into_iter().flat_map(|row| &row.values).find(|(known, _)| known == name).map(|(_, value)| match value {
            OwnValue::Number(number) => values::digits(number),
            OwnValue::Text(text) => text.to_string(),
        });
        own.or_else(|| self.constants.iter().find(|(known, _)| known == name).map(|(_, value)| values::digits(value)))
    }

    fn unknown(&self, name: &str, row: Option<&PlannedRow>, word: &Slice, (start, end): (usize, usize)) -> Problem {
        let at = word.span(start, end);
        if !is_name(name) {
            return Problem::error("manifest-value", at, format!("`{{{name}}}` names nothing"))
                .hint("`{name}` stands for a value; a brace itself is written twice: `{{`");
        }
        let own = row.into_iter().flat_map(|row| &row.values).map(|(name, _)| name.as_str());
        let known = own.chain(self.constants.iter().map(|(name, _)| name.as_str()));
        let known = known.chain(["program", "source", "architecture"]).chain(row.map(|_| "label"));
        Problem::error("manifest-value", at, format!("there is no `{name}` here")).meant(name, known)
    }
}

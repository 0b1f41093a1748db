//! Turns the sweeps that a lesson stands on into what a reader with a GPU does: the commands, and what they need.
//!
//! Must not know any machine but those that the evidence names.

use serde::Serialize;

use crate::course::sweep::Kind;
use crate::course::sweep::ProgramSweep;
use crate::evidence::Run;

use super::page::Page;
use super::words::fill;

/// What a reader does.
#[derive(Serialize)]
pub(crate) struct View {
    commands: Vec<String>,
    needs: Vec<String>,
    /// How programs that stand alone are built and run without lessonc.
    programs: Vec<String>,
}

/// How readers measure what `page` stands on; `None` where it stands on no sweep.
pub(crate) fn view(page: &Page<'_>) -> Option<View> {
    let course = page.world.course;
    let sweeps: Vec<_> = page.lesson.sweeps.iter().filter_map(|(name, _)| course.sweeps.get(name)).collect();
    let runs = || sweeps.iter().filter_map(|sweep| page.run(&sweep.name));
    let names: Vec<&str> = sweeps.iter().map(|sweep| sweep.name.as_str()).collect();
    if names.is_empty() {
        return None;
    }
    let words = &page.words.run_it;
    let has = |is: fn(&Kind) -> bool| sweeps.iter().any(|sweep| is(&sweep.kind));
    let program = |kind: &Kind| matches!(kind, Kind::Program(program) if !program.host);
    let mut needs = Vec::new();
    let needs_gpu = has(|kind| matches!(kind, Kind::Kernel(_) | Kind::Profile(_))) || sweeps.iter().any(|sweep| program(&sweep.kind));
    if needs_gpu {
        let cuda = runs().find_map(|run| run.record.header.identity.driver_cuda.clone());
        needs.push(match cuda {
            Some(cuda) => fill(words.gpu_of, &[&cuda]),
            None => words.gpu.to_owned(),
        });
    }
    if has(|kind| matches!(kind, Kind::Kernel(_) | Kind::Compile(_))) {
        let version = runs().find_map(|run| run.record.header.identity.nvrtc.clone());
        needs.push(match version {
            Some(version) => fill(words.nvrtc_of, &[&version]),
            None => words.nvrtc.to_owned(),
        });
    }
    if let Some(compiler) = runs().find_map(|run| run.record.header.identity.host_compiler.clone()) {
        needs.push(fill(words.host_compiler, &[&compiler]));
    }
    if sweeps.iter().any(|sweep| program(&sweep.kind)) {
        needs.push(words.toolkit.to_owned());
    }
    if has(|kind| matches!(kind, Kind::Profile(_))) {
        needs.push(words.profiler.to_owned());
    }
    let programs = sweeps.iter().filter_map(|sweep| match &sweep.kind {
        Kind::Program(program) => Some(by_hand(program, page.run(&sweep.name).as_deref())),
        _ => None,
    });
    Some(View { commands: vec![format!("lessonc try {}", page.lesson.name)], programs: programs.flatten().collect(), needs })
}

/// The commands that build and run `program`, as `run` did: for its architecture, in the folder of its source.
fn by_hand(program: &ProgramSweep, run: Option<&Run>) -> Vec<String> {
    let name = program.source.rsplit('/').next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let architecture = run.map_or("native", |run| run.record.header.identity.architecture.as_str());
    let built = program.build.iter().map(|words| {
        let words = words.iter().map(|word| {
            let word = word.text().replace("{source}", name).replace("{program}", stem);
            quoted(&word.replace("{architecture}", architecture))
        });
        words.collect::<Vec<_>>().join(" ")
    });
    let ran = run.and_then(|run| run.record.rows.first()).map(|row| row.command.clone()).filter(|command| !command.is_empty());
    let ran = ran.map(|words| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "));
    built.chain(ran).collect()
}

/// `word` as a shell takes it for one.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./+:,@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word_in_a_shell() {
        for (word, expected) in [("-std=c++17", "-std=c++17"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("", "''"), ("$HOME", "'$HOME'")] {
            assert_eq!(quoted(word), expected);
        }
    }
}

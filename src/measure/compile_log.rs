//! Turns a compiler's messages into problems at the author's lines.
//!
//! Must not know compilers beyond the two ways in which they name a place: `file(line): error: …` and
//! `file:line:column: error: …`.

use crate::base::problem::Problem;
use crate::base::span::{SourceName, Span};
use crate::tree::SourceTree;

/// A place and a message in a log.
struct Message<'a> {
    file: &'a str,
    line: usize,
    text: &'a str,
}

/// The errors in `log`, the messages of `compiler`, at their places in the course's kernels; if none can be placed, one
/// problem at `source` with the whole log.
#[must_use]
pub fn problems(compiler: &str, log: &str, source: &str, tree: &SourceTree) -> Vec<Problem> {
    let words = [": error: ", ": catastrophic error: ", ": fatal error: ", ": error "];
    let placed =
        |message: Message<'_>| Some(Problem::error("kernel-compile", place(&message, tree)?, format!("{compiler}: {}", message.text)));
    let mut problems: Vec<Problem> = log.lines().filter_map(|line| message(line, &words)).filter_map(placed).collect();
    if problems.is_empty() {
        let file = SourceName::from(format!("kernels/{source}"));
        problems.push(Problem::error("kernel-compile", Span::top(&file), format!("{compiler} rejects the code:\n{}", log.trim_end())));
    }
    problems
}

/// The warnings in `log`, the messages of `compiler` on code that it took, each once: at their places in the course's kernels,
/// or at `source` where they name none.
#[must_use]
pub fn warnings(compiler: &str, log: &str, source: &str, tree: &SourceTree) -> Vec<Problem> {
    let file = SourceName::from(format!("kernels/{source}"));
    let mut found: Vec<Problem> = Vec::new();
    for line in log.lines() {
        let (at, text) = match message(line, &[": warning: ", ": warning "]) {
            Some(message) => (place(&message, tree).unwrap_or_else(|| Span::top(&file)), message.text),
            // ptxas names no place: `ptxas warning : Stack size …`.
            None => match line.split_once("warning :") {
                Some((_, text)) => (Span::top(&file), text.trim()),
                None => continue,
            },
        };
        let problem = Problem::warning("kernel-warning", at, format!("{compiler}: {text}"));
        if !found.contains(&problem) {
            found.push(problem);
        }
    }
    found
}

/// Where in the course's kernels a message belongs; `None` for a file that is none of them.
fn place(message: &Message<'_>, tree: &SourceTree) -> Option<Span> {
    let file = SourceName::from(format!("kernels/{}", message.file));
    tree.get(&file)?;
    Some(line_span(tree.text(&file), &file, message.line))
}

/// The message in `line`, which has one of `words` between its place and its text.
fn message<'a>(line: &'a str, words: &[&str]) -> Option<Message<'a>> {
    let (place, text) = words.iter().find_map(|word| line.split_once(word))?;
    let place = place.trim();
    let (file, number) = match place.strip_suffix(')') {
        Some(open) => open.rsplit_once('(')?,
        None => {
            let (front, last) = place.rsplit_once(':')?;
            match front.rsplit_once(':') {
                // With a column; the line is enough, since `#line` keeps lines and not columns.
                Some((file, line)) if line.parse::<usize>().is_ok() => (file, line),
                _ => (front, last),
            }
        }
    };
    Some(Message { file, line: number.trim().parse().ok()?, text: text.trim() })
}

/// Line `line` of `text` without its margin.
fn line_span(text: &str, file: &SourceName, line: usize) -> Span {
    let Span { start, end, .. } = Span::line(file, text, line);
    let content = &text[start..end];
    let margin = content.len() - content.trim_start().len();
    Span::new(file, start + margin, start + content.trim_end().len().max(margin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::problem::Problems;
    use crate::base::span::line_column;

    #[test]
    fn errors_point_at_the_author_s_line() {
        let mut tree = SourceTree::new();
        tree.insert("kernels/a.cu", b"one\n  two\nthree\n", &mut Problems::new());
        let log = "a.cu(2): error: expected a \";\"\n  two\n  ^\na.cu:3:7: error: 'x' was not declared\na.cu(1): warning #177-D: unused\nother.h:1:2: error: no\n\
                   1 error detected in the compilation of \"a.cu\".\n";
        let found = problems("nvrtc", log, "a.cu", &tree);
        let places: Vec<_> = found
            .iter()
            .map(|problem| {
                let at = problem.at.as_ref().expect("a place");
                let text = tree.text(&at.file);
                (line_column(text, at.start).line, &text[at.start..at.end], problem.message.as_str())
            })
            .collect();
        assert_eq!(places, [(2, "two", "nvrtc: expected a \";\""), (3, "three", "nvrtc: 'x' was not declared")]);
        let whole = problems("c++", "ld: undefined symbol", "a.cu", &tree);
        assert_eq!(whole.len(), 1);
        assert!(whole[0].message.contains("undefined symbol"));
        let log = log.to_owned()
            + "a.cu(1): warning #177-D: unused\na.cu:3:7: warning: odd [-Wodd]\nptxas warning : Stack size\nptxas info    : 8 bytes\n";
        let found = warnings("nvrtc", &log, "a.cu", &tree);
        let places: Vec<_> = found
            .iter()
            .map(|problem| {
                let at = problem.at.as_ref().expect("a place");
                (line_column(tree.text(&at.file), at.start).line, problem.message.as_str())
            })
            .collect();
        assert_eq!(places, [(1, "nvrtc: #177-D: unused"), (3, "nvrtc: odd [-Wodd]"), (1, "nvrtc: Stack size")]);
        assert_eq!(problems("nvrtc", "a.cu(99): error: past the end\n", "a.cu", &tree).len(), 1);
    }
}

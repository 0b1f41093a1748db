//! Turns a hashed line of a job into what an author calls that which it speaks of.
//!
//! Must not know where it stands, nor what differs.

/// What `line` is about: a line of code as itself, all else by its name.
#[must_use]
pub fn about(line: &str) -> String {
    if let Some(code) = code(line) {
        return format!("`{}`", shortened(code));
    }
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let name = rest.split([':', ' ', '(']).next().unwrap_or_default();
    let row = || rest.split('\'').nth(1).unwrap_or_default();
    match word {
        "constant" => format!("the constant `{name}`"),
        "row" | "profiled" => format!("the row `{}`", row()),
        "buffer" => format!("the buffer `{name}`"),
        "option" => format!("the option `{}`", shortened(rest)),
        "input" => format!("how `{name}` fills the inputs"),
        "check" => "how outputs are checked".to_owned(),
        "launch" => format!("the launch's {name}"),
        "read" => format!("what `{name}` reads back"),
        "data" => "what rows work on".to_owned(),
        "timing" | "rounds" => "how it is timed".to_owned(),
        "build" | "run" => format!("the command `{}`", shortened(rest)),
        "architecture" | "architectures" => "its architectures".to_owned(),
        "metric" => format!("the metric `{name}`"),
        "launches" => "how many launches are profiled".to_owned(),
        "of" => "the sweep that it profiles".to_owned(),
        "program" | "program," => "whether it needs a GPU".to_owned(),
        _ => "what lessonc itself does to measure".to_owned(),
    }
}

/// The code of `line`, if it is a line of code.
#[must_use]
pub fn code(line: &str) -> Option<&str> {
    let (words, code) = line.split_once(": ")?;
    let is_code = matches!(words, "device" | "host" | "source") || words.starts_with("header ") || words.starts_with("file ");
    is_code.then_some(code)
}

/// So many characters of code are shown in a sentence.
const SHOWN: usize = 48;

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_called_what_authors_call_them() {
        for (line, expected) in [
            ("device: y [ i ] += x ;", "`y [ i ] += x ;`"),
            ("header a b.cuh: int x ;", "`int x ;`"),
            (
                "source: long_name_of_a_function ( first_argument , second_argument ) ;",
                "`long_name_of_a_function ( first_argument , secon…`",
            ),
            ("constant pixels = 7", "the constant `pixels`"),
            ("row '256': threads = 256", "the row `256`"),
            ("profiled row '16'", "the row `16`"),
            ("buffer y: out f32 x 5", "the buffer `y`"),
            ("option --std=c++17", "the option `--std=c++17`"),
            ("input fill(x, u64 5)", "how `fill` fills the inputs"),
            ("check within 1e-6", "how outputs are checked"),
            ("launch grid max(1, n)", "the launch's grid"),
            ("timing cold, rounds 11, samples 20", "how it is timed"),
            ("protocol 1", "what lessonc itself does to measure"),
            ("", "what lessonc itself does to measure"),
        ] {
            assert_eq!(about(line), expected, "{line}");
        }
    }
}

//! Turns what can be wrong with a page's content into problems, each in the author's words.
//!
//! Must not know how a page is made.

use crate::base::problem::Problem;
use crate::base::span::{SourceName, Span};

/// The file `name` was read, and is not what was read any longer.
pub(crate) fn is_another_by_now(name: &SourceName) -> Problem {
    Problem::error("file-changed", Span::top(name), format!("{name} was changed or removed while the site was made"))
        .hint("run the command again when nobody writes to the course")
}

/// `sweep`, named at `at`, is none that the lesson stands on.
pub(crate) fn not_a_sweep_of_the_lesson(sweep: &str, at: &Span) -> Problem {
    Problem::error("exhibit-sweep", at.clone(), format!("the lesson doesn't stand on `{sweep}`")).hint(format!(
        "add it to `sweeps` in its front matter: what stands there is held to its evidence, such as `sweeps = [\"{sweep}\"]`"
    ))
}

/// "there is no sweep `occupency`"
pub(crate) fn no_such_sweep<'a>(sweep: &str, at: &Span, known: impl IntoIterator<Item = &'a str>) -> Problem {
    Problem::error("exhibit-sweep", at.clone(), format!("there is no sweep `{sweep}`")).meant(sweep, known)
}

/// "there is no file kernels/x.cu", "x.cu has no region `luma`"
pub(crate) fn no_such_file<'a>(path: &str, at: &Span, known: impl IntoIterator<Item = &'a str>) -> Problem {
    let problem = Problem::error("snippet-missing", at.clone(), format!("there is no file kernels/{path}"));
    match path.strip_prefix("kernels/") {
        Some(short) => problem.hint(format!("paths begin below `kernels/`: `{short}`")),
        None => problem.meant(path, known),
    }
}

/// "x.cu has no region `luma`"
pub(crate) fn no_such_region<'a>(path: &str, region: &str, at: &Span, known: impl IntoIterator<Item = &'a str>) -> Problem {
    Problem::error("snippet-missing", at.clone(), format!("{path} has no region `{region}`")).meant(region, known)
}

/// "a snippet is named FILE#REGION"
pub(crate) fn no_region_named(target: &str, at: &Span) -> Problem {
    Problem::error("snippet-missing", at.clone(), format!("`{target}` names no region"))
        .hint("write FILE#REGION, the file by its path from kernels/")
}

/// "`xv[k]` is not in the region"
pub(crate) fn highlight_misses(text: &str, at: &Span) -> Problem {
    Problem::error("exhibit-option", at.clone(), format!("no line of the region holds `{text}`"))
        .hint("each text under `highlight` marks the lines that hold it, as the page shows them")
}

/// "no line of the region holds `int main`"
pub(crate) fn no_line_holds(text: &str, at: &Span) -> Problem {
    Problem::error("exhibit-option", at.clone(), format!("no line of the region holds `{text}`"))
        .hint("a fold goes from the first line that holds one text to the next that holds the other, as the page shows them")
}

/// "no region `setup` stands within `whole`"
pub(crate) fn no_region_within<'a>(name: &str, region: &str, at: &Span, known: impl IntoIterator<Item = &'a str>) -> Problem {
    Problem::error("exhibit-option", at.clone(), format!("no region `{name}` stands within `{region}`")).meant(name, known)
}

/// "a step is two expressions"
pub(crate) fn no_step(at: &Span) -> Problem {
    Problem::error("exhibit-option", at.clone(), "a step is two expressions: the value before, and the value behind")
        .hint("write `step = [\"row('plain').ms\", \"row('tiled').ms\"]`")
}

/// "the sweep block-size has no column `occupency`"
pub(crate) fn no_such_column<'a>(sweep: &str, column: &str, at: &Span, known: impl IntoIterator<Item = &'a str>) -> Problem {
    Problem::error("exhibit-column", at.clone(), format!("the sweep {sweep} has no column `{column}`")).meant(column, known)
}

/// "no sweep of this lesson has a column `latancy`"
pub(crate) fn no_column_to_head<'a>(column: &str, at: &Span, known: impl IntoIterator<Item = &'a str>) -> Problem {
    Problem::error("exhibit-column", at.clone(), format!("no sweep of this lesson has a column `{column}`")).meant(column, known)
}

/// "`kind` is line, bar or scatter, not `pie`"
pub(crate) fn not_one_of(option: &str, value: &str, known: &[&str], at: &Span) -> Problem {
    Problem::error("exhibit-option", at.clone(), format!("`{option}` can't be `{value}`")).meant(value, known.iter().copied())
}

/// A condition on rows that none of them meets.
pub(crate) fn no_rows(at: &Span) -> Problem {
    Problem::error("exhibit-option", at.clone(), "no row meets this condition, so there is nothing to show")
}

/// A chart whose column holds no numbers.
pub(crate) fn not_numbers(column: &str, at: &Span) -> Problem {
    Problem::error("exhibit-column", at.clone(), format!("`{column}` holds no numbers to draw"))
}

/// A mark that names no axis, or both.
pub(crate) fn one_axis(at: &Span) -> Problem {
    Problem::error("exhibit-option", at.clone(), "a mark lies on one axis, at `x` or at `y`")
        .hint("write `marks = [{ x = \"device.l2_bytes\", label = \"L2\" }]`")
}

/// A mark's value that has no place among those of `column`.
pub(crate) fn no_place(column: &str, why: &str, at: &Span) -> Problem {
    Problem::error("exhibit-option", at.clone(), format!("this mark has no place along `{column}`: {why}"))
}

/// "the transcript has 40 lines; `lines` asks for 90-99"
pub(crate) fn bad_lines(message: String, at: &Span) -> Problem {
    Problem::error("exhibit-option", at.clone(), message).hint("write `lines = \"12-30\"`, counted from 1, or leave it out for all of them")
}

/// "`row` chooses what a program printed, and block-size is a kernel"
pub(crate) fn no_own_output(sweep: &str, at: &Span) -> Problem {
    Problem::error("exhibit-option", at.clone(), format!("`row` chooses what a program printed, and {sweep} is no program"))
}

/// "streaming has no run `2026-11-30-nvidia-h100`"
pub(crate) fn no_such_run<'a>(sweep: &str, run: &str, at: &Span, known: impl IntoIterator<Item = &'a str>) -> Problem {
    Problem::error("exhibit-option", at.clone(), format!("{sweep} has no complete run `{run}` on this device")).meant(run, known)
}

/// "2026-11-30-x and 2026-11-30-x-2 can't be compared: they differ in fingerprint"
pub(crate) fn not_comparable(recorded: &str, fresh: &str, fields: &[&str], at: &Span) -> Problem {
    let fields = fields.join(", ");
    Problem::error("exhibit-runs", at.clone(), format!("{recorded} and {fresh} can't be compared: they differ in {fields}"))
        .hint("runs of one identity are compared, and with `across_code = true` those of two versions of the code")
}

/// "there is no page or file `other.md`"
pub(crate) fn no_such_target<'a>(target: &str, at: Span, known: impl IntoIterator<Item = &'a str>) -> Problem {
    let problem = Problem::error("link-missing", at, format!("the link leads nowhere: there is no `{target}` in the course"));
    let known: Vec<&str> = known.into_iter().collect();
    match crate::base::name::nearest(target, known) {
        Some(name) => problem.hint(format!("did you mean `{name}`?")),
        None => problem
            .hint("links name files of the course as they stand in the repository, such as `other.md#a-heading` or `../kernels/x.cu`"),
    }
}

/// "two files of the site would be called `index.html`"
pub(crate) fn two_of_a_path(first: &str, second: &str) -> Problem {
    let message = if first == second {
        format!("two files of the site would be called `{first}`")
    } else {
        format!("two files of the site would be called `{first}` and `{second}`, which is one name on many disks")
    };
    Problem::of_course("site-collision", message)
        .hint("rename the lesson or the source of one; `index.html`, `404.html` and the folders `lists` and `search` are the site's own")
}

/// "a link can't begin with `javascript:`"
pub(crate) fn no_such_scheme(scheme: &str, at: Span) -> Problem {
    Problem::error("link-scheme", at, format!("a link can't begin with `{}:`", scheme.escape_debug()))
        .hint("links leave the site by `https:`, `http:` or `mailto:`; a file whose name has a colon is written `./NAME`")
}

/// "other.md has no heading `#intr`"
pub(crate) fn no_such_anchor<'a>(page: &str, anchor: &str, at: Span, known: impl IntoIterator<Item = &'a str>) -> Problem {
    Problem::error("link-missing", at, format!("{page} has no anchor `#{anchor}`")).meant(anchor, known)
}

/// "`rows` is no condition"
pub(crate) fn no_condition(at: &Span) -> Problem {
    Problem::error("exhibit-option", at.clone(), "this is not true or false of a row")
        .hint("write a condition on its columns, such as `threads >= 32`")
}

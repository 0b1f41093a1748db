//! Turns the text of `kernels/NAME.toml` into a sweep, and what is wrong with it into problems.
//!
//! Must not know sources or values; the planner holds the manifest against both.

mod physics;
mod read;
mod rows;

use std::collections::BTreeMap;

use crate::base::name::{self, is_name};
use crate::base::problem::{Problem, Problems};
use crate::base::quantity::Unit;
use crate::base::slice::Slice;
use crate::base::span::{SourceName, Span};
use crate::base::statistics::LEAST_ROUNDS;
use crate::expr::Expr;

use super::columns::{built_in, is_compiled, is_profiled};
use super::keys::{self, Keys, unexpected};
use super::program;
use super::sweep::{
    ArgumentSpec, Buffer, CachePolicy, Call, CheckSpec, Column, Element, KernelSpec, KernelSweep, Kind, LaunchSpec, OptionSpec, Role,
    Sweep, TimingPolicy, UnitSpec,
};
use super::toml::{self, Item, Value};
use super::{compile_sweep, profile_sweep};

pub use self::physics::PhysicsSpec;
pub use self::read::{ReadSpec, TakeSpec};

/// The kinds of sweeps, as manifests name them.
const KINDS: [&str; 4] = ["kernel", "compile", "profile", "program"];

/// Names that expressions know already.
const RESERVED: [&str; 6] = ["device", "residency", "this", "row", "rows", "label"];

/// Reads the manifest `file` of the sweep `name`; `None` if too little of it is there to make sense of.
pub(super) fn read(file: &SourceName, name: &str, text: &str, problems: &mut Problems) -> Option<Sweep> {
    if !is_name(name) {
        problems.push(
            Problem::error("manifest-name", Span::top(file), format!("`{name}` can't name a sweep"))
                .hint(format!("manifests stand in `kernels/` itself; {}", name::RULE)),
        );
        return None;
    }
    let already = problems.errors();
    let table = toml::document(&Slice::verbatim(file, text, 0), problems);
    let mut keys = Keys::of(&table, "a sweep's manifest", Span::top(file));
    let kind = keys.text("kind", problems);
    if let Some(kind) = kind.as_ref().filter(|kind| !KINDS.contains(&kind.text())) {
        problems.push(
            Problem::error("manifest-kind", kind.whole(), format!("sweeps of the kind `{}` are not known", kind.text()))
                .meant(kind.text(), KINDS),
        );
        return None;
    }
    let title = keys.title("title", problems).map(|title| title.text().to_owned()).unwrap_or_default();
    let mut names = BTreeMap::new();
    let constants = constants(&mut keys, &mut names, problems);
    let axes = rows::axes(&mut keys, &mut names, problems);
    let explicit_rows = rows::explicit(&mut keys, &names, problems);
    let label = keys.expr("label", problems);
    let kind = match kind.as_ref().map(Slice::text) {
        Some("program") => program::read(&mut keys, &names, problems).map(|program| Kind::Program(Box::new(program))),
        Some("compile") => compile_sweep::read(&mut keys, &mut names, problems).map(|sweep| Kind::Compile(Box::new(sweep))),
        Some("profile") => profile_sweep::read(&mut keys, &mut names, problems).map(|sweep| Kind::Profile(Box::new(sweep))),
        _ => kernel(&mut keys, &mut names, problems).map(|sweep| Kind::Kernel(Box::new(sweep))),
    };
    // How columns are shown changes no measurement.
    let mut of_columns = Problems::new();
    let columns = columns(&mut keys, &names, &mut of_columns);
    let taken: Option<fn(&str) -> bool> = match &kind {
        Some(Kind::Compile(_)) => Some(is_compiled),
        Some(Kind::Profile(_)) => Some(is_profiled),
        Some(Kind::Kernel(_) | Kind::Program(_)) | None => None,
    };
    if let Some(taken) = taken {
        for column in columns.iter().filter(|column| taken(&column.name)) {
            of_columns.push(every_row_has(&column.name, &column.at));
        }
    }
    keys.finish(problems);
    let kind = kind?;
    let mut sweep =
        Sweep { name: name.to_owned(), sound: true, manifest: file.clone(), title, constants, axes, explicit_rows, label, columns, kind };
    super::sweep_check::check(&sweep, problems);
    sweep.sound = problems.errors() == already;
    problems.extend(of_columns);
    Some(sweep)
}

fn kernel(keys: &mut Keys<'_>, names: &mut BTreeMap<String, Span>, problems: &mut Problems) -> Option<KernelSweep> {
    let unit = unit_spec(keys, problems);
    let buffers = buffers(keys, problems);
    let inputs = keys.tables("inputs", "a call of `inputs`", problems).into_iter().filter_map(|keys| input(keys, problems)).collect();
    let check = keys.table("check", "`[check]`", problems).and_then(|keys| check(keys, problems));
    let reads = read::reads(keys, names, problems);
    let timing = timing(keys, reads.is_empty(), problems);
    let physics = keys.table("physics", "`[physics]`", problems).map(|keys| physics::physics(keys, problems)).unwrap_or_default();
    let launch = launch(keys, problems);
    Some(KernelSweep { unit: unit?, buffers, inputs, check, launch: launch?, reads, timing, physics })
}

pub(super) fn unit_spec(keys: &mut Keys<'_>, problems: &mut Problems) -> Option<UnitSpec> {
    let source = keys.text("source", problems);
    let source = keys.required("source", source, problems);
    let regions = placed(keys.texts("device", problems));
    let host_regions = placed(keys.texts("host", problems));
    let options = keys.texts("options", problems).iter().map(|option| option.text().to_owned()).collect();
    let source = source?;
    Some(UnitSpec { source: source.text().to_owned(), source_at: source.whole(), regions, host_regions, options })
}

fn placed(texts: Vec<Slice>) -> Vec<(String, Span)> {
    texts.into_iter().map(|text| (text.text().to_owned(), text.whole())).collect()
}

/// Takes `name` for a constant or an axis, which share one space with the built-in columns.
pub(super) fn take_name(name: &str, at: &Span, names: &mut BTreeMap<String, Span>, problems: &mut Problems) {
    let identifier =
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let problem = if !identifier {
        Problem::error("manifest-name", at.clone(), format!("`{name}` can't be used in expressions"))
            .hint("a name begins with a letter and goes on with letters, digits and `_`")
    } else if RESERVED.contains(&name) || built_in(name).is_some() {
        Problem::error("manifest-name", at.clone(), format!("`{name}` is taken: every row has it already")).hint("choose another name")
    } else if let Some(first) = names.get(name) {
        Problem::error("manifest-name", at.clone(), format!("`{name}` is named twice")).related(first.clone(), "the first")
    } else {
        names.insert(name.to_owned(), at.clone());
        return;
    };
    problems.push(problem);
}

fn constants(keys: &mut Keys<'_>, names: &mut BTreeMap<String, Span>, problems: &mut Problems) -> Vec<(String, Expr)> {
    let mut constants = Vec::new();
    let Some(mut table) = keys.table("constants", "`[constants]`", problems) else { return constants };
    for (name, at, item) in table.all() {
        take_name(name, at, names, problems);
        let value = keys::expr(item, &format!("a number or an expression for `{name}`"));
        constants.extend(problems.note(value).map(|value| (name.to_owned(), value)));
    }
    constants
}

pub(super) fn unit(keys: &mut Keys<'_>, problems: &mut Problems) -> Option<Unit> {
    let text = keys.text("unit", problems)?;
    problems.note(Unit::parse(text.text()).map_err(|why| Problem::error("manifest-unit", text.whole(), why)))
}

fn buffers(keys: &mut Keys<'_>, problems: &mut Problems) -> Vec<Buffer> {
    let mut buffers = Vec::new();
    let Some(mut table) = keys.table("buffers", "`[buffers]`", problems) else { return buffers };
    for (name, at, item) in table.all() {
        let Value::Table(fields) = &item.value else {
            problems.push(unexpected(item, &format!("a table for `{name}`: {{ role = …, type = …, count = … }}")));
            continue;
        };
        let mut fields = Keys::of(fields, "a buffer", at.clone());
        let role = one_of(&mut fields, "role", &Role::ALL, Role::name, problems);
        let element = one_of(&mut fields, "type", &Element::ALL, Element::name, problems);
        let count = fields.expr("count", problems);
        let count = fields.required("count", count, problems);
        fields.finish(problems);
        // A buffer that is wrong is there all the same: who passes it is not wrong. Nothing is expected of a scratch buffer.
        let count = count.or_else(|| Expr::parse(&Slice::verbatim(&at.file, "1", at.start)).ok());
        if let Some(count) = count {
            let (role, element) = (role.unwrap_or(Role::Scratch), element.unwrap_or(Element::F32));
            buffers.push(Buffer { name: name.to_owned(), at: at.clone(), role, element, count });
        }
    }
    buffers
}

/// The one of `all` that the string under `key` names.
fn one_of<T: Copy>(keys: &mut Keys<'_>, key: &str, all: &[T], name: fn(T) -> &'static str, problems: &mut Problems) -> Option<T> {
    let text = keys.text(key, problems);
    let text = keys.required(key, text, problems)?;
    let found = all.iter().copied().find(|&one| name(one) == text.text());
    if found.is_none() {
        let problem = Problem::error("manifest-value", text.whole(), format!("`{}` is no {key}", text.text()));
        problems.push(problem.meant(text.text(), all.iter().map(|&one| name(one))));
    }
    found
}

fn arguments(keys: &mut Keys<'_>, problems: &mut Problems) -> Vec<ArgumentSpec> {
    let what = "a list of buffers' names and scalars such as { u64 = \"pixels\" } for `arguments`";
    let Some(item) = keys.item("arguments") else { return Vec::new() };
    let Value::Array(items) = &item.value else {
        problems.push(unexpected(item, what));
        return Vec::new();
    };
    items.iter().filter_map(|item| argument(item, what, problems)).collect()
}

fn argument(item: &Item, what: &str, problems: &mut Problems) -> Option<ArgumentSpec> {
    match &item.value {
        Value::Text(name) => Some(ArgumentSpec::Buffer(name.text().to_owned(), name.whole())),
        Value::Table(table) if table.entries.len() == 1 => {
            let (kind, at, value) = &table.entries[0];
            let scalars = Element::ALL.into_iter().filter(|element| element.is_scalar());
            let Some(element) = scalars.clone().find(|element| element.name() == kind) else {
                let problem = Problem::error("manifest-value", at.clone(), format!("`{kind}` is no type of a scalar"));
                problems.push(problem.meant(kind, scalars.map(Element::name)));
                return None;
            };
            problems
                .note(keys::expr(value, &format!("a number or an expression for `{kind}`")))
                .map(|value| ArgumentSpec::Scalar(element, value))
        }
        _ => {
            problems.push(unexpected(item, what));
            None
        }
    }
}

fn call(keys: &mut Keys<'_>, key: &str, problems: &mut Problems) -> Option<Call> {
    let function = keys.text(key, problems);
    let arguments = arguments(keys, problems);
    let function = keys.required(key, function, problems)?;
    Some(Call { function: function.text().to_owned(), at: function.whole(), arguments })
}

fn input(mut keys: Keys<'_>, problems: &mut Problems) -> Option<Call> {
    let call = call(&mut keys, "call", problems);
    keys.finish(problems);
    call
}

fn check(mut keys: Keys<'_>, problems: &mut Problems) -> Option<CheckSpec> {
    let check = if let Some((at, _)) = keys.entry("predicate") {
        if keys.item("reference").is_some() {
            problems.push(Problem::error("manifest-check", at.clone(), "a check has a `reference` or a `predicate`, not both"));
        }
        call(&mut keys, "predicate", problems).map(|call| CheckSpec::Predicate { call })
    } else {
        let call = call(&mut keys, "reference", problems);
        let mut tolerance = |key: &str| {
            let tolerance = keys.number(key, problems).unwrap_or(0.0);
            if tolerance < 0.0
                && let Some(item) = keys.item(key)
            {
                problems.push(Problem::error("manifest-value", item.at.clone(), format!("`{key}` is never less than 0")));
            }
            tolerance.max(0.0)
        };
        let (relative, absolute) = (tolerance("relative"), tolerance("absolute"));
        call.map(|call| CheckSpec::Reference { call, relative, absolute })
    };
    keys.finish(problems);
    check
}

fn launch(keys: &mut Keys<'_>, problems: &mut Problems) -> Option<LaunchSpec> {
    let table = keys.table("launch", "`[launch]`", problems);
    let mut launch = keys.required("launch", table, problems)?;
    let kernel = match launch.item("kernel").map(|item| (item, &item.value)) {
        Some((item, Value::Table(table))) => {
            let mut fields = Keys::of(table, "`kernel`", item.at.clone());
            let expr = fields.expr("expression", problems);
            let expr = fields.required("expression", expr, problems);
            fields.finish(problems);
            expr.map(KernelSpec::Expression)
        }
        Some((_, Value::Text(name))) => Some(KernelSpec::Name(name.clone())),
        Some((item, _)) => {
            problems.push(unexpected(item, "the kernel's name in quotes"));
            None
        }
        None => launch.required("kernel", None, problems),
    };
    let (block, grid) = (dimensions(&mut launch, "block", problems), dimensions(&mut launch, "grid", problems));
    let spec = LaunchSpec {
        at: launch.at().clone(),
        kernel: kernel?,
        block,
        shared: launch.expr("shared", problems),
        grid,
        arguments: arguments(&mut launch, problems),
        bytes: launch.expr("bytes", problems),
        flop: launch.expr("flop", problems),
        options: options(&mut launch, problems),
    };
    launch.finish(problems);
    (!spec.block.is_empty() && !spec.grid.is_empty()).then_some(spec)
}

fn options(launch: &mut Keys<'_>, problems: &mut Problems) -> Vec<OptionSpec> {
    let texts = launch.texts("options", problems);
    texts.iter().filter_map(|text| problems.note(compile_sweep::option(text))).collect()
}

fn dimensions(launch: &mut Keys<'_>, key: &str, problems: &mut Problems) -> Vec<Expr> {
    let dimensions = launch.exprs(key, problems);
    let item = launch.item(key);
    let Some(item) = launch.required(key, item, problems) else { return dimensions };
    let empty = matches!(&item.value, Value::Array(items) if items.is_empty());
    if empty || dimensions.len() > 3 {
        problems.push(Problem::error("manifest-value", item.at.clone(), format!("`{key}` has one to three dimensions")));
    }
    dimensions.into_iter().take(3).collect()
}

/// How rows are timed; `nothing_read`: nothing is read back.
fn timing(keys: &mut Keys<'_>, nothing_read: bool, problems: &mut Problems) -> TimingPolicy {
    let mut timing = TimingPolicy::default();
    let Some(mut table) = keys.table("timing", "`[timing]`", problems) else { return timing };
    if table.item("cache").is_some() {
        timing.cache = one_of(&mut table, "cache", &CachePolicy::ALL, CachePolicy::name, problems).unwrap_or(timing.cache);
    }
    let mut number = |key: &str, least: i64, most: i64, field: &mut u32| {
        if let Some(number) = table.integer(key, least, most, problems).and_then(|number| number.try_into().ok()) {
            *field = number;
        }
    };
    // The least are those of the measuring protocol.
    number("rounds", LEAST_ROUNDS as i64, 1000, &mut timing.rounds);
    number("samples", 20, 100_000, &mut timing.samples);
    number("warmup_ms", 0, 60_000, &mut timing.warmup_ms);
    number("limit_s", 1, 3600, &mut timing.limit_s);
    timing.time = table.truth("time", problems).unwrap_or(timing.time);
    if !timing.time && nothing_read {
        // What driver and compiler say is the same in every round.
        timing.rounds = 1;
    }
    table.finish(problems);
    timing
}

fn columns(keys: &mut Keys<'_>, names: &BTreeMap<String, Span>, problems: &mut Problems) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    let Some(mut table) = keys.table("columns", "`[columns]`", problems) else { return columns };
    for (name, at, item) in table.all() {
        if let Some(taken) = names.get(name) {
            let problem = Problem::error("manifest-name", at.clone(), format!("`{name}` is a name of this sweep already"));
            problems.push(problem.related(taken.clone(), "named here"));
            continue;
        } else if RESERVED.contains(&name) || built_in(name).is_some() {
            problems.push(every_row_has(name, at));
            continue;
        }
        columns.extend(column(name, at, item, problems));
    }
    columns
}

/// The problem that a column takes the name of one that every row has.
pub(super) fn every_row_has(name: &str, at: &Span) -> Problem {
    Problem::error("manifest-name", at.clone(), format!("every row has a column `{name}` already")).hint("choose another name")
}

fn column(name: &str, at: &Span, item: &Item, problems: &mut Problems) -> Option<Column> {
    let (name, at) = (name.to_owned(), at.clone());
    let Value::Table(fields) = &item.value else {
        let value = problems.note(keys::expr(item, &format!("an expression or a table for `{name}`")))?;
        return Some(Column { name, at, value, unit: None, title: None, about: None });
    };
    let mut fields = Keys::of(fields, "a column", at.clone());
    let value = fields.expr("value", problems);
    let value = fields.required("value", value, problems);
    let (unit, title, about) = (unit(&mut fields, problems), fields.string("title", problems), fields.string("about", problems));
    fields.finish(problems);
    Some(Column { name, at, value: value?, unit, title, about })
}

//! Turns made-up records of every kind into ones that can't have been made, a lie at a time, digest made to agree.
//!
//! Must not know how a record is read.

use super::tests::{Lie, missed, sound_canary};
use super::*;
use crate::evidence::compiled::{CompileFacts, RowCompiled};
use crate::evidence::output::Output;
use crate::evidence::profiled::{ACHIEVED, RowProfiled, THEORETICAL};
use crate::evidence::record::tests::sample;
use crate::plan::launch::{BufferPlan, Data, Read};
use crate::plan::program;

/// `record` with the fingerprint of `lines`.
fn with_lines(mut record: Record, lines: Vec<String>) -> Record {
    let fingerprint = Fingerprint::of(lines);
    (record.header.fingerprint_lines, record.header.identity.fingerprint) = (fingerprint.lines, fingerprint.digest);
    record
}

/// A run whose second row works on twice the data with an option of its own, and which reads cycles back and has canaries.
fn rich() -> Record {
    let mut record = sample();
    let read = Read { name: "cycles".to_owned(), buffer: "x".to_owned(), take: crate::course::sweep::Take::At(0) };
    for (index, row) in record.rows.iter_mut().enumerate() {
        (row.data, row.reads) = (index as u32, vec![read.clone()]);
    }
    if let Some(launch) = &mut record.rows[1].launch {
        launch.shape.options = vec!["--maxrregcount=16".to_owned()];
    }
    let identity = &mut record.header.identity;
    let larger = BufferPlan { count: 2048, ..identity.buffers[0].clone() };
    identity.other_data = vec![Data { buffers: vec![larger], inputs: Vec::new(), check: identity.check.clone() }];
    for result in &mut record.results {
        let count = result.clock_mhz.len();
        result.reads.insert("cycles".to_owned(), vec![4_000; count]);
        result.before.iter_mut().chain(&mut result.after).filter(|_| result.row == 1).for_each(|receipt| receipt.elements = 2048);
    }
    record.canaries = vec![sound_canary(1), sound_canary(2)];
    let of_rows = || record.rows.iter().map(|row| (row.label.as_str(), row.data));
    let mut lines = planned::code(&record.header.code);
    lines.extend(planned::all_data(&record.header.identity.all_data(), of_rows()));
    lines.extend(planned::reads(record.rows.iter().flat_map(|row| row.reads.iter().map(|read| (row.label.as_str(), read.clone())))));
    lines.extend(["row '128': threads = 128".to_owned(), "row '256': threads = 256".to_owned()]);
    lines.push(planned::timing(&record.header.identity.timing));
    with_lines(record, lines)
}

const RICH: &[Lie] = &[
    ("check are not those", 1, |record| record.rows[1].data = 2),
    ("check are not those", 1, |record| record.rows[1].data = 0),
    ("check are not those", 1, |record| record.header.identity.other_data[0].buffers[0].count = 4096),
    ("check are not those", 1, |record| record.header.identity.other_data.clear()),
    ("what is read back is not what", 1, |record| record.rows[0].reads.clear()),
    ("what is read back is not what", 1, |record| record.rows[1].reads[0].buffer = "y".to_owned()),
    ("what is read back is not what", 1, |record| record.rows[1].reads[0].take = crate::course::sweep::Take::At(1)),
    ("compared in 1024 elements of 2048", 6, |record| record.results[1].after.as_mut().unwrap().elements = 1024),
    ("not all was read back", 5, |record| record.results[0].reads.clear()),
    ("not all was read back", 5, |record| record.results[0].reads.get_mut("cycles").unwrap().truncate(2)),
    ("read back that are not planned", 5, |record| drop(record.results[0].reads.insert("more".to_owned(), vec![1; 3]))),
    ("read back that are not planned", 5, |record| record.results[0].reads.get_mut("cycles").unwrap().push(4_000)),
    ("of the kernel `copy` now one thing, now another", 2, |record| {
        record.rows[1].launch.as_mut().unwrap().shape.options.clear();
        record.rows[1].residency.as_mut().unwrap().kernel.registers = 17;
    }),
    ("the canary `copy` has 2 spans and 3 clocks", 4, |record| record.canaries[0].spans_ns.truncate(2)),
    ("the canary `copy` does another work", 7, |record| record.canaries[1].work = 1),
    ("round 2 lacks the canary `copy`", 9, |record| drop(record.canaries.pop())),
];

#[test]
fn readbacks_data_options_and_canaries_are_held_to_the_plan() {
    assert_eq!(missed(&rich(), RICH), "");
}

#[test]
fn another_option_may_make_another_kernel_of_the_same_code() {
    let mut record = rich();
    record.rows[1].residency.as_mut().unwrap().kernel.registers = 17;
    assert_eq!(first_fault(&record), None);
}

/// A run of a program of two rows and two rounds, which failed once.
fn printed() -> Record {
    let mut record = sample();
    record.header.kind = RunKind::Program;
    let identity = &mut record.header.identity;
    (identity.buffers, identity.check, identity.flush_bytes) = (Vec::new(), None, None);
    (identity.compile_options, identity.toolkit) = (vec!["nvcc -o bench copy.cu".to_owned()], Some("13.0.48".to_owned()));
    for row in &mut record.rows {
        (row.launch, row.residency) = (None, None);
        row.command = vec!["./bench".to_owned(), row.label.clone()];
    }
    let output = |result: &RowResult| {
        let ok = result.outcome == Outcome::Ok;
        let (exit, outcome) = if ok { (0, Outcome::Ok) } else { (3, Outcome::Runtime("exit code 3".to_owned())) };
        Output { round: result.round, row: result.row, outcome, exit: Some(exit), stdout: "1 ms\n".to_owned(), stderr: String::new() }
    };
    record.outputs = record.results.iter().map(output).collect();
    record.results.clear();
    let mut lines = program::code(&record.header.code);
    lines.extend(["row '128': threads = 128".to_owned(), "row '256': threads = 256".to_owned()]);
    with_lines(record, lines)
}

const PRINTED: &[Lie] = &[
    ("is ok with the exit code 3", 6, |record| record.outputs[2].outcome = Outcome::Ok),
    ("is runtime with the exit code 0", 6, |record| record.outputs[2].exit = Some(0)),
    ("is timeout with the exit code 3", 6, |record| record.outputs[2].outcome = Outcome::Timeout("late".to_owned())),
    ("is incorrect with the exit code 3", 6, |record| record.outputs[2].outcome = Outcome::Incorrect("wrong".to_owned())),
    ("comes here", 4, |record| record.outputs.swap(0, 1)),
    ("comes here", 5, |record| record.outputs[1] = record.outputs[0].clone()),
    ("results are missing", 7, |record| drop(record.outputs.pop())),
    ("is not the row of a program", 2, |record| record.rows[0].command.clear()),
    ("is not the row of a program", 3, |record| record.rows[1].skipped = Some("no".to_owned())),
    ("is not timed by lessonc", 4, |record| record.results = sample().results),
    ("has no buffers of lessonc's", 1, |record| record.header.identity.flush_bytes = Some(1)),
    ("code is not the code", 1, |record| record.header.code.device.push_str("int more;\n")),
    ("is the device `test-card`", 1, |record| record.header.device = "other-card".to_owned()),
    ("runs on the device `host`", 1, |record| record.header.identity.gpu = None),
];

#[test]
fn outputs_of_programs_are_held_to_their_order_and_exit_codes() {
    assert_eq!(missed(&printed(), PRINTED), "");
}

/// A run that compiled two rows, one of which does not compile.
fn compiled() -> Record {
    let mut record = sample();
    record.header.kind = RunKind::Compile;
    (record.header.device, record.header.circumstance.backend) = ("nvrtc-13.0".to_owned(), "nvrtc".to_owned());
    (record.header.identity.gpu, record.header.identity.disassembler) = (None, Some("nvdisasm 13.0".to_owned()));
    record.results.clear();
    for row in &mut record.rows {
        (row.launch, row.residency) = (None, None);
        row.values.push(("arch".to_owned(), "'sm_90'".to_owned()));
    }
    let facts = CompileFacts {
        registers: 16,
        stack_bytes: 0,
        spill_store_bytes: 0,
        spill_load_bytes: 0,
        static_shared_bytes: 0,
        const_bytes: 0,
        opcodes: Some("LDG FADD EXIT".parse().unwrap()),
    };
    let rejected = Outcome::Skipped("nvrtc rejects it".to_owned());
    record.compiled =
        vec![RowCompiled { row: 0, outcome: Outcome::Ok, facts: Some(facts) }, RowCompiled { row: 1, outcome: rejected, facts: None }];
    // The options of a compile sweep are those of its rows.
    record.header.code.options.clear();
    let lines = planned::code(&record.header.code);
    with_lines(record, lines)
}

const COMPILED: &[Lie] = &[
    ("has 0 registers", 4, |record| record.compiled[0].facts.as_mut().unwrap().registers = 0),
    ("has 256 registers", 4, |record| record.compiled[0].facts.as_mut().unwrap().registers = 256),
    ("has opcodes that nothing listed", 4, |record| record.header.identity.disassembler = None),
    ("row 1 comes out of order", 4, |record| record.compiled.swap(0, 1)),
    ("row 0 comes out of order", 5, |record| record.compiled[1].row = 0),
    ("row 1 comes out of order", 5, |record| record.header.circumstance.only_rows = vec!["128".to_owned()]),
    ("ended at 2026-02-03T04:05:05Z, before", 6, |record| {
        record.footer.as_mut().unwrap().ended = "2026-02-03T04:05:05Z".to_owned();
    }),
    ("is `ok` and has no facts", 4, |record| record.compiled[0].facts = None),
    ("is `skipped` and has its facts", 5, |record| record.compiled[1].facts = record.compiled[0].facts.clone()),
    ("rows are missing", 5, |record| drop(record.compiled.pop())),
    ("of none of the architectures", 3, |record| record.rows[1].values[1].1 = "'sm_80'".to_owned()),
    ("not the one that `nvrtc-12.9` names", 1, |record| record.header.device = "nvrtc-12.9".to_owned()),
    ("names a GPU", 1, |record| record.header.identity.gpu = sample().header.identity.gpu),
    ("code is not the code", 1, |record| record.header.code.device.push_str("int more;\n")),
];

#[test]
fn facts_of_compilers_are_held_to_their_rows() {
    assert_eq!(missed(&compiled(), COMPILED), "");
}

/// A run that profiled two rows, of one of which no counters could be read.
fn counted() -> Record {
    let mut record = sample();
    record.header.kind = RunKind::Profile;
    record.results.clear();
    let launch = BTreeMap::from([(ACHIEVED.to_owned(), 74.2), (THEORETICAL.to_owned(), 100.0)]);
    let denied = Outcome::NoCounters("not permitted".to_owned());
    record.profiled = vec![
        RowProfiled { row: 0, outcome: Outcome::Ok, launches: vec![launch; 3], limited_by: Some("warps".to_owned()) },
        RowProfiled { row: 1, outcome: denied, launches: Vec::new(), limited_by: None },
    ];
    record
}

const COUNTED: &[Lie] = &[
    ("is `ok` with 0 launches", 4, |record| record.profiled[0].launches.clear()),
    ("has 2 profiled launches", 4, |record| drop(record.profiled[0].launches.pop())),
    ("is `no-counters` with 3 launches", 5, |record| record.profiled[1].launches = record.profiled[0].launches.clone()),
    ("counts backwards", 4, |record| *record.profiled[0].launches[1].get_mut(ACHIEVED).unwrap() = -1.0),
    ("row 1 comes out of order", 4, |record| record.profiled.swap(0, 1)),
    ("row 0 comes out of order", 5, |record| record.profiled[1].row = 0),
    ("row 1 comes out of order", 5, |record| {
        (record.rows[1].launch, record.rows[1].residency) = (None, None);
        record.rows[1].skipped = Some("too large".to_owned());
    }),
    ("rows are missing", 5, |record| drop(record.profiled.pop())),
    ("is not the device `other-card`", 1, |record| record.header.device = "other-card".to_owned()),
    ("not the digest of its lines", 1, |record| record.header.fingerprint_lines[0].push_str(" more")),
];

#[test]
fn counters_are_held_to_their_rows_and_to_what_they_count() {
    assert_eq!(missed(&counted(), COUNTED), "");
}

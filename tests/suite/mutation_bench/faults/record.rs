//! Turns the lines of records into lines that no run wrote, with digest and transcript made to agree.
//!
//! Must not know how a record is read. Figures edited with care are no faults here: see the list in `super::super`.

use lessonc::base::quantity::Dimension;
use lessonc::course::sweep::CachePolicy;
use lessonc::evidence::record::{Outcome, Record, RowResult};

use super::super::course::{Change, Course, Feeding};
use super::super::forge::forge;
use super::super::random::Random;
use super::Kind;

pub(super) const KINDS: &[Kind] = &[
    Kind { what: "results of a round in another order", rule: "evidence-inconsistent", count: 2, make: reordered },
    Kind { what: "a result left out", rule: "evidence-inconsistent", count: 2, make: left_out },
    Kind { what: "a round left out", rule: "evidence-inconsistent", count: 2, make: round_left_out },
    Kind { what: "a canary left out of a round", rule: "evidence-inconsistent", count: 2, make: canary_left_out },
    Kind { what: "a sample left out of a round", rule: "evidence-inconsistent", count: 2, make: sample_left_out },
    Kind { what: "another outcome than the samples allow", rule: "evidence-inconsistent", count: 2, make: outcome },
    Kind { what: "a clock above the card's top, or of another round", rule: "evidence-inconsistent", count: 2, make: clock },
    Kind { what: "a comparison that looked at fewer outputs", rule: "evidence-inconsistent", count: 2, make: fewer_compared },
    Kind { what: "an error beyond the tolerance, and nothing wrong", rule: "evidence-inconsistent", count: 2, make: beyond_tolerance },
    Kind { what: "outputs that were not compared", rule: "evidence-unchecked", count: 5, make: not_compared },
    Kind { what: "wrong outputs under a time", rule: "evidence-unchecked", count: 5, make: wrong },
    Kind { what: "another grid, block, argument or kernel", rule: "evidence-planned", count: 4, make: launch },
    Kind { what: "bytes or operations that the sweep does not give", rule: "evidence-planned", count: 4, make: work },
    Kind { what: "times too short for the memory", rule: "physics-bandwidth", count: 8, make: too_fast },
    Kind { what: "times rounded by hand", rule: "physics-span", count: 8, make: rounded },
    Kind { what: "a chain shorter than its operations", rule: "physics-chain", count: 8, make: chain },
    Kind { what: "rows of the sweep renamed in the record", rule: "evidence-inconsistent", count: 2, make: values },
];

/// One of the runs that feed pages and that launched kernels; with `times`, one that timed them.
pub(super) fn kernel_run(course: &Course, random: &mut Random, times: bool) -> Option<Feeding> {
    let mut runs = course.feeding.clone();
    runs.retain(|feeding| {
        feeding.job.kernel().is_some() && !(times && feeding.run.record.results.iter().all(|result| result.spans_ns.is_empty()))
    });
    (!runs.is_empty()).then(|| random.below(runs.len())).map(|index| runs.swap_remove(index))
}

/// A lie about one result of a timed run.
fn result(course: &Course, random: &mut Random, lie: impl FnOnce(&mut RowResult, &mut Random) -> Option<()>) -> Option<Change> {
    let run = kernel_run(course, random, true)?.run;
    forge(&run, |record| {
        let index = random.below(record.results.len());
        lie(&mut record.results[index], random)
    })
}

fn reordered(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, false)?.run;
    forge(&run, |record| {
        let index = random.below(record.results.len() - 1);
        (record.results[index].round == record.results[index + 1].round).then(|| record.results.swap(index, index + 1))
    })
}

fn left_out(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, false)?.run;
    forge(&run, |record| {
        let index = random.below(record.results.len());
        record.results.remove(index);
        Some(())
    })
}

fn round_left_out(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, true)?.run;
    forge(&run, |record| {
        let round = 1 + random.below(record.header.identity.timing.rounds as usize) as u32;
        record.results.retain(|result| result.round != round);
        record.canaries.retain(|canary| canary.round != round);
        Some(())
    })
}

fn canary_left_out(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, true)?.run;
    forge(&run, |record| {
        let all = record.canaries.len();
        (all > 0).then(|| drop(record.canaries.remove(random.below(all))))
    })
}

fn sample_left_out(course: &Course, random: &mut Random) -> Option<Change> {
    result(course, random, |result, random| {
        let at = random.below(result.spans_ns.len().max(1));
        (at < result.spans_ns.len()).then(|| {
            result.spans_ns.remove(at);
            result.clock_mhz.remove(at);
            result.reads.values_mut().for_each(|reads| _ = reads.remove(at));
        })
    })
}

fn outcome(course: &Course, random: &mut Random) -> Option<Change> {
    result(course, random, |result, random| {
        let why = || "as somebody liked it".to_owned();
        let others = [
            Outcome::Throttled(why()),
            Outcome::TooShort(why()),
            Outcome::Incorrect(why()),
            Outcome::Runtime(why()),
            Outcome::Timeout(why()),
        ];
        let other = random.pick(&others)?.clone();
        (other.word() != result.outcome.word()).then(|| result.outcome = other)
    })
}

fn clock(course: &Course, random: &mut Random) -> Option<Change> {
    result(course, random, |result, random| {
        let at = random.below(result.clock_mhz.len().max(1));
        let clock = result.clock_mhz.get_mut(at)?;
        *clock = if random.below(2) == 0 { *clock * 2 } else { *clock / 2 };
        Some(())
    })
}

fn fewer_compared(course: &Course, random: &mut Random) -> Option<Change> {
    result(course, random, |result, random| {
        let receipt = if random.below(2) == 0 { &mut result.before } else { &mut result.after }.as_mut()?;
        receipt.elements -= 1 + random.below(receipt.elements.min(1000) as usize) as u64;
        (receipt.elements > 0).then_some(())
    })
}

fn beyond_tolerance(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, true)?.run;
    let relative = match &run.record.header.identity.check {
        Some(lessonc::plan::launch::Check::Reference { relative, absolute, .. }) if *absolute == 0.0 && *relative > 0.0 => *relative,
        _ => return None,
    };
    forge(&run, |record| {
        let index = random.below(record.results.len());
        record.results[index].after.as_mut()?.largest_relative = format!("{:e}", relative * (2 + random.below(50)) as f64);
        Some(())
    })
}

fn not_compared(course: &Course, random: &mut Random) -> Option<Change> {
    result(course, random, |result, random| {
        let receipt = if random.below(2) == 0 { &mut result.before } else { &mut result.after };
        receipt.take().map(drop)
    })
}

fn wrong(course: &Course, random: &mut Random) -> Option<Change> {
    result(course, random, |result, random| {
        let receipt = if random.below(2) == 0 { &mut result.before } else { &mut result.after }.as_mut()?;
        receipt.wrong = 1 + random.below(receipt.elements as usize) as u64;
        receipt.first_wrong = Some("y[0]: got 1, expected 2".to_owned());
        Some(())
    })
}

/// A lie about the launch of one row. Of what the driver says of a shape it changes nothing, so that no two rows disagree.
fn launch(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, false)?.run;
    forge(&run, |record| {
        use lessonc::plan::launch::Argument;
        let index = random.below(record.rows.len());
        let launch = record.rows[index].launch.as_mut()?;
        match random.below(2) {
            0 => launch.grid[0] = launch.grid[0] / 2 + 1 + random.below(50) as u32,
            _ => {
                let at = random.below(launch.arguments.len());
                match &mut launch.arguments[at] {
                    Argument::U64(number) => *number = *number / 2 + 1,
                    Argument::U32(number) => *number = *number / 2 + 1,
                    Argument::F32(number) => *number += 1.0,
                    _ => return None,
                }
            }
        }
        Some(())
    })
}

fn work(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, false)?.run;
    forge(&run, |record| {
        let index = random.below(record.rows.len());
        let launch = record.rows[index].launch.as_mut()?;
        let work = if random.below(2) == 0 { &mut launch.bytes } else { &mut launch.flop }.as_mut()?;
        *work += *work / (2 + random.below(20) as u64) + 1;
        Some(())
    })
}

/// Spans of a row of a cold sweep, all in the same proportion, so that its bytes would move a third faster than two transfers a
/// clock over the whole bus.
fn too_fast(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, true)?.run;
    let gpu = run.record.header.identity.gpu.as_ref()?;
    let peak = 2.0 * f64::from(gpu.memory_clock_khz) * 1e3 * f64::from(gpu.memory_bus_bits) / 8.0 / 1e9;
    let row = random.below(run.record.rows.len());
    let bytes = run.record.rows[row].launch.as_ref()?.bytes?;
    let fastest = run.record.round_ns(row).into_iter().flatten().reduce(f64::min)?;
    let factor = bytes as f64 / (1.33 * peak) / fastest;
    (run.record.header.identity.timing.cache == CachePolicy::Cold && factor < 1.0).then_some(())?;
    forge(&run, |record| {
        each_span(record, row, |span| (span as f64 * factor) as u64);
        Some(())
    })
}

fn each_span(record: &mut Record, row: usize, change: impl Fn(u64) -> u64) {
    for result in record.results.iter_mut().filter(|result| result.row as usize == row) {
        result.spans_ns.iter_mut().for_each(|span| *span = change(*span));
    }
}

/// Every span to whole microseconds, tens or hundreds of them, so that the timer would seem to tick so: a two-hundredth of a
/// span or more.
fn rounded(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, true)?.run;
    let shortest = run.record.results.iter().flat_map(|result| &result.spans_ns).min()?;
    let step = [2_000, 5_000, 10_000, 20_000, 50_000, 100_000][random.below(6)];
    (*shortest < 150 * step).then_some(())?;
    forge(&run, |record| {
        for row in 0..record.rows.len() {
            each_span(record, row, |span| span.next_multiple_of(step));
        }
        // Two equal steps at the least show a tick.
        let spans: std::collections::BTreeSet<u64> = record.results.iter().flat_map(|result| result.spans_ns.iter().copied()).collect();
        (spans.len() > 1).then_some(())
    })
}

/// Cycles of a chain that its sweep holds to physics, a hundredth of what they were.
fn chain(course: &Course, random: &mut Random) -> Option<Change> {
    let counts_cycles = |feeding: &Feeding| {
        let reads = feeding.job.kernel().map_or(&[][..], |kernel| &kernel.reads);
        !reads.is_empty() && reads.iter().all(|read| read.unit.dimension == Dimension::CYCLES)
    };
    let is_chain = |feeding: &&Feeding| counts_cycles(feeding) && course.tree.text(&feeding.job.sweep.manifest).contains("\nchain = ");
    let chains: Vec<&Feeding> = course.feeding.iter().filter(is_chain).collect();
    forge(&random.pick(&chains)?.run, |record| {
        let row = random.below(record.rows.len());
        let results = record.results.iter_mut().filter(|result| result.row as usize == row && !result.reads.is_empty());
        let changed = results.map(|result| result.reads.values_mut().flatten().for_each(|read| *read /= 100)).count();
        (changed > 0).then_some(())
    })
}

fn values(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, false)?.run;
    forge(&run, |record| {
        let index = random.below(record.rows.len());
        let row = &mut record.rows[index];
        if random.below(2) == 0 {
            row.label.push_str(" b");
        } else {
            let at = random.below(row.values.len());
            row.values[at].1.insert(0, '1');
        }
        Some(())
    })
}

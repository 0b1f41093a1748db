//! Turns headers, footers, names and transcripts of runs into those of a run on another card, of other code, of another day.
//!
//! Must not know how a header is read.

use lessonc::evidence::Run;
use lessonc::evidence::lines;
use lessonc::evidence::record::{Record, VERSION};
use lessonc::plan::launch::DeviceFacts;

use super::super::course::{Change, Course};
use super::super::forge::{files, forge, forge_and_rename};
use super::super::random::Random;
use super::super::text::{digit, in_one_of, one};
use super::Kind;
use super::record::kernel_run;

pub(super) const KINDS: &[Kind] = &[
    Kind { what: "a digit of a record", rule: "evidence-digest", count: 8, make: flipped },
    Kind { what: "a digit of a transcript", rule: "evidence-transcript", count: 4, make: transcript },
    Kind { what: "a transcript that is gone, or goes on", rule: "evidence-transcript", count: 4, make: no_transcript },
    Kind { what: "a line that lessonc does not write", rule: "evidence-unreadable", count: 8, make: unreadable },
    Kind { what: "a record of another version", rule: "evidence-version", count: 8, make: version },
    Kind { what: "an absolute path or a user's name", rule: "evidence-path", count: 8, make: path },
    Kind { what: "a record under another name", rule: "evidence-name", count: 8, make: misnamed },
    Kind { what: "a run copied to another day", rule: "evidence-copied", count: 8, make: copied },
    Kind { what: "a run of a day to come", rule: "evidence-future", count: 8, make: future },
    Kind { what: "a run of years ago", rule: "evidence-old", count: 8, make: old },
    Kind { what: "no run", rule: "evidence-missing", count: 4, make: missing },
    Kind { what: "a run that was cut short", rule: "evidence-missing", count: 4, make: incomplete },
    Kind { what: "a run of the fake device", rule: "evidence-fake", count: 8, make: fake },
    Kind { what: "a replay among the evidence", rule: "evidence-replayed", count: 8, make: replay },
    Kind { what: "a run of other code, whole in itself", rule: "evidence-stale", count: 3, make: other_code },
    Kind { what: "the fingerprint of other code", rule: "evidence-inconsistent", count: 2, make: fingerprint },
    Kind { what: "buffers, inputs, check, timing or options of another run", rule: "evidence-inconsistent", count: 2, make: identity },
    Kind { what: "another name or architecture of the card", rule: "evidence-inconsistent", count: 2, make: card },
    Kind { what: "a fact of another card", rule: "evidence-device", count: 12, make: fact },
    Kind { what: "another seed of the order", rule: "evidence-inconsistent", count: 2, make: seed },
    Kind { what: "a run that ended before it began", rule: "evidence-inconsistent", count: 2, make: backwards },
    Kind { what: "registers or residency that other rows deny", rule: "evidence-inconsistent", count: 2, make: residency },
];

fn any(course: &Course, random: &mut Random) -> Option<std::sync::Arc<Run>> {
    let all: Vec<_> = course.compiled.evidence.all().cloned().collect();
    random.pick(&all).cloned()
}

fn feeding(course: &Course, random: &mut Random) -> Option<std::sync::Arc<Run>> {
    random.pick(&course.feeding).map(|feeding| feeding.run.clone())
}

fn flipped(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &course.names("evidence", ".jsonl"), r#"[:,\[](?<here>\d{2,})"#, random, |found, random| {
        digit(&found["here"], random)
    })
}

fn transcript(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &course.names("evidence", ".txt"), r"\d+", random, |found, random| digit(&found[0], random))
}

fn no_transcript(course: &Course, random: &mut Random) -> Option<Change> {
    let run = any(course, random)?;
    Some(match random.below(2) {
        0 => Change::default().without(&run.transcript_name),
        _ => Change::of(&run.transcript_name, format!("{}and so on\n", run.transcript.as_ref()?)),
    })
}

/// A member more, or a space more, and the digest made to agree.
fn unreadable(course: &Course, random: &mut Random) -> Option<Change> {
    let run = any(course, random)?;
    let text = course.tree.text(&run.name);
    let changed =
        one(text, r#"(?<here>,)"[a-z_]+":"#, random, |_, random| Some([", ", ",\"note\":\"fast\",", ","][random.below(2)].to_owned()))?;
    let (body, _) = changed.trim_end().rsplit_once('\n')?;
    let footer = run.record.footer.clone()?;
    let footer = lessonc::evidence::record::Footer { digest: lessonc::base::digest::Digest::of(format!("{body}\n")), ..footer };
    Some(Change::of(&run.name, format!("{body}\n{}", lines::LineRef::Footer(&footer).print(run.record.header.version))))
}

fn version(course: &Course, random: &mut Random) -> Option<Change> {
    let run = any(course, random)?;
    forge(&run, |record| {
        record.header.version = VERSION + 1 + random.below(100) as u32;
        Some(())
    })
}

fn path(course: &Course, random: &mut Random) -> Option<Change> {
    let run = any(course, random)?;
    forge(&run, |record| {
        const PATHS: [&str; 4] = ["/home/ada/course/k.cu(12): warning", "/opt/cuda/bin/nvcc", "/Users/ada/k.cu", "C:\\Users\\ada\\k.cu"];
        let path = (*random.pick(&PATHS)?).to_owned();
        let header = &mut record.header;
        match random.below(4) {
            0 => drop(header.logs.insert("nvrtc".to_owned(), path)),
            1 => header.identity.host_compiler = Some(path),
            2 => header.circumstance.host_cpu = Some(path),
            _ => drop(header.unknown.insert("commit".to_owned(), path)),
        }
        Some(())
    })
}

fn misnamed(course: &Course, random: &mut Random) -> Option<Change> {
    let run = any(course, random)?;
    let other = match random.below(3) {
        0 => run.stem().replacen("2026", "2025", 1),
        1 => format!("{}-2-b", run.stem()),
        _ => run.stem().replacen(run.device(), &format!("{}-ti", run.device()), 1),
    };
    let change = Change::of(&format!("{other}.jsonl"), course.tree.text(&run.name))
        .and(&format!("{other}.txt"), course.tree.text(&run.transcript_name));
    (other != run.stem()).then(|| change.without(&run.name).without(&run.transcript_name))
}

/// The same samples under the header of another day: an old run would be the latest.
fn copied(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, true)?.run;
    let mut record = (*run.record).clone();
    move_days(&mut record, 1 + random.below(300) as i64)?;
    let stem = lessonc::evidence::name::stem(&record.header, 1);
    Some(files(&stem, record))
}

/// Moves a run by `days`, its end with it.
fn move_days(record: &mut Record, days: i64) -> Option<()> {
    let moved = |text: &str| {
        let date: chrono::NaiveDate = text.get(..10)?.parse().ok()?;
        Some(format!("{}{}", date + chrono::TimeDelta::days(days), &text[10..]))
    };
    record.header.started = moved(&record.header.started)?;
    let footer = record.footer.as_mut()?;
    footer.ended = moved(&footer.ended)?;
    for resumed in &mut footer.resumed {
        resumed.at = moved(&resumed.at)?;
    }
    Some(())
}

fn future(course: &Course, random: &mut Random) -> Option<Change> {
    let run = any(course, random)?;
    forge_and_rename(&run, |record| move_days(record, 2 + random.below(1000) as i64))
}

fn old(course: &Course, random: &mut Random) -> Option<Change> {
    let allowed = course.compiled.course.config.policy.evidence_days?;
    let run = feeding(course, random)?;
    // Another run of the same code that is still young would feed the pages in its place.
    let others = course.compiled.evidence.all().filter(|other| other.name != run.name && other.sweep() == run.sweep()).count();
    (others == 0).then_some(())?;
    forge_and_rename(&run, |record| move_days(record, -i64::from(allowed) - 1 - random.below(1000) as i64))
}

/// All runs of a sweep, or all that are left of one.
fn missing(course: &Course, random: &mut Random) -> Option<Change> {
    let run = feeding(course, random)?;
    let of_sweep = course.compiled.evidence.all().filter(|other| other.sweep() == run.sweep());
    Some(of_sweep.fold(Change::default(), |change, run| change.without(&run.name).without(&run.transcript_name)))
}

fn incomplete(course: &Course, random: &mut Random) -> Option<Change> {
    let run = feeding(course, random)?;
    let others = course.compiled.evidence.all().filter(|other| other.name != run.name && other.sweep() == run.sweep()).count();
    (others == 0).then_some(())?;
    forge(&run, |record| {
        let keep = random.below(record.results.len().max(1));
        record.results.truncate(keep);
        record.footer.as_mut()?.complete = false;
        Some(())
    })
}

fn fake(course: &Course, random: &mut Random) -> Option<Change> {
    let run = any(course, random)?;
    forge(&run, |record| {
        record.header.circumstance.backend = "fake".to_owned();
        Some(())
    })
}

fn replay(course: &Course, random: &mut Random) -> Option<Change> {
    let run = any(course, random)?;
    let of = any(course, random)?;
    forge(&run, |record| {
        record.header.circumstance.replayed = Some(of.name.to_string());
        Some(())
    })
}

/// The kernel of the record, its lines and the fingerprint changed together: a run as somebody else made it, of other code.
fn other_code(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, false)?.run;
    let others = course.compiled.evidence.all().filter(|other| other.name != run.name && other.sweep() == run.sweep()).count();
    (others == 0).then_some(())?;
    forge(&run, |record| {
        let old = lessonc::plan::lines::code(&record.header.code);
        record.header.code.device =
            one(&record.header.code.device, r"[^\w.](?<here>\d+)\b", random, |found, random| digit(&found["here"], random))?;
        let new = lessonc::plan::lines::code(&record.header.code);
        let lines = &mut record.header.fingerprint_lines;
        let at = lines.iter().position(|line| *line == old[0])?;
        lines.splice(at..at + old.len(), new);
        let fingerprint = lessonc::plan::fingerprint::Fingerprint::of(lines.clone());
        (fingerprint.digest != record.header.identity.fingerprint).then(|| record.header.identity.fingerprint = fingerprint.digest)
    })
}

fn fingerprint(course: &Course, random: &mut Random) -> Option<Change> {
    let (run, other) = (feeding(course, random)?, feeding(course, random)?);
    (run.record.header.identity.fingerprint != other.record.header.identity.fingerprint).then_some(())?;
    forge(&run, |record| {
        let of = &other.record.header;
        match random.below(2) {
            0 => record.header.identity.fingerprint = of.identity.fingerprint,
            _ => record.header.fingerprint_lines = of.fingerprint_lines.clone(),
        }
        Some(())
    })
}

fn identity(course: &Course, random: &mut Random) -> Option<Change> {
    let (run, of) = (kernel_run(course, random, true)?.run, kernel_run(course, random, true)?.run);
    let mut change = None;
    let forged = forge(&run, |record| {
        let (own, other) = (&mut record.header.identity, &of.record.header.identity);
        let before = own.clone();
        match random.below(6) {
            0 => own.buffers = other.buffers.clone(),
            1 => own.inputs = other.inputs.clone(),
            2 => own.check = other.check.clone(),
            3 => own.timing.samples += 1,
            4 => own.flush_bytes = own.flush_bytes.map(|bytes| bytes / 2),
            _ => own.compile_options.push("--use_fast_math".to_owned()),
        }
        change = (*own != before).then_some(());
        change
    });
    change.and(forged)
}

fn card(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, false)?.run;
    forge(&run, |record| {
        let gpu = record.header.identity.gpu.as_mut()?;
        match random.below(3) {
            0 => gpu.name = ["NVIDIA H100", "NVIDIA GH200", "NVIDIA B200"][random.below(3)].to_owned(),
            1 => gpu.compute_capability = [(8, 0), (8, 9), (10, 0)][random.below(3)],
            _ => gpu.mig = Some("1g.18gb".to_owned()),
        }
        Some(())
    })
}

/// A fact of silicon as another card has it, in a run whose card calls itself as those of other runs do.
fn fact(course: &Course, random: &mut Random) -> Option<Change> {
    type Set = fn(&mut DeviceFacts);
    const FACTS: [Set; 9] = [
        |gpu| gpu.sms -= 18,
        |gpu| gpu.sms += 12,
        |gpu| gpu.l2_bytes -= 10 << 20,
        |gpu| gpu.memory_bus_bits -= 1024,
        |gpu| gpu.memory_bus_bits += 1024,
        |gpu| gpu.threads_per_sm += 1024,
        |gpu| gpu.blocks_per_sm += 8,
        |gpu| gpu.shared_bytes_per_sm += 1 << 15,
        |gpu| gpu.registers_per_sm *= 2,
    ];
    let run = kernel_run(course, random, false)?.run;
    forge(&run, |record| {
        let identity = &mut record.header.identity;
        let gpu = identity.gpu.as_mut()?;
        let l2 = gpu.l2_bytes;
        FACTS[random.below(FACTS.len())](gpu);
        // What a cold sample evicts follows the cache.
        if gpu.l2_bytes != l2 && identity.flush_bytes.is_some() {
            identity.flush_bytes = Some(gpu.l2_bytes * 2);
        }
        Some(())
    })
}

fn seed(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, true)?.run;
    forge(&run, |record| {
        record.header.order_seed ^= 1 << random.below(60);
        Some(())
    })
}

fn backwards(course: &Course, random: &mut Random) -> Option<Change> {
    let run = any(course, random)?;
    forge(&run, |record| {
        let footer = record.footer.as_mut()?;
        footer.ended = record.header.started.clone();
        let date: chrono::NaiveDate = footer.ended.get(..10)?.parse().ok()?;
        footer.ended.replace_range(..10, &(date - chrono::TimeDelta::days(1 + random.below(300) as i64)).to_string());
        Some(())
    })
}

/// What the driver says of a kernel, in one of several rows of it.
fn residency(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, false)?.run;
    forge(&run, |record| {
        let index = random.below(record.rows.len());
        let kernel = record.rows[index].launch.as_ref()?.shape.kernel.clone();
        let rows = record.rows.iter().filter(|row| row.launch.as_ref().is_some_and(|launch| launch.shape.kernel == kernel)).count();
        (rows > 1).then_some(())?;
        let residency = record.rows[index].residency.as_mut()?;
        match random.below(2) {
            0 => residency.kernel.registers += 1 + random.below(3) as u32,
            _ => residency.kernel.local_bytes += 8,
        }
        Some(())
    })
}

//! Turns nothing into a record: a made-up run for the tests of every stage that reads one.
//!
//! Must not know which of them use it.

use super::*;
use crate::course::sweep::{CachePolicy, Element, Role};
use crate::plan::fingerprint::Fingerprint;
use crate::plan::launch::{Argument, KernelFacts, Shape};
use crate::plan::lines as planned;

/// A made-up card.
pub(crate) fn facts() -> DeviceFacts {
    DeviceFacts {
        name: "Test Card".to_owned(),
        mig: None,
        compute_capability: (9, 0),
        sms: 4,
        warp_size: 32,
        threads_per_sm: 2048,
        blocks_per_sm: 32,
        threads_per_block: 1024,
        registers_per_sm: 65_536,
        registers_per_block: 65_536,
        shared_bytes_per_sm: 233_472,
        shared_bytes_per_block: 49_152,
        shared_bytes_per_block_optin: 232_448,
        shared_bytes_reserved_per_block: 1024,
        l2_bytes: 60 << 20,
        memory_bytes: 64 << 30,
        memory_bus_bits: 5120,
        memory_clock_khz: 2_619_000,
        sm_clock_khz: 1_980_000,
        ecc: true,
    }
}

fn row(label: &str, threads: u32) -> RowPlan {
    let shape = Shape { kernel: "copy".to_owned(), block: [threads, 1, 1], shared_bytes: 0, options: Vec::new() };
    let kernel = KernelFacts { registers: 16, local_bytes: 0, static_shared_bytes: 0, const_bytes: 0, max_threads_per_block: 1024 };
    RowPlan {
        label: label.to_owned(),
        values: vec![("threads".to_owned(), threads.to_string())],
        launch: Some(Launch {
            shape,
            grid: [8, 2, 1],
            arguments: vec![Argument::Buffer("x".to_owned()), Argument::U64(1 << 40), Argument::F32(0.1)],
            bytes: Some(4096),
            flop: None,
        }),
        residency: Some(Residency { blocks_per_sm: 2048 / threads, suggested_block: 1024, suggested_grid: 8, kernel }),
        launches_per_sample: 1,
        command: Vec::new(),
        skipped: None,
        data: 0,
        reads: Vec::new(),
    }
}

fn result(round: u32, row: u32, spans_ns: &[u64]) -> RowResult {
    let receipt = Receipt { elements: 1024, wrong: 0, first_wrong: None, largest_relative: "1.2e-8".to_owned() };
    RowResult {
        round,
        row,
        outcome: Outcome::Ok,
        spans_ns: spans_ns.to_vec(),
        clock_mhz: vec![1980; spans_ns.len()],
        empty_pair_ns: Some(400),
        before: Some(receipt.clone()),
        after: Some(receipt),
        throttle_before: Some(Vec::new()),
        throttle_after: Some(vec!["sw-power-cap".to_owned()]),
        temperature_c: Some(41),
        warmup_launches: 30,
        reads: BTreeMap::new(),
    }
}

/// A driver and a version, and nothing else that is known.
fn circumstance() -> Circumstance {
    Circumstance { driver: Some("580.159.03".to_owned()), lessonc: "0.1.0".to_owned(), backend: "cuda".to_owned(), ..Default::default() }
}

fn data() -> Data {
    let check = Check::Reference {
        call: HostCall { function: "expect".to_owned(), arguments: vec![Argument::Buffer("x".to_owned())] },
        relative: 1e-6,
        absolute: 0.0,
    };
    let buffers = vec![BufferPlan { name: "x".to_owned(), role: Role::Out, element: Element::F32, count: 1024 }];
    Data { buffers, inputs: Vec::new(), check: Some(check) }
}

/// A complete run of two rows and two rounds, one row faulting in the second; its digest is right.
pub(crate) fn sample() -> Record {
    let code = Code {
        source: "copy.cu".to_owned(),
        device: "#line 1 \"copy.cu\"\n__global__ void copy() {}\n".to_owned(),
        host: String::new(),
        headers: BTreeMap::new(),
        options: vec!["--std=c++17".to_owned()],
    };
    let timing = TimingPolicy { cache: CachePolicy::Cold, rounds: 2, samples: 3, warmup_ms: 200, limit_s: 30, time: true };
    let rows = ["row '128': threads = 128".to_owned(), "row '256': threads = 256".to_owned()];
    let mut lines = planned::code(&code);
    let data = data();
    lines.extend(rows.into_iter().chain(planned::data(&data)).chain([planned::timing(&timing)]));
    let fingerprint = Fingerprint::of(lines);
    let identity = Identity {
        gpu: Some(facts()),
        memory_clock_mhz: Some(2619),
        driver_branch: Some("580".to_owned()),
        driver_cuda: Some("13.0".to_owned()),
        nvrtc: Some("13.0".to_owned()),
        toolkit: None,
        profiler: None,
        disassembler: None,
        host_compiler: Some("g++ 13.3".to_owned()),
        architecture: "sm_90".to_owned(),
        compile_options: vec!["--gpu-architecture=sm_90".to_owned(), "--std=c++17".to_owned()],
        fingerprint: fingerprint.digest,
        buffers: data.buffers,
        inputs: data.inputs,
        check: data.check,
        other_data: Vec::new(),
        timing,
        flush_bytes: Some(120 << 20),
    };
    let header = Header {
        version: VERSION,
        sweep: "copy".to_owned(),
        kind: RunKind::default(),
        device: "test-card".to_owned(),
        started: "2026-02-03T04:05:06Z".to_owned(),
        identity,
        circumstance: circumstance(),
        order_seed: u64::MAX - 1,
        fingerprint_lines: fingerprint.lines,
        code,
        logs: BTreeMap::from([("nvrtc".to_owned(), "copy.cu(1): note".to_owned())]),
        unknown: BTreeMap::from([("toolkit".to_owned(), "no nvcc was used".to_owned())]),
    };
    let mut fault = result(2, 1, &[]);
    (fault.outcome, fault.after) = (Outcome::Runtime("CUDA_ERROR_ILLEGAL_ADDRESS".to_owned()), None);
    let results = vec![
        result(1, 0, &[101_000, 102_000, 100_000]),
        result(1, 1, &[51_000, 50_000, 50_500]),
        fault,
        result(2, 0, &[100_500, 99_000, 100_000]),
    ];
    let mut record = Record { results, ..Record::begun(header, vec![row("128", 128), row("256", 256)]) };
    let body = crate::evidence::lines::print_body(&record);
    record.footer = Some(crate::evidence::lines::footer(&body, "2026-02-03T04:06:07Z".to_owned(), true, Some(500)));
    record
}

#[test]
fn a_round_is_the_median_of_its_samples_and_a_lost_one_is_absent() {
    let record = sample();
    assert_eq!(record.round_ns(0), [Some(101_000.0), Some(100_000.0)]);
    assert_eq!(record.round_ns(1), [Some(50_500.0), None]);
    assert_eq!(record.round_clock_mhz(1), [Some(1980.0), None]);
}

//! The CUDA device on a real GPU: `cargo test --test gpu -- --ignored --test-threads=1`.
//!
//! A fault ruins its process's context, so that tests of faults run this binary again for each (`in_child`).
#![cfg(feature = "cuda")]
#![allow(clippy::disallowed_methods, reason = "a test of the shell")]
#![allow(clippy::print_stdout, reason = "what a GPU said is looked at by hand")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lessonc::course::sweep::{Element, Role};
use lessonc::device::canary::plan as plan_of;
use lessonc::device::cuda::CudaDevice;
use lessonc::device::{Build, Built, Device, DeviceError, Fault, SamplePlan, Setup};
use lessonc::evidence::canary::Canary;
use lessonc::evidence::record::Receipt;
use lessonc::plan::launch::{Argument, BufferPlan, Check, Code, Data, HostCall, Launch, Shape};

const LIMIT: Duration = Duration::from_secs(20);
const SMALL: u64 = (1 << 20) + 7;
const FULL: u64 = 16_384 * 8192;
const COLD: SamplePlan = SamplePlan { launches: 1, evict: true };

fn buffer(name: &str) -> Argument {
    Argument::Buffer(name.into())
}

fn call(function: &str, arguments: Vec<Argument>) -> HostCall {
    HostCall { function: function.into(), arguments }
}

fn plan(name: &str, role: Role, element: Element, count: u64) -> BufferPlan {
    BufferPlan { name: name.into(), role, element, count }
}

/// A sweep of one unit, without host code.
fn bare(device: &str, kernels: &[&str], buffer: BufferPlan, workspace: &Path) -> Setup {
    let options = vec!["--std=c++17".into()];
    Setup {
        sweep: "bare".into(),
        code: Code { source: "a.cu".into(), device: device.into(), host: String::new(), headers: BTreeMap::new(), options },
        builds: vec![Build { options: Vec::new(), kernels: kernels.iter().map(|&name| name.to_owned()).collect() }],
        data: vec![Data { buffers: vec![buffer], inputs: Vec::new(), check: None }],
        data_of: Vec::new(),
        read: Vec::new(),
        workspace: workspace.to_owned(),
    }
}

/// The course's first sweep on a picture of `pixels`, its regions cut from the source as the planner does.
fn luma(pixels: u64, workspace: &Path) -> Setup {
    let source = include_str!("../kernels/block-size.cu");
    let region = |name: &str| {
        let start = source.find(&format!("// snippet: {name}\n")).unwrap();
        source[start..start + source[start..].find("// end snippet").unwrap()].to_owned()
    };
    let planes = ["r", "g", "b", "y"];
    let with = |names: &[&str], numbers: &[u64]| -> Vec<Argument> {
        names.iter().map(|name| buffer(name)).chain(numbers.iter().map(|&number| Argument::U64(number))).collect()
    };
    let mut setup = bare(&region("luma"), &["luma"], plan("r", Role::In, Element::F32, pixels), workspace);
    setup.code.host = region("planes") + &region("reference");
    setup.data[0].buffers = planes.map(|name| plan(name, if name == "y" { Role::Out } else { Role::In }, Element::F32, pixels)).to_vec();
    setup.data[0].inputs = vec![call("fill_planes", with(&planes[..3], &[pixels, 20_260_101]))];
    setup.data[0].check = Some(Check::Reference { call: call("reference_luma", with(&planes, &[pixels])), relative: 1e-6, absolute: 0.0 });
    setup
}

fn shape(kernel: &str, threads: u32, shared_bytes: u32) -> Shape {
    Shape { kernel: kernel.into(), block: [threads, 1, 1], shared_bytes, options: Vec::new() }
}

fn launch(shape: Shape, grid: u32, arguments: Vec<Argument>) -> Launch {
    Launch { shape, grid: [grid, 1, 1], arguments, bytes: None, flop: None }
}

/// One full wave, as the sweep's manifest has it.
fn luma_launch(device: &mut CudaDevice, pixels: u64, threads: u32) -> Launch {
    let shape = shape("luma", threads, 0);
    let blocks = device.residency(&shape).unwrap().blocks_per_sm * device.machine().unwrap().gpu.sms;
    let mut arguments = ["r", "g", "b", "y"].map(buffer).to_vec();
    arguments.push(Argument::U64(pixels));
    launch(shape, blocks.min(u32::try_from(pixels.div_ceil(threads.into())).unwrap()), arguments)
}

fn ready(setup: &Setup) -> (CudaDevice, Built) {
    let mut device = CudaDevice::open(LIMIT).unwrap();
    let built = device.build(setup).unwrap();
    device.make_inputs(setup).unwrap();
    device.open(setup).unwrap();
    (device, built)
}

fn receipt(device: &mut CudaDevice) -> Receipt {
    device.check().unwrap().unwrap()
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn the_machine_is_described() {
    let machine = CudaDevice::open(LIMIT).unwrap().machine().unwrap();
    println!("{machine:#?}");
    let gpu = &machine.gpu;
    assert!(gpu.sms > 0 && gpu.warp_size == 32 && gpu.l2_bytes > 0 && gpu.memory_bytes > 1 << 30, "{gpu:?}");
    assert!(gpu.memory_bus_bits > 0 && gpu.memory_clock_khz > 0 && gpu.sm_clock_khz > 0, "{gpu:?}");
    assert_eq!(machine.circumstance.uuid_digest.as_ref().map(String::len), Some(64));
    let text = format!("{machine:?}");
    assert!(!text.contains("GPU-") && !text.contains("/home") && !text.contains("/usr"), "{text}");
}

/// What a sanitizer is run over: every kind of call but a gated sample.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn poison_is_wrong_and_a_launch_is_right_at_every_block_size() {
    let workspace = tempfile::tempdir().unwrap();
    let (mut device, built) = ready(&luma(SMALL, workspace.path()));
    assert!(built.logs["nvrtc"].contains("registers") && !format!("{built:?}").contains("/tmp"), "{built:?}");
    for threads in [16, 100, 256, 1024] {
        let launch = luma_launch(&mut device, SMALL, threads);
        device.stage(0, &launch).unwrap();
        device.reset_outputs().unwrap();
        let poisoned = receipt(&mut device);
        assert_eq!((poisoned.elements, poisoned.wrong, &*poisoned.largest_relative), (SMALL, SMALL, "inf"));
        device.launch().unwrap();
        let checked = receipt(&mut device);
        println!("{threads} threads: {checked:?}");
        assert_eq!((checked.wrong, &checked.first_wrong), (0, &None));
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn overwritten_inputs_are_restored_and_a_predicate_is_asked() {
    let workspace = tempfile::tempdir().unwrap();
    let kernel = "template <int N> __global__ void scale(int *x, unsigned n, int step, float f) {\n\
                  unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = x[i] * N + (int)(step * f); }\n";
    let mut setup = bare(kernel, &["scale<8>"], plan("x", Role::Inout, Element::I32, 1000), workspace.path());
    setup.code.host = "void count(int *x, unsigned n) { for (unsigned i = 0; i < n; ++i) x[i] = (int)i; }\n\
        bool scaled(const int *x, unsigned n) { for (unsigned i = 0; i < n; ++i) if (x[i] != (int)i * 8 + 6) return false; return true; }\n"
        .into();
    setup.data[0].inputs = vec![call("count", vec![buffer("x"), Argument::U32(1000)])];
    setup.data[0].check = Some(Check::Predicate { call: call("scaled", vec![buffer("x"), Argument::U32(1000)]) });
    let (mut device, _) = ready(&setup);
    let arguments = vec![buffer("x"), Argument::U32(1000), Argument::I32(4), Argument::F32(1.5)];
    device.stage(0, &launch(shape("scale<8>", 128, 0), 8, arguments.clone())).unwrap();
    assert_eq!(receipt(&mut device).wrong, 1);
    for _ in 0..2 {
        device.reset_outputs().unwrap();
        device.launch().unwrap();
        assert_eq!(receipt(&mut device).wrong, 0);
    }
    device.launch().unwrap();
    assert_eq!(receipt(&mut device).wrong, 1);
    let mut wide = arguments.clone();
    wide[1] = Argument::U64(1000);
    for unfit in [arguments[..3].to_vec(), wide, vec![buffer("no"), Argument::U32(1), Argument::I32(4), Argument::F32(1.5)]] {
        let staged = device.stage(0, &launch(shape("scale<8>", 128, 0), 8, unfit));
        assert!(matches!(staged, Err(Fault::Launch(_))), "{staged:?}");
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn residency_follows_shared_memory_and_impossible_shapes_are_refused() {
    let workspace = tempfile::tempdir().unwrap();
    let kernel = "extern \"C\" __global__ void tile(float *x) { extern __shared__ float s[]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads();\n\
                  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }\n";
    let setup = bare(kernel, &["tile"], plan("x", Role::Scratch, Element::F32, 1024), workspace.path());
    let (mut device, _) = ready(&setup);
    let gpu = device.machine().unwrap().gpu;
    let mut blocks = |threads, shared| device.residency(&shape("tile", threads, shared)).map(|answer| answer.blocks_per_sm);
    assert_eq!(blocks(256, 1024), Ok(gpu.threads_per_sm / 256));
    let optin = gpu.shared_bytes_per_block_optin;
    assert_eq!(blocks(256, optin), Ok(1));
    assert_eq!(blocks(256, gpu.shared_bytes_per_sm / 2 - gpu.shared_bytes_reserved_per_block), Ok(2));
    for (threads, shared) in [(256, optin + 1), (gpu.threads_per_block + 1, 0), (0, 0)] {
        let refused = blocks(threads, shared);
        assert!(refused.is_err(), "{threads} threads, {shared} bytes: {refused:?}");
        println!("{}", refused.unwrap_err());
    }
    assert!(device.residency(&shape("no", 1, 0)).is_err());
    let refused = device.stage(0, &launch(shape("tile", 256, optin + 1), 1, vec![buffer("x")]));
    assert!(matches!(refused, Err(Fault::Launch(_))), "{refused:?}");
    device.stage(0, &launch(shape("tile", 2048, 0), 1, vec![buffer("x")])).unwrap();
    assert!(matches!(device.launch(), Err(Fault::Launch(_))));
    assert!(matches!(device.sample(COLD), Err(Fault::Launch(_))));
    device.stage(0, &launch(shape("tile", 256, optin), 1, vec![buffer("x")])).unwrap();
    device.launch().unwrap();
    assert_eq!(device.check(), Ok(None));
}

/// Runs the test `name` of this binary in a process of its own: its output, and how long it took.
fn in_child(name: &str, workspace: &Path) -> (String, f64) {
    let start = Instant::now();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", name, "--nocapture"])
        .env("LESSONC_TEST_WORKSPACE", workspace)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (text, start.elapsed().as_secs_f64())
}

fn workspace_of_child() -> Option<PathBuf> {
    std::env::var_os("LESSONC_TEST_WORKSPACE").map(PathBuf::from)
}

const FAULTY: &str = "extern \"C\" __global__ void stray(float *x) { x[1ull << 40] = 1; }\n\
    extern \"C\" __global__ void stuck(float *x) { unsigned long long a, b; asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(a));\n\
    do asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(b)); while (b - a < 6000000000ull); x[0] = 1; }\n";

/// The fault of a sample of `kernel` and the seconds it took to be seen; prints them for the parent.
fn meet(kernel: &str, limit: Duration) {
    let Some(workspace) = workspace_of_child() else { return };
    let setup = bare(FAULTY, &["stray", "stuck"], plan("x", Role::Scratch, Element::F32, 4), &workspace);
    let mut device = CudaDevice::open(limit).unwrap();
    device.build(&setup).unwrap();
    device.open(&setup).unwrap();
    device.stage(0, &launch(shape(kernel, 1, 0), 1, vec![buffer("x")])).unwrap();
    let start = Instant::now();
    let fault = device.sample(COLD).unwrap_err();
    println!("CHILD {fault:?} after {:.1} s", start.elapsed().as_secs_f64());
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn child_stray() {
    meet("stray", LIMIT);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn child_stuck() {
    meet("stuck", Duration::from_secs(1));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn faults_are_told_apart() {
    let workspace = tempfile::tempdir().unwrap();
    let (stray, _) = in_child("child_stray", workspace.path());
    assert!(stray.contains("CHILD Runtime") && stray.contains("ILLEGAL_ADDRESS"), "{stray}");
    let (stuck, seconds) = in_child("child_stuck", workspace.path());
    assert!(stuck.contains("CHILD Timeout") && stuck.contains("after 1."), "{stuck}");
    println!("a kernel stuck for 6 s: its process took {seconds:.1} s to end");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_missing_workspace_and_a_broken_unit_are_errors() {
    let workspace = tempfile::tempdir().unwrap();
    let mut setup = luma(SMALL, workspace.path());
    let mut device = CudaDevice::open(LIMIT).unwrap();
    assert!(matches!(device.open(&setup), Err(DeviceError::Other(_))));
    assert!(matches!(device.launch(), Err(Fault::Runtime(_))));
    setup.code.device = setup.code.device.replace("0.299f", "o.299f");
    assert!(matches!(device.build(&setup), Err(DeviceError::Compile { .. })));
}

/// Samples of a kernel that lasts a known number of cycles: the clock of the probes explains the span of the events.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn spans_agree_with_the_clock() {
    let workspace = tempfile::tempdir().unwrap();
    let kernel = "extern \"C\" __global__ void spin(unsigned *x, unsigned long long cycles) { const long long start = clock64();\n\
                  while (clock64() - start < (long long)cycles) {} if (!cycles) *x = 1; }\n";
    let setup = bare(kernel, &["spin"], plan("x", Role::Scratch, Element::U32, 4), workspace.path());
    let (mut device, _) = ready(&setup);
    let gpu = device.machine().unwrap().gpu;
    let top = gpu.sm_clock_khz / 1000;
    println!("empty pair {} ns; {:?}", device.empty_pair_ns().unwrap(), device.condition());
    for (cycles, launches, evict) in
        [(1_000_000, 1, true), (1_000_000, 1, false), (100_000, 10, false), (100_000, 600, false), (20_000, 1, false)]
    {
        device.stage(0, &launch(shape("spin", 32, 0), gpu.sms, vec![buffer("x"), Argument::U64(cycles)])).unwrap();
        (0..100).for_each(|_| device.launch().unwrap());
        for _ in 0..7 {
            let sample = device.sample(SamplePlan { launches, evict }).unwrap();
            let expected = cycles as f64 * f64::from(launches) / f64::from(sample.clock_mhz) * 1e3;
            let over = sample.span_ns as f64 - expected;
            println!("{cycles} cycles x {launches}: {} ns, {} MHz, {over:.0} ns over {expected:.0}", sample.span_ns, sample.clock_mhz);
            assert!(sample.clock_mhz > 200 && sample.clock_mhz <= top + top / 100, "{sample:?}, top {top}");
            assert!(over > -0.002 * expected && over < 0.005 * expected + 10_000.0 * f64::from(launches), "{sample:?}: {over} ns over");
        }
    }
}

/// A pass over half the cache's size is fast when the pass before left it there, and slow when reading something else evicted it.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_cold_sample_finds_the_cache_evicted() {
    let workspace = tempfile::tempdir().unwrap();
    let kernel = "extern \"C\" __global__ void sum(const float4 *x, float *y, unsigned n) { float all = 0;\n\
                  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float4 v = x[i]; all += v.x + v.y + v.z + v.w; }\n\
                  if (all == 1234.5f) *y = all; }\n";
    let gpu = CudaDevice::open(LIMIT).unwrap().machine().unwrap().gpu;
    let vectors = u32::try_from(gpu.l2_bytes / 2 / 16).unwrap();
    let mut setup = bare(kernel, &["sum"], plan("x", Role::Scratch, Element::F32, u64::from(vectors) * 4), workspace.path());
    setup.data[0].buffers.push(plan("y", Role::Scratch, Element::F32, 1));
    let (mut device, _) = ready(&setup);
    device.stage(0, &launch(shape("sum", 256, 0), gpu.sms * 8, vec![buffer("x"), buffer("y"), Argument::U32(vectors)])).unwrap();
    let mut median = |evict| {
        let mut spans: Vec<u64> = (0..21).map(|_| device.sample(SamplePlan { launches: 1, evict }).unwrap().span_ns).collect();
        spans.sort_unstable();
        spans[10]
    };
    let (warm, cold) = (median(false), median(true));
    println!("{} MiB: {warm} ns warm, {cold} ns cold", vectors >> 16);
    assert!(cold as f64 > 1.2 * warm as f64, "{warm} ns warm, {cold} ns cold");
}

/// Canaries are as fast as the device can be, and neither more nor much less; and they don't disturb what was staged.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn canaries_run_near_the_peaks_of_the_device() {
    let workspace = tempfile::tempdir().unwrap();
    let (mut device, _) = ready(&luma(SMALL, workspace.path()));
    let gpu = device.machine().unwrap().gpu;
    let bandwidth = f64::from(gpu.memory_bus_bits) / 8.0 * 2.0 * f64::from(gpu.memory_clock_khz) * 1e3;
    let lanes = if gpu.compute_capability <= (8, 0) { 64.0 } else { 128.0 };
    let flops = f64::from(gpu.sms) * lanes * 2.0 * f64::from(gpu.sm_clock_khz) * 1e3;
    for (canary, peak) in [(Canary::Copy, bandwidth), (Canary::Fma, flops), (Canary::Copy, bandwidth)] {
        let mut spans: Vec<u64> = (0..300).map(|_| device.canary(canary).unwrap().unwrap().span_ns).collect();
        spans.drain(..200);
        spans.sort_unstable();
        let plan = plan_of(canary, &gpu);
        let rate = plan.work as f64 * f64::from(plan.launches) / spans[50] as f64 * 1e9;
        println!("{canary:?}: {} ns ({}..{}), {:.3} of the peak", spans[50], spans[0], spans[99], rate / peak);
        assert!(spans[50] > 100_000 && rate > 0.5 * peak && rate < 1.02 * peak, "{canary:?}: {rate:e} of {peak:e} a second");
    }
    let launch = luma_launch(&mut device, SMALL, 256);
    device.stage(0, &launch).unwrap();
    device.reset_outputs().unwrap();
    device.launch().unwrap();
    assert_eq!(receipt(&mut device).wrong, 0);
}

/// A round of the first sweep in a fresh process, as `measure` does it but with a shorter warm-up.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn child_round() {
    let Some(workspace) = workspace_of_child() else { return };
    let start = Instant::now();
    let mut device = CudaDevice::open(LIMIT).unwrap();
    let driver = start.elapsed().as_secs_f64();
    device.open(&luma(FULL, &workspace)).unwrap();
    let opened = start.elapsed().as_secs_f64();
    println!("ROUND driver {driver:.2} s, open {opened:.2} s, empty {} ns", device.empty_pair_ns().unwrap());
    let mut checks = 0.0;
    for threads in [16, 32, 64, 96, 100, 128, 160, 192, 256, 384, 512, 768, 1024] {
        let launch = luma_launch(&mut device, FULL, threads);
        device.stage(0, &launch).unwrap();
        device.reset_outputs().unwrap();
        device.launch().unwrap();
        let before = Instant::now();
        assert_eq!(receipt(&mut device).wrong, 0);
        checks += before.elapsed().as_secs_f64();
        let warm = Instant::now();
        while warm.elapsed() < Duration::from_millis(100) {
            device.sample(COLD).unwrap();
        }
        device.reset_outputs().unwrap();
        let samples: Vec<_> = (0..20).map(|_| device.sample(COLD).unwrap()).collect();
        assert_eq!(receipt(&mut device).wrong, 0);
        let mut spans: Vec<u64> = samples.iter().map(|sample| sample.span_ns).collect();
        let mut clocks: Vec<u32> = samples.iter().map(|sample| sample.clock_mhz).collect();
        spans.sort_unstable();
        clocks.sort_unstable();
        let rate = 16.0 * FULL as f64 / spans[10] as f64;
        println!(
            "ROW {threads}: grid {}, {} ns ({}..{}), {rate:.0} GB/s, {}..{} MHz",
            launch.grid[0], spans[10], spans[0], spans[19], clocks[0], clocks[19]
        );
    }
    println!("ROUND checks {:.3} s each, whole {:.2} s, {:?}", checks / 13.0, start.elapsed().as_secs_f64(), device.condition());
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn rounds_of_the_first_sweep_agree() {
    let workspace = tempfile::tempdir().unwrap();
    let setup = luma(FULL, workspace.path());
    let start = Instant::now();
    let mut device = CudaDevice::open(LIMIT).unwrap();
    let built = device.build(&setup).unwrap();
    println!("built in {:.2} s: {built:?}", start.elapsed().as_secs_f64());
    let start = Instant::now();
    device.make_inputs(&setup).unwrap();
    println!("inputs in {:.2} s", start.elapsed().as_secs_f64());
    for threads in [16, 32, 100, 256, 1024] {
        println!("{threads}: {:?}", device.residency(&shape("luma", threads, 0)).unwrap());
    }
    drop(device);
    for _ in 0..3 {
        let (text, seconds) = in_child("child_round", workspace.path());
        assert_eq!(text.matches("ROW").count(), 13, "{text}");
        text.lines().filter(|line| line.contains("ROW") || line.contains("ROUND")).for_each(|line| println!("{line}"));
        println!("process {seconds:.2} s");
    }
}

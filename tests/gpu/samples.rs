//! Samples of the CUDA device: what they say of kernels whose time is known, of caches, of canaries and of a whole sweep.

use std::time::{Duration, Instant};

use lessonc::course::sweep::{Element, Role};
use lessonc::device::canary::plan as plan_of;
use lessonc::device::cuda::CudaDevice;
use lessonc::device::{Device, SamplePlan};
use lessonc::evidence::canary::Canary;
use lessonc::plan::launch::Argument;

use super::device::{
    COLD, LIMIT, SMALL, SPIN, bare, buffer, in_child, launch, luma, luma_launch, plan, ready, receipt, shape, workspace_of_child,
};

const FULL: u64 = 16_384 * 8192;

/// Samples of a kernel that lasts a known number of cycles: the clock of the probes explains the span of the events.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn spans_agree_with_the_clock() {
    let workspace = tempfile::tempdir().unwrap();
    let setup = bare(SPIN, &["spin"], plan("x", Role::Scratch, Element::U32, 4), workspace.path());
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
    for _ in 0..2 {
        let (text, seconds) = in_child("samples::child_round", workspace.path());
        assert_eq!(text.matches("ROW").count(), 13, "{text}");
        text.lines().filter(|line| line.contains("ROW") || line.contains("ROUND")).for_each(|line| println!("{line}"));
        println!("process {seconds:.2} s");
    }
}

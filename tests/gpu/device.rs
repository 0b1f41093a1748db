//! The CUDA device, call by call.
//!
//! A fault ruins its process's context, so that tests of faults run this binary again for each (`in_child`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lessonc::course::sweep::{Element, Role};
use lessonc::device::cuda::CudaDevice;
use lessonc::device::{Build, Built, Device, DeviceError, Fault, SamplePlan, Setup};
use lessonc::evidence::record::Receipt;
use lessonc::plan::launch::{Argument, BufferPlan, Check, Code, Data, HostCall, Launch, Shape};

pub(super) const LIMIT: Duration = Duration::from_secs(20);
pub(super) const SMALL: u64 = (1 << 20) + 7;
pub(super) const COLD: SamplePlan = SamplePlan { launches: 1, evict: true };

pub(super) fn buffer(name: &str) -> Argument {
    Argument::Buffer(name.into())
}

fn call(function: &str, arguments: Vec<Argument>) -> HostCall {
    HostCall { function: function.into(), arguments }
}

pub(super) fn plan(name: &str, role: Role, element: Element, count: u64) -> BufferPlan {
    BufferPlan { name: name.into(), role, element, count }
}

/// A sweep of one unit, without host code.
pub(super) fn bare(device: &str, kernels: &[&str], buffer: BufferPlan, workspace: &Path) -> Setup {
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
pub(super) fn luma(pixels: u64, workspace: &Path) -> Setup {
    let source = include_str!("../../kernels/block-size.cu");
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

pub(super) fn shape(kernel: &str, threads: u32, shared_bytes: u32) -> Shape {
    Shape { kernel: kernel.into(), block: [threads, 1, 1], shared_bytes, options: Vec::new() }
}

pub(super) fn launch(shape: Shape, grid: u32, arguments: Vec<Argument>) -> Launch {
    Launch { shape, grid: [grid, 1, 1], arguments, bytes: None, flop: None }
}

/// One full wave, as the sweep's manifest has it.
pub(super) fn luma_launch(device: &mut CudaDevice, pixels: u64, threads: u32) -> Launch {
    let shape = shape("luma", threads, 0);
    let blocks = device.residency(&shape).unwrap().blocks_per_sm * device.machine().unwrap().gpu.sms;
    let mut arguments = ["r", "g", "b", "y"].map(buffer).to_vec();
    arguments.push(Argument::U64(pixels));
    launch(shape, blocks.min(u32::try_from(pixels.div_ceil(threads.into())).unwrap()), arguments)
}

pub(super) fn ready(setup: &Setup) -> (CudaDevice, Built) {
    let mut device = CudaDevice::open(LIMIT).unwrap();
    let built = device.build(setup).unwrap();
    device.make_inputs(setup).unwrap();
    device.open(setup).unwrap();
    (device, built)
}

pub(super) fn receipt(device: &mut CudaDevice) -> Receipt {
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
pub(super) fn in_child(name: &str, workspace: &Path) -> (String, f64) {
    let start = Instant::now();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", name, "--nocapture"])
        .env("LESSONC_TEST_WORKSPACE", workspace)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (text, start.elapsed().as_secs_f64())
}

pub(super) fn workspace_of_child() -> Option<PathBuf> {
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
    let (stray, _) = in_child("device::child_stray", workspace.path());
    assert!(stray.contains("CHILD Runtime") && stray.contains("ILLEGAL_ADDRESS"), "{stray}");
    let (stuck, seconds) = in_child("device::child_stuck", workspace.path());
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

/// What a busy process says when it is.
pub(super) const BUSY: &str = "BUSY";

/// A process that keeps the GPU busy until it is ended, or for half a minute.
pub(super) fn busy() -> std::process::Child {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "device::child_busy", "--nocapture"]).env("LESSONC_TEST_WORKSPACE", "/");
    command.stdout(std::process::Stdio::piped()).spawn().unwrap()
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn child_busy() {
    if workspace_of_child().is_none() {
        return;
    }
    let workspace = tempfile::tempdir().unwrap();
    let (mut device, _) = ready(&bare(SPIN, &["spin"], plan("x", Role::Scratch, Element::U32, 4), workspace.path()));
    device.stage(0, &launch(shape("spin", 32, 0), 1, vec![buffer("x"), Argument::U64(50_000_000)])).unwrap();
    let start = Instant::now();
    let mut said = false;
    while start.elapsed() < Duration::from_secs(30) {
        device.launch().unwrap();
        if !said {
            println!("{BUSY}");
        }
        said = true;
    }
}

/// Spins for a number of cycles.
pub(super) const SPIN: &str = "extern \"C\" __global__ void spin(unsigned *x, unsigned long long cycles) { const long long start = clock64();\n\
    while (clock64() - start < (long long)cycles) {} if (!cycles) *x = 1; }\n";

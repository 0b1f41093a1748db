//! How much faster a sweep's variants compile side by side than one after the other: NVRTC on all cores against NVRTC on one.
//!
//!     cargo bench --bench compile_side_by_side
//!
//! Needs NVRTC and no GPU. Ends with 1 if the two do not make the same, or if more cores bring nothing.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

use std::process::ExitCode;

#[cfg(not(feature = "cuda"))]
fn main() -> ExitCode {
    eprintln!("built without support for NVRTC");
    ExitCode::SUCCESS
}

#[cfg(feature = "cuda")]
fn main() -> ExitCode {
    match bench::run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("skipped: {error}");
            ExitCode::SUCCESS
        }
    }
}

#[cfg(feature = "cuda")]
mod bench {
    use std::collections::BTreeMap;
    use std::time::{Duration, Instant};

    use lessonc::device::cuda::compile::{Compiled, compile_all};
    use lessonc::device::{Build, DeviceError};
    use lessonc::plan::launch::Code;

    /// A kernel that keeps a compiler busy: unrolled, with a choice of how far.
    const SOURCE: &str = "template <int N> __device__ float sum(const float *x) { float a[N], s = 0;\n\
        _Pragma(\"unroll\") for (int i = 0; i < N; ++i) a[i] = x[i * 37 % N] * x[i];\n\
        _Pragma(\"unroll\") for (int j = 0; j < N; ++j) for (int i = 0; i < N; ++i) s += a[i] * a[(i + j) % N];\n\
        return s; }\n\
        extern \"C\" __global__ void k(const float *x, float *y) { y[threadIdx.x] = sum<ITEMS>(x + threadIdx.x); }\n";
    /// Rows of such a sweep.
    const BUILDS: usize = 16;
    /// More cores should bring at least this much, where there are two or more.
    const WORTH: f64 = 1.3;

    /// Whether it was worth it.
    pub(super) fn run() -> Result<bool, DeviceError> {
        let options = vec!["--std=c++17".to_owned()];
        let code = Code { source: "a.cu".into(), device: SOURCE.into(), host: String::new(), headers: BTreeMap::new(), options };
        let build = |index: usize| Build { options: vec![format!("--define-macro=ITEMS={}", 16 + index)], kernels: vec!["k".into()] };
        let builds: Vec<Build> = (0..BUILDS).map(build).collect();
        let timed = |threads: usize| -> Result<(Vec<Compiled>, Duration), DeviceError> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| DeviceError::Other(error.to_string()))?;
            let began = Instant::now();
            Ok((pool.install(|| compile_all(&code, "sm_90", &builds))?, began.elapsed()))
        };
        // The first compile of a process loads the library.
        timed(1)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let ((one, alone), (all, together)) = (timed(1)?, timed(cores)?);
        let gain = alone.as_secs_f64() / together.as_secs_f64();
        println!(
            "{BUILDS} variants: {:.2} s one after the other, {:.2} s on {cores} cores: {gain:.2} times as fast; {}",
            alone.as_secs_f64(),
            together.as_secs_f64(),
            if one == all { "the same code" } else { "other code!" }
        );
        Ok(one == all && (cores < 2 || gain >= WORTH))
    }
}

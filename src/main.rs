//! The `lessonc` program: hands the command line to the library.

/// Compiling a course makes millions of small values on every core and drops them again; the system's allocators spend a third of a
/// build on that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    lessonc::cli::main()
}

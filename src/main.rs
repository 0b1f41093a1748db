//! The `lessonc` program: hands the command line to the library.

/// Compiling a course makes millions of small values on every core and drops them again; with the system's allocator an edit takes a third
/// longer, and a build holds half as much again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    lessonc::cli::main()
}

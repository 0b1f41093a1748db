//! The `lessonc` program: hands the command line to the library.

fn main() -> std::process::ExitCode {
    lessonc::cli::main()
}

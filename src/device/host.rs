//! Turns host regions into a loaded library of functions that fill and check buffers.
//!
//! Must not run outside the processes that measure. A call goes through a generated function that casts each argument to its
//! buffer's element type, so that the C++ compiler checks what the manifest says against the author's signature.
#![allow(unsafe_code)]

mod buffer;

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt::Write as _;
use std::path::{Component, Path};
use std::process::Command;

use super::paths::without_paths;
use super::{DeviceError, Setup};
use crate::course::sweep::{Element, Role};
use crate::plan::launch::{Argument, Check, HostCall};

pub use self::buffer::HostBuffer;

/// The library's name in the workspace.
const LIBRARY: &str = "host.so";
/// The unit's name in the workspace; messages show the author's names, through `#line`.
const UNIT: &str = "host.cpp";
/// What host regions may use without asking. `-ffp-contract=off` beside it keeps a reference's arithmetic what it says, on
/// processors that have a fused multiply-add too.
const PRELUDE: &str = "#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n\
                       #include <cstring>\n#include <exception>\n#include <limits>\n#include <stdexcept>\n#include <utility>\n#include <vector>\n";
const OPTIONS: [&str; 9] = ["-std=c++17", "-O2", "-ffp-contract=off", "-Wall", "-shared", "-fPIC", "-I.", "-o", LIBRARY];
/// Room for the words of an exception.
const WORDS: usize = 512;

/// Which call of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The call of this index among those that fill the inputs.
    Input(usize),
    /// The check's.
    Check,
}

/// What building said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostBuilt {
    /// The compiler's version line.
    pub compiler: String,
    /// Its messages, paths stripped.
    pub log: String,
}

/// Whether the sweep calls host code at all.
#[must_use]
pub fn is_needed(setup: &Setup) -> bool {
    !setup.data(0).inputs.is_empty() || setup.data(0).check.is_some()
}

/// Builds the host unit of `setup` into its workspace.
///
/// # Errors
/// [`DeviceError::Missing`] without a C++ compiler, [`DeviceError::Compile`] with the author's file and line,
/// [`DeviceError::Other`] when the workspace can't be written.
pub fn build(setup: &Setup) -> Result<HostBuilt, DeviceError> {
    let folder = &setup.workspace;
    for (name, text) in &setup.code.headers {
        write_header(folder, name, text)?;
    }
    let unit = format!("{PRELUDE}{}\n{}", setup.code.host, shims(setup)?);
    std::fs::write(folder.join(UNIT), unit).map_err(|error| DeviceError::Other(format!("can't write {UNIT} to the workspace: {error}")))?;
    let (compiler, version) = find_compiler()?;
    let output = compiler
        .command()
        .args(OPTIONS)
        .arg(UNIT)
        .current_dir(folder)
        .env("TMPDIR", ".")
        .env("LC_ALL", "C")
        .output()
        .map_err(|error| DeviceError::Other(format!("can't run {}: {error}", compiler.name)))?;
    let log = without_paths(String::from_utf8_lossy(&output.stderr).trim_end());
    if output.status.success() {
        Ok(HostBuilt { compiler: version, log })
    } else {
        Err(DeviceError::Compile { compiler: "c++".into(), log })
    }
}

/// The version line of the compiler that [`build`] would use.
///
/// # Errors
/// [`DeviceError::Missing`] without one.
pub fn compiler_version() -> Result<String, DeviceError> {
    find_compiler().map(|(_, version)| version)
}

/// Puts a local header where the unit's `#include` finds it.
fn write_header(folder: &Path, name: &str, text: &str) -> Result<(), DeviceError> {
    let path = Path::new(name);
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(DeviceError::Other(format!("the header `{name}` is not below the source's folder")));
    }
    let path = folder.join(path);
    let write = || path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
    write().map_err(|error| DeviceError::Other(format!("can't write the header {name} to the workspace: {error}")))
}

/// A C++ compiler and the words to run it by.
struct Compiler {
    name: String,
    arguments: Vec<String>,
}

impl Compiler {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.name);
        command.args(&self.arguments);
        command
    }
}

/// `$CXX`, or the first of the usual names that runs, with its version line.
fn find_compiler() -> Result<(Compiler, String), DeviceError> {
    let chosen = std::env::var("CXX").ok().filter(|text| !text.trim().is_empty());
    let candidates = chosen.as_ref().map_or_else(|| vec!["c++", "g++", "clang++"], |text| vec![text.as_str()]);
    for candidate in &candidates {
        let mut words = candidate.split_whitespace().map(str::to_owned);
        let compiler = Compiler { name: words.next().unwrap_or_default(), arguments: words.collect() };
        if let Ok(output) = compiler.command().arg("--version").env("LC_ALL", "C").output()
            && output.status.success()
        {
            let text = String::from_utf8_lossy(&output.stdout);
            return Ok((compiler, without_paths(text.lines().next().unwrap_or("unknown"))));
        }
    }
    Err(DeviceError::Missing {
        what: "a C++ compiler".into(),
        why: format!("{} did not run, and this sweep fills or checks its buffers with C++ functions", candidates.join(", ")),
        remedy: "Install g++ or clang++, or name one in the environment variable CXX".into(),
    })
}

/// One function for each call: it takes the arguments' addresses, and returns 1 (for a predicate: yes), 0 (no) or -1 with the
/// words of an exception.
fn shims(setup: &Setup) -> Result<String, DeviceError> {
    let mut text = String::new();
    let mut shim = |which: Which, call: &HostCall, is_predicate: bool| -> Result<(), DeviceError> {
        let arguments: Result<Vec<String>, DeviceError> =
            call.arguments.iter().enumerate().map(|(at, argument)| cast(setup, call, at, argument, which == Which::Check)).collect();
        let invoke = format!("{}({})", call.function, arguments?.join(", "));
        let body = if is_predicate { format!("return ({invoke}) ? 1 : 0;") } else { format!("{invoke}; return 1;") };
        let _ = writeln!(
            text,
            "#line 1 \"the call of {name}\"\nextern \"C\" int {symbol}(void **a, char *why, std::size_t room) {{ (void)a; try {{ {body} }}\n\
             #line 1 \"the call of {name}\"\n\
             catch (const std::exception &e) {{ std::snprintf(why, room, \"%s\", e.what()); }} catch (...) {{ }} return -1; }}",
            name = call.function.replace(['"', '\\', '\n'], ""),
            symbol = symbol(which),
        );
        Ok(())
    };
    for (at, call) in setup.data(0).inputs.iter().enumerate() {
        shim(Which::Input(at), call, false)?;
    }
    match &setup.data(0).check {
        Some(Check::Reference { call, .. }) => shim(Which::Check, call, false)?,
        Some(Check::Predicate { call }) => shim(Which::Check, call, true)?,
        None => {}
    }
    Ok(text)
}

fn symbol(which: Which) -> String {
    match which {
        Which::Input(at) => format!("lessonc_call_{at}"),
        Which::Check => "lessonc_call_check".into(),
    }
}

/// The C++ expression for the argument at place `at`. A check gets its inputs as constant.
fn cast(setup: &Setup, call: &HostCall, at: usize, argument: &Argument, is_check: bool) -> Result<String, DeviceError> {
    let scalar = |element: Element| format!("*static_cast<const {} *>(a[{at}])", element.c_type());
    Ok(match argument {
        Argument::Buffer(name) => {
            let buffer = setup.data(0).buffer(name);
            let buffer = buffer.ok_or_else(|| DeviceError::Other(format!("{} is given `{name}`, which is no buffer", call.function)))?;
            let constant = if is_check && buffer.role == Role::In { "const " } else { "" };
            format!("static_cast<{constant}{} *>(a[{at}])", buffer.element.c_type())
        }
        Argument::I32(_) => scalar(Element::I32),
        Argument::U32(_) => scalar(Element::U32),
        Argument::I64(_) => scalar(Element::I64),
        Argument::U64(_) => scalar(Element::U64),
        Argument::F32(_) => scalar(Element::F32),
        Argument::F64(_) => scalar(Element::F64),
    })
}

/// A loaded host unit.
pub struct HostLibrary(libloading::Library);

type Shim = unsafe extern "C" fn(*mut *mut c_void, *mut c_char, usize) -> c_int;

impl HostLibrary {
    /// Loads what [`build`] left in the workspace.
    ///
    /// # Errors
    /// When it is not there or the loader refuses it.
    pub fn load(setup: &Setup) -> Result<Self, DeviceError> {
        // SAFETY: the library was built from the author's regions, whose code this process exists to run.
        let library = unsafe { libloading::Library::new(setup.workspace.join(LIBRARY)) };
        library.map(Self).map_err(|error| DeviceError::Other(format!("can't load the host regions: {}", without_paths(&error.to_string()))))
    }

    /// Makes the call `which`, whose text is `call`, on `buffers`; a predicate's answer, `true` for other functions.
    ///
    /// # Errors
    /// When a buffer is not at hand, or the function throws.
    pub fn call(&self, which: Which, call: &HostCall, buffers: &mut BTreeMap<String, HostBuffer>) -> Result<bool, DeviceError> {
        let mut numbers: Vec<[u8; 8]> = call.arguments.iter().map(number_bytes).collect();
        let mut cells: Vec<*mut c_void> = Vec::with_capacity(numbers.len());
        for (argument, number) in call.arguments.iter().zip(&mut numbers) {
            cells.push(match argument {
                Argument::Buffer(name) => {
                    let buffer = buffers.get_mut(name);
                    let buffer = buffer.ok_or_else(|| DeviceError::Other(format!("{} needs the buffer `{name}`", call.function)))?;
                    buffer.bytes_mut().as_mut_ptr().cast()
                }
                _ => number.as_mut_ptr().cast(),
            });
        }
        let mut why = [0 as c_char; WORDS];
        let name = symbol(which);
        // SAFETY: the shim was generated for this call; each cell points to the buffer or number that it casts to. What the
        // author's function does with them is the author's code.
        let answer = unsafe {
            let shim = self.0.get::<Shim>(name.as_bytes());
            let shim = shim.map_err(|_| DeviceError::Other(format!("the host library lacks the call of {}", call.function)))?;
            shim(cells.as_mut_ptr(), why.as_mut_ptr(), WORDS)
        };
        match answer {
            0 => Ok(false),
            1 => Ok(true),
            _ => {
                // SAFETY: zeroed, and written by snprintf, which ends it with a NUL.
                let words = unsafe { CStr::from_ptr(why.as_ptr()) }.to_string_lossy().into_owned();
                let words = if words.is_empty() { "something that is no std::exception".to_owned() } else { words };
                Err(DeviceError::Other(format!("{} threw: {words}", call.function)))
            }
        }
    }
}

/// The bytes of a number as C++ sees them, first byte first; zero for a buffer.
pub(crate) fn number_bytes(argument: &Argument) -> [u8; 8] {
    let narrow = |[a, b, c, d]: [u8; 4]| [a, b, c, d, 0, 0, 0, 0];
    match argument {
        Argument::Buffer(_) => [0; 8],
        Argument::I32(value) => narrow(value.to_ne_bytes()),
        Argument::U32(value) => narrow(value.to_ne_bytes()),
        Argument::F32(value) => narrow(value.to_ne_bytes()),
        Argument::I64(value) => value.to_ne_bytes(),
        Argument::U64(value) => value.to_ne_bytes(),
        Argument::F64(value) => value.to_ne_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::launch::{BufferPlan, Code, Data};

    const SOURCE: &str = "#line 30 \"a.cu\"\n\
        void fill(float *x, unsigned long long n, int start) { for (std::size_t i = 0; i < n; ++i) x[i] = (float)(start + (int)i); }\n\
        void twice(const float *x, double *y, unsigned long long n) { for (std::size_t i = 0; i < n; ++i) y[i] = 2.0 * x[i]; }\n\
        bool rising(const double *y, unsigned long long n) { return std::is_sorted(y, y + n); }\n\
        void fails(float *) { throw std::runtime_error(\"out of luck\"); }\n";

    fn call(function: &str, arguments: &[Argument]) -> HostCall {
        HostCall { function: function.into(), arguments: arguments.to_vec() }
    }

    fn buffer(name: &str) -> Argument {
        Argument::Buffer(name.into())
    }

    fn setup(folder: &Path, host: &str, check: Option<Check>) -> Setup {
        let plan = |name: &str, role, element| BufferPlan { name: name.into(), role, element, count: 5 };
        Setup {
            sweep: "a".into(),
            code: Code { source: "a.cu".into(), device: String::new(), host: host.into(), headers: BTreeMap::new(), options: Vec::new() },
            builds: Vec::new(),
            data: vec![Data {
                buffers: vec![plan("x", Role::In, Element::F32), plan("y", Role::Out, Element::F64)],
                inputs: vec![call("fill", &[buffer("x"), Argument::U64(5), Argument::I32(-2)])],
                check,
            }],
            data_of: Vec::new(),
            read: Vec::new(),
            workspace: folder.to_owned(),
        }
    }

    fn reference() -> Check {
        Check::Reference { call: call("twice", &[buffer("x"), buffer("y"), Argument::U64(5)]), relative: 0.0, absolute: 0.0 }
    }

    /// Whether there is a compiler; the suite's machines have one, a reader's may not.
    fn compiler() -> bool {
        find_compiler().map_err(|error| eprintln!("skipped: {error}")).is_ok()
    }

    #[test]
    fn inputs_and_expected_outputs_are_made_once_as_files() {
        if !compiler() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let setup = setup(folder.path(), SOURCE, Some(reference()));
        let built = build(&setup).unwrap();
        assert!(!built.compiler.is_empty() && !built.log.contains('/'), "{built:?}");
        crate::device::inputs::make(&setup, &HostLibrary::load(&setup).unwrap()).unwrap();
        let x = std::fs::read(crate::device::inputs::input_file(&setup, 0, "x")).unwrap();
        assert_eq!(x, [-2.0_f32, -1.0, 0.0, 1.0, 2.0].map(f32::to_ne_bytes).concat());
        let y = crate::device::inputs::read(&crate::device::inputs::expected_file(&setup, 0, "y"), &setup.data[0].buffers[1]).unwrap();
        assert_eq!(y.bytes(), [-4.0_f64, -2.0, 0.0, 2.0, 4.0].map(f64::to_ne_bytes).concat());
        let larger = BufferPlan { count: 6, ..setup.data[0].buffers[1].clone() };
        assert!(crate::device::inputs::read(&crate::device::inputs::expected_file(&setup, 0, "y"), &larger).is_err());
    }

    #[test]
    fn a_predicate_answers_and_an_exception_is_an_error_with_its_words() {
        if !compiler() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let check = call("rising", &[buffer("y"), Argument::U64(2)]);
        let mut setup = setup(folder.path(), SOURCE, Some(Check::Predicate { call: check.clone() }));
        setup.data[0].inputs.push(call("fails", &[buffer("x")]));
        build(&setup).unwrap();
        let library = HostLibrary::load(&setup).unwrap();
        let mut buffers = BTreeMap::from([("x".to_owned(), HostBuffer::filled(20, 0)), ("y".to_owned(), HostBuffer::filled(40, 0))]);
        assert!(library.call(Which::Check, &check, &mut buffers).unwrap());
        if let Some(y) = buffers.get_mut("y") {
            y.bytes_mut()[..8].copy_from_slice(&9.0_f64.to_ne_bytes());
        }
        assert!(!library.call(Which::Check, &check, &mut buffers).unwrap());
        let error = library.call(Which::Input(1), &setup.data[0].inputs[1], &mut buffers).unwrap_err().to_string();
        assert_eq!(error, "fails threw: out of luck");
        assert!(library.call(Which::Check, &check, &mut BTreeMap::new()).unwrap_err().to_string().contains("`y`"));
    }

    #[test]
    fn the_compiler_holds_the_manifest_to_the_signature() {
        if !compiler() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let log = |host: &str, check: Check| match build(&setup(folder.path(), host, Some(check))) {
            Err(DeviceError::Compile { log, .. }) => log,
            other => panic!("built: {other:?}"),
        };
        let broken = log(&SOURCE.replace("2.0 * x[i]", "2.0 * z[i]"), reference());
        assert!(broken.contains("a.cu:31:") && broken.contains('z'), "{broken}");
        let swapped = call("twice", &[buffer("y"), buffer("x"), Argument::U64(5)]);
        let swapped = log(SOURCE, Check::Reference { call: swapped, relative: 0.0, absolute: 0.0 });
        assert!(swapped.contains("the call of twice:1:"), "{swapped}");
        let writes_its_input = log(&SOURCE.replace("const float *x, double", "float *x, double"), reference());
        assert!(writes_its_input.contains("const"), "{writes_its_input}");
        let folder = folder.path().to_string_lossy().into_owned();
        assert!(![broken, swapped, writes_its_input].iter().any(|log| log.contains(&folder)));
    }

    #[test]
    fn an_output_that_nothing_checks_is_refused() {
        if !compiler() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut setup = setup(folder.path(), SOURCE, Some(reference()));
        build(&setup).unwrap();
        setup.data[0].buffers.push(BufferPlan { name: "w".into(), role: Role::Out, element: Element::F32, count: 1 });
        let error = crate::device::inputs::make(&setup, &HostLibrary::load(&setup).unwrap()).unwrap_err();
        assert!(error.to_string().contains("`w`"), "{error}");
        assert!(write_header(folder.path(), "../x.h", "").is_err() && write_header(folder.path(), "/x.h", "").is_err());
    }
}

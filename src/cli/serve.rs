//! `lessonc serve`: turns the course into a preview that follows the author's edits, until Ctrl-C.
//!
//! Must not write anything, but with `--measure` the runs of what is saved, in a folder that git ignores.

use std::io::Write as _;
use std::net::SocketAddr;

use anyhow::{Context as _, Result, anyhow};

use crate::device::choice::GpuChoice;
use crate::serve::{Editor, Port, Server, Settings};

use super::measure::{DeviceChoice, preview};
use super::settings::CourseArgument;
use super::{Ending, Terminal};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    course: CourseArgument,
    /// Port; by default 4000 or the next that is free
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Name or address of this machine at which others may read the preview; by default nobody else can
    #[arg(long, value_name = "ADDRESS")]
    host: Option<String>,
    /// Editor in which places of problems open: its program's name, or a link with {path}, {line} and {column} in it; by default that
    /// of LESSONC_EDITOR, or the one in whose terminal this runs
    #[arg(long, value_name = "EDITOR", value_parser = Editor::named)]
    editor: Option<Editor>,
    /// Look at the files twice a second, where the system tells of no changes: over a network, or in a container
    #[arg(long)]
    poll: bool,
    /// Open the first page in a browser
    #[arg(long)]
    open: bool,
    /// Measure a sweep when its kernel or manifest is saved: in five rounds, marked as a preview, never evidence; runs code of the course
    #[arg(long)]
    measure: bool,
    /// Which GPU measures: its number among those that CUDA shows, or its UUID
    #[arg(long, value_name = "N|UUID", requires = "measure")]
    gpu: Option<GpuChoice>,
    /// What to measure on: `cuda`, or `fake` for tests
    #[arg(long, value_name = "DEVICE", default_value = "cuda", hide_short_help = true)]
    device: DeviceChoice,
}

pub(super) fn run(arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let course = arguments.course.find()?;
    let settings = Settings {
        host: arguments.host.clone(),
        port: arguments.port.map_or(Port::Any, Port::Exactly),
        poll: arguments.poll,
        editor: arguments.editor.clone().map_or_else(usual_editor, |editor| Ok(Some(editor)))?,
    };
    let report = Box::new(|text: &str| {
        let _ = std::io::stderr().write_all(text.as_bytes()); // a closed terminal is no reason to stop serving
    });
    let measuring = arguments.measure.then(|| preview::measuring(&arguments.course, &arguments.device, arguments.gpu.as_ref()));
    let server = Server::start_measuring(&course.root, &course.prefix, settings, measuring.transpose()?, report)?;
    // Before anything is said: whoever reads it may interrupt at once.
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let mut stop = Some(stop);
    ctrlc::set_handler(move || {
        if let Some(stop) = stop.take() {
            let _ = stop.send(());
        }
    })
    .context("cannot listen for Ctrl-C")?;
    let address = server.address();
    let url = url(arguments.host.as_deref(), address);
    writeln!(terminal.out, "{url}")?;
    terminal.out.flush()?;
    if !address.ip().is_loopback() {
        writeln!(terminal.err, "warning: whoever can reach {address} can read this course, its drafts too; there is no password")?;
    }
    let also = if arguments.measure { " what is saved is measured, which runs code of the course;" } else { "" };
    writeln!(terminal.err, "drafts are shown;{also} Ctrl-C ends")?;
    if arguments.open
        && let Err(error) = open(&url)
    {
        writeln!(terminal.err, "cannot open a browser: {error}")?;
    }
    server.run(async {
        let _ = stopped.await;
    })?;
    Ok(Ending::Fine)
}

/// How a browser on this machine reaches the preview: under the name that was given, if there is one to ask for.
fn url(host: Option<&str>, address: SocketAddr) -> String {
    let name = host.filter(|_| !address.ip().is_unspecified()).unwrap_or("localhost");
    let name = if name.contains(':') && !name.starts_with('[') { format!("[{name}]") } else { name.to_owned() };
    format!("http://{name}:{}/", address.port())
}

/// The editor that the environment names, or is.
fn usual_editor() -> Result<Option<Editor>> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    match variable("LESSONC_EDITOR") {
        Some(text) => Editor::named(&text).map(Some).map_err(|words| anyhow!("LESSONC_EDITOR: {words}")),
        None => Ok(Editor::around(variable)),
    }
}

/// Asks the system to show `url`.
pub(super) fn open(url: &str) -> std::io::Result<()> {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut child = std::process::Command::new(program).args(arguments).arg(url).spawn()?;
    // It ends at once and is nobody's to wait for; without a wait it would stay a zombie.
    std::thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_is_one_that_a_browser_can_ask() {
        for (host, address, expected) in [
            (None, "127.0.0.1:4000", "http://localhost:4000/"),
            (Some("gpu-box"), "192.168.1.7:4001", "http://gpu-box:4001/"),
            (Some("::1"), "[::1]:4000", "http://[::1]:4000/"),
            (Some("0.0.0.0"), "0.0.0.0:4000", "http://localhost:4000/"),
        ] {
            assert_eq!(url(host, address.parse().unwrap()), expected);
        }
    }
}

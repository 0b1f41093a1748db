//! `lessonc serve`: turns the course into a preview that follows the author's edits, until Ctrl-C.
//!
//! Must not write anything.

use std::io::Write as _;

use anyhow::{Context as _, Result};

use crate::serve::{Port, Server};

use super::settings::CourseArgument;
use super::{Ending, Terminal};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    course: CourseArgument,
    /// Port on the loopback interface; by default 4000 or the next that is free
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Open the first page in a browser
    #[arg(long)]
    open: bool,
}

pub(super) fn run(arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let course = arguments.course.find()?;
    let port = arguments.port.map_or(Port::Any, Port::Exactly);
    let report = Box::new(|text: &str| {
        let _ = std::io::stderr().write_all(text.as_bytes()); // a closed terminal is no reason to stop serving
    });
    let server = Server::start(&course.root, &course.prefix, port, report)?;
    let url = format!("http://localhost:{}/", server.address().port());
    writeln!(terminal.out, "{url}")?;
    terminal.out.flush()?;
    writeln!(terminal.err, "drafts are shown; Ctrl-C ends")?;
    if arguments.open
        && let Err(error) = open(&url)
    {
        writeln!(terminal.err, "cannot open a browser: {error}")?;
    }
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let mut stop = Some(stop);
    ctrlc::set_handler(move || {
        if let Some(stop) = stop.take() {
            let _ = stop.send(());
        }
    })
    .context("cannot listen for Ctrl-C")?;
    server.run(async {
        let _ = stopped.await;
    })?;
    Ok(Ending::Fine)
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

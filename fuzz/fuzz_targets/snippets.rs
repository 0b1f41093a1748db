//! Any bytes as a kernel: problems and regions stay inside the file, and no marker line is shown.
#![no_main]

use lessonc::base::problem::Problems;
use lessonc::course::source::Source;
use lessonc::tree::SourceTree;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for name in ["kernels/a.cu", "kernels/a.py"] {
        let (mut tree, mut problems) = (SourceTree::new(), Problems::new());
        tree.insert(name, bytes, &mut problems);
        let Some((name, file)) = tree.iter().next() else { return };
        let text = file.text();
        let source = Source::parse(name, &text, &mut problems);
        assert_eq!(source.line_count(), text.split_terminator('\n').count());
        for at in problems.iter().filter_map(|problem| problem.at.as_ref()) {
            assert!(at.start <= at.end && at.end <= text.len());
        }
        for region in &source.regions {
            assert!(region.lines.start <= region.lines.end && region.lines.end <= source.line_count());
            for line in source.shown(region) {
                assert!(source.line(line.number - 1).ends_with(line.text) && !source.is_marker(line.number - 1));
            }
        }
    }
});

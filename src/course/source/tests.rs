//! Small sources and what is read from them.

use super::*;
use crate::tree::SourceTree;

fn parse(text: &str) -> (Source, Vec<String>) {
    let (mut tree, mut problems) = (SourceTree::new(), Problems::new());
    tree.insert("kernels/a.cu", text.as_bytes(), &mut problems);
    let (name, file) = tree.iter().next().expect("the text is UTF-8");
    let source = Source::parse(name, &file.text, &mut problems);
    let problems = problems.sorted().iter().map(|problem| problem.id.to_owned()).collect();
    (source, problems)
}

#[test]
fn a_region_is_dedented_and_numbered() {
    let (source, problems) = parse("a\n  // snippet: x\n  if\n\n    b\n  // end snippet\nc");
    assert!(problems.is_empty(), "{problems:?}");
    let region = source.region("x").expect("it is there");
    let shown: Vec<(usize, &str)> = source.shown(region).iter().map(|line| (line.number, line.text)).collect();
    assert_eq!(shown, [(3, "if"), (4, ""), (5, "  b")]);
    assert_eq!(source.whole().iter().map(|line| line.number).collect::<Vec<_>>(), [1, 3, 4, 5, 7]);
}

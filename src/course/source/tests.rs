//! Small sources and what is read from them.

use proptest::prelude::*;

use super::*;
use crate::base::problem::Problem;
use crate::base::span::line_column;
use crate::tree::SourceTree;

fn parse_as(name: &str, text: &str) -> (Source, Vec<Problem>) {
    let (mut tree, mut problems) = (SourceTree::new(), Problems::new());
    tree.insert(name, text.as_bytes(), &mut problems);
    let (name, file) = tree.iter().next().expect("the text is UTF-8 without NUL");
    let source = Source::parse(name, &file.text(), &mut problems);
    (source, problems.sorted())
}

/// A region of the source as `number|text` lines.
fn shown(source: &Source, name: &str) -> Vec<String> {
    let region = source.region(name).unwrap_or_else(|| panic!("no region {name}"));
    source.shown(region).iter().map(|line| format!("{}|{}", line.number, line.text)).collect()
}

/// Checks what region `x` of `text` shows, and that nothing is wrong with the file.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let (source, problems) = parse_as("kernels/a.cu", text);
    assert!(problems.is_empty(), "{text:?}: {problems:?}");
    assert_eq!(shown(&source, "x"), expected, "{text:?}");
}

#[test]
fn regions_show_their_lines() {
    check("// snippet: x\na\n// end snippet\n", &["2|a"]);
    check("// snippet: x\na\n// end snippet", &["2|a"]);
    check("//snippet:x\na\n//   end snippet  \n", &["2|a"]);
    check("// snippet: x\na\n// end snippet x\t\n", &["2|a"]);
    check("\u{feff}// snippet: x\r\n  a\r\n    b\r\n// end snippet x\r\n", &["2|a", "3|  b"]);
    check("a\n  // snippet: x\n  if\n\n    b\n  // end snippet\nc", &["3|if", "4|", "5|  b"]);
}

#[test]
fn the_margin_is_what_non_blank_lines_share() {
    check("// snippet: x\n\t\ta\n\t\t\tb\n// end snippet\n", &["2|a", "3|\tb"]);
    check("// snippet: x\n\ta\n    b\n// end snippet\n", &["2|\ta", "3|    b"]);
    check("// snippet: x\n  \ta\n    b\n// end snippet\n", &["2|\ta", "3|  b"]);
    check("// snippet: x\n    a\n  \n\n    b\n// end snippet\n", &["2|a", "3|", "4|", "5|b"]);
    check("// snippet: x\n        only\n// end snippet\n", &["2|only"]);
    check("// snippet: x\n  שלום\n   é\n// end snippet\n", &["2|שלום", "3| é"]);
}

#[test]
fn regions_nest_and_hide_each_others_markers() {
    let text = "// snippet: x\na\n  // snippet: y\n  b\n  // end snippet y\nc\n// end snippet x\nd\n";
    check(text, &["2|a", "4|  b", "6|c"]);
    let (source, _) = parse_as("kernels/a.cu", text);
    assert_eq!(shown(&source, "y"), ["4|b"]);
    assert_eq!(source.whole().iter().map(|line| line.number).collect::<Vec<_>>(), [2, 4, 6, 8]);
    assert_eq!(source.marker_lines, [0, 2, 4, 6]);
    assert_eq!(line_column(&source.text, source.regions[1].at.start), line_column(&source.text, text.find('y').expect("there")));
}

#[test]
fn only_line_comments_are_markers() {
    check("const char* s = \"// snippet: y\";\n// snippet: x\na\n// end snippet\n", &["3|a"]);
    check("auto s = R\"(\n// snippet: y\n// end snippet\n)\";\n// snippet: x\na\n// end snippet\n", &["6|a"]);
    check("/*\n// snippet: y\n// end snippet\n*/\n// snippet: x\na\n// end snippet\n", &["6|a"]);
    check("// snippet: x\n\"\\\n// end snippet\n\"\n// end snippet\n", &["2|\"\\", "3|// end snippet", "4|\""]);
    // The backslash carries the comment on, so the line after it is no comment of its own.
    check("// snippet: x\n// a \\\n// end snippet\nb\n// end snippet\n", &["2|// a \\", "3|// end snippet", "4|b"]);
    check("/*\n snippet: y\n*/\n// snippet: x\na\n// end snippet\n", &["5|a"]);
    check("// snippet: x\n// // snippet: y\n// end snippet\n", &["2|// // snippet: y"]);
    // Prose that speaks of snippets is prose.
    check(
        "// snippet: x\n// the snippet above, and this snippet: fine\n// Snippets are cut by markers.\n// end snippet\n",
        &["2|// the snippet above, and this snippet: fine", "3|// Snippets are cut by markers."],
    );
}

/// Checks the problems of `text`: each is `id line:column`, and the first one's hint holds `hint`.
#[track_caller]
fn check_problems(text: &str, expected: &[&str], hint: &str) {
    let (_, problems) = parse_as("kernels/a.cu", text);
    let found: Vec<String> = problems
        .iter()
        .map(|problem| {
            let at = line_column(text, problem.at.as_ref().expect("it has a place").start);
            format!("{} {}:{}", problem.id, at.line, at.column)
        })
        .collect();
    assert_eq!(found, expected, "{text:?}");
    let given = problems[0].hint.clone().unwrap_or_default();
    assert!(given.contains(hint), "{text:?}: {given}");
}

#[test]
fn every_fault_is_an_error_at_its_marker() {
    let closed = "\na\n// end snippet\n";
    check_problems("// snippet: x\na\n", &["snippet-unclosed 1:13"], "`// end snippet x`");
    check_problems("// snippet: x\na\n// snippet: y\nb\n// end snippet y\n", &["snippet-unclosed 1:13"], "`// end snippet x`");
    check_problems("// snippet: x\n \n\n// end snippet\n", &["snippet-empty 1:13"], "remove them");
    check_problems("// snippet: x\n// snippet: y\n// end snippet y\n// end snippet\n", &["snippet-empty 1:13", "snippet-empty 2:13"], "");
    check_problems(&format!("// snippet: x{closed}// snippet: x{closed}"), &["snippet-duplicate 4:13"], "`x-2`");
    let crossed = "// snippet: x\na\n// snippet: y\nb\n// end snippet x\nc\n// end snippet y\n";
    check_problems(crossed, &["snippet-crossed 5:16"], "`// end snippet y` above");
    let unnamed = "// snippet: x\na\n  // snippet: y\nb\n  // end snippet\n// end snippet x\n";
    check_problems(unnamed, &["snippet-end-name 5:3"], "`// end snippet y`");
    check_problems("a\n// end snippet\n", &["snippet-not-opened 2:1"], "remove this line");
    check_problems("a\n// end snippet x\n", &["snippet-not-opened 2:16"], "`// snippet: x`");
    check_problems("// snippet: tile\na\n// end snippet tyle\n", &["snippet-not-opened 3:16"], "`// end snippet tile`");
    check_problems(&format!("// snippet: x{closed}// end snippet x\n"), &["snippet-not-opened 4:16"], "");
}

#[test]
fn a_misspelt_marker_is_one_error_that_says_how() {
    let closed = "\na\n// end snippet\n";
    let opening = [
        ("// snippet:", "snippet-name 1:1", "`// snippet: NAME`"),
        ("// snippet: -x", "snippet-name 1:13", "`x`"),
        ("// snippet: a/b", "snippet-name 1:13", "`a-b`"),
        ("// snippet: x y", "snippet-marker 1:1", "`// snippet: x`"),
        ("// snippet: x int y;", "snippet-marker 1:1", "`// snippet: x`"),
        ("// snippet: x \\\nmore", "snippet-marker 1:1", "`// snippet: x`"),
        ("// snippets: x", "snippet-marker 1:1", "`// snippet: x`"),
        ("// snipet: x", "snippet-marker 1:1", "`// snippet: x`"),
        ("//snippet x", "snippet-marker 1:1", "`// snippet: x`"),
        ("// Snippet: x", "snippet-marker 1:1", "`// snippet: x`"),
        ("// snippet : x", "snippet-marker 1:1", "`// snippet: x`"),
        ("/// snippet: x", "snippet-marker 1:1", "`// snippet: x`"),
        ("//! snippet: x", "snippet-marker 1:1", "`// snippet: x`"),
        ("// begin snippet: x", "snippet-marker 1:1", "`// snippet: x`"),
        ("/* snippet: x */", "snippet-marker 1:1", "`// snippet: x`"),
        ("int a; // snippet: x", "snippet-marker 1:8", "line of its own"),
        ("/* a */ // snippet: x", "snippet-marker 1:9", "line of its own"),
        ("/* snippet: x */ int a;", "snippet-marker 1:1", ""),
        ("#define A \\\n// snippet: x", "snippet-marker 2:1", "out of the directive"),
    ];
    for (opener, problem, hint) in opening {
        check_problems(&format!("{opener}{closed}"), &[problem], hint);
    }
    let ends = [
        "// endsnippet",
        "// End snippet",
        "// end snippets",
        "// end snippet: x",
        "// end of snippet",
        "// end-snippet x",
        "/* end snippet */",
    ];
    for end in ends {
        check_problems(&format!("// snippet: x\na\n{end}\n"), &["snippet-marker 3:1"], "`// end snippet");
    }
    check_problems("// snippet:\na\n", &["snippet-name 1:1"], "");
    check_problems("// snippet: x\na\n// end snippet x y\n", &["snippet-marker 3:1"], "`// end snippet x`");
    check_problems("// snippet: x\na\nb; // end snippet\n", &["snippet-marker 3:4"], "line of its own");
}

#[test]
fn a_faulty_region_shows_no_more_than_was_meant() {
    let (source, _) = parse_as("kernels/a.cu", "// snippet: x\na\n// snippet: y\nb\n// end snippet y\nc\n");
    assert_eq!((shown(&source, "x"), shown(&source, "y")), (vec!["2|a".to_owned()], vec!["4|b".to_owned()]));
    assert!(source.region("z").is_none());
}

#[test]
fn other_languages_have_the_same_markers() {
    let (source, problems) = parse_as("kernels/plot.py", "// snippet: x\n  a = '// b'\n// end snippet\n# plain\n");
    assert!(problems.is_empty());
    assert_eq!(shown(&source, "x"), ["2|a = '// b'"]);
    let (_, problems) = parse_as("kernels/plot.py", "# snippet: x\na\n# end snippet\n");
    assert_eq!(problems.iter().map(|problem| problem.id).collect::<Vec<_>>(), ["snippet-marker", "snippet-marker"]);
}

#[test]
fn includes_are_the_local_ones() {
    let (source, _) =
        parse_as("kernels/a.cu", "#include <cuda/std/array>\n  # include \"b/c.cuh\" // here\n// #include \"no.h\"\nf(\"x\");\n");
    let includes: Vec<_> = source.includes.iter().map(|include| (&*include.name, include.line)).collect();
    assert_eq!(includes, [("b/c.cuh", 1)]);
}

#[test]
fn a_reference_splits_at_its_last_hash() {
    assert_eq!(reference("a#b.cu#x"), Some(("a#b.cu", "x")));
    assert_eq!((reference("a.cu"), reference("#x"), reference("a.cu#")), (None, None, None));
}

proptest! {
    /// Whatever the text: every span and line lies inside, no marker is shown, and each shown line ends its own line of the file.
    #[test]
    fn any_text_is_read(text in "((//|/\\*|\\*/|\"|R\"\\(|#define|[ \t]{0,3})? ?(snippets?:?|end snippet|x|y|é)?( x| y)?[\n\\\\]{0,2}){0,12}") {
        let (source, problems) = parse_as("kernels/a.cu", &text);
        for problem in problems {
            let at = problem.at.expect("it has a place");
            prop_assert!(at.start <= at.end && at.end <= source.text.len());
        }
        for region in &source.regions {
            prop_assert!(region.lines.start <= region.lines.end && region.lines.end <= source.line_count());
            for line in source.shown(region) {
                prop_assert!(source.line(line.number - 1).ends_with(line.text));
                prop_assert!(!source.is_marker(line.number - 1));
            }
        }
        let lines: Vec<&str> = source.text.lines().collect();
        prop_assert_eq!(source.line_count(), lines.len());
        for (index, line) in lines.into_iter().enumerate() {
            prop_assert_eq!(source.line(index), line);
        }
    }
}

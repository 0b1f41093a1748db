//! Lessons and manifests, whole, from text to what a reader or a planner gets.

use std::fmt::Write as _;

use proptest::prelude::*;
use pulldown_cmark::{Event, Tag};

use crate::base::problem::{Problem, Problems};
use crate::base::span::Span;
use crate::tree::SourceTree;

use super::document::{Container, Document, Node};
use super::{Course, read};

const CONFIG: &str = "title = 'T'\n";

fn course(files: &[(&str, &str)]) -> (Course, Vec<Problem>, SourceTree) {
    let mut problems = Problems::new();
    let mut tree = SourceTree::new();
    tree.insert("lessons/course.toml", CONFIG.as_bytes(), &mut problems);
    for (name, text) in files {
        tree.insert(name, text.as_bytes(), &mut problems);
    }
    let course = read(&tree, &mut problems);
    (course, problems.into_iter().collect(), tree)
}

/// A lesson with the text `body` and what is wrong with it, as `id@what the span holds`.
fn lesson(body: &str) -> (Document, Vec<String>) {
    let text = format!("+++\ntitle = 'L'\n+++\n{body}");
    let (course, problems, tree) = course(&[("lessons/l.md", &text)]);
    let document = course.lessons.get(0).map(|lesson| lesson.document()).unwrap_or_default();
    (document, problems.iter().map(|problem| format!("{}@{}", problem.id, shown(&tree, problem.at.as_ref()))).collect())
}

fn shown(tree: &SourceTree, at: Option<&Span>) -> String {
    at.map_or_else(String::new, |at| tree.text(&at.file)[at.start..at.end].to_owned())
}

/// The nodes as a line of text: text as it is, tags as `<…>`, figures as `[= …]`, markers as `{kind target}`.
fn sketch(nodes: &[Node]) -> String {
    let mut out = String::new();
    for node in nodes {
        match node {
            Node::Markdown(mark) => match mark.event() {
                Event::Text(text) => out.push_str(&text),
                Event::Code(code) => _ = write!(out, "`{code}`"),
                Event::SoftBreak => out.push('~'),
                Event::Start(Tag::Paragraph) => out.push_str("<p>"),
                Event::Start(Tag::Item) => out.push_str("<li>"),
                Event::Start(Tag::BlockQuote(_)) => out.push_str("<q>"),
                Event::Start(Tag::TableCell) => out.push_str("<td>"),
                Event::Start(Tag::Strong) => out.push_str("<b>"),
                Event::Start(Tag::Link { dest_url, .. }) => _ = write!(out, "<a {dest_url}>"),
                Event::FootnoteReference(label) => _ = write!(out, "<^{label}>"),
                _ => {}
            },
            Node::Figure(figure) => _ = write!(out, "[= {}]", figure.expr.text()),
            Node::Exhibit(marker) => _ = write!(out, "{{{} {}}}", marker.kind, marker.target.text()),
            Node::Claim(claim) => {
                let holds: Vec<_> = claim.holds.iter().map(crate::expr::Expr::text).collect();
                _ = write!(out, "{{claim {} [{}] {}", claim.name, holds.join("; "), sketch(&claim.sentence));
                if let Some(otherwise) = &claim.otherwise {
                    let holds: Vec<_> = otherwise.holds.iter().map(crate::expr::Expr::text).collect();
                    _ = write!(out, " else [{}] {}", holds.join("; "), sketch(&otherwise.sentence));
                }
                out.push('}');
            }
            Node::Open(container) => {
                let kind = match &**container {
                    Container::Answer { .. } => "answer".to_owned(),
                    Container::Term(definition) => format!("term {}", definition.name),
                    Container::Alert { alert, .. } => format!("{:?}{}", alert.kind, if alert.fold { " fold" } else { "" }),
                    Container::Tabs => "tabs".to_owned(),
                    Container::Tab { .. } => "tab".to_owned(),
                };
                _ = write!(out, "{{{kind} ({}) ", sketch(container.title()));
            }
            Node::Close => out.push('}'),
        }
    }
    out
}

#[test]
fn documents() {
    let cases = [
        ("A `= row('a').ms | fixed(3)` b `x = 1` `=y`.", "<p>A [= row('a').ms | fixed(3)] b `x = 1` `=y`."),
        ("`` `= x` `` stays", "<p>``= x`` stays"),
        ("snippet: a.cu#b", "{snippet a.cu#b}"),
        (" snippet: a.cu#b { title = \"x\",\n   highlight = [\"y[j]\"],\n }\n\nText", "{snippet a.cu#b}<p>Text"),
        ("- one\n- table: t { columns = [\"a\"],\n    caption = \"c\" }\n- two", "<li>one<li>{table t}<li>two"),
        ("- one\n\n  chart: t { x = 'a',\n    y = 'b' }\n", "<li><p>one{chart t}"),
        ("> table: t {\n>   caption = \"c\",\n> }\n", "<q>{table t}"),
        ("\\table: not one", "<p>table: not one"),
        ("- \\snippet: a.cu#b", "<li>snippet: a.cu#b"),
        ("    snippet: a.cu#b", "snippet: a.cu#b"),
        ("Text\nsnippet: a.cu#b", "<p>Text~snippet: a.cu#b"),
        ("| a | b |\n|---|---|\n| `= x \\| fixed(3)` | `= fixed(y, 2)` |", "<td>a<td>b<td>[= x | fixed(3)]<td>[= fixed(y, 2)]"),
        ("![It took `= x`](a.png)", "<p>It took [= x]"),
    ];
    for (text, expected) in cases {
        let (document, problems) = lesson(text);
        assert_eq!(problems, Vec::<String>::new(), "{text}");
        assert_eq!(sketch(&document.nodes), expected, "{text}");
    }
}

#[test]
fn claims() {
    let cases = [
        ("> claim: a { holds = \"x < y\" } It **is** `= x`.", "{claim a [x < y] <p>It <b>is [= x].}"),
        (
            "> claim: a {\n>   holds = [\"x < y\", # why\n>     'y < z'],\n> }\n> It is `= x\n> / y`.\n>\n> More.\n>\n> otherwise: { holds = \"y <= x\" } It\n> is not.\n>\n> - so\n",
            "{claim a [x < y; y < z] <p>It is [= x\n/ y].<p>More. else [y <= x] <p>It~is not.<li>so}",
        ),
        ("> answer: It is `= x`.\n", "{answer () <p>It is [= x].}"),
        ("> term: two words\n> It is `= x`.\n", "{term two words () <p>It is [= x].}"),
        (
            "> answer: { title = \"Why `= n`?\" }\n>\n> table: t\n>\n> > claim: a { holds = 'x < y' }\n> > It is.\n\nAfter",
            "{answer (Why [= n]?) {table t}{claim a [x < y] <p>It is.}}<p>After",
        ),
        ("> aside: { kind = 'tip', title = 'Try `= n`', fold = true } Text.\n>\n> - more\n", "{Tip fold (Try [= n]) <p>Text.<li>more}"),
        ("> aside: Text.\n", "{Note () <p>Text.}"),
        (
            "> tab: { title = 'A' } One.\n>\n> > tab: { title = 'C' } In.\n>\n> tab: { title = 'B `= x`' }\n>\n> table: t\n\nAfter",
            "{tabs () {tab (A) <p>One.{tabs () {tab (C) <p>In.}}}{tab (B [= x]) {table t}}}<p>After",
        ),
        ("> claim: a { holds = 'x < y' }\n>\n> It is.\n>\n> otherwise: Not.", "{claim a [x < y] <p>It is. else [] <p>Not.}"),
        (
            "> claim: a { holds = 'x < y' } See [it][k], that[^n].\n\n[k]: b.md\n\n[^n]: Note.",
            "{claim a [x < y] <p>See <a b.md>it, that<^n>.}<p>Note.",
        ),
        (
            "> claim: a { holds = 'x < y' } One.\n>\n> claim: b { holds = 'x < y' } Two.",
            "{claim a [x < y] <p>One.}{claim b [x < y] <p>Two.}",
        ),
        ("- item\n\n  > claim: a { holds = 'x < y',\n  > } In a list.", "<li><p>item{claim a [x < y] <p>In a list.}"),
    ];
    for (text, expected) in cases {
        let (document, problems) = lesson(text);
        assert_eq!(problems, Vec::<String>::new(), "{text}");
        assert_eq!(sketch(&document.nodes), expected, "{text}");
    }
}

#[test]
fn places_in_claims_are_the_authors() {
    let text = "> claim: a { holds = \"x <\n>   yy\" } Some `= zz`\n> and [l](b.md).";
    let (document, problems) = lesson(&text.replace("x <\n>   yy", "x < yy"));
    assert_eq!(problems, Vec::<String>::new());
    let source = format!("+++\ntitle = 'L'\n+++\n{}", text.replace("x <\n>   yy", "x < yy"));
    let Some(Node::Claim(claim)) = document.nodes.first() else { panic!("no claim") };
    let at = |span: &Span| source[span.start..span.end].to_owned();
    assert_eq!((at(&claim.at), at(&claim.holds[0].span())), ("a".to_owned(), "x < yy".to_owned()));
    for node in &claim.sentence {
        match node {
            Node::Figure(figure) => assert_eq!((at(&figure.at), at(&figure.expr.span())), ("`= zz`".to_owned(), "zz".to_owned())),
            Node::Markdown(mark) => {
                if let Event::Text(text) = mark.event() {
                    assert_eq!(&source[mark.range()], &*text);
                }
            }
            _ => {}
        }
    }
    assert_eq!(at(&document.links[0].at), "[l](b.md)");
}

#[test]
fn what_is_wrong_stands_where_it_is() {
    let cases: [(&str, &[&str]); 37] = [
        ("snippet: a.cu#b\n---", &["marker-in-heading@snippet: a.cu#b"]),
        ("| a |\n|---|\n| table: t |", &["marker-in-table@table: t"]),
        ("table: t { columns = [\n\n\"a\"] }", &["marker-split@{"]),
        ("snippet: a.cu#b\nsnippet: a.cu#c", &["marker-doubled@snippet:"]),
        ("table: t { caption = \"a\", caption = \"b\" }", &["toml-duplicate-key@caption"]),
        ("> table: t {\n>   caption = 1e,\n> }", &["toml-syntax@"]),
        ("claim: a { holds = 'x < y' } Text.", &["marker-place@claim: a { holds = 'x < y' } "]),
        ("otherwise: Text.", &["marker-place@otherwise: "]),
        ("answer: Text.", &["marker-place@answer: "]),
        ("term: a\nText.", &["marker-place@term: a\n"]),
        ("> term: a", &["answer-empty@term: a"]),
        ("> answer: { title = 'Why?' }\n\nText", &["answer-empty@answer: { title = 'Why?' }"]),
        ("> answer: { name = 'Why?' } Text", &["toml-unknown-key@name"]),
        ("aside: Text.", &["marker-place@aside: "]),
        ("> aside: { kind = 'tipp' } Text.", &["alert-kind@tipp"]),
        ("> [!NOTICE]\n> Text.", &["alert-kind@[!NOTICE]"]),
        ("> [!NOTE] Title\n> Text.", &["alert-kind@[!NOTE]"]),
        ("> tab: { title = 'A' }\n>\n> tab: { title = 'B' } Text.", &["answer-empty@tab: { title = 'A' }"]),
        ("> tab: Text.", &["toml-missing-key@tab: "]),
        ("- tab: { title = 'A' } Text.", &["marker-place@tab: { title = 'A' } "]),
        ("A[^b] and \\[^c].\n\n[^a]: One.", &["footnote-unused@[^a]:", "footnote-missing@[^b]"]),
        ("A[^a].\n\n[^a]: One.\n\n[^a]: Two.", &["footnote-duplicate@[^a]:"]),
        ("## A {#main}", &["heading-duplicate-id@## A {#main}"]),
        ("# A\n\n## B\n\nC\n===", &["heading-level@# A", "heading-level@C\n==="]),
        ("### A", &["heading-level@### A"]),
        ("## A\n\n#### B\n\n##### C\n\n## D", &["heading-level@#### B"]),
        ("# snippet: a.cu#b", &["marker-in-heading@snippet: a.cu#b"]),
        ("> Text.\n>\n> claim: a { holds = 'x < y' } Text.", &["marker-place@claim: a { holds = 'x < y' } "]),
        ("> claim: a Text.", &["claim-no-holds@a"]),
        ("> claim: a { holds = 'x < y' }", &["claim-no-sentence@a"]),
        ("> claim: a { hold = 'x < y' } Text.", &["toml-unknown-key@hold"]),
        ("> claim: a { holds = 'x < ' } Text.", &["expr-syntax@"]),
        ("> claim: a { holds = 'x < y' } Text.\n\n> claim: a { holds = 'x < y' } Text.", &["claim-duplicate@a"]),
        ("| a |\n|---|\n| `= x | fixed(3)` |", &["figure-torn@`= x"]),
        ("A `= x and no more", &["figure-torn@`= x and no more"]),
        ("A `= x +`.", &["expr-syntax@"]),
        ("## A {#x}\n\n## B {#x}", &["heading-duplicate-id@## B {#x}"]),
    ];
    for (text, expected) in cases {
        let (_, problems) = lesson(text);
        let found: Vec<&str> = problems
            .iter()
            .zip(expected)
            .map(|(found, expected)| {
                // An expression's end is its own affair.
                if expected.ends_with('@') { &found[..expected.len().min(found.len())] } else { found.as_str() }
            })
            .collect();
        assert_eq!(found, expected, "{text}: {problems:?}");
        assert_eq!(problems.len(), expected.len(), "{text}: {problems:?}");
    }
}

#[test]
fn headings_have_unique_ids_without_figures() {
    let text =
        "## Of `= x` **threads**\n\n## Of threads\n\n## `code`, text {#here}\n\n## Here\n\n## `= x`\n\nSetext `= y`\n---\n\n## שלום\n";
    let (document, problems) = lesson(text);
    assert_eq!(problems, Vec::<String>::new());
    let ids: Vec<_> = document.headings.iter().map(|heading| (heading.level, &*heading.id)).collect();
    let expected = [(2, "of-threads"), (2, "of-threads-2"), (2, "here"), (2, "here-2"), (2, "section"), (2, "setext"), (2, "שלום")];
    assert_eq!(ids, expected);
}

#[test]
fn translations_and_order() {
    let claim = "+++\ntitle = 'A'\norder = 2\n+++\n> claim: c { holds = 'x < y' } Text.\n";
    let translated = "+++\ntitle = 'A'\n+++\n> claim: c\n> Text.\n>\n> otherwise: Not.\n";
    let last = "+++\ntitle = 'B'\norder = 1\nsweeps = 't'\n+++\n";
    let (course, problems, _) = course(&[
        ("lessons/a.md", claim),
        ("lessons/a.he.md", translated),
        ("lessons/b.md", last),
        ("lessons/README.md", "Text"),
        ("lessons/notes.md", "Text"),
        ("lessons/c.he.md", "+++\ntitle = 'C'\n+++\n"),
        ("lessons/a.fr.md", "+++\ntitle = 'A'\n+++\n> claim: d { holds = 'x < y' } Text.\n"),
    ]);
    let order: Vec<_> = course.lessons.iter().map(|lesson| format!("{}.{}", lesson.name, lesson.language)).collect();
    assert_eq!(order, ["b.en", "a.en", "a.fr", "a.he", "c.he"]);
    let ids: Vec<_> = problems.iter().map(|problem| problem.id).collect();
    let expected = ["claim-holds-in-translation", "front-matter-missing", "sweep-missing", "claim-unknown", "translation-alone"];
    assert_eq!(ids, expected);
}

/// Pieces that the grammars care about, so that a random text is not only prose.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "\n",
            "\n\n",
            "> ",
            "- ",
            "1. ",
            "  ",
            "    ",
            "# ",
            "| ",
            "|---|\n",
            "`",
            "`= ",
            "= ",
            "claim: ",
            "otherwise: ",
            "snippet: ",
            "table: ",
            "a.cu#b ",
            "{ ",
            "} ",
            "holds = ",
            "\"",
            "'",
            "\"\"\"",
            "'''",
            "\\",
            "\\u00e9",
            "x < y",
            "[",
            "]",
            ",",
            "[^1]",
            "[k]: u\n",
            "---\n",
            "{#id}",
            "שלום",
            "é",
            "\u{1}",
            "\t",
            ": ",
            "[!NOTE]\n",
            "$",
            "$$",
            "\\frac",
            "tab: { title = 'a' } ",
            "aside: ",
            "<b>",
            "```\n",
            "**",
            "_",
            "#",
            "+++\n",
            "title = 'x'\n",
            "[a.b]\n",
            "[[rows]]\n",
            "a = ",
            "0x1f",
            "1e9",
            "launch = ",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,4}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn in_range(tree: &SourceTree, at: &Span) -> bool {
    let text = tree.text(&at.file);
    at.start <= at.end && at.end <= text.len() && text.is_char_boundary(at.start) && text.is_char_boundary(at.end)
}

proptest! {
    #[test]
    fn any_lesson_is_read(body in text()) {
        let source = format!("+++\ntitle = 'L'\n+++\n{body}");
        let (course, problems, tree) = course(&[("lessons/l.md", &source), ("lessons/m.md", &body)]);
        for problem in &problems {
            prop_assert!(problem.at.iter().chain(problem.related.iter().map(|(at, _)| at)).all(|at| in_range(&tree, at)), "{problem:?}");
        }
        for lesson in course.lessons.iter() {
            let text = tree.text(&lesson.file);
            for node in &lesson.document().nodes {
                if let Node::Markdown(mark) = node {
                    prop_assert!(text.get(mark.range()).is_some(), "{node:?}");
                }
            }
            prop_assert!(lesson.document().headings.iter().all(|heading| in_range(&tree, &heading.at)));
        }
    }

    #[test]
    fn any_manifest_is_read(text in text()) {
        let (_, problems, tree) = course(&[("kernels/m.toml", &text), ("lessons/course.toml", &text)]);
        for problem in &problems {
            prop_assert!(problem.at.iter().chain(problem.related.iter().map(|(at, _)| at)).all(|at| in_range(&tree, at)), "{problem:?}");
        }
    }
}

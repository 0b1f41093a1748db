//! What is shown of small texts, and that every text comes back whole.

use proptest::prelude::*;

use super::*;
use crate::base::problem::Problems;

/// HTML as its text.
fn unescape(html: &str) -> String {
    let mut text = String::new();
    let mut in_tag = false;
    for c in html.chars() {
        match c {
            '<' => in_tag = true,
            '>' => in_tag = false,
            _ if !in_tag => text.push(c),
            _ => {}
        }
    }
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Asserts that `text` comes back, each line closed in itself.
fn round_trip(text: &str, language: &str) {
    let html = highlight(text, language);
    assert_eq!(unescape(&html), text, "{language}");
    for line in html.split('\n') {
        assert_eq!(line.matches("->").count(), 2 * line.matches("</").count(), "{line}");
    }
}

#[track_caller]
fn check(language: &str, text: &str, expected: &[&str]) {
    assert_eq!(highlight(text, language).split_terminator('\n').collect::<Vec<_>>(), expected, "{language}: {text:?}");
    round_trip(text, language);
}

#[test]
fn cuda_has_its_own_classes() {
    check(
        "cuda",
        "scale<float><<<g, b>>>(x);",
        &["<f->scale</f->&lt;<t->float</t->&gt;<l->&lt;&lt;&lt;</l->g, b<l->&gt;&gt;&gt;</l->(x);"],
    );
    check("cu", "__shared__ float4 s; // a & b", &["<q->__shared__</q-> <b->float4</b-> s; <c->// a &amp; b</c->"]);
    check("cpp", "#pragma unroll\n1'000;\n", &["<p->#pragma unroll</p->", "<n->1'000</n->;"]);
}

#[test]
fn neighbours_share_an_element_with_a_blank_between_them() {
    check("cuda", "unsigned int  long x;", &["<t->unsigned int</t->  <t->long</t-> x;"]);
    check("cuda", "int \n int", &["<t->int</t-> ", " <t->int</t->"]);
    check("cuda", "int x int ", &["<t->int</t-> x <t->int</t-> "]);
}

#[test]
fn an_element_never_crosses_a_line_end() {
    check("cuda", "/* a\n\n b */ c", &["<c->/* a</c->", "", "<c-> b */</c-> c"]);
    check("python", "'''a\nb'''\n", &["<c->'''a</c->", "<c->b'''</c->"]);
}

#[test]
fn languages_of_few_rules() {
    check(
        "toml",
        "[a.b] # c\nx-y = \"z\" # w\nn = [1_000, true]",
        &["<p->[a.b]</p-> <c-># c</c->", "<t->x-y</t-> = <s->\"z\"</s-> <c-># w</c->", "<t->n</t-> = [<n->1_000</n->, <k->true</k->]"],
    );
    check("toml", "\"GB/s\" = { value = 'a\\' }", &["<t->\"GB/s\"</t-> = { <t->value</t-> = <s->'a\\'</s-> }"]);
    check("json", "{\"a\\\"\": -1.5e3, \"b\": null}", &["{<t->\"a\\\"\"</t->: <n->-1.5e3</n->, <t->\"b\"</t->: <k->null</k->}"]);
    check("cmake", "add_executable(a ${SRC}) # x", &["<f->add_executable</f->(a <b->${SRC}</b->) <c-># x</c->"]);
    check("console", "$ lessonc verify # all\n3 figures\n", &["<p->$</p-> <f->lessonc</f-> verify <c-># all</c->", "3 figures"]);
    check("diff", "@@ -1 +1 @@\n-a\n+b\n c", &["<p->@@ -1 +1 @@</p->", "<d->-a</d->", "<i->+b</i->", " c"]);
    check(
        "ptx",
        ".reg .b32 %r1;\n  ld.global.f32 %f1, [%rd1+4]; // x",
        &["<p->.reg .b32</p-> <b->%r1</b->;", "  <k->ld.global.f32</k-> <b->%f1</b->, [<b->%rd1+4</b->]; <c->// x</c->"],
    );
    check("sass", "/*0010*/ LDG.E R2, [R4.64] ;", &["<c->/*0010*/</c-> <k->LDG.E</k-> <b->R2</b->, [<b->R4.64</b->] ;"]);
}

#[test]
fn other_languages_have_grammars_and_the_unknown_stay_plain() {
    check("python", "def f(x): # y\n    return 1", &["<k->def</k-> <f->f</f->(x): <c-># y</c->", "    <k->return</k-> <n->1</n->"]);
    for language in ["sh", "bash", "rust", "rs", "make", "makefile", "yaml", "python", "py", "js", "html", "css"] {
        assert!(matches!(reader(language), Reader::Grammar(_)), "{language}");
    }
    check("klingon", "if a < b { \"c\" }", &["if a &lt; b { \"c\" }"]);
    check("", "a\n\nb\n", &["a", "", "b"]);
}

/// What `highlighter` keeps of a line of `language`.
fn kept(highlighter: &Highlighter, language: &str) -> Arc<str> {
    match highlighter.highlight("x = 1", language) {
        Code::Kept(html) => html,
        Code::Made(html) => panic!("{html} is not kept"),
    }
}

#[test]
fn the_memo_gives_the_same_and_forgets() {
    let highlighter = Highlighter::default();
    let first = kept(&highlighter, "python");
    assert_eq!(*first, *highlight("x = 1", "python"));
    assert!(Arc::ptr_eq(&first, &kept(&highlighter, "Python")));
    highlighter.forget_unused();
    assert!(Arc::ptr_eq(&first, &kept(&highlighter, "python")));
    highlighter.forget_unused();
    highlighter.forget_unused();
    assert!(Arc::ptr_eq(&first, &kept(&highlighter, "python")), "little is kept");
    for text in 0..MOST {
        highlighter.memo.put(("python".into(), Checksum::of(text.to_string())), "".into());
    }
    highlighter.forget_unused();
    highlighter.forget_unused();
    assert!(!Arc::ptr_eq(&first, &kept(&highlighter, "python")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_text_comes_back(text in "([ a-f\\[\\]{}()<>&\"'#=:.$%+-]|//|\"\"\"|\\\\|é|\n|12|R|true|/\\*){0,40}") {
        for language in ["cuda", "toml", "json", "cmake", "console", "diff", "ptx", "sass", "python", "sh", "rust", "make", "yaml", ""] {
            round_trip(&text, language);
        }
    }
}

/// The whole of a source as its page shows it.
fn of_source(text: &str) -> Vec<String> {
    let source = Source::parse(&"kernels/a.cu".into(), &text.into(), &mut Problems::new());
    let html = Highlighter::default().lines(&source, &source.whole(), "");
    html.split_terminator('\n').map(str::to_owned).collect()
}

#[test]
fn lines_of_a_source_are_what_they_are_in_the_file() {
    let text = "/* a\n// snippet: r\n  b\n\n    c */ struct T;\n// snippet: q\n\tint x;\n\n\t\tT y = 1;\n// end snippet\nT z;\n";
    let source = Source::parse(&"kernels/a.cu".into(), &text.into(), &mut Problems::new());
    let region = source.region("q").unwrap();
    let html = |margin: &str| Highlighter::default().lines(&source, &source.shown(region), margin).to_string();
    assert_eq!(html(""), "<t->int</t-> x;\n\n\t<t->T</t-> y = <n->1</n->;\n");
    assert_eq!(html(" "), " <t->int</t-> x;\n\n \t<t->T</t-> y = <n->1</n->;\n");
    let whole = of_source(text);
    assert_eq!(whole[..3], ["<c->/* a</c->", "<c->// snippet: r</c->", "<c->  b</c->"]);
    assert_eq!(whole[4], "<c->    c */</c-> <k->struct</k-> <t->T</t->;");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn a_source_without_markers_is_as_its_text(text in "([ \t\n]|int|/\\*|\\*/|//|\"|R\"\\(|\\)\"|x|\u{e9}|1|f\\(|<<<|>>>|#|__global__|\\\\\n|;){0,40}") {
        let expected: Vec<String> = highlight(&text, "cuda").split_terminator('\n').map(str::to_owned).collect();
        let shown = of_source(&text);
        // A text that ends within a line has one more line end as lines.
        prop_assert_eq!(shown, expected);
    }
}

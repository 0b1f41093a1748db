//! What is shown of small texts, and that every text comes back whole.

use proptest::prelude::*;

use super::*;

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

/// Asserts that the lines of `text` come back, each closed in itself.
fn round_trip(text: &str, language: &str) {
    let lines = highlight(text, language);
    assert_eq!(
        lines.iter().map(|line| unescape(line)).collect::<Vec<_>>(),
        text.split_terminator('\n').collect::<Vec<_>>(),
        "{language}: {text:?}"
    );
    for line in &lines {
        assert_eq!(line.matches("<span class=").count(), line.matches("</span>").count(), "{line}");
    }
}

#[track_caller]
fn check(language: &str, text: &str, expected: &[&str]) {
    assert_eq!(highlight(text, language), expected, "{language}: {text:?}");
    round_trip(text, language);
}

#[test]
fn cuda_has_its_own_classes() {
    check(
        "cuda",
        "scale<float><<<g, b>>>(x);",
        &[
            "<span class=f>scale</span>&lt;<span class=t>float</span>&gt;<span class=l>&lt;&lt;&lt;</span>g, b<span class=l>&gt;&gt;&gt;</span>(x);",
        ],
    );
    check(
        "cu",
        "__shared__ float4 s; // a & b",
        &["<span class=q>__shared__</span> <span class=b>float4</span> s; <span class=c>// a &amp; b</span>"],
    );
    check("cpp", "#pragma unroll\n1'000;\n", &["<span class=p>#pragma</span> <span class=p>unroll</span>", "<span class=n>1'000</span>;"]);
}

#[test]
fn a_span_never_crosses_a_line_end() {
    check("cuda", "/* a\n\n b */ c", &["<span class=c>/* a</span>", "", "<span class=c> b */</span> c"]);
    check("python", "'''a\nb'''\n", &["<span class=c>'''a</span>", "<span class=c>b'''</span>"]);
}

#[test]
fn languages_of_few_rules() {
    check(
        "toml",
        "[a.b] # c\nx-y = \"z\" # w\nn = [1_000, true]",
        &[
            "<span class=p>[a.b]</span> <span class=c># c</span>",
            "<span class=t>x-y</span> = <span class=s>\"z\"</span> <span class=c># w</span>",
            "<span class=t>n</span> = [<span class=n>1_000</span>, <span class=k>true</span>]",
        ],
    );
    check(
        "toml",
        "\"GB/s\" = { value = 'a\\' }",
        &["<span class=t>\"GB/s\"</span> = { <span class=t>value</span> = <span class=s>'a\\'</span> }"],
    );
    check(
        "json",
        "{\"a\\\"\": -1.5e3, \"b\": null}",
        &["{<span class=t>\"a\\\"\"</span>: <span class=n>-1.5e3</span>, <span class=t>\"b\"</span>: <span class=k>null</span>}"],
    );
    check(
        "cmake",
        "add_executable(a ${SRC}) # x",
        &["<span class=f>add_executable</span>(a <span class=b>${SRC}</span>) <span class=c># x</span>"],
    );
    check(
        "console",
        "$ lessonc verify # all\n3 figures\n",
        &["<span class=p>$</span> <span class=f>lessonc</span> verify <span class=c># all</span>", "3 figures"],
    );
    check(
        "diff",
        "@@ -1 +1 @@\n-a\n+b\n c",
        &["<span class=p>@@ -1 +1 @@</span>", "<span class=d>-a</span>", "<span class=i>+b</span>", " c"],
    );
    check(
        "ptx",
        ".reg .b32 %r1;\n  ld.global.f32 %f1, [%rd1+4]; // x",
        &[
            "<span class=p>.reg</span> <span class=p>.b32</span> <span class=b>%r1</span>;",
            "  <span class=k>ld.global.f32</span> <span class=b>%f1</span>, [<span class=b>%rd1+4</span>]; <span class=c>// x</span>",
        ],
    );
    check(
        "sass",
        "/*0010*/ LDG.E R2, [R4.64] ;",
        &["<span class=c>/*0010*/</span> <span class=k>LDG.E</span> <span class=b>R2</span>, [<span class=b>R4.64</span>] ;"],
    );
}

#[test]
fn other_languages_have_grammars_and_the_unknown_stay_plain() {
    check(
        "python",
        "def f(x): # y\n    return 1",
        &[
            "<span class=k>def</span> <span class=f>f</span>(x): <span class=c># y</span>",
            "    <span class=k>return</span> <span class=n>1</span>",
        ],
    );
    for language in ["sh", "bash", "rust", "rs", "make", "makefile", "yaml", "python", "py", "js", "html", "css"] {
        assert!(matches!(reader(language), Reader::Grammar(_)), "{language}");
    }
    check("klingon", "if a < b { \"c\" }", &["if a &lt; b { \"c\" }"]);
    check("", "a\n\nb\n", &["a", "", "b"]);
}

#[test]
fn the_memo_gives_the_same_and_forgets() {
    let highlighter = Highlighter::default();
    let first = highlighter.highlight("x = 1", "python");
    assert_eq!(*first, *highlight("x = 1", "python"));
    assert!(Arc::ptr_eq(&first, &highlighter.highlight("x = 1", "Python")));
    highlighter.forget_unused();
    assert!(Arc::ptr_eq(&first, &highlighter.highlight("x = 1", "python")));
    highlighter.forget_unused();
    highlighter.forget_unused();
    assert!(Arc::ptr_eq(&first, &highlighter.highlight("x = 1", "python")), "little is kept");
    for text in 0..MOST {
        highlighter.memo.put(("python".into(), Digest::of(text.to_string())), Arc::new([]));
    }
    highlighter.forget_unused();
    highlighter.forget_unused();
    assert!(!Arc::ptr_eq(&first, &highlighter.highlight("x = 1", "python")));
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

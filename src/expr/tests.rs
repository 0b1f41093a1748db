//! What expressions parse to and what they are worth.

use super::*;

fn parse(text: &str) -> Result<Expr, Problem> {
    Expr::parse(&Slice::verbatim(&"lessons/a.md".into(), text, 0))
}

#[test]
fn the_canonical_spelling_keeps_what_the_author_meant() {
    let cases = [
        ("1+2*3", "1 + 2 * 3"),
        ("(1+2)*3", "(1 + 2) * 3"),
        ("-x**2", "-x ** 2"),
        ("a-(b-c)", "a - (b - c)"),
        ("2**3**4", "2 ** 3 ** 4"),
        ("5% * 3 % 2", "5% * 3 % 2"),
        ("48 KiB", "48 KiB"),
        ("4.10 TB/s", "4.1 TB/s"),
        ("16 B*pixels", "16 B * pixels"),
        ("5 B / s", "5 B / s"),
        ("row(\"256\")['GB/s']", "row('256')['GB/s']"),
        ("count(rows where of_best>=0.95 and not a)", "count(rows where of_best >= 0.95 and not a)"),
        ("x|fixed(3)", "x | fixed(3)"),
        ("block_size.row(threads=256).ms", "block_size.row(threads = 256).ms"),
        ("1e6", "1000000"),
    ];
    for (text, expected) in cases {
        let expr = parse(text).unwrap_or_else(|problem| panic!("{text}: {}", problem.message));
        assert_eq!(expr.canonical(), expected, "{text}");
    }
}

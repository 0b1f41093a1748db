//! What a review says, of what it found.

use super::*;

fn place(span: &Span) -> String {
    format!("{}:{}", span.file, span.start)
}

fn span(start: usize) -> Span {
    Span { file: "lessons/a.md".into(), start, end: start + 1 }
}

#[test]
fn a_review_says_what_changes_and_how_much_stays() {
    let claim = ClaimChange {
        at: span(3),
        claim: "wide".to_owned(),
        device: "card".to_owned(),
        before: "supported".to_owned(),
        after: "refuted".to_owned(),
        found: "it is 2 and the bound is 1".to_owned(),
    };
    let moved = PlaceChange {
        at: span(4),
        claim: "cliff".to_owned(),
        device: "card".to_owned(),
        text: "from(rows, 'n', ms > 1 ms)".to_owned(),
        before: "4".to_owned(),
        after: "8".to_owned(),
    };
    let figure = |share| FigureChange {
        at: span(9),
        text: "row('a').ms".to_owned(),
        before: "1.00 ms".to_owned(),
        after: "1.25 ms".to_owned(),
        share,
    };
    let pair = |index: usize| (format!("a{index}"), format!("b{index}"));
    let order = OrderChange {
        sweep: "copy".to_owned(),
        device: "card".to_owned(),
        overtaken: (0..7).map(pair).collect(),
        fastest: Some((vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()])),
    };
    let figures = Figures { moved: vec![figure(Some(0.25)), figure(None)], wavering: 2, kept: 1, first: 0 };
    let review = Review { claims: vec![claim], kept_claims: 3, first_claims: 0, places: vec![moved], figures, orders: vec![order] };
    let expected = "\
claims that flip
  lessons/a.md:3: claim `wide` on card: supported -> refuted: it is 2 and the bound is 1
places from which on something holds, where they move
  lessons/a.md:4: claim `cliff` on card: `from(rows, 'n', ms > 1 ms)`: 4 -> 8
figures that move beyond their spread
  lessons/a.md:9: `= row('a').ms`: 1.00 ms -> 1.25 ms (+25.0 %)
  lessons/a.md:9: `= row('a').ms`: 1.00 ms -> 1.25 ms
rows that change places by time
  copy on card: a0 was faster than b0, and is slower now
  copy on card: a1 was faster than b1, and is slower now
  copy on card: a2 was faster than b2, and is slower now
  copy on card: a3 was faster than b3, and is slower now
  copy on card: a4 was faster than b4, and is slower now
  copy on card: 2 more pairs of rows changed places
  copy on card: the fastest: a or b -> c
besides: 2 figures change within their spread, 3 claims stay, 1 figure stays
";
    assert_eq!(text(&review, &place), expected);
    assert_eq!(text(&Review::default(), &place), "");
    let quiet = Review { kept_claims: 1, figures: Figures { wavering: 1, ..Figures::default() }, ..Review::default() };
    assert_eq!(text(&quiet, &place), "nothing that a page says changes: 1 figure changes within its spread, 1 claim stays\n");
}

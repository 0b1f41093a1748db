//! Any text: its tokens cover it, its hashed lines are lines, its HTML stands line by line.
#![no_main]

use lessonc::base::cuda;
use lessonc::pages::highlight::highlight;
use lessonc::plan::fingerprint::code_lines;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut at = 0;
    for token in cuda::tokens(text) {
        assert_eq!(token.start, at);
        assert!(token.end > at && text.is_char_boundary(token.end));
        at = token.end;
    }
    assert_eq!(at, text.len());
    assert!(code_lines(text).iter().all(|line| !line.is_empty() && !line.contains('\n')));
    assert_eq!(highlight(text, "cuda").matches('\n').count(), text.matches('\n').count());
});

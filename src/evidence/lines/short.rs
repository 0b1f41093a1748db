//! Turns a row or a canary in a round into the line of version 2 and back: what is as one expects is left out of it or told shortly, so
//! that what is out of the ordinary stands out, and a record takes half the room.
//!
//! Must not know the other lines. Nothing is lost, and each value has one spelling. Printing and reading stand side by side, member by member:
//! a change to one is a change to the other, and to [`super::super::record::VERSION`].

use std::borrow::Cow;
use std::io::{self, Write};

use serde::{Deserialize, Serialize, Serializer};

use super::Expecting;
use super::exact::{Exact, Off};
use crate::evidence::canary::{Canary, CanaryResult};
use crate::evidence::record::{Outcome, Receipt, RowResult};

/// How the line of a row in a round begins.
pub(super) const RESULT: &str = "{\"line\":\"result\"";
/// How the line of a canary in a round begins.
pub(super) const CANARY: &str = "{\"line\":\"canary\"";
/// The largest error of a comparison that found none.
const NO_ERROR: &str = "0";

pub(super) fn print_result(result: &RowResult, out: &mut impl Write) -> io::Result<()> {
    let mut line = Printing(out);
    write!(line.0, "{RESULT},\"round\":{},\"row\":{}", result.round, result.row)?;
    line.outcome(&result.outcome)?;
    line.samples(&result.spans_ns, &result.clock_mhz)?;
    line.member("empty_pair_ns", &result.empty_pair_ns)?;
    line.receipts(result.before.as_ref(), result.after.as_ref())?;
    line.throttles(&result.throttle_before, &result.throttle_after)?;
    line.member("temperature_c", &result.temperature_c)?;
    line.member("warmup_launches", &result.warmup_launches)?;
    if !result.reads.is_empty() {
        line.member("reads", &result.reads)?;
    }
    line.0.write_all(b"}\n")
}

pub(super) fn read_result(text: &str) -> Result<RowResult, Off> {
    let mut line = Reading::begin(text, RESULT)?;
    let round = line.0.member("round")?.number()?;
    let row = line.0.member("row")?.number()?;
    let outcome = line.outcome()?;
    let (spans_ns, clock_mhz) = line.samples()?;
    let empty_pair_ns = line.0.member("empty_pair_ns")?.number_or_null()?;
    let (before, after) = line.receipts()?;
    let (throttle_before, throttle_after) = (line.throttle("throttle_before")?, line.throttle("throttle_after")?);
    let temperature_c = line.0.member("temperature_c")?.number_or_null()?;
    let warmup_launches = line.0.member("warmup_launches")?.number()?;
    let reads = if line.0.has("reads") { line.0.value()? } else { Default::default() };
    let result = RowResult {
        round,
        row,
        outcome,
        spans_ns,
        clock_mhz,
        empty_pair_ns,
        before,
        after,
        throttle_before,
        throttle_after,
        temperature_c,
        warmup_launches,
        reads,
    };
    line.end(text, |out| print_result(&result, out))?;
    Ok(result)
}

pub(super) fn print_canary(result: &CanaryResult, out: &mut impl Write) -> io::Result<()> {
    let mut line = Printing(out);
    write!(line.0, "{CANARY},\"round\":{},\"canary\":\"{}\"", result.round, result.canary.word())?;
    line.outcome(&result.outcome)?;
    line.member("launches", &result.launches)?;
    line.member("work", &result.work)?;
    line.samples(&result.spans_ns, &result.clock_mhz)?;
    line.throttles(&result.throttle_before, &result.throttle_after)?;
    line.member("warmup_launches", &result.warmup_launches)?;
    line.0.write_all(b"}\n")
}

pub(super) fn read_canary(text: &str) -> Result<CanaryResult, Off> {
    let mut line = Reading::begin(text, CANARY)?;
    let round = line.0.member("round")?.number()?;
    let canary = line.canary()?;
    let outcome = line.outcome()?;
    let launches = line.0.member("launches")?.number()?;
    let work = line.0.member("work")?.number()?;
    let (spans_ns, clock_mhz) = line.samples()?;
    let (throttle_before, throttle_after) = (line.throttle("throttle_before")?, line.throttle("throttle_after")?);
    let warmup_launches = line.0.member("warmup_launches")?.number()?;
    let result =
        CanaryResult { round, canary, outcome, launches, work, spans_ns, clock_mhz, throttle_before, throttle_after, warmup_launches };
    line.end(text, |out| print_canary(&result, out))?;
    Ok(result)
}

/// A receipt; where it says no more than how many elements were right, that number.
#[derive(Debug, Clone, Copy)]
struct Brief<'a>(&'a Receipt);

impl Serialize for Brief<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Receipt { elements, wrong, first_wrong, largest_relative } = self.0;
        if *wrong == 0 && first_wrong.is_none() && largest_relative == NO_ERROR {
            return to.serialize_u64(*elements);
        }
        let first_wrong = first_wrong.as_deref().map(Cow::Borrowed);
        Told { elements: *elements, wrong: *wrong, first_wrong, largest_relative: largest_relative.into() }.serialize(to)
    }
}

/// A receipt of which more is to be said.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Told<'a> {
    elements: u64,
    #[serde(default, skip_serializing_if = "is_none_wrong")]
    wrong: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first_wrong: Option<Cow<'a, str>>,
    #[serde(default = "no_error", skip_serializing_if = "is_no_error")]
    largest_relative: Cow<'a, str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none_wrong(wrong: &u64) -> bool {
    *wrong == 0
}

fn no_error() -> Cow<'static, str> {
    NO_ERROR.into()
}

fn is_no_error(largest: &str) -> bool {
    largest == NO_ERROR
}

/// The clock that all samples of `spans` have, if they have one.
fn one_clock(spans: &[u64], clocks: &[u32]) -> Option<u32> {
    let &clock = clocks.first()?;
    (spans.len() == clocks.len() && clocks.iter().all(|&other| other == clock)).then_some(clock)
}

/// A line that is printed.
struct Printing<'a, W>(&'a mut W);

impl<W: Write> Printing<'_, W> {
    fn member(&mut self, name: &str, value: &impl Serialize) -> io::Result<()> {
        write!(self.0, ",\"{name}\":")?;
        Ok(serde_json::to_writer(&mut *self.0, value)?)
    }

    /// Nothing for `ok`.
    fn outcome(&mut self, outcome: &Outcome) -> io::Result<()> {
        if *outcome == Outcome::Ok { Ok(()) } else { self.member("outcome", outcome) }
    }

    /// One number for clocks that are equal, sample by sample.
    fn samples(&mut self, spans: &[u64], clocks: &[u32]) -> io::Result<()> {
        self.member("spans_ns", &spans)?;
        match one_clock(spans, clocks) {
            Some(clock) => self.member("clock_mhz", &clock),
            None => self.member("clock_mhz", &clocks),
        }
    }

    /// One receipt for two comparisons that came to the same.
    fn receipts(&mut self, before: Option<&Receipt>, after: Option<&Receipt>) -> io::Result<()> {
        match before.filter(|_| before == after) {
            Some(both) => self.member("checked", &Brief(both)),
            None => {
                self.member("before", &before.map(Brief))?;
                self.member("after", &after.map(Brief))
            }
        }
    }

    /// Nothing where the driver named no reason.
    fn throttles(&mut self, before: &Option<Vec<String>>, after: &Option<Vec<String>>) -> io::Result<()> {
        for (name, reasons) in [("throttle_before", before), ("throttle_after", after)] {
            if reasons.as_ref().is_none_or(|reasons| !reasons.is_empty()) {
                self.member(name, reasons)?;
            }
        }
        Ok(())
    }
}

/// A line that is read.
struct Reading<'a>(Exact<'a>);

impl<'a> Reading<'a> {
    /// `text`, which begins with `opening`.
    fn begin(text: &'a str, opening: &str) -> Result<Self, Off> {
        let mut line = Exact::new(text);
        line.expect(opening)?;
        Ok(Self(line))
    }

    fn canary(&mut self) -> Result<Canary, Off> {
        self.0.member("canary")?;
        let is_it = |canary: &Canary| self.0.takes(&format!("\"{}\"", canary.word()));
        Canary::ALL.into_iter().find(is_it).map_or_else(|| self.0.value(), Ok)
    }

    fn outcome(&mut self) -> Result<Outcome, Off> {
        if self.0.has("outcome") { self.0.value() } else { Ok(Outcome::Ok) }
    }

    fn samples(&mut self) -> Result<(Vec<u64>, Vec<u32>), Off> {
        let spans: Vec<u64> = self.0.member("spans_ns")?.numbers()?;
        if self.0.member("clock_mhz")?.at_number() {
            // One clock of no samples is spelled otherwise.
            self.0.loose |= spans.is_empty();
            let clock = self.0.number()?;
            let clocks = vec![clock; spans.len()];
            return Ok((spans, clocks));
        }
        let clocks = self.0.numbers()?;
        self.0.loose |= one_clock(&spans, &clocks).is_some();
        Ok((spans, clocks))
    }

    fn receipts(&mut self) -> Result<(Option<Receipt>, Option<Receipt>), Off> {
        if self.0.has("checked") {
            let both = self.receipt()?;
            return Ok((Some(both.clone()), Some(both)));
        }
        let before = self.receipt_or_null("before")?;
        let after = self.receipt_or_null("after")?;
        self.0.loose |= before.is_some() && before == after;
        Ok((before, after))
    }

    fn receipt_or_null(&mut self, name: &str) -> Result<Option<Receipt>, Off> {
        if self.0.member(name)?.takes("null") { Ok(None) } else { self.receipt().map(Some) }
    }

    fn receipt(&mut self) -> Result<Receipt, Off> {
        if self.0.at_number() {
            let elements = self.0.number()?;
            return Ok(Receipt { elements, wrong: 0, first_wrong: None, largest_relative: NO_ERROR.to_owned() });
        }
        let Told { elements, wrong, first_wrong, largest_relative } = self.0.value()?;
        Ok(Receipt { elements, wrong, first_wrong: first_wrong.map(Cow::into_owned), largest_relative: largest_relative.into_owned() })
    }

    fn throttle(&mut self, name: &str) -> Result<Option<Vec<String>>, Off> {
        if self.0.has(name) { self.0.value() } else { Ok(Some(Vec::new())) }
    }

    /// Ends the line `text`. Where it may be spelled otherwise than it is, it is held to what `print` makes of what was read.
    fn end(mut self, text: &str, print: impl FnOnce(&mut Expecting<'_>) -> io::Result<()>) -> Result<(), Off> {
        self.0.expect("}\n")?;
        self.0.end()?;
        let mut expecting = Expecting(text.as_bytes());
        if !self.0.loose || print(&mut expecting).is_ok() && expecting.0.is_empty() {
            return Ok(());
        }
        Err(Off { expected: "another spelling".to_owned(), column: text.len() - expecting.0.len() + 1 })
    }
}

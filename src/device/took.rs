//! Turns stretches of time into a sum by what they were spent on, and that into a sentence.
//!
//! Must not know a clock: whoever measures says how long it took.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What the time of a run is spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Compilers, and the driver's answers about what they made.
    Compile,
    /// Making inputs and references.
    Inputs,
    /// Putting the device under load, and sizing samples.
    Size,
    /// From the start of a process until it has a context.
    Start,
    /// Loading code and making room for buffers.
    Load,
    /// Moving inputs to the device.
    Upload,
    /// Readying rows: their outputs poisoned, the empty event pair, a first launch.
    Prepare,
    /// Reading what outputs should be.
    Expected,
    /// Moving outputs from the device and comparing them.
    Compare,
    /// Asking the driver for clocks, throttling and temperature.
    State,
    /// Warm-up of rows.
    WarmUp,
    /// Samples of rows.
    Samples,
    /// Canaries, warm-up and samples together.
    Canaries,
    /// Ending processes.
    End,
}

impl Part {
    fn words(self) -> &'static str {
        match self {
            Self::Compile => "compiling",
            Self::Inputs => "inputs and references",
            Self::Size => "sizing",
            Self::Start => "starting processes",
            Self::Load => "loading",
            Self::Upload => "upload",
            Self::Prepare => "readying rows",
            Self::Expected => "reading references",
            Self::Compare => "comparisons",
            Self::State => "device state",
            Self::WarmUp => "warm-up",
            Self::Samples => "samples",
            Self::Canaries => "canaries",
            Self::End => "ending processes",
        }
    }
}

/// How long parts of something took.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Took(BTreeMap<Part, Duration>);

impl Took {
    /// Adds `time` to `part`.
    pub fn add(&mut self, part: Part, time: Duration) {
        *self.0.entry(part).or_default() += time;
    }

    /// Adds to `part` what of `time` is not in `parts`, and `parts`.
    pub fn add_rest(&mut self, part: Part, time: Duration, parts: &Self) {
        self.add(part, time.saturating_sub(parts.total()));
        self.join(parts);
    }

    /// Adds all of `other`.
    pub fn join(&mut self, other: &Self) {
        other.0.iter().for_each(|(&part, &time)| self.add(part, time));
    }

    /// All parts together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.0.values().sum()
    }

    /// Where the time `wall` of a run went, in the order in which it is spent; what is less than a twentieth of a second is left out.
    #[must_use]
    pub fn sentence(&self, wall: Duration) -> String {
        let seconds = |time: Duration| format!("{:.1} s", time.as_secs_f64());
        let worth = |time: &Duration| *time >= Duration::from_millis(50);
        let mut parts: Vec<String> =
            self.0.iter().filter(|(_, time)| worth(time)).map(|(part, time)| format!("{} {}", part.words(), seconds(*time))).collect();
        let rest = wall.saturating_sub(self.total());
        if worth(&rest) {
            parts.push(format!("other {}", seconds(rest)));
        }
        let colon = if parts.is_empty() { "" } else { ": " };
        format!("took {}{colon}{}", seconds(wall), parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_summed_and_said_in_their_order() {
        let ms = Duration::from_millis;
        let mut took = Took::default();
        took.add(Part::Samples, ms(1500));
        took.add(Part::Compile, ms(300));
        took.add(Part::Samples, ms(500));
        took.add(Part::State, ms(49));
        let mut inner = Took::default();
        inner.add(Part::Expected, ms(200));
        took.add_rest(Part::Compare, ms(1000), &inner);
        assert_eq!(took.total(), ms(3349));
        assert_eq!(
            took.sentence(ms(4000)),
            "took 4.0 s: compiling 0.3 s, reading references 0.2 s, comparisons 0.8 s, samples 2.0 s, other 0.7 s"
        );
        assert_eq!(Took::default().sentence(ms(0)), "took 0.0 s");
    }
}

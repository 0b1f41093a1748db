//! Turns words into what goes wrong on the fake device, and where.
//!
//! Must not know how it goes wrong.

/// Something that goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FakeFault {
    /// In which row; `None`: in every one.
    pub row: Option<u32>,
    /// In which round; `None`: in every one.
    pub round: Option<u32>,
    /// What.
    pub kind: FaultKind,
}

/// The ways in which a row can go wrong; each ends as the outcome of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The driver refuses the shape when it is asked, so that the row is skipped; happens in planning only.
    Skipped,
    /// The launch is refused.
    Launch,
    /// The kernel faults within the samples.
    Runtime,
    /// The first launch gives a wrong output.
    Incorrect,
    /// The samples leave a wrong output.
    IncorrectAfter,
    /// An empty event pair costs as much as the launch.
    TooShort,
    /// The driver reports that the card was held down.
    Throttled,
    /// The SM clock moves within the samples.
    ClockMoves,
    /// A sample does not come back.
    Timeout,
    /// The process of the round ends in the middle of the samples. Only for a fake in a process of its own.
    Crash,
    /// The process of the round never answers. Only for a fake in a process of its own.
    Hang,
}

impl FaultKind {
    /// Every kind that ends as an outcome in one process, and the word by which a description names it.
    pub const WORDS: [(&'static str, Self); 9] = [
        ("skipped", Self::Skipped),
        ("launch", Self::Launch),
        ("runtime", Self::Runtime),
        ("incorrect", Self::Incorrect),
        ("incorrect-after", Self::IncorrectAfter),
        ("too-short", Self::TooShort),
        ("throttled", Self::Throttled),
        ("clock-moves", Self::ClockMoves),
        ("timeout", Self::Timeout),
    ];
    /// Those that only a fake in a process of its own can have: they would take the caller along.
    pub const OF_PROCESSES: [(&'static str, Self); 2] = [("crash", Self::Crash), ("hang", Self::Hang)];
}

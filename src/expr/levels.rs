//! Turns the chance of a wrong answer that a condition may take into the chances that its parts may take.
//!
//! Must not know what is asked. A wrong yes and a wrong no are counted apart: of all-of a wrong yes needs one part's wrong yes, and a
//! wrong no may be any part's; of any-of it is the other way round.

/// The chance of a wrong yes and of a wrong no.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    /// Of a yes that is wrong.
    pub yes: f64,
    /// Of a no that is wrong.
    pub no: f64,
}

impl Levels {
    /// The same chance of either.
    #[must_use]
    pub fn both(alpha: f64) -> Self {
        Self { yes: alpha, no: alpha }
    }

    /// For each of `parts` conditions, all of which must hold.
    #[must_use]
    pub fn all_of(self, parts: usize) -> Self {
        Self { no: self.no / share(parts), ..self }
    }

    /// For each of `parts` conditions, one of which must hold.
    #[must_use]
    pub fn any_of(self, parts: usize) -> Self {
        Self { yes: self.yes / share(parts), ..self }
    }

    /// For each of `parts` answers, whatever is made of them.
    #[must_use]
    pub fn each_of(self, parts: usize) -> Self {
        Self::both(self.yes.min(self.no) / share(parts))
    }

    /// For a condition that is turned round by `not`.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { yes: self.no, no: self.yes }
    }
}

fn share(parts: usize) -> f64 {
    parts.max(1) as f64
}

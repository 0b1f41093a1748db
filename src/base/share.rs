//! Turns much work into shares for the cores: how much of it one takes at once.
//!
//! Must not know what the work is.

/// So many things are done at most before somebody who has nothing to do can take over the rest. Left to itself, rayon halves a list a
/// few times only, and at the end of a thousand lessons one core had a hundred of them, and the other none.
pub const LARGEST: usize = 8;

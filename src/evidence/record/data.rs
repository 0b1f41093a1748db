//! Turns what an identity names first and besides into all that rows worked on, by number.
//!
//! Must not know rows.

use super::Identity;
use crate::plan::launch::{BufferPlan, Data};

/// Whether a row works on what the identity names first, which its line leaves out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
pub(super) fn is_first(data: &u32) -> bool {
    *data == 0
}

impl Identity {
    /// All that rows worked on, by the numbers that they name.
    #[must_use]
    pub fn all_data(&self) -> Vec<Data> {
        let first = Data { buffers: self.buffers.clone(), inputs: self.inputs.clone(), check: self.check.clone() };
        std::iter::once(first).chain(self.other_data.iter().cloned()).collect()
    }

    /// The buffers of what rows number `data` work on.
    #[must_use]
    pub fn buffers_of(&self, data: u32) -> &[BufferPlan] {
        match (data as usize).checked_sub(1) {
            None => &self.buffers,
            Some(other) => self.other_data.get(other).map_or(&[], |data| &data.buffers),
        }
    }
}

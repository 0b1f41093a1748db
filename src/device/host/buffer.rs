//! Turns a number of bytes into memory of the host for one buffer, made by all cores.
//!
//! Must not know what lies in it.

use rayon::iter::ParallelIterator as _;

/// Memory for one buffer on the host: aligned for any element, of a size fixed at its birth.
pub struct HostBuffer {
    lines: Vec<Line>,
    bytes: usize,
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

impl HostBuffer {
    /// A buffer of `bytes` bytes, each of them `byte`.
    #[must_use]
    pub fn filled(bytes: usize, byte: u8) -> Self {
        // In parallel, since most of it is the system's making the memory there.
        Self { lines: rayon::iter::repeat_n(Line([byte; 64]), bytes.div_ceil(64)).collect(), bytes }
    }

    /// Its contents.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: lines are plain bytes without padding, and `bytes` never exceeds theirs.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.bytes) }
    }

    /// Its contents, to be written.
    #[must_use]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and borrowed uniquely.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.bytes) }
    }
}

//! Turns the names of files that were looked for into marks, so that what looked for none of some files is known without a look at names.
//!
//! Must not know who looked, nor for what.

/// Marks of names in so many words of 64 bits: two bits of them a name. A name that was not marked seems to be where both its bits are
/// others', a few times in a hundred if there is a word for every five names.
#[derive(Debug, Clone)]
pub(super) struct Marks<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Marks<WORDS> {
    /// The marks of `names`.
    pub(super) fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut marks = Self([0; WORDS]);
        for (word, bit) in names.into_iter().map(Mark::of).flat_map(Mark::bits::<WORDS>) {
            marks.0[word] |= bit;
        }
        marks
    }

    /// Whether what has this `mark` may be among the names.
    pub(super) fn may_have(&self, mark: Mark) -> bool {
        mark.bits::<WORDS>().into_iter().all(|(word, bit)| self.0[word] & bit != 0)
    }
}

/// What chooses a name's bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark(u64);

impl Mark {
    /// Of the letters of `name`, by FNV-1a.
    pub(super) fn of(name: &str) -> Self {
        Self(name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
    }

    /// Its two bits, each as a word and a bit of that.
    fn bits<const WORDS: usize>(self) -> [(usize, u64); 2] {
        // The upper bits are the more mixed ones.
        [self.0 >> 48, self.0 >> 32 & 0xFFFF].map(|bits| {
            let bits = usize::try_from(bits).unwrap_or(0) % (64 * WORDS);
            (bits / 64, 1 << (bits % 64))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_marked_is_found_and_others_are_seldom() {
        let names: Vec<String> = (0..640).map(|number| format!("kernels/part-{}/file-{number}.cu", number % 7)).collect();
        let marks = Marks::<128>::of(names.iter().map(String::as_str));
        assert!(names.iter().all(|name| marks.may_have(Mark::of(name))));
        let others = (0..10_000).filter(|number| marks.may_have(Mark::of(&format!("lessons/other-{number}.md")))).count();
        assert!(others < 500, "{others} of 10000");
        assert!(!Marks::<2>::of([]).may_have(Mark::of("a")));
    }
}

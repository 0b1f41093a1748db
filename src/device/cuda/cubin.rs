//! Turns machine code into the constant memory that its unit declares.
//!
//! Must not trust the file: every offset is looked up with bounds. The assembler's messages tell constant memory for some
//! architectures only, so it is read where it lies.

/// The section of the constant bank in which `__constant__` variables are, the same for all kernels of a unit.
const USER_CONSTANTS: &str = ".nv.constant3";

/// Bytes of constant memory that the unit of `cubin` declares; `None` if it is no 64-bit ELF file.
pub(super) fn constant_bytes(cubin: &[u8]) -> Option<u32> {
    if !cubin.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (table, size) = (number::<8>(cubin, 0x28)?, number::<2>(cubin, 0x3a)?);
    let (count, names) = (number::<2>(cubin, 0x3c)?, number::<2>(cubin, 0x3e)?);
    let section = |index: u64| usize::try_from(table.checked_add(index.checked_mul(size)?)?).ok();
    let texts = number::<8>(cubin, section(names)? + 0x18)?;
    let mut bytes = 0;
    for index in 0..count {
        let at = section(index)?;
        let name = usize::try_from(texts.checked_add(number::<4>(cubin, at)?)?).ok()?;
        let name = cubin.get(name..)?.split(|&byte| byte == 0).next()?;
        if name == USER_CONSTANTS.as_bytes() {
            bytes += u32::try_from(number::<8>(cubin, at + 0x20)?).ok()?;
        }
    }
    Some(bytes)
}

/// The little-endian number of `N` bytes at `at`.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(N)?)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with the sections `sections`, names and sizes, the last of which is the table of names.
    fn elf(sections: &[(&str, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; 0x40];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        let names: String = sections.iter().map(|(name, _)| format!("{name}\0")).collect();
        bytes.extend(names.as_bytes());
        let table = bytes.len() as u64;
        bytes[0x28..0x30].copy_from_slice(&table.to_le_bytes());
        bytes[0x3a] = 0x40;
        bytes[0x3c] = sections.len() as u8;
        bytes[0x3e] = sections.len() as u8 - 1;
        let mut name = 0_u32;
        for (text, size) in sections {
            let mut section = [0; 0x40];
            section[..4].copy_from_slice(&name.to_le_bytes());
            section[0x18..0x20].copy_from_slice(&0x40_u64.to_le_bytes());
            section[0x20..0x28].copy_from_slice(&size.to_le_bytes());
            bytes.extend(section);
            name += text.len() as u32 + 1;
        }
        bytes
    }

    #[test]
    fn only_what_the_unit_declares_counts() {
        let names = (".shstrtab", 0);
        assert_eq!(constant_bytes(&elf(&[(".nv.constant0.k", 380), (".nv.constant3", 256), names])), Some(256));
        assert_eq!(constant_bytes(&elf(&[(".nv.constant0.k", 380), (".nv.constant30", 8), names])), Some(0));
        assert_eq!(constant_bytes(&elf(&[(".nv.constant3", 1 << 40), names])), None);
    }

    #[test]
    fn a_file_cut_anywhere_is_no_trouble() {
        let whole = elf(&[(".nv.constant3", 256), (".shstrtab", 0)]);
        for length in 0..whole.len() - 0x20 {
            assert_eq!(constant_bytes(&whole[..length]), None, "{length}");
        }
        let mut far = whole.clone();
        far[0x28..0x30].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(constant_bytes(&far), None);
    }
}

//! Turns what was typed for a GPU into which one is meant: the first, one by its number, one by its UUID.
//!
//! Must not know which GPUs there are.

/// Which of the GPUs that CUDA shows to this process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum GpuChoice {
    /// The first.
    #[default]
    First,
    /// By CUDA's number, which follows `CUDA_VISIBLE_DEVICES`.
    Number(u32),
    /// By UUID, which follows the card; that of a MIG instance is one, too.
    Uuid([u8; 16]),
}

impl std::str::FromStr for GpuChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(number) = text.parse() {
            return Ok(Self::Number(number));
        }
        let digits: String = text.trim_start_matches("GPU-").trim_start_matches("MIG-").chars().filter(|&c| c != '-').collect();
        let bytes = (digits.len() == 32 && digits.is_ascii()).then(|| {
            let mut bytes = [0; 16];
            for (byte, pair) in bytes.iter_mut().zip(0..) {
                *byte = u8::from_str_radix(digits.get(2 * pair..2 * pair + 2)?, 16).ok()?;
            }
            Some(bytes)
        });
        bytes.flatten().map(Self::Uuid).ok_or_else(|| "expected a number, or a UUID as `nvidia-smi -L` prints it".to_owned())
    }
}

impl std::fmt::Display for GpuChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::First => f.write_str("the first"),
            Self::Number(number) => write!(f, "number {number}"),
            Self::Uuid(uuid) => write!(f, "GPU-{}", hyphenated(*uuid)),
        }
    }
}

/// `01234567-89ab-…`
#[must_use]
pub fn hyphenated(uuid: [u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (at, byte) in uuid.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_a_number_or_a_uuid() {
        let uuid = std::array::from_fn(|at| at as u8 * 17);
        let cases = [
            ("0", Some(GpuChoice::Number(0))),
            ("12", Some(GpuChoice::Number(12))),
            ("GPU-00112233-4455-6677-8899-aabbccddeeff", Some(GpuChoice::Uuid(uuid))),
            ("MIG-00112233-4455-6677-8899-AABBCCDDEEFF", Some(GpuChoice::Uuid(uuid))),
            ("00112233445566778899aabbccddeeff", Some(GpuChoice::Uuid(uuid))),
            ("GPU-0011", None),
            ("-1", None),
            ("GPU-0011223344556677889+aabbccddeeff", None),
            ("all", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse().ok(), expected, "{text}");
        }
        assert_eq!(GpuChoice::Uuid(uuid).to_string().parse(), Ok(GpuChoice::Uuid(uuid)));
    }
}

//! A hash of content.

/// A hash of content: 128 bits of FNV-1a. It is not cryptographic: it detects accidental differences only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digest(u128);

impl Digest {
    pub(crate) const fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    /// The hash extended by more content and its length, so that the boundaries of pieces count.
    pub(crate) fn with(self, bytes: &[u8]) -> Self {
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let length = (bytes.len() as u64).to_le_bytes();
        let step = |sum: u128, &byte: &u8| (sum ^ u128::from(byte)).wrapping_mul(PRIME);
        Self(length.iter().fold(bytes.iter().fold(self.0, step), step))
    }

    pub(crate) fn text(self) -> String {
        format!("{:032x}", self.0)
    }
}

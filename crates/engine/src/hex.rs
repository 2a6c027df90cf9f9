//! Public bytes as hexadecimal digits: hashes, salts, seeds and signatures.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// 128 random bits that prevent guessing hidden cards from an event's hash.
pub type Salt = Hex<16>;

/// The maximum number of digits of a [`Hex`]: a signature's.
const LONGEST: usize = 128;

/// `N` public bytes, written as lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hex<const N: usize>(pub [u8; N]);

impl<const N: usize> Hex<N> {
    /// Reads exactly 2·N lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Hex<N>> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let text = text.as_bytes();
        if text.len() != 2 * N {
            return None;
        }
        let mut bytes = [0; N];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Hex(bytes))
    }
}

impl<const N: usize> Hex<N> {
    /// Passes the digits on.
    fn digits<T>(&self, take: impl FnOnce(&str) -> T) -> T {
        const { assert!(2 * N <= LONGEST) }
        const DIGITS: [u8; 16] = *b"0123456789abcdef";
        let mut digits = [0; LONGEST];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        take(str::from_utf8(&digits[..2 * N]).unwrap_or_default())
    }
}

impl<const N: usize> fmt::Display for Hex<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.digits(|digits| f.write_str(digits))
    }
}

impl<const N: usize> fmt::Debug for Hex<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<const N: usize> Serialize for Hex<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.digits(|digits| serializer.serialize_str(digits))
    }
}

impl<'de, const N: usize> Deserialize<'de> for Hex<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hex<N>, D::Error> {
        let text = String::deserialize(deserializer)?;
        Hex::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(format_args!("expected {} lower-case hexadecimal digits", 2 * N))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_reads_back_as_it_was_written_and_refuses_the_rest() {
        let hex = Hex([0, 1, 0xab, 0xff]);
        assert_eq!(hex.to_string(), "0001abff");
        assert_eq!(Hex::parse("0001abff"), Some(hex));
        for text in ["0001abf", "0001abff0", "0001ABFF", "0001abfg", ""] {
            assert_eq!(Hex::<4>::parse(text), None, "{text}");
        }
    }
}

//! Chance: the only source of shuffles, salts and the revealed seed for the engine.
//!
//! The engine makes no random choices. The application shuffles; a verifier passes the packs that the
//! revealed seeds prove.

use std::fmt;
use std::sync::Arc;

use arrayvec::ArrayVec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::card::Card;
use super::game::Table;

/// A pack of cards, from the top down.
pub type Pack = ArrayVec<Card, { Card::COUNT as usize }>;

/// Identifies a shuffle: the `attempt`-th deal (from 1) of a round (from 1). The draw for seats is round 0,
/// attempt 1 (common rules, C8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DealNumber {
    /// The round, 1‥19; 0 for the draw for seats.
    pub round: u8,
    /// The deal within the round, from 1: a redeal is the next attempt.
    pub attempt: u32,
}

impl DealNumber {
    /// The draw for seats (`plain`).
    pub const DRAW: DealNumber = DealNumber { round: 0, attempt: 1 };
}

/// Supplies the values that the engine cannot compute.
pub trait Chance {
    /// Shuffles a pack in canonical order (C8) for one deal. The same game and deal number always give the
    /// same order.
    fn shuffle(&mut self, deal: DealNumber, pack: &mut Pack);

    /// A new salt for an event with hidden parts: 128 bits, independent of the seed.
    fn salt(&mut self) -> Salt;

    /// The server seed. Called once, when the game is over and the seed becomes public.
    fn reveal(&mut self) -> Hex<32>;

    /// Called when a game starts, with its table: from now on its client seeds are final. Chance that does not depend
    /// on them ignores it.
    fn start(&mut self, _: &Arc<Table>) {}

    /// The commitment to the server seed that replaces the present one after an opening of client seeds failed.
    fn recommit(&mut self) -> Hex<32>;
}

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

/// A player's contribution to the shuffles: 32–64 lower-case hexadecimal digits, stored as given.
#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct ClientSeed(Box<str>);

/// The text is not a client seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a client seed is 32 to 64 lower-case hexadecimal digits")]
pub struct NotAClientSeed;

impl ClientSeed {
    /// Accepts 32–64 lower-case hexadecimal digits.
    pub fn new(text: impl Into<String>) -> Result<ClientSeed, NotAClientSeed> {
        let text = text.into();
        let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if digits && (32..=64).contains(&text.len()) {
            Ok(ClientSeed(text.into()))
        } else {
            Err(NotAClientSeed)
        }
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What commits a player to this seed: SHA-256 of its digits as ASCII text.
    pub fn commitment(&self) -> Hex<32> {
        Hex(Sha256::digest(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for ClientSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ClientSeed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ClientSeed, D::Error> {
        ClientSeed::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_seed_is_32_to_64_lower_case_digits() {
        for length in [32, 33, 63, 64] {
            let text = "0a".repeat(32)[..length].to_owned();
            let seed = ClientSeed::new(text.clone()).unwrap();
            assert_eq!(serde_json::to_value(&seed).unwrap(), serde_json::json!(text));
            assert_eq!(serde_json::from_value::<ClientSeed>(serde_json::json!(text)).unwrap(), seed);
        }
        let wrong = ["", &"a".repeat(31), &"a".repeat(65), &"A".repeat(32), &"g".repeat(40), &"é".repeat(20)];
        for text in wrong {
            assert_eq!(ClientSeed::new(text), Err(NotAClientSeed), "{text}");
            assert!(serde_json::from_value::<ClientSeed>(serde_json::json!(text)).is_err(), "{text}");
        }
    }

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

//! The values of client seeds: a seed, the commitment to it, and the state of a player's.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};

use super::hex::Hex;
use super::seat::Place;

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

/// What a player contributes to the shuffles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayerSeed {
    /// Nothing.
    #[default]
    Nothing,
    /// A seed that only the player knows.
    Committed(Hex<32>),
    /// A seed to which the player had committed.
    Opened {
        /// The commitment.
        commitment: Hex<32>,
        /// The seed.
        seed: ClientSeed,
    },
    /// The commitment is void because another player's seed stayed closed.
    Void,
    /// The commitment is void because this player's seed stayed closed.
    Missing,
}

crate::choices! {
    /// The state of a commitment to a client seed.
    pub enum CommitmentStatus {
        /// Only the player knows the seed.
        Committed = "committed",
        /// The seed is public, and it is the one committed to.
        Opened = "opened",
        /// Another player's seed stayed closed: the player must commit again, or go without a seed.
        Void = "void",
        /// The player's seed stayed closed: the player must commit again, or go without a seed.
        Missing = "missing",
    }
}

/// The commitment to a client seed, as everybody sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SeedCommitment {
    /// The place.
    pub place: Place,
    /// Its state.
    pub status: CommitmentStatus,
    /// SHA-256 of the seed's text; null when it is void or missing.
    pub commitment: Option<Hex<32>>,
}

impl PlayerSeed {
    /// The seed, once it is known.
    pub fn known(&self) -> Option<&ClientSeed> {
        match self {
            PlayerSeed::Opened { seed, .. } => Some(seed),
            _ => None,
        }
    }

    /// The commitment and its state; none without a commitment.
    pub fn commitment(&self) -> Option<(CommitmentStatus, Option<Hex<32>>)> {
        match self {
            PlayerSeed::Nothing => None,
            PlayerSeed::Committed(commitment) => Some((CommitmentStatus::Committed, Some(*commitment))),
            PlayerSeed::Opened { commitment, .. } => Some((CommitmentStatus::Opened, Some(*commitment))),
            PlayerSeed::Void => Some((CommitmentStatus::Void, None)),
            PlayerSeed::Missing => Some((CommitmentStatus::Missing, None)),
        }
    }

    /// The state after an opening that failed.
    pub(super) fn voided(&self, missing: bool) -> PlayerSeed {
        match self {
            PlayerSeed::Committed(_) if missing => PlayerSeed::Missing,
            PlayerSeed::Committed(_) | PlayerSeed::Opened { .. } => PlayerSeed::Void,
            other => other.clone(),
        }
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
    fn a_commitment_is_the_hash_of_the_text() {
        // printf %s 0123456789abcdef0123456789abcdef | sha256sum
        let seed = ClientSeed::new("0123456789abcdef".repeat(2)).unwrap();
        let expected = "3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9";
        assert_eq!(seed.commitment().to_string(), expected);
    }
}

//! Entries of the public log of games, and the promise that an entry will be in it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::canonical::{NotCanonical, canonical_json};
use super::statement::statement;
use super::time::RecordTime;
use estimation_engine::hex::Hex;

/// An entry of the public log. Its bytes are its canonical JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum LogEntry {
    /// A game began.
    Start {
        /// The game.
        game: Uuid,
        /// The time of `game_started`.
        at: RecordTime,
        /// The hash of `game_started`: so all commitments and opened seeds are bound.
        started: Hex<32>,
        /// The server's last commitment before the start.
        commitment: Hex<32>,
        /// The SHA-256 of the canonical JSON of `ruleset` in `game_created`.
        ruleset: Hex<32>,
        /// The pseudonym of the player at each place; null for a bot.
        seats: Vec<Option<Hex<32>>>,
    },
    /// A game is over.
    End {
        /// The game.
        game: Uuid,
        /// The time at which the service had verified the game; not before the last event.
        at: RecordTime,
        /// The number of events.
        events: u64,
        /// The hash of the last event.
        head: Hex<32>,
    },
    /// After record keys were lost, the operator verified the log of a game that goes on, and bound its head under another
    /// key.
    Adopted {
        /// The game.
        game: Uuid,
        /// The time of the adoption.
        at: RecordTime,
        /// The number of events at that time.
        events: u64,
        /// The hash of the last of them.
        head: Hex<32>,
    },
    /// An entry of a private game.
    Sealed {
        /// The SHA-256 of a salt of 32 bytes and the sealed entry's bytes.
        hash: Hex<32>,
    },
    /// The first entry of a log that continues another one.
    Origin {
        /// The last checkpoint of the other log, as a signed note.
        checkpoint: String,
    },
}

impl LogEntry {
    /// The bytes of the entry.
    ///
    /// # Errors
    /// For a number above 2⁵³ − 1.
    pub fn text(&self) -> Result<String, NotCanonical> {
        canonical_json(self)
    }

    /// The time of an entry of a game; none if it is sealed.
    pub fn at(&self) -> Option<RecordTime> {
        match self {
            LogEntry::Start { at, .. } | LogEntry::End { at, .. } | LogEntry::Adopted { at, .. } => Some(*at),
            LogEntry::Sealed { .. } | LogEntry::Origin { .. } => None,
        }
    }

    /// The game; none if it is sealed, or of no game.
    pub fn game(&self) -> Option<Uuid> {
        match self {
            LogEntry::Start { game, .. } | LogEntry::End { game, .. } | LogEntry::Adopted { game, .. } => {
                Some(*game)
            }
            LogEntry::Sealed { .. } | LogEntry::Origin { .. } => None,
        }
    }

    /// The entry that seals another one, given as its bytes.
    pub fn sealing(entry: &str, salt: &[u8; 32]) -> LogEntry {
        LogEntry::Sealed { hash: salted(salt, entry) }
    }
}

/// The pseudonym of an account in one game: SHA-256 of a salt of 32 bytes and the account's id as text.
pub fn pseudonym(salt: &[u8; 32], account: &str) -> Hex<32> {
    salted(salt, account)
}

/// The SHA-256 of the canonical JSON of the ruleset in the stored text of `game_created`, whose fields may be those of an
/// earlier version; none for another text.
pub fn ruleset_hash(created: &str) -> Option<Hex<32>> {
    let created: Value = serde_json::from_str(created).ok()?;
    let ruleset = canonical_json(created.pointer("/event/ruleset")?).ok()?;
    Some(Hex(Sha256::digest(ruleset).into()))
}

fn salted(salt: &[u8; 32], text: &str) -> Hex<32> {
    Hex(Sha256::new_with_prefix(salt).chain_update(text).finalize().into())
}

/// The promise that an entry will be in the log: what a record key signs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogPromise<'a> {
    /// The log's origin.
    pub origin: &'a str,
    /// The hash of the entry's leaf.
    pub leaf: Hex<32>,
    /// The latest time of the first checkpoint with the entry.
    pub by: RecordTime,
}

impl LogPromise<'_> {
    /// The bytes to sign: `estimation/log-promise/v1`, a newline, canonical JSON.
    ///
    /// # Errors
    /// None for an origin in printable ASCII.
    pub fn statement(&self) -> Result<Vec<u8>, NotCanonical> {
        statement("estimation/log-promise/v1", self)
    }
}

/// What opens an entry of a game in the log: `extra` in a proof file, as canonical JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// The bytes of the entry.
    pub entry: String,
    /// The salt of a sealed entry; null for an entry that is not sealed.
    pub salt: Option<Hex<32>>,
}

impl Opening {
    /// The bytes that the log has for the entry.
    ///
    /// # Errors
    /// None for an entry that is canonical.
    pub fn logged(&self) -> Result<String, NotCanonical> {
        match &self.salt {
            None => Ok(self.entry.clone()),
            Some(Hex(salt)) => LogEntry::sealing(&self.entry, salt).text(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_canonical_and_reads_back() {
        let at: RecordTime = "2026-01-01T00:00:00.000Z".parse().unwrap();
        let end = LogEntry::End { game: Uuid::nil(), at, events: 7, head: Hex([0xab; 32]) };
        let text = end.text().unwrap();
        let expected = format!(
            "{{\"at\":\"2026-01-01T00:00:00.000Z\",\"events\":7,\"game\":\"{}\",\"head\":\"{}\",\"type\":\"end\"}}",
            Uuid::nil(),
            "ab".repeat(32)
        );
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<LogEntry>(&text).unwrap(), end);
        let more = text.replace("\"events\"", "\"more\":1,\"events\"");
        assert!(serde_json::from_str::<LogEntry>(&more).is_err());
    }

    #[test]
    fn an_adoption_has_its_members_in_order() {
        let at: RecordTime = "2026-01-01T00:00:00.000Z".parse().unwrap();
        let adopted = LogEntry::Adopted { game: Uuid::nil(), at, events: 7, head: Hex([0xab; 32]) };
        let text = adopted.text().unwrap();
        let expected = format!(
            "{{\"at\":\"2026-01-01T00:00:00.000Z\",\"events\":7,\"game\":\"{}\",\"head\":\"{}\",\"type\":\"adopted\"}}",
            Uuid::nil(),
            "ab".repeat(32)
        );
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<LogEntry>(&text).unwrap(), adopted);
    }

    /// Computed in Python: `hashlib.sha256(bytes(range(32)) + b"{}").hexdigest()`.
    #[test]
    fn a_sealed_entry_is_the_hash_of_salt_and_entry() {
        let salt = std::array::from_fn(|i| i as u8);
        let opening = Opening { entry: "{}".to_owned(), salt: Some(Hex(salt)) };
        let hash = "3beb4649fb0f3ba0e4d1db3befc0f9e6982d28cf69bc263851e1b7635a0c9f38";
        assert_eq!(opening.logged().unwrap(), format!("{{\"hash\":\"{hash}\",\"type\":\"sealed\"}}"));
    }
}

//! What the start of a game states: the entry that the public log must have of it.

use uuid::Uuid;

use super::log_entry::LogEntry;
use super::time::RecordTime;
use estimation_engine::game::{Sitter, Table};
use estimation_engine::hex::Hex;

/// The start of a game as its log has it. Only the pseudonyms of its players are not in there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameStart {
    game: Uuid,
    at: RecordTime,
    hash: Hex<32>,
    commitment: Hex<32>,
    ruleset: Hex<32>,
    people: Vec<bool>,
}

impl GameStart {
    /// The start of the game at a table, with the time and the hash of `game_started`, and the
    /// [hash of the ruleset](crate::ruleset_hash).
    pub fn new(game: Uuid, (at, hash): (RecordTime, [u8; 32]), table: &Table, ruleset: Hex<32>) -> GameStart {
        let is_person =
            |place: &Option<Sitter>| place.as_ref().is_some_and(|sitter| sitter.player.account().is_some());
        GameStart {
            game,
            at,
            hash: Hex(hash),
            commitment: table.commitment,
            ruleset,
            people: table.places.values().map(is_person).collect(),
        }
    }

    /// The time of `game_started`.
    pub fn at(&self) -> RecordTime {
        self.at
    }

    /// For each place whether a person, and not a bot, sits there.
    pub fn people(&self) -> &[bool] {
        &self.people
    }

    /// The entry with a pseudonym for each place; none for a bot.
    pub fn entry(&self, seats: Vec<Option<Hex<32>>>) -> LogEntry {
        let GameStart { game, at, hash: started, commitment, ruleset, .. } = *self;
        LogEntry::Start { game, at, started, commitment, ruleset, seats }
    }

    /// Whether an entry states this start.
    pub fn is_stated_by(&self, entry: &LogEntry) -> bool {
        let LogEntry::Start { seats, .. } = entry else { return false };
        seats.iter().map(Option::is_some).eq(self.people.iter().copied())
            && self.entry(seats.clone()) == *entry
    }
}

//! What the public log has of one game, compared with the game's own log: before its end is signed, and in audits.

use std::collections::HashMap;

use super::entries::leaf;
use super::queue::stated_head;
use crate::base::failure::milliseconds;
use estimation_engine::event::Visibility;
use estimation_engine::game::Game;
use estimation_engine::hex::Hex;
use estimation_record::{GameStart, LogEntry, RecordTime, pseudonym};
use estimation_store::adopted_heads::AdoptedHead;
use estimation_store::public_log::audit_reads::{self, LogGame, LoggedStart};
use estimation_store::{Connection, GameId, StoreError, accounts};

/// A game as its log makes it.
pub(crate) struct Comparable<'g> {
    pub(crate) id: GameId,
    pub(crate) state: &'g Game,
    /// None for a game that did not start.
    pub(crate) start: Option<&'g GameStart>,
}

/// The end of a game as its log makes it.
pub(crate) struct ComparableEnd {
    /// The number, hash and time of the last event.
    pub(crate) last: (u64, [u8; 32], RecordTime),
    /// The time of the entry of its end, as the game's row says it; none before the public log got the end.
    pub(crate) logged_at: Option<i64>,
}

/// Checks that a promise was signed, for a start at a time.
pub(crate) type IsPromised<'a> =
    dyn Fn(&mut Connection, &LoggedStart, RecordTime) -> Result<bool, StoreError> + 'a;

/// The contradictions between a game and its start in the log, its promise and the salts of its pseudonyms.
pub(crate) fn start_faults(
    conn: &mut Connection,
    game: &Comparable<'_>,
    stored: Option<&LogGame>,
    is_promised: &IsPromised<'_>,
) -> Result<Vec<&'static str>, StoreError> {
    let salts: HashMap<String, [u8; 32]> = audit_reads::salts_of_game(conn, game.id)?.into_iter().collect();
    let (start, entry) = match (game.start, stored.and_then(|stored| stored.start.as_ref())) {
        (Some(start), Some(entry)) => (start, entry),
        (None, Some(_)) => return Ok(vec!["the public log has a start, and the game did not start"]),
        (Some(_), None) => return Ok(vec!["the public log has no start of the game"]),
        (None, None) if salts.is_empty() => return Ok(Vec::new()),
        (None, None) => {
            return Ok(vec!["there are salts of pseudonyms, and the public log has no start of the game"]);
        }
    };
    let mut faults = Vec::new();
    let mut wrong = |is_wrong: bool, detail: &'static str| faults.extend(is_wrong.then_some(detail));
    wrong(entry.salt.is_some() != is_private(game), NOT_SEALED);
    let read: Result<LogEntry, _> = serde_json::from_str(&entry.entry);
    let states =
        read.is_ok_and(|read| start.is_stated_by(&read) && read.text().is_ok_and(|text| text == entry.entry));
    wrong(!states, "the start in the public log is not that of the game");
    wrong(
        leaf(&entry.entry, entry.salt.as_ref()).map(|leaf| leaf.0).ok() != Some(entry.promise.leaf),
        "the promise is of another entry than the start in the public log",
    );
    wrong(
        !is_promised(conn, entry, start.at())?,
        "the promise that the public log has the game is not the one that was signed",
    );
    salts_agree(conn, entry, game, &salts, &mut wrong)?;
    Ok(faults)
}

/// The contradictions between the end of a game and its entry.
pub(crate) fn end_faults(
    game: &Comparable<'_>,
    end: &ComparableEnd,
    stored: Option<&LogGame>,
) -> Vec<&'static str> {
    let Some((entry, salt)) = stored.and_then(|stored| stored.end.as_ref()) else {
        return Vec::from_iter(end.logged_at.map(|_| "the public log lacks the end of the game"));
    };
    let mut faults = Vec::new();
    faults.extend((salt.is_some() != is_private(game)).then_some(NOT_SEALED));
    faults.extend(
        (!end_agrees(entry, game, end)).then_some("the end in the public log is not that of the game"),
    );
    faults
}

/// The contradictions between an adopted head and its entry. The verifier compares the entry with the events.
pub(crate) fn adoption_faults(game: &Comparable<'_>, adopted: &AdoptedHead) -> Vec<&'static str> {
    let mut faults = Vec::new();
    faults.extend((adopted.salt.is_some() != is_private(game)).then_some(NOT_SEALED));
    let is_stated = stated_head(game.id, adopted).is_some();
    faults.extend((!is_stated).then_some("the entry of an adoption is not that of the adopted head"));
    faults
}

pub(crate) const NOT_SEALED: &str = "an entry of a private game is not sealed, or that of a public game is";

fn is_private(game: &Comparable<'_>) -> bool {
    game.state.table.visibility == Visibility::Private
}

fn end_agrees(entry: &str, game: &Comparable<'_>, end: &ComparableEnd) -> bool {
    let Ok(LogEntry::End { at, .. }) = serde_json::from_str(entry) else { return false };
    let (events, head, ended) = end.last;
    let expected = LogEntry::End { game: game.id.0, at, events, head: Hex(head) }.text();
    let is_dated = end.logged_at == Some(milliseconds(at.timestamp()));
    game.state.is_over() && is_dated && at >= ended && expected.is_ok_and(|expected| expected == *entry)
}

/// Compares the pseudonyms of the start with the salts. Those of deleted accounts are gone.
fn salts_agree(
    conn: &mut Connection,
    start: &LoggedStart,
    game: &Comparable<'_>,
    salts: &HashMap<String, [u8; 32]>,
    wrong: &mut impl FnMut(bool, &'static str),
) -> Result<(), StoreError> {
    let Ok(LogEntry::Start { seats, .. }) = serde_json::from_str(&start.entry) else { return Ok(()) };
    let mut known = 0;
    for (sitter, shown) in game.state.table.places.values().zip(seats) {
        let Some(account) = sitter.as_ref().and_then(|sitter| sitter.player.account()) else { continue };
        match salts.get(account.as_str()) {
            Some(salt) => {
                known += 1;
                let agrees = shown == Some(pseudonym(salt, account.as_str()));
                wrong(!agrees, "a salt does not lead to the pseudonym in the public log");
            }
            None => {
                let exists = accounts::find(conn, account)?.is_some();
                wrong(exists, "a player's salt of the pseudonym in the public log is missing");
            }
        }
    }
    wrong(known != salts.len(), "there is a salt of an account that did not play");
    Ok(())
}

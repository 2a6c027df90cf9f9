//! What the public log has of one game, compared with the game's own log: before its end is signed, and in audits.

use std::collections::HashMap;

use super::entries::leaf;
use super::queue::stated_head;
use crate::base::failure::milliseconds;
use estimation_engine::event::Visibility;
use estimation_engine::game::Game;
use estimation_engine::hex::Hex;
use estimation_record::verify::{Difference, GameBounds};
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
    let entry = stored.and_then(|stored| stored.start.as_ref());
    let read = entry.map(|entry| read(&entry.entry));
    let bounds = GameBounds { game: game.id.0, start: game.start, end: None };
    let difference = bounds.differences(read.as_ref(), None).next();
    let (start, entry) = match (difference, game.start.zip(entry)) {
        (Some(Difference::NotStarted), _) => {
            return Ok(vec!["the public log has a start, and the game did not start"]);
        }
        (Some(Difference::StartMissing), _) => return Ok(vec!["the public log has no start of the game"]),
        (_, None) if salts.is_empty() => return Ok(Vec::new()),
        (_, None) => {
            return Ok(vec!["there are salts of pseudonyms, and the public log has no start of the game"]);
        }
        (_, Some(both)) => both,
    };
    let mut faults = Vec::new();
    let mut wrong = |is_wrong: bool, detail: &'static str| faults.extend(is_wrong.then_some(detail));
    wrong(entry.salt.is_some() != is_private(game), NOT_SEALED);
    wrong(difference.is_some(), "the start in the public log is not that of the game");
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
    let (events, head, ended) = end.last;
    let own = game.state.is_over().then_some((events, Hex(head)));
    let entry = read(entry);
    let differs =
        GameBounds { game: game.id.0, start: None, end: own }.differences(None, Some(&entry)).next();
    let is_dated = |at: RecordTime| end.logged_at == Some(milliseconds(at.timestamp())) && at >= ended;
    differs.is_none() && entry.at().is_some_and(is_dated)
}

/// An entry of a game, in canonical JSON; another text counts as an entry of no game.
pub(crate) fn read(entry: &str) -> LogEntry {
    let read = serde_json::from_str::<LogEntry>(entry).ok();
    let canonical = read.filter(|read| read.text().is_ok_and(|text| text == entry));
    canonical.unwrap_or(LogEntry::Origin { checkpoint: String::new() })
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

//! What the public log has of one game, compared with the game's log.

use std::collections::HashMap;

use super::row::Fault;
use crate::base::failure::milliseconds;
use crate::games::failure::GameFailure;
use crate::public_log::{leaf, promise_statement};
use estimation_engine::event::Visibility;
use estimation_engine::game::Game;
use estimation_engine::hex::Hex;
use estimation_record::verify::{Rule, SignatureLine, Trust};
use estimation_record::{LogEntry, RecordTime, pseudonym, ruleset_hash};
use estimation_store::public_log::audit_reads::{self, LogGame, LoggedStart};
use estimation_store::{Connection, GameId, accounts};

/// A game as its log makes it.
pub(super) struct Played<'g> {
    pub(super) id: GameId,
    pub(super) state: &'g Game,
    /// The time of `game_started`; none for a game that did not start.
    pub(super) started_at: Option<RecordTime>,
    /// The number, hash and time of the last event.
    pub(super) last: (u64, [u8; 32], RecordTime),
    /// The time of the entry of its end, as the game's row says it; none before the public log got the end.
    pub(super) logged_at: Option<i64>,
}

/// The contradictions between a game and its entries, promise and salts. A game without a start in the log did not start,
/// or its row was deleted: the entries in the log show the difference.
pub(super) fn log_faults(
    conn: &mut Connection,
    origins: &[String],
    trust: &Trust,
    played: &Played<'_>,
) -> Result<Vec<Fault>, GameFailure> {
    let stored = audit_reads::find(conn, played.id)?;
    let salts: HashMap<String, [u8; 32]> = audit_reads::salts_of_game(conn, played.id)?.into_iter().collect();
    let mut faults = Vec::new();
    let mut wrong = |is_wrong: bool, detail: &str| {
        if is_wrong {
            faults.push((Rule::State, detail.to_owned()));
        }
    };
    let Some(stored) = stored else {
        wrong(
            !salts.is_empty(),
            "there are salts of pseudonyms, and the public log has no start of the game",
        );
        wrong(played.logged_at.is_some(), "the public log lacks the end of the game");
        return Ok(faults);
    };
    let is_private = played.state.table.visibility == Visibility::Private;
    let salted = stored.start.iter().map(|start| start.salt).chain(stored.end.iter().map(|end| end.1));
    wrong(
        salted.map(|salt| salt.is_some()).any(|is_sealed| is_sealed != is_private),
        "an entry of a private game is not sealed, or that of a public game is",
    );
    wrong(!end_agrees(&stored, played)?, "the end in the public log is not that of the game");
    let Some(start) = &stored.start else {
        wrong(
            !salts.is_empty(),
            "there are salts of pseudonyms, and the public log has no start of the game",
        );
        return Ok(faults);
    };
    let Some(at) = played.started_at else {
        wrong(true, "the public log has a start, and the game did not start");
        return Ok(faults);
    };
    wrong(!start_agrees(&start.entry, played, at)?, "the start in the public log is not that of the game");
    wrong(
        leaf(&start.entry, start.salt.as_ref())?.0 != start.promise.leaf,
        "the promise is of another entry than the start in the public log",
    );
    let signature = SignatureLine { kid: start.promise.kid.clone(), value: Hex(start.promise.signature) };
    // The first games may start before the log begins.
    let mut kept = origins.is_empty();
    for origin in origins {
        let statement = promise_statement(origin, &start.promise, at)?;
        kept |= statement.is_some_and(|statement| trust.problem(&statement, &signature).is_none());
    }
    wrong(!kept, "the promise that the public log has the game is not the one that was signed");
    salts_agree(conn, start, played, &salts, &mut wrong)?;
    Ok(faults)
}

fn start_agrees(entry: &str, played: &Played<'_>, at: RecordTime) -> Result<bool, GameFailure> {
    let table = &played.state.table;
    let Ok(LogEntry::Start { seats, .. }) = serde_json::from_str(entry) else { return Ok(false) };
    let people: Vec<bool> = table
        .places
        .values()
        .map(|sitter| sitter.as_ref().is_some_and(|sitter| sitter.player.account().is_some()))
        .collect();
    let are_people = seats.iter().map(Option::is_some).eq(people);
    let ruleset = ruleset_hash(&table.ruleset)?;
    let expected = LogEntry::Start { game: played.id.0, at, commitment: table.commitment, ruleset, seats };
    Ok(are_people && expected.text()? == entry)
}

fn end_agrees(stored: &LogGame, played: &Played<'_>) -> Result<bool, GameFailure> {
    let Some((entry, _)) = &stored.end else { return Ok(played.logged_at.is_none()) };
    let Ok(LogEntry::End { at, .. }) = serde_json::from_str(entry) else { return Ok(false) };
    let (events, head, ended) = played.last;
    let expected = LogEntry::End { game: played.id.0, at, events, head: Hex(head) }.text()?;
    let is_dated = played.logged_at == Some(milliseconds(at.timestamp()));
    Ok(played.state.is_over() && is_dated && at >= ended && expected == *entry)
}

/// Compares the pseudonyms of the start with the salts. Those of deleted accounts are gone.
fn salts_agree(
    conn: &mut Connection,
    start: &LoggedStart,
    played: &Played<'_>,
    salts: &HashMap<String, [u8; 32]>,
    wrong: &mut impl FnMut(bool, &str),
) -> Result<(), GameFailure> {
    let Ok(LogEntry::Start { seats, .. }) = serde_json::from_str(&start.entry) else { return Ok(()) };
    let mut known = 0;
    for (sitter, shown) in played.state.table.places.values().zip(seats) {
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

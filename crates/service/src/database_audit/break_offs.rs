//! Break-offs of one game: each player who still has an account has exactly those that follow from the log.

use super::row::Fault;
use crate::base::failure::milliseconds;
use crate::games::committed_event::acted_event_of;
use crate::games::failure::GameFailure;
use estimation_engine::break_off::break_offs;
use estimation_engine::event::EventKind;
use estimation_engine::game::Game;
use estimation_record::verify::Rule;
use estimation_store::break_offs::{BreakOffRow, NewBreakOff, of_game};
use estimation_store::event_reads::StoredEvent;
use estimation_store::{Connection, GameId, accounts};

/// The kinds of events that may record a break-off. Only these are parsed.
const KINDS: [EventKind; 4] =
    [EventKind::GameAbandoned, EventKind::OpeningFailed, EventKind::PlayerLeft, EventKind::PlayerForfeited];

/// The break-offs that an event records after a state. Empty for an event that cannot be read: the log is a finding then.
pub(super) fn recorded_break_offs(game: GameId, state: &Game, stored: &StoredEvent) -> Vec<BreakOffRow> {
    if !KINDS.iter().any(|kind| stored.body.contains(kind.as_str())) {
        return Vec::new();
    }
    let Ok((at, actor, event)) = acted_event_of(game, stored) else { return Vec::new() };
    let row = |account, kind| {
        let (seq, at) = (stored.seq as i64, milliseconds(at.timestamp()));
        BreakOffRow::of(game, &NewBreakOff { seq, account, kind, at })
    };
    let found = break_offs(state, actor, &event);
    found.into_iter().map(|found| row(found.account, found.kind.as_str())).collect()
}

/// The contradictions between the stored break-offs of a game and those that its log records.
pub(super) fn break_off_faults(
    conn: &mut Connection,
    game: GameId,
    mut recorded: Vec<BreakOffRow>,
) -> Result<Vec<Fault>, GameFailure> {
    let mut faults = Vec::new();
    let mut fault = |row: &BreakOffRow, what: &str| {
        let BreakOffRow { account_id, seq, kind, .. } = row;
        faults.push((Rule::State, format!("account {account_id} {what} {kind} of event {seq}")));
    };
    for stored in of_game(conn, game)? {
        match recorded.iter().position(|recorded| *recorded == stored) {
            Some(index) => drop(recorded.swap_remove(index)),
            None => fault(&stored, "has a break-off that the log does not record:"),
        }
    }
    for missing in &recorded {
        if accounts::find(conn, &missing.account_id)?.is_some() {
            fault(missing, "lacks the break-off that the log records:");
        }
    }
    Ok(faults)
}

//! The rows of one game, compared with its log: its row, dates, seats, seed and break-offs.

use super::comparison::BREAK_OFFS;
use crate::base::failure::Failure;
use crate::games::committed_event::acted_event_of;
use crate::matchmaking::terms;
use estimation_engine::break_off::break_offs;
use estimation_engine::event::{EventKind, Visibility};
use estimation_engine::game::Game;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_record::fairness::ServerSeed;
use estimation_record::verify::{Rule, Verifier};
use estimation_store::break_offs::{BreakOffRow, NewBreakOff, of_game as stored_break_offs};
use estimation_store::ended_games::EndedGame;
use estimation_store::event_reads::StoredEvent;
use estimation_store::games::{GameRow, JobDates};
use estimation_store::{Connection, GameId, foreign_rows, matchmaking, players, seeds};

pub(super) type Fault = (Rule, String);

/// The contradictions between the rows of a game and its log, which began at a time. `ended` is its signed end, and
/// `is_packed` whether there is a packed log.
pub(super) fn row_faults(
    conn: &mut Connection,
    row: &GameRow,
    (dates, is_packed): (JobDates, bool),
    began: Option<RecordTime>,
    ended: Option<&EndedGame>,
    verifier: &Verifier<'_>,
) -> Result<Vec<Fault>, Failure> {
    // A log that is being packed has a packed log, perhaps events, and no date yet.
    let is_wholly_packed = is_packed && !foreign_rows::has_events(conn, row.id)?;
    let is_packed_at =
        |at| is_wholly_packed && row.ended_at.is_some_and(|ended_at| ended_at.milliseconds() <= at);
    let signed_at = ended.map(|ended| ended.signed_at);
    let mut faults = wrong([
        (
            Rule::State,
            dates.signed_at != signed_at,
            "the row says that the game was signed at another time than its signed end",
        ),
        (
            Rule::State,
            dates.packed_at.is_some_and(|at| !is_packed_at(at)),
            "the row says that the log is packed, and it is not",
        ),
    ]);
    let (Some(began), (head, Some(last))) = (began, verifier.position()) else {
        faults.push((Rule::State, "the game has no events".to_owned()));
        return Ok(faults);
    };
    let Some(game) = verifier.state() else { return Ok(faults) };
    let table = &game.table;
    let seed = seeds::find(conn, row.id)?.map(|seed| ServerSeed::from_bytes(*seed.expose()));
    let seed = seed.map(|seed| seed.after_openings(table.openings));
    let head = (verifier.seq(), head);
    let key = terms(game.rules()).ok();
    let mut waiting = matchmaking::of_game(conn, row.id)?.into_iter().filter_map(|waiting| waiting.terms);
    faults.extend(wrong([
        (
            Rule::Commitment,
            !seed.is_some_and(|seed| seed.opens(&table.commitment)),
            "the stored seed does not match the commitment",
        ),
        (
            Rule::State,
            ended.is_some_and(|ended| (ended.events, ended.head) != head),
            "the signed end is not that of the log",
        ),
        (Rule::State, !row_agrees(row, game), "the game's row does not match its log"),
        (
            Rule::State,
            row.created_at != began,
            "the row says that the game was created at another time than its first event",
        ),
        (
            Rule::State,
            row.ended_at != game.is_over().then_some(last),
            "the row says that the game ended at another time than its last event",
        ),
        (
            Rule::State,
            !(began..=last).contains(&row.updated_at),
            "the row was updated at a time outside the log",
        ),
        (Rule::State, !seats_agree(conn, row, game)?, "the stored seats are not those of the log"),
        (
            Rule::State,
            row.join_code.is_some() != (table.visibility == Visibility::Private),
            "a private game has no invitation code, or a public one has",
        ),
        (
            Rule::State,
            row.wake_at.is_some() != verifier.deadline().is_some(),
            "the row has no timer, and one is due, or the reverse",
        ),
        (
            Rule::State,
            waiting.any(|waiting| Some(waiting) != key),
            "an account waits at the table for another game than that of the log",
        ),
    ]));
    Ok(faults)
}

/// The rules and the words of the comparisons that are wrong.
fn wrong<const N: usize>(comparisons: [(Rule, bool, &str); N]) -> Vec<Fault> {
    let wrong = comparisons.into_iter().filter(|(_, is_wrong, _)| *is_wrong);
    wrong.map(|(rule, _, words)| (rule, words.to_owned())).collect()
}

fn row_agrees(row: &GameRow, game: &Game) -> bool {
    let taken = game.table.places.values().flatten().count();
    game.status().as_str() == row.status
        && game.table.host == row.host
        && game.rules().id.as_str() == row.ruleset
        && game.table.visibility.as_str() == row.visibility
        && usize::try_from(row.taken) == Ok(taken)
        && i32::from(game.rules().players) == row.players
}

fn seats_agree(conn: &mut Connection, row: &GameRow, game: &Game) -> Result<bool, Failure> {
    let stored: Vec<(i32, String, Option<AccountId>)> = players::of_game(conn, row.id)?
        .into_iter()
        .map(|player| (player.place, player.kind, player.account_id))
        .collect();
    let places = (0..).zip(game.table.places.values());
    let seated = places.filter_map(|(place, sitter)| {
        let account = sitter.as_ref()?.player.account().cloned();
        let kind = if account.is_some() { "human" } else { "bot" };
        Some((place, kind.to_owned(), account))
    });
    Ok(stored == seated.collect::<Vec<_>>())
}

/// The kinds of events that may record a break-off. Only these are parsed.
const KINDS: [EventKind; 4] =
    [EventKind::GameAbandoned, EventKind::OpeningFailed, EventKind::PlayerLeft, EventKind::PlayerForfeited];

/// The break-offs that an event records after a state. Empty for an event that cannot be read: the log is a finding then.
pub(super) fn recorded_break_offs(row: &GameRow, state: &Game, stored: &StoredEvent) -> Vec<BreakOffRow> {
    if !KINDS.iter().any(|kind| stored.body.contains(kind.as_str())) {
        return Vec::new();
    }
    let Ok((at, actor, event)) = acted_event_of(row.id, stored) else { return Vec::new() };
    let seq = stored.seq as i64;
    let found = break_offs(state, actor, &event).into_iter();
    found
        .map(|found| NewBreakOff { seq, account: found.account, kind: found.kind.as_str(), at })
        .map(|new| BreakOffRow::of(row.id, &new))
        .collect()
}

/// The contradictions between the stored break-offs of a game and those that its log records.
pub(super) fn break_off_faults(
    conn: &mut Connection,
    game: GameId,
    recorded: Vec<BreakOffRow>,
) -> Result<Vec<Fault>, Failure> {
    let key =
        |row: BreakOffRow| ((row.account_id, vec![row.kind, row.seq.to_string(), row.at.to_string()]), ());
    let stored = stored_break_offs(conn, game)?.into_iter().map(key);
    let faults = BREAK_OFFS.faults(conn, recorded.into_iter().map(key).collect(), stored)?;
    Ok(faults.into_iter().map(|fault| (Rule::State, fault)).collect())
}

//! The rows of one game, compared with its log: its row, dates, seats and seed.

use crate::base::failure::milliseconds;
use crate::games::failure::GameFailure;
use crate::matchmaking::terms;
use estimation_engine::event::Visibility;
use estimation_engine::game::Game;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_record::fairness::ServerSeed;
use estimation_record::verify::{Rule, Verifier};
use estimation_store::ended_games::EndedGame;
use estimation_store::games::GameRow;
use estimation_store::{Connection, foreign_rows, games, matchmaking, packed, players, seeds};

pub(super) type Fault = (Rule, String);

/// The contradictions between the rows of a game and its log, which began at a time. `ended` is its
/// signed end.
pub(super) fn row_faults(
    conn: &mut Connection,
    row: &GameRow,
    began: Option<RecordTime>,
    ended: Option<&EndedGame>,
    verifier: &Verifier<'_>,
) -> Result<Vec<Fault>, GameFailure> {
    let mut faults = step_date_faults(conn, row, ended)?;
    let (Some(began), (_, Some(last))) = (began, verifier.position()) else {
        faults.push((Rule::State, "the game has no events".to_owned()));
        return Ok(faults);
    };
    let Some(game) = verifier.state() else { return Ok(faults) };
    let seed = seeds::find(conn, row.id)?.map(|seed| ServerSeed::from_bytes(*seed.expose()));
    let seed = seed.map(|seed| seed.after_openings(game.table.openings));
    if !seed.is_some_and(|seed| seed.opens(&game.table.commitment)) {
        faults.push((Rule::Commitment, "the stored seed does not match the commitment".to_owned()));
    }
    let (head, _) = verifier.position();
    if ended.is_some_and(|ended| (ended.events, ended.head) != (verifier.seq(), head)) {
        faults.push((Rule::State, "the signed end is not that of the log".to_owned()));
    }
    let [began, last] = [began, last].map(|at| milliseconds(at.timestamp()));
    let mut state = |wrong: bool, detail: &str| {
        if wrong {
            faults.push((Rule::State, detail.to_owned()));
        }
    };
    state(!row_agrees(row, game), "the game's row does not match its log");
    state(
        row.created_at != began,
        "the row says that the game was created at another time than its first event",
    );
    let ended_at = game.is_over().then_some(last);
    state(row.ended_at != ended_at, "the row says that the game ended at another time than its last event");
    let updated = began..=last;
    state(!updated.contains(&row.updated_at), "the row was updated at a time outside the log");
    state(!seats_agree(conn, row, game)?, "the stored seats are not those of the log");
    let is_private = game.table.visibility == Visibility::Private;
    state(
        row.join_code.is_some() != is_private,
        "a private game has no invitation code, or a public one has",
    );
    let is_timed = verifier.deadline().is_some();
    state(row.wake_at.is_some() != is_timed, "the row has no timer, and one is due, or the reverse");
    for waiting in matchmaking::of_game(conn, row.id)? {
        if waiting.terms.is_some_and(|key| terms(game.rules()).ok() != Some(key)) {
            state(true, "an account waits at the table for another game than that of the log");
        }
    }
    Ok(faults)
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

fn seats_agree(conn: &mut Connection, row: &GameRow, game: &Game) -> Result<bool, GameFailure> {
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

/// The dates of the steps that sign and pack ended games.
fn step_date_faults(
    conn: &mut Connection,
    row: &GameRow,
    ended: Option<&EndedGame>,
) -> Result<Vec<Fault>, GameFailure> {
    let Some(dates) = games::job_dates(conn, row.id)? else { return Ok(Vec::new()) };
    let mut faults = Vec::new();
    if dates.signed_at != ended.map(|ended| ended.signed_at) {
        let detail = "the row says that the game was signed at another time than its signed end";
        faults.push((Rule::State, detail.to_owned()));
    }
    // A log that is being packed has a packed log, perhaps events, and no date yet.
    if let Some(packed_at) = dates.packed_at
        && (packed::head(conn, row.id)?.is_none()
            || foreign_rows::has_events(conn, row.id)?
            || row.ended_at.is_none_or(|ended_at| packed_at < ended_at))
    {
        faults.push((Rule::State, "the row says that the log is packed, and it is not".to_owned()));
    }
    Ok(faults)
}

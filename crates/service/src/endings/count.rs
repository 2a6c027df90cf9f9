//! Counts ended games in results and ratings, in the order of their numbers.
//!
//! The transaction that counts a game also marks it, so it is counted once. An unreadable game is marked as
//! skipped and counted once it can be read, after all games counted by then. Ratings depend on this order, so
//! each game stores it.

use std::ops::AddAssign;
use std::sync::Arc;
use std::time::Duration;

use super::{Endings, last_event};
use crate::base::failure::{Failure, milliseconds};
use crate::base::pacing::PacedJob;
use crate::games::skipped_games::Job;
use crate::players::rating::{Rating, rated};
use estimation_engine::outcome::{Outcome, PersonOutcome, outcome};
use estimation_engine::ruleset::RulesetId;
use estimation_engine::seat::{MAX_PLAYERS, Seat, SeatSet};
use estimation_record::RecordTime;
use estimation_store::event_reads::Head;
use estimation_store::ratings::{self, RatingRow};
use estimation_store::results::{self, ResultRow, UncountedGame};
use estimation_store::{Connection, GameId, StoreError, accounts, ended_games};

/// Games counted per transaction.
const BATCH: i64 = 2;

/// What to do with the next game.
enum Step {
    Count(Countable),
    PassOver(UncountedGame),
}

#[derive(Clone)]
struct Countable {
    uncounted: UncountedGame,
    ruleset: RulesetId,
    ended_at: RecordTime,
    /// `None` for an abandoned game and for one with a hint.
    outcome: Option<Outcome>,
}

/// How a game with this outcome counts.
pub(crate) fn kind(outcome: Option<&Outcome>) -> &'static str {
    match outcome {
        Some(outcome) if outcome.rated => "rated",
        Some(_) => "unrated",
        None => "no_result",
    }
}

/// A set of seats as one bit for each, as the database stores it.
fn seat_bits(seats: SeatSet) -> i32 {
    seats.iter().fold(0, |bits, seat| bits | 1 << seat.index())
}

/// The seats of stored bits.
pub(crate) fn seats_of_bits(bits: i32) -> SeatSet {
    (0..MAX_PLAYERS as u8).filter(|seat| bits >> seat & 1 == 1).map(Seat::new).collect()
}

impl Step {
    fn uncounted(&self) -> &UncountedGame {
        match self {
            Step::Count(game) => &game.uncounted,
            Step::PassOver(uncounted) => uncounted,
        }
    }

    /// How long the game has been over.
    fn waited(&self, now: i64) -> Duration {
        match self {
            Step::Count(game) => {
                Duration::from_millis(u64::try_from(now - game.ended_at.milliseconds()).unwrap_or_default())
            }
            Step::PassOver(_) => Duration::ZERO,
        }
    }
}

impl Endings {
    /// Counts every signed game that is not counted yet. Returns how many this call counted.
    pub async fn count(&self) -> Result<usize, Failure> {
        if self.games.has_newer_games() {
            return Ok(0);
        }
        let mut counted = self.count_passed_over().await?;
        loop {
            let next = self.database.read(|conn| results::uncounted(conn, BATCH)).await?;
            let mut steps = Vec::with_capacity(next.len());
            for uncounted in next {
                steps.push(match self.countable(&uncounted).await {
                    Ok(game) => Step::Count(game),
                    Err(failure) => {
                        self.skipped_games.skip(Job::Count, uncounted.game, failure)?;
                        Step::PassOver(uncounted)
                    }
                });
            }
            if steps.is_empty() {
                return Ok(counted);
            }
            let settled = self.take_steps(steps).await?;
            counted += settled.counted;
            // Another node is counting.
            if settled.games == 0 {
                return Ok(counted);
            }
        }
    }

    /// Takes the next steps, one by one if the batch fails.
    async fn take_steps(&self, steps: Vec<Step>) -> Result<CountProgress, Failure> {
        let now = milliseconds(self.clock.now());
        let steps: Arc<[Step]> = steps.into();
        let all = Arc::clone(&steps);
        let waited = steps.iter().map(|step| step.waited(now)).max().unwrap_or_default();
        match self.pacer.write(PacedJob::Count, waited, move |conn| settle(conn, &all, now)).await {
            Ok(settled) => return Ok(settled),
            Err(error) if error.is_unavailable() => return Err(error.into()),
            Err(error) => tracing::debug!(%error, "counting games one by one"),
        }
        let mut settled = CountProgress::default();
        for index in 0..steps.len() {
            let one = Arc::clone(&steps);
            let write = move |conn: &mut Connection| settle(conn, &one[index..=index], now);
            let write = self.pacer.write(PacedJob::Count, waited, write).await;
            settled += match write {
                Ok(one) => one,
                Err(error) => {
                    let uncounted = steps[index].uncounted().clone();
                    self.skipped_games.skip(Job::Count, uncounted.game, error.into())?;
                    let pass = Step::PassOver(uncounted);
                    let write = move |conn: &mut Connection| settle(conn, std::slice::from_ref(&pass), now);
                    self.pacer.write(PacedJob::Count, waited, write).await?
                }
            };
        }
        Ok(settled)
    }

    /// Counts skipped games that can be read now. Returns how many.
    async fn count_passed_over(&self) -> Result<usize, Failure> {
        let skip = self.skipped_games.paused(Job::Count);
        let mut counted = 0;
        for uncounted in self.database.read(move |conn| results::skipped(conn, &skip)).await? {
            let now = milliseconds(self.clock.now());
            let count = async {
                let game = self.countable(&uncounted).await?;
                let write = move |conn: &mut Connection| count_late(conn, &game, now);
                Ok(self.pacer.write(PacedJob::Count, Duration::ZERO, write).await?)
            };
            let late = self.skipped_games.settle(Job::Count, uncounted.game, count.await)?;
            counted += usize::from(late == Some(true));
        }
        Ok(counted)
    }

    async fn countable(&self, uncounted: &UncountedGame) -> Result<Countable, Failure> {
        let game = uncounted.game;
        let loaded = self.games.present(game).await?;
        if !loaded.game.is_over() {
            return Err(Failure::Defect(format!("game {game} is signed and not over")));
        }
        let last = self.database.read(move |conn| last_event(conn, game)).await?;
        let head = Head { seq: loaded.version, hash: loaded.hash };
        self.games.require_bound_head(game, head, last.binding).await?;
        Ok(Countable {
            uncounted: uncounted.clone(),
            ruleset: loaded.game.rules().id,
            ended_at: loaded.turn_clock.last,
            outcome: outcome(&loaded.game),
        })
    }
}

#[derive(Default)]
struct CountProgress {
    /// Games counted or skipped.
    games: usize,
    counted: usize,
}

impl AddAssign for CountProgress {
    fn add_assign(&mut self, other: CountProgress) {
        self.games += other.games;
        self.counted += other.counted;
    }
}

/// Counts or skips the games after those settled so far. Does nothing if another node does a step or was
/// faster.
fn settle(conn: &mut Connection, steps: &[Step], now: i64) -> Result<CountProgress, StoreError> {
    let mut settled = CountProgress::default();
    if !ended_games::lead(conn)? {
        return Ok(settled);
    }
    let mut number = results::settled_up_to(conn)?;
    for step in steps {
        if step.uncounted().number != number + 1 {
            continue;
        }
        match step {
            Step::Count(game) => {
                count(conn, game, now)?;
                settled.counted += 1;
            }
            Step::PassOver(uncounted) => results::skip(conn, uncounted, now)?,
        }
        number += 1;
        settled.games += 1;
    }
    Ok(settled)
}

/// Counts a skipped game. Returns whether this call counted it.
fn count_late(conn: &mut Connection, game: &Countable, now: i64) -> Result<bool, StoreError> {
    if !ended_games::lead(conn)? || !results::claim_skipped(conn, &game.uncounted)? {
        return Ok(false);
    }
    count(conn, game, now)?;
    Ok(true)
}

fn count(conn: &mut Connection, game: &Countable, now: i64) -> Result<(), StoreError> {
    let mut absent = SeatSet::EMPTY;
    for person in game.outcome.iter().flat_map(|outcome| &outcome.people) {
        if accounts::find(conn, &person.account)?.is_none() {
            absent = absent.with(person.seat);
        }
    }
    let uncounted = &game.uncounted;
    let (kind, bits) = (kind(game.outcome.as_ref()), seat_bits(absent));
    results::mark_counted(conn, uncounted.number, uncounted.game, kind, bits, now)?;
    game.outcome.as_ref().map_or(Ok(()), |outcome| keep(conn, game, outcome, absent))
}

/// Stores a game's results for players whose accounts still exist.
fn keep(
    conn: &mut Connection,
    game: &Countable,
    outcome: &Outcome,
    absent: SeatSet,
) -> Result<(), StoreError> {
    let present = |person: &PersonOutcome| !absent.contains(person.seat);
    for person in outcome.people.iter().filter(|person| present(person)) {
        let Countable { uncounted, ruleset, ended_at, .. } = game;
        results::insert(conn, &result(uncounted.number, uncounted.game, *ruleset, *ended_at, person))?;
    }
    if !outcome.rated {
        return Ok(());
    }
    let ruleset = game.ruleset.as_str();
    let mut before = Vec::with_capacity(outcome.people.len());
    for person in &outcome.people {
        before.push(ratings::find(conn, &person.account, ruleset)?);
    }
    let strengths: Vec<(Rating, u8)> = before
        .iter()
        .zip(&outcome.people)
        .map(|(row, person)| {
            let known = row.as_ref().map(|row| Rating { mean: row.mean, deviation: row.deviation });
            (known.unwrap_or(Rating::NEW), person.rank)
        })
        .collect();
    let after = rated(&strengths);
    for ((person, row), rating) in
        outcome.people.iter().zip(&before).zip(after).filter(|((person, _), _)| present(person))
    {
        ratings::save(
            conn,
            &RatingRow {
                account_id: person.account.clone(),
                ruleset: ruleset.to_owned(),
                mean: rating.mean,
                deviation: rating.deviation,
                ordinal: rating.ordinal(),
                games: row.as_ref().map_or(0, |row| row.games) + 1,
            },
        )?;
    }
    Ok(())
}

/// The result of a game, with the number of its signed end, for a player.
pub(crate) fn result(
    number: u64,
    game_id: GameId,
    ruleset: RulesetId,
    ended_at: RecordTime,
    person: &PersonOutcome,
) -> ResultRow {
    ResultRow {
        game_id,
        account_id: person.account.clone(),
        ruleset: ruleset.as_str().to_owned(),
        number: number as i64,
        seat: person.seat.index() as i32,
        rank: person.rank.into(),
        total: person.total,
        rounds: person.rounds.into(),
        rounds_made: person.made.into(),
        forfeited: person.forfeited,
        ended_at,
    }
}

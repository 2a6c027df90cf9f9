//! The job that counts what is over: results of the people who played, and their ratings. It can be stopped
//! at any moment and taken up by any node: it goes by the list of ended games, in its order.
//!
//! That a game is counted is kept in the transaction that counts it, so it is counted once. A game that
//! cannot be read holds up those behind it until a node comes that can: ratings depend on the order.

use crate::application::app::App;
use crate::application::failure::{Failure, milliseconds};
use crate::engine::outcome::{Outcome, PersonOutcome, outcome};
use crate::engine::ruleset::RulesetId;
use crate::store::ended::EndedGame;
use crate::store::ratings::{self, RatingRow};
use crate::store::results::{self, ResultRow};
use crate::store::{Connection, StoreError, accounts};

use super::rating::{Rating, rated};

/// How many games are counted in one transaction.
const AT_ONCE: i64 = 32;

/// A game to be counted.
struct Countable {
    position: u64,
    game: String,
    ruleset: RulesetId,
    ended_at: i64,
    /// Nothing for a game that was abandoned.
    outcome: Option<Outcome>,
}

impl Countable {
    fn kind(&self) -> &'static str {
        match &self.outcome {
            Some(outcome) if outcome.rated => "rated",
            Some(_) => "unrated",
            None => "abandoned",
        }
    }
}

impl App {
    /// Counts every listed game that has not been counted. Returns how many this call has counted.
    pub async fn count_ended(&self) -> Result<usize, Failure> {
        let mut counted = 0;
        loop {
            let next = self.database.read(|conn| results::uncounted(conn, AT_ONCE)).await?;
            let mut games = Vec::with_capacity(next.len());
            for ended in &next {
                match self.countable(ended).await {
                    Ok(game) => games.push(game),
                    Err(failure) if games.is_empty() => return Err(failure),
                    // Those before it first.
                    Err(_) => break,
                }
            }
            if games.is_empty() {
                return Ok(counted);
            }
            let now = milliseconds(self.now());
            let added = self.database.write(move |conn| count(conn, &games, now)).await?;
            if added == 0 {
                return Ok(counted);
            }
            counted += added;
        }
    }

    async fn countable(&self, ended: &EndedGame) -> Result<Countable, Failure> {
        let id = ended.game.parse().map_err(|_| Failure::Defect(format!("{:?} is no id", ended.game)))?;
        let loaded = self.present(id).await?;
        if !loaded.game.is_over() {
            return Err(Failure::Defect(format!("game {id} is on the list of ended games and not over")));
        }
        Ok(Countable {
            position: ended.position,
            game: ended.game.clone(),
            ruleset: loaded.game.rules().id,
            ended_at: milliseconds(loaded.pace.last.timestamp()),
            outcome: outcome(&loaded.game),
        })
    }
}

/// Counts games that follow those counted so far. Nothing where another node is at it, or was quicker.
fn count(conn: &mut Connection, games: &[Countable], now: i64) -> Result<usize, StoreError> {
    if !results::lead(conn)? {
        return Ok(0);
    }
    let mut position = results::counted_up_to(conn)?;
    let mut counted = 0;
    for game in games {
        if game.position != position + 1 {
            continue;
        }
        results::mark_counted(conn, game.position, &game.game, game.kind(), now)?;
        if let Some(outcome) = &game.outcome {
            keep(conn, game, outcome)?;
        }
        position = game.position;
        counted += 1;
    }
    Ok(counted)
}

/// Keeps what a game counts for those of its people whose accounts are still there.
fn keep(conn: &mut Connection, game: &Countable, outcome: &Outcome) -> Result<(), StoreError> {
    let mut present = Vec::with_capacity(outcome.people.len());
    for person in &outcome.people {
        let there = accounts::find(conn, person.account.as_str())?.is_some();
        if there {
            results::insert(conn, &result(game, person))?;
        }
        present.push(there);
    }
    if !outcome.rated {
        return Ok(());
    }
    let ruleset = game.ruleset.as_str();
    let mut before = Vec::with_capacity(outcome.people.len());
    for person in &outcome.people {
        before.push(ratings::find(conn, person.account.as_str(), ruleset)?);
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
    for (((person, row), rating), _) in
        outcome.people.iter().zip(&before).zip(after).zip(present).filter(|(_, there)| *there)
    {
        ratings::save(
            conn,
            &RatingRow {
                account_id: person.account.to_string(),
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

fn result(game: &Countable, person: &PersonOutcome) -> ResultRow {
    ResultRow {
        game_id: game.game.clone(),
        account_id: person.account.to_string(),
        ruleset: game.ruleset.as_str().to_owned(),
        position: game.position as i64,
        seat: person.seat.index() as i32,
        rank: person.rank.into(),
        total: person.total,
        rounds: person.rounds.into(),
        rounds_made: person.made.into(),
        forfeited: person.forfeited.into(),
        ended_at: game.ended_at,
    }
}

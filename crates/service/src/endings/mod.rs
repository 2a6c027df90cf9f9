//! What happens to a game after its end, in steps: verify and sign its end, give the end to the public log, count the
//! game in results and ratings, and pack its log.
//!
//! Signing gives each game a number, from 1 without gaps. Games are counted in the order of these numbers, which go on
//! when the public log begins again.
//!
//! A node that does not know the format of some game leaves signing, counting and packing to nodes that do: it would take what
//! it does not know for damaged.
//!
//! A background job does each step. It selects the games that the step before has finished, and marks each game in the
//! transaction that does the step:
//!
//! | step | finds | marks |
//! |---|---|---|
//! | [`Endings::sign`] | games that are over | a row of `ended_games`, and `games.signed_at` |
//! | [`Endings::log`] | signed games | the end in `log_games`, and `games.logged_at` |
//! | [`Endings::count`] | signed games after the last number that was counted or passed over | a row of `counted_games` or of `passed_over_games` |
//! | [`Endings::pack`] | signed games that ended some time ago | a row of `packed_games`, and `games.packed_at` once the events are deleted |
//!
//! So any node may run or stop at any moment, and a step that is done again changes nothing. A lock lets one node at a
//! time do a step. A game that cannot be read, or whose log does not verify, is skipped and tried again: it holds up no
//! other.

pub(crate) mod count;
mod log;
mod pack;
mod refusal;
mod sign;
mod verify;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::SignedDuration;

use crate::auth::active_keys::ActiveKeys;
use crate::base::clock::Clock;
use crate::base::failure::Failure;
use crate::base::metrics::Metrics;
use crate::base::pacing::{PacedJob, Pacer};
use crate::games::Games;
use crate::games::skipped_games::{Job, SkippedGames};
use crate::public_log::PublicLog;
use estimation_store::event_reads::{self, StoredEvent};
use estimation_store::{Connection, Database, GameId, StoreError};

/// Games per transaction that signs or logs.
const BATCH: usize = 8;

pub struct Endings {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) keys: Arc<ActiveKeys>,
    pub(crate) games: Arc<Games>,
    pub(crate) public_log: Arc<PublicLog>,
    pub(crate) skipped_games: Arc<SkippedGames>,
    pub(crate) pacer: Arc<Pacer>,
    /// How long after its end a game is packed; `None` for never.
    pub(crate) pack_after: Option<SignedDuration>,
    /// Where the next look for unsigned games begins.
    pub(crate) pass: Mutex<sign::Pass>,
}

impl Endings {
    /// Does a step for several games in one transaction, or one by one if that fails. A game that fails is skipped.
    /// Returns for how many the step was done.
    async fn for_each<T: OfGame>(
        &self,
        (job, paced): (Job, PacedJob),
        waited: Duration,
        games: Vec<T>,
        write: impl Fn(&mut Connection, &[T]) -> Result<usize, StoreError> + Clone + Send + 'static,
    ) -> Result<usize, Failure> {
        let games: Arc<[T]> = games.into();
        let (all, write_all) = (Arc::clone(&games), write.clone());
        match self.pacer.write(paced, waited, move |conn| write_all(conn, &all)).await {
            Ok(done) => {
                games.iter().for_each(|game| self.skipped_games.handled(job, game.game()));
                return Ok(done);
            }
            Err(error) if error.is_unavailable() => return Err(error.into()),
            Err(error) => tracing::debug!(%error, job = job.as_str(), "doing a step game by game"),
        }
        let mut done = 0;
        for (index, game) in games.iter().enumerate() {
            let (one, write) = (Arc::clone(&games), write.clone());
            let write = move |conn: &mut Connection| write(conn, &one[index..=index]);
            let written = self.pacer.write(paced, waited, write).await.map_err(Failure::from);
            done += self.skipped_games.settle(job, game.game(), written)?.unwrap_or(0);
        }
        Ok(done)
    }
}

/// What a step writes for a game.
trait OfGame: Send + Sync + 'static {
    fn game(&self) -> GameId;
}

/// The last event of a game that is over.
fn last_event(conn: &mut Connection, game: GameId) -> Result<StoredEvent, StoreError> {
    let corrupt = || StoreError::Corrupt { detail: format!("game {game} is over and has no log") };
    let head = event_reads::head(conn, game)?.ok_or_else(corrupt)?;
    event_reads::after(conn, game, head.seq - 1, 1)?.pop().ok_or_else(corrupt)
}

/// Games, each with what was read of it.
type Read<T> = Vec<(GameId, Result<T, StoreError>)>;

/// Reads what a step needs of each game. An error of one game is its own.
fn read_each<T>(
    conn: &mut Connection,
    games: Vec<GameId>,
    read: impl Fn(&mut Connection, GameId) -> Result<T, StoreError>,
) -> Result<Read<T>, StoreError> {
    let mut all = Vec::with_capacity(games.len());
    for game in games {
        match read(conn, game) {
            Err(error) if error.is_unavailable() => return Err(error),
            read => all.push((game, read)),
        }
    }
    Ok(all)
}

fn defect(error: impl std::fmt::Display) -> StoreError {
    StoreError::Defect { detail: error.to_string() }
}

//! Joining the queue: at a table with room, or at a new one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::time::sleep;

use super::Matchmaking;
use super::waiting::Waiting;
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::base::failure::{Failure, milliseconds};
use crate::base::request;
use crate::games::idempotency::{Admission, IdempotencyKey, IdempotentResult, PriorOutcome, Reservation};
use crate::games::skipped_games::Job;
use crate::games::{Request, Terms};
use crate::rulesets::{agreed, seconds_within};
use estimation_engine::event::Visibility;
use estimation_engine::hex::Hex;
use estimation_engine::rejection::Rejection;
use estimation_engine::ruleset::Ruleset;
use estimation_engine::table::TableCommand;
use estimation_record::{RecordTime, canonical_json};
use estimation_store::matchmaking::{self, NewWaiting};
use estimation_store::{Effect, GameId, StoreError};
use jiff::SignedDuration;

/// The turn limit at matchmade tables, since players may not return.
const TURN_SECONDS: u32 = 60;

/// Seconds until bots may fill the table: at most a day.
const BOT_DELAY: std::ops::RangeInclusive<u32> = 0..=24 * 60 * 60;

/// Attempts at finding a table under contention, and the pause between them.
const TRIES: usize = 200;
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Clone, Debug)]
pub struct Wish {
    pub ruleset: String,
    /// Options that differ from the ruleset's defaults.
    pub options: BTreeMap<String, Value>,
    /// `None`: the ruleset's default.
    pub players: Option<u8>,
    /// Seconds until bots may fill the table; `None` for never.
    pub fill_with_bots_after: Option<u32>,
    /// The player's commitment to a client seed.
    pub seed_commitment: Option<Hex<32>>,
}

/// A validated request for a table.
struct Seeking {
    ruleset: Ruleset,
    seed_commitment: Option<Hex<32>>,
    waiting: NewWaiting,
}

impl Matchmaking {
    /// Seats the caller at a matchmade table for the same game: one with room, or a new one. The table starts
    /// when it is full.
    ///
    /// # Errors
    /// [`Failure::AlreadyWaiting`], [`Failure::OpeningsMissed`], and those of opening a table.
    pub async fn seek_table(
        self: &Arc<Matchmaking>,
        caller: &Caller,
        wish: Wish,
        once: Option<&IdempotencyKey>,
    ) -> Result<IdempotentResult<Waiting>, Failure> {
        caller.restrictions.require_playing(self.clock.now())?;
        let mut reservation =
            match self.games.idempotency.admit(caller, RequiredAuthority::Playing, once).await? {
                Admission::Fresh(reservation) => reservation,
                Admission::Replay(past) => return self.found_before(caller, &past, true).await,
            };
        let seeking = self.seeking(caller, wish)?;
        let alone = request::in_time(self.seating.lock()).await?;
        let found = self.seat_with_strangers(caller, &seeking, &mut reservation).await?;
        drop(alone);
        if !found.replayed {
            // The seat is taken even if this fails; the job advances the table later.
            if let Err(error) = self.advance_matchmade_table(found.value.game).await {
                tracing::warn!(%error, game = %found.value.game, "a matchmade table could not advance");
            }
        }
        self.found_before(caller, &found.value, found.replayed).await
    }

    fn seeking(&self, caller: &Caller, wish: Wish) -> Result<Seeking, Failure> {
        let patience = wish.fill_with_bots_after;
        let outside = seconds_within("/fill_with_bots_after", patience, &BOT_DELAY);
        let ruleset = agreed(&wish.ruleset, wish.players, &wish.options, outside)?;
        let since = RecordTime::from(self.clock.now());
        let waiting = NewWaiting {
            account: caller.account.clone(),
            terms: terms(&ruleset)?,
            since,
            bots_at: patience.map(|seconds| since.plus(SignedDuration::from_secs(seconds.into()))),
        };
        Ok(Seeking { ruleset, seed_commitment: wish.seed_commitment, waiting })
    }

    /// The prior outcome of this request, at the version that seated the caller.
    async fn found_before(
        &self,
        caller: &Caller,
        past: &PriorOutcome,
        replayed: bool,
    ) -> Result<IdempotentResult<Waiting>, Failure> {
        let done = self.games.done_before(caller, past).await?;
        let state = &done.value.state;
        let account = caller.account.clone();
        let row = self.database.read(move |conn| matchmaking::find(conn, &account)).await?;
        let since = row.filter(|row| row.game_id == past.game).map(|row| row.since);
        let since = since.unwrap_or(state.turn_clock.last);
        Ok(IdempotentResult { value: self.waiting_at(state, since).await?, replayed })
    }

    async fn seat_with_strangers(
        self: &Arc<Matchmaking>,
        caller: &Caller,
        seeking: &Seeking,
        reservation: &mut Reservation,
    ) -> Result<IdempotentResult<PriorOutcome>, Failure> {
        let Seeking { ruleset, seed_commitment, waiting } = seeking;
        if let Some(row) = self.queue_row(caller).await? {
            if row.terms.is_some() {
                return self.waits_already(caller, reservation).await;
            }
            // The entry of a game that has begun, or was left, is replaced.
            self.finish_moves_of(row).await?;
        }
        if let Some(until) = self.barred_until(&caller.account).await? {
            let rest = until - milliseconds(self.clock.now());
            let retry_after = rest.unsigned_abs().div_ceil(1_000).max(1);
            let until = RecordTime::from_milliseconds(until).map_err(Failure::from)?;
            return Err(Failure::OpeningsMissed { until, retry_after });
        }
        let mut barred = Vec::new();
        for _ in 0..TRIES {
            let (terms, bots) = (waiting.terms.clone(), waiting.bots_at.is_some());
            for table in self.database.read(move |conn| matchmaking::with_room(conn, &terms, bots)).await? {
                if barred.contains(&table) {
                    continue;
                }
                let join = TableCommand::Join { place: None, commitment: *seed_commitment };
                reservation.extra_effects = vec![Effect::JoinQueue(waiting.clone())];
                match self.games.settle(Request::Admitted(reservation), caller, table, &join, None).await {
                    Ok(done) => {
                        let state = &done.value.state;
                        return Ok(done.with(past(state.id, state.version)));
                    }
                    Err(
                        Failure::Store(StoreError::WaitsAlready)
                        | Failure::Rejected(Rejection::AlreadySeated { .. }),
                    ) => return self.waits_already(caller, reservation).await,
                    // Another player was faster.
                    Err(
                        Failure::Rejected(
                            Rejection::GameFull { .. }
                            | Rejection::NotInLobby { .. }
                            | Rejection::SeedsOpening { .. },
                        )
                        | Failure::GameBusy,
                    ) => {}
                    Err(
                        Failure::AuditorBarred
                        | Failure::Blocked
                        | Failure::TooManyChanges { by_table: false, .. },
                    ) => barred.push(table),
                    Err(Failure::TooManyChanges { by_table: true, .. }) => {
                        self.cancel_matchmade_table(table).await?
                    }
                    // An unreadable table does not keep the account from another.
                    Err(failure) if failure.is_unreadable() => {
                        self.skipped_games.skip(Job::Matchmaking, table, failure)?;
                        barred.push(table);
                    }
                    Err(failure) => return Err(failure),
                }
            }
            reservation.extra_effects =
                vec![Effect::OpenQueue { waiting: waiting.clone(), barred: barred.clone() }];
            let table = strangers_table(ruleset.clone(), *seed_commitment);
            match self.games.open_table(caller, table, &[], reservation).await {
                Ok(done) => return Ok(done.with(past(done.value.id, done.value.version))),
                Err(Failure::Store(StoreError::WaitsAlready)) => {
                    return self.waits_already(caller, reservation).await;
                }
                // Another table has room by now, or is being opened on another node.
                Err(Failure::Store(StoreError::QueueBusy)) => sleep(PAUSE).await,
                Err(failure) => return Err(failure),
            }
        }
        Err(Failure::GameBusy)
    }

    /// The answer for a caller who already waits: this request's prior outcome, if it is the reason.
    async fn waits_already(
        &self,
        caller: &Caller,
        reservation: &Reservation,
    ) -> Result<IdempotentResult<PriorOutcome>, Failure> {
        if let Some(past) = self.games.idempotency.prior_outcome(reservation).await? {
            return Ok(IdempotentResult { value: past, replayed: true });
        }
        let account = caller.account.clone();
        let row = self.database.read(move |conn| matchmaking::find(conn, &account)).await?;
        Err(match row {
            Some(row) => Failure::AlreadyWaiting { game: row.game_id },
            None => Failure::GameBusy,
        })
    }
}

fn past(game: GameId, version: u64) -> PriorOutcome {
    PriorOutcome { game, first_seq: version, last_seq: version }
}

/// What matchmaking opens for strangers.
pub(super) fn strangers_table(ruleset: Ruleset, seed_commitment: Option<Hex<32>>) -> Terms {
    Terms {
        ruleset,
        visibility: Visibility::Public,
        spectators: true,
        turn_seconds: Some(TURN_SECONDS),
        opening_seconds: None,
        seed_commitment,
        bots: Vec::new(),
        starts: false,
        rematch_of: None,
        talk: true,
        strangers: true,
    }
}

/// The match key: the rules with all options.
pub(crate) fn terms(ruleset: &Ruleset) -> Result<String, Failure> {
    let terms = json!({
        "ruleset": ruleset.id, "version": ruleset.version, "players": ruleset.players,
        "options": ruleset.options(),
    });
    Ok(hex::encode(Sha256::digest(canonical_json(&terms)?)))
}

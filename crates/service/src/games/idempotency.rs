//! Idempotency keys.
//!
//! A request's outcome is stored by reference, in the transaction of its effect. A repeat is answered from
//! the log, at the version of the first request. While the first request runs, the repeat waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::auth::authority::{CallerAuthority, RequiredAuthority};
use crate::auth::caller::Caller;
use crate::base::clock::Clock;
use crate::base::failure::{Failure, milliseconds};
use estimation_store::idempotency::{self, RememberedRequest, RequestKey};
use estimation_store::{Connection, Database, Effect, GameId, Hash, Server, SessionAuthority};

/// How long a repeat waits for the first request.
const REPLAY_TIMEOUT: Duration = Duration::from_secs(5);

/// How long outcomes are stored by default.
pub const IDEMPOTENCY_RETENTION: SignedDuration = SignedDuration::from_hours(24);

/// Outcomes that are deleted in one transaction.
const SWEPT_AT_ONCE: i64 = 1_000;

/// A request with an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub method: String,
    pub path: String,
    pub key: String,
    /// SHA-256 of the body.
    pub body_hash: Hash,
}

/// A new outcome, or the replay of a prior one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotentResult<T> {
    pub value: T,
    pub replayed: bool,
}

impl<T> IdempotentResult<T> {
    pub(crate) fn with<U>(&self, value: U) -> IdempotentResult<U> {
        IdempotentResult { value, replayed: self.replayed }
    }
}

/// The events, and their game, that a request caused before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PriorOutcome {
    pub(crate) game: GameId,
    pub(crate) first_seq: u64,
    pub(crate) last_seq: u64,
}

pub(crate) enum Admission {
    Fresh(Reservation),
    Replay(PriorOutcome),
}

/// The exclusive right to execute a request; repeats wait until it is dropped.
pub(crate) struct Reservation {
    request: Option<(RequestKey, Hash)>,
    /// By whose authority it is executed; `None` for a step that the service takes by itself.
    by: Option<Mutex<CallerAuthority>>,
    /// Effects to write together with the request's own.
    pub(crate) extra_effects: Vec<Effect>,
    end: Option<Arc<InFlightGuard>>,
}

pub(crate) struct InFlightGuard {
    in_flight: Arc<InFlight>,
    request: RequestKey,
    /// Dropping this wakes waiting repeats.
    _done: watch::Sender<()>,
}

/// Requests with keys that this node is executing.
#[derive(Default)]
struct InFlight(Mutex<HashMap<RequestKey, watch::Receiver<()>>>);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.in_flight.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.request);
    }
}

impl InFlight {
    /// Reserves the request, or returns a receiver to wait on.
    fn begin(self: &Arc<InFlight>, request: &RequestKey) -> Result<InFlightGuard, watch::Receiver<()>> {
        let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = requests.get(request) {
            return Err(first.clone());
        }
        let (done, waiting) = watch::channel(());
        requests.insert(request.clone(), waiting);
        Ok(InFlightGuard { in_flight: Arc::clone(self), request: request.clone(), _done: done })
    }
}

impl Reservation {
    /// A guard that keeps repeats waiting, for work that may outlive the request.
    pub(crate) fn guard(&self) -> Option<Arc<InFlightGuard>> {
        self.end.clone()
    }

    /// The reservation of a request without a key.
    pub(crate) fn free(by: CallerAuthority) -> Reservation {
        Reservation { by: Some(Mutex::new(by)), ..Reservation::of_server(Vec::new()) }
    }

    /// The reservation of a step that the service takes by itself, with effects to write together with it.
    pub(crate) fn of_server(extra_effects: Vec<Effect>) -> Reservation {
        Reservation { request: None, by: None, extra_effects, end: None }
    }

    /// The session that the request's events are written for.
    pub(crate) fn by(&self) -> Option<SessionAuthority> {
        let by = self.by.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        Some(by.session())
    }

    /// Checks again what the request requires, after its authority has changed.
    ///
    /// # Errors
    /// [`Failure::SessionEnded`], or what the session does not have any more.
    pub(crate) async fn renew(&self, database: &Database) -> Result<(), Failure> {
        let Some(by) = &self.by else { return Ok(()) };
        let mut renewed = by.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let read = move |conn: &mut Connection| Ok(renewed.renew(conn).map(|()| renewed));
        let renewed = database.read(read).await??;
        *by.lock().unwrap_or_else(PoisonError::into_inner) = renewed;
        Ok(())
    }

    /// The effects that store the request's outcome, the events `first_seq` to `last_seq`, with the extra
    /// effects.
    pub(crate) fn remember(
        &self,
        now: Timestamp,
        game: GameId,
        (first_seq, last_seq): (u64, u64),
    ) -> Vec<Effect> {
        let mut effects = self.extra_effects.clone();
        effects.extend(self.request.clone().map(|(request, body_hash)| {
            Effect::RememberRequest(RememberedRequest {
                request,
                body_hash,
                status: 200,
                game: Some(game),
                first_seq: Some(first_seq),
                last_seq: Some(last_seq),
                resource: None,
                created_at: milliseconds(now),
            })
        }));
        effects
    }
}

pub(crate) struct Idempotency {
    database: Database,
    clock: Arc<dyn Clock>,
    retention: SignedDuration,
    in_flight: Arc<InFlight>,
}

impl Idempotency {
    pub(crate) fn new(database: Database, clock: Arc<dyn Clock>, retention: SignedDuration) -> Idempotency {
        Idempotency { database, clock, retention, in_flight: Arc::default() }
    }

    /// Admits a fresh request, or returns its prior outcome. A request without a key is always fresh. Its events are written
    /// only while the caller has what is required.
    pub(crate) async fn admit(
        &self,
        caller: &Caller,
        required: RequiredAuthority,
        once: Option<&IdempotencyKey>,
    ) -> Result<Admission, Failure> {
        let free = Reservation::free(caller.authority(required, self.clock.now()));
        let Some(once) = once else { return Ok(Admission::Fresh(free)) };
        let request = RequestKey {
            account: caller.account.clone(),
            method: once.method.clone(),
            path: once.path.clone(),
            key: once.key.clone(),
        };
        let until = Instant::now() + REPLAY_TIMEOUT;
        loop {
            match self.in_flight.begin(&request) {
                Ok(guard) => {
                    return Ok(match self.past(&request, once.body_hash).await? {
                        Some(past) => Admission::Replay(past),
                        None => {
                            let request = Some((request, once.body_hash));
                            Admission::Fresh(Reservation { request, end: Some(Arc::new(guard)), ..free })
                        }
                    });
                }
                // A closed channel also means that the first request is done.
                Err(mut first) => {
                    if timeout_at(until, first.changed()).await.is_err() {
                        return Err(Failure::RequestInProgress);
                    }
                }
            }
        }
    }

    /// The outcome of this request on another node, if that node was faster.
    pub(crate) async fn prior_outcome(
        &self,
        reservation: &Reservation,
    ) -> Result<Option<PriorOutcome>, Failure> {
        match &reservation.request {
            Some((request, body_hash)) => self.past(request, *body_hash).await,
            None => Ok(None),
        }
    }

    /// The outcome of this request on another node, which holds its key.
    pub(crate) async fn lost_race(&self, reservation: &Reservation) -> Result<PriorOutcome, Failure> {
        self.prior_outcome(reservation).await?.ok_or(Failure::RequestInProgress)
    }

    async fn past(&self, request: &RequestKey, body_hash: Hash) -> Result<Option<PriorOutcome>, Failure> {
        let asked = request.clone();
        if self.database.read(move |conn| idempotency::find(conn, &asked)).await?.is_none() {
            return Ok(None);
        }
        // The answer acknowledges a commit that may not have been acknowledged to any node.
        let asked = request.clone();
        let found = self.database.read_confirmed(move |conn| idempotency::find(conn, &asked)).await?;
        let Some(found) = found else { return Ok(None) };
        if found.body_hash != body_hash {
            return Err(Failure::IdempotencyKeyReused);
        }
        match (found.game, found.first_seq, found.last_seq) {
            (Some(game), Some(first_seq), Some(last_seq)) => {
                Ok(Some(PriorOutcome { game, first_seq, last_seq }))
            }
            _ => Err(Failure::Defect("a remembered request without a reference".to_owned())),
        }
    }

    /// Deletes outcomes older than the retention, in pieces that hold up no command.
    pub(crate) async fn sweep(&self) -> Result<usize, Failure> {
        let before = self.clock.now().checked_sub(self.retention).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let before = milliseconds(before);
        let mut all = 0;
        loop {
            let sweep = move |conn: &mut Connection| idempotency::sweep(conn, before, SWEPT_AT_ONCE);
            let swept = self.database.write(Server, sweep).await?;
            all += swept;
            if swept == 0 {
                return Ok(all);
            }
        }
    }
}

//! Loads states: from the cache, or the newest snapshot plus the events after it.

use std::sync::Arc;

use quick_cache::sync::Cache;

use super::committed_event::event_of;
use super::snapshot::{SnapshotCheck, State, check_snapshot};
use super::{Games, LoadedGame};
use crate::auth::keys::head::{check_adopted, check_head, forged};
use crate::auth::keys::{BindingCheck, RecordKeys};
use crate::base::failure::Failure;
use crate::base::prerendered::Prerendered;
use crate::public_log::{PromiseView, promised_log};
use crate::rulesets::RulesetSummary;
use estimation_engine::event::Event;
use estimation_engine::evolve::evolve;
use estimation_engine::game::Game;
use estimation_engine::player::AccountId;
use estimation_record::fairness::ServerSeed;
use estimation_record::turn_clock::TurnClock;
use estimation_record::{GENESIS, chain};
use estimation_store::event_reads::{Head, StoredEvent};
use estimation_store::games::GameRow;
use estimation_store::public_log::games::Promise;
use estimation_store::{
    Binding, Connection, GameId, StoreError, adopted_heads, event_reads, games, public_log, seeds, snapshots,
};

/// Events read per query.
const CHUNK: i64 = 500;

struct Rows {
    row: GameRow,
    /// Whether players may react at the table.
    talk: bool,
    seed: ServerSeed,
    /// With the origins of all logs, the newest first.
    promise: Option<(Promise, Vec<String>)>,
    snapshot: SnapshotCheck,
    /// From the event of the snapshot on.
    tail: Vec<StoredEvent>,
}

impl Games {
    /// The present state of a game. The head is always read; the state may come from the cache.
    pub(crate) async fn present(&self, id: GameId) -> Result<Arc<LoadedGame>, Failure> {
        match self.cache.get(&id) {
            Some(kept) if !self.is_outdated(&kept).await? => {
                self.metrics.cache(true);
                Ok(kept)
            }
            _ => self.load(id).await,
        }
    }

    /// A cached state, possibly outdated, or else the present one.
    pub(crate) async fn recent(&self, id: GameId) -> Result<Arc<LoadedGame>, Failure> {
        match self.cache.get(&id) {
            Some(kept) => {
                self.metrics.cache(true);
                Ok(kept)
            }
            None => self.load(id).await,
        }
    }

    /// A cached state at `version` or later, or else the present one.
    pub(crate) async fn at_least(&self, id: GameId, version: u64) -> Result<Arc<LoadedGame>, Failure> {
        match self.cache.get(&id).filter(|kept| kept.version >= version) {
            Some(kept) => {
                self.metrics.cache(true);
                Ok(kept)
            }
            None => self.load(id).await,
        }
    }

    /// Whether a state is outdated; if so, it is dropped from the cache.
    pub(crate) async fn is_outdated(&self, loaded: &LoadedGame) -> Result<bool, Failure> {
        let head = self.database.head(loaded.id).await?;
        let outdated = head != Some(Head { seq: loaded.version, hash: loaded.hash });
        if outdated {
            self.cache.forget(&loaded.id, loaded.version);
        }
        Ok(outdated)
    }

    /// A past state of a game, for an account. Only accounts seated at present get the invitation code.
    pub(super) async fn at_version(
        &self,
        present: &LoadedGame,
        account: &AccountId,
        version: u64,
    ) -> Result<LoadedGame, Failure> {
        let (mut loaded, _) = self.replayed(present.id, version).await?;
        loaded.join_code = loaded.join_code.filter(|_| present.position_of(account).is_some());
        if loaded.version == version { Ok(loaded) } else { Err(Failure::NotFound { what: "version" }) }
    }

    async fn load(&self, id: GameId) -> Result<Arc<LoadedGame>, Failure> {
        self.metrics.cache(false);
        let (loaded, binding) = self.replayed(id, u64::MAX).await?;
        let loaded = Arc::new(loaded);
        if !loaded.game.is_over() {
            let head = Head { seq: loaded.version, hash: loaded.hash };
            self.require_bound_head(id, head, binding).await?;
        }
        self.cache.keep(&loaded);
        Ok(loaded)
    }

    /// The state at a version, or the newest state if the log ends before it, with the binding of its event. Reads and
    /// replays off the event loop: a long log would block it.
    async fn replayed(&self, id: GameId, version: u64) -> Result<(LoadedGame, Option<Binding>), Failure> {
        let (keys, origin) = (self.keys.ring().record_keys(), self.public_log.name());
        let known = self.presence.known_format();
        let replay = move |conn: &mut Connection| {
            let format = games::format_of(conn, id)?;
            if format > known {
                return Err(StoreError::NewerGame { game: id, format, known });
            }
            Ok(rows(conn, id, version, &keys)?.map(|rows| assemble(id, rows, &keys, origin)))
        };
        self.database.read(replay).await?.ok_or(Failure::NotFound { what: "game" })?
    }
}

/// Reads the rows for the state at a version, or for the newest state if the log ends before it.
fn rows(
    conn: &mut Connection,
    id: GameId,
    version: u64,
    keys: &RecordKeys,
) -> Result<Option<Rows>, StoreError> {
    let seed = seeds::find(conn, id)?;
    let stored = snapshots::latest(conn, id)?.filter(|snapshot| snapshot.seq <= version);
    let snapshot = check_snapshot(id, stored, keys);
    let mut after = match &snapshot {
        SnapshotCheck::Bound(snapshot) => snapshot.seq - 1,
        SnapshotCheck::Unusable | SnapshotCheck::Forged => 0,
    };
    let mut tail = Vec::new();
    loop {
        let chunk = event_reads::after(conn, id, after, CHUNK)?;
        let full = chunk.len() as i64 == CHUNK;
        after = chunk.last().map_or(after, |event| event.seq);
        tail.extend(chunk.into_iter().take_while(|event| event.seq <= version));
        if !full || after >= version {
            break;
        }
    }
    // After the events: an outdated state may have a later invitation code, never a withdrawn one.
    let Some(row) = games::find(conn, id)? else { return Ok(None) };
    let Some(seed) = seed else {
        return Err(StoreError::Corrupt { detail: format!("game {id} has no seed") });
    };
    let seed = ServerSeed::from_bytes(*seed.expose());
    let promise = match public_log::games::promise(conn, id)? {
        Some(promise) => Some((promise, public_log::tree::origins(conn)?)),
        None => None,
    };
    let talk = !games::is_silent(conn, id)?;
    Ok(Some(Rows { row, talk, seed, promise, snapshot, tail }))
}

/// `origin` is that of the present log, before it has begun.
fn assemble(
    id: GameId,
    rows: Rows,
    keys: &RecordKeys,
    origin: Arc<str>,
) -> Result<(LoadedGame, Option<Binding>), Failure> {
    let Rows { row, talk, seed, promise, snapshot, tail } = rows;
    let binding = tail.last().and_then(|event| event.binding);
    let corrupt =
        |detail: &str| Failure::from(StoreError::Corrupt { detail: format!("game {id}: {detail}") });
    let unsound = |finding: String| Failure::UnsoundLog { game: id, finding };
    let mut tail = tail.iter();
    let (mut version, mut hash, mut state) = match snapshot {
        SnapshotCheck::Unusable => (0, GENESIS, None),
        SnapshotCheck::Forged => {
            return Err(unsound("the stored state is not one that a node made".to_owned()));
        }
        SnapshotCheck::Bound(snapshot) => {
            let first = tail.next().map(|event| (event.seq, event.hash));
            if first != Some((snapshot.seq, snapshot.hash)) {
                return Err(unsound(format!("event {} is not that of the stored state", snapshot.seq)));
            }
            let state: State<Game> = serde_json::from_str(&snapshot.state)
                .map_err(|error| corrupt(&format!("its snapshot cannot be read: {error}")))?;
            (snapshot.seq, snapshot.hash, Some(state))
        }
    };
    for stored in tail {
        if stored.seq != version + 1 || stored.hash != chain(hash, stored.body.as_bytes()) {
            return Err(unsound(format!("event {} does not continue the hash chain", stored.seq)));
        }
        let (at, event) = event_of(id, stored)?;
        let game = match (state, &event) {
            (None, Event::GameCreated(created)) => {
                State { turn_clock: TurnClock::opened(at), game: Game::open(created) }
            }
            (None, _) => return Err(corrupt("its log does not begin with game_created")),
            (Some(State { turn_clock, mut game }), event) => {
                evolve(&mut game, event);
                State { turn_clock: turn_clock.after(event, at, &game), game }
            }
        };
        state = Some(game);
        (version, hash) = (stored.seq, stored.hash);
    }
    let State { turn_clock, game } = state.ok_or_else(|| corrupt("its log is empty"))?;
    let table = &game.table;
    if !game.is_over() && !seed.after_openings(table.openings).opens(&table.commitment) {
        return Err(unsound("the stored seed is not the one that the server committed to".to_owned()));
    }
    let GameRow { join_code, wake_at, created_at, .. } = row;
    let rules = Arc::new(Prerendered::new(RulesetSummary::of(game.rules())));
    let promise = match promise {
        Some((promise, origins)) => {
            let origin = promised_log(&promise, origins, keys)?.unwrap_or(origin);
            Some(Arc::new(Prerendered::new(PromiseView::of(&promise, origin)?)))
        }
        None => None,
    };
    let common_parts = Arc::default();
    let loaded = LoadedGame {
        id,
        version,
        hash,
        turn_clock,
        wake_at,
        created_at,
        join_code,
        talk,
        seed,
        rules,
        promise,
        common_parts,
        game,
    };
    Ok((loaded, binding))
}

/// Games that go on. Each can move at any time.
const KEPT: usize = 4096;

/// Ended games. Clients look at them once more, and jobs list and count them. With as many as of those that go on, a
/// node's memory would grow for hours.
const KEPT_ENDED: usize = 256;

/// The recent committed states. Correctness does not depend on it: an append to an outdated state conflicts, and refusals and
/// reads check the head first.
pub(crate) struct GameCache {
    open: Cache<GameId, Arc<LoadedGame>>,
    ended: Cache<GameId, Arc<LoadedGame>>,
}

impl Default for GameCache {
    fn default() -> GameCache {
        GameCache { open: Cache::new(KEPT), ended: Cache::new(KEPT_ENDED) }
    }
}

impl GameCache {
    pub(super) fn get(&self, game: &GameId) -> Option<Arc<LoadedGame>> {
        self.open.get(game).or_else(|| self.ended.get(game))
    }

    /// Keeps a committed state unless the cache has a newer one.
    pub(super) fn keep(&self, loaded: &Arc<LoadedGame>) {
        let newer = |kept: Option<Arc<LoadedGame>>| kept.is_some_and(|kept| kept.version > loaded.version);
        if newer(self.open.peek(&loaded.id)) || newer(self.ended.peek(&loaded.id)) {
            return;
        }
        let (now, before) =
            if loaded.game.is_over() { (&self.ended, &self.open) } else { (&self.open, &self.ended) };
        now.insert(loaded.id, Arc::clone(loaded));
        before.remove_if(&loaded.id, |kept| kept.version <= loaded.version);
    }

    /// Drops a state that is outdated or uncertain. A newer cached state stays, so that many conflicting
    /// commands do not each reload the game.
    pub(super) fn forget(&self, game: &GameId, outdated: u64) {
        for cache in [&self.open, &self.ended] {
            cache.remove_if(game, |kept| kept.version <= outdated);
        }
    }
}

impl Games {
    /// Refuses a log whose head no node has bound. An unknown key reloads the keys first.
    ///
    /// # Errors
    /// [`Failure::UnsoundLog`].
    pub(crate) async fn require_bound_head(
        &self,
        game: GameId,
        head: Head,
        binding: Option<Binding>,
    ) -> Result<(), Failure> {
        let check = |binding: &Option<Binding>| {
            check_head(game, head, binding.as_ref(), &self.keys.ring().record_keys())
        };
        let mut found = check(&binding);
        if found == BindingCheck::UnknownKey {
            self.keys.reload_for_unknown_key().await?;
            found = check(&binding);
        }
        if found == BindingCheck::UnknownKey {
            let adopted = self.database.read(move |conn| adopted_heads::find(conn, game, head.seq)).await?;
            let keys = self.keys.ring().record_keys();
            if adopted.is_some_and(|it| check_adopted(game, head, &it, &keys) == BindingCheck::Sound) {
                return Ok(());
            }
        }
        let finding = match found {
            BindingCheck::Sound => return Ok(()),
            BindingCheck::Forged => forged(head),
            BindingCheck::UnknownKey => {
                format!("event {} is bound under a key that this node does not have", head.seq)
            }
        };
        Err(Failure::UnsoundLog { game, finding })
    }
}

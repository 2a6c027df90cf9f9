//! Watching a game: long polls and streams of its events.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::interruptions::{Interruption, Interruptions};
use super::{OpenStream, Streams};
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::base::locale::Language;
use crate::base::request;
use crate::games::events::{EventsPage, PublishedEvent, Use};
use crate::games::hub::game_watch::{GameWatch, KnownLog};
use crate::games::turn::{ClientState, SinceTurn, TurnKey, ViewerTurn};
use crate::games::view::HeadView;
use crate::games::{LoadedGame, LogPosition};
use crate::reactions::TableReaction;
use estimation_engine::hex::Hex;
use estimation_store::{GameId, relations};

pub const LONGEST_WAIT: Duration = Duration::from_secs(55);

/// How long a spectator's stream trusts its last check of blocks.
const ADMITTED: Duration = Duration::from_secs(2);

/// Events a stream reads per query.
const CHUNK: usize = 100;

#[derive(Debug)]
pub enum GameNews {
    /// Events in order, with the turn after the last one if they are the newest.
    Events(Vec<Arc<PublishedEvent>>, Option<ViewerTurn>),
    /// The whole turn, after the events that the client missed.
    Turn(ViewerTurn),
    /// The log lacks the stream's last event; the following events come after this head.
    Reset(HeadView),
    /// What players said at the table.
    Reactions(Vec<TableReaction>),
    /// Heartbeat: nothing has happened for a while.
    Quiet,
    /// The node is stopping; reconnect to another one.
    Reconnect,
    /// The game is over and every event was sent.
    End,
    /// The session has ended, and the stream with it.
    SessionEnded,
}

pub struct GameStream {
    streams: Arc<Streams>,
    caller: Caller,
    language: Language,
    game: GameId,
    after: LogPosition,
    /// What the client knows, if it has the turn after the last event that was sent. If not, a whole turn follows.
    known: Option<ClientState>,
    watch: Arc<GameWatch>,
    moved: watch::Receiver<KnownLog>,
    /// The log's rewind count at the last read.
    rewinds: u64,
    interruptions: Interruptions,
    said_all: bool,
    /// Whether the log was read to its end.
    has_read: bool,
    /// How many of the known reactions the stream has sent or passed over.
    reactions: u64,
    /// When the viewer was last admitted, if the viewer has no seat.
    admitted: Instant,
    _open: OpenStream,
}

impl Streams {
    /// The log of a game after a position; waits until it has an event.
    pub async fn await_events(
        &self,
        caller: &Caller,
        id: GameId,
        after: LogPosition,
        limit: usize,
        wait: Duration,
    ) -> Result<EventsPage, Failure> {
        if wait.is_zero() {
            return self.games.events(caller, id, after, limit).await;
        }
        let _pass = self.hub.admit(&caller.account, &self.metrics).ok_or(Failure::TooManyStreams)?;
        let until = Instant::now() + wait.min(LONGEST_WAIT);
        let mut closing = self.closing.watch();
        let mut ended = self.sessions.session_end(caller);
        // Subscribed before the log is read, so that no change is missed.
        let (_, mut moved) = self.hub.game(id);
        loop {
            moved.mark_unchanged();
            if *ended.borrow() {
                return Err(Failure::SessionEnded);
            }
            let page = self.games.events(caller, id, after, limit).await?;
            if !page.items.is_empty() || *closing.borrow() {
                return Ok(page);
            }
            let woken = async {
                tokio::select! {
                    _ = moved.changed() => {}
                    _ = closing.changed() => {}
                    _ = ended.changed() => {}
                }
            };
            if timeout_at(until, woken).await.is_err() {
                return Ok(page);
            }
            request::renew();
        }
    }

    /// A stream of a game's events after a position. Names of bots are in `language`.
    ///
    /// # Errors
    /// [`Failure::TooManyStreams`] if the account has the maximum of open streams.
    pub async fn stream_game(
        self: &Arc<Streams>,
        caller: &Caller,
        id: GameId,
        after: LogPosition,
        language: Language,
    ) -> Result<GameStream, Failure> {
        let (watch, moved) = self.hub.game(id);
        let loaded = self.games.present(id).await?;
        self.games.admit(&loaded, &caller.account).await?;
        let open = OpenStream::open(self, caller)?;
        let KnownLog { rewinds, reactions, .. } = *moved.borrow();
        Ok(GameStream {
            streams: Arc::clone(self),
            caller: caller.clone(),
            language,
            game: id,
            after,
            known: None,
            rewinds,
            watch,
            moved,
            interruptions: Interruptions::new(
                self.closing.watch(),
                self.sessions.session_end(caller),
                self.heartbeat,
            ),
            said_all: loaded.game.is_over() && after.is_end_of(&loaded),
            has_read: false,
            reactions,
            admitted: Instant::now(),
            _open: open,
        })
    }
}

impl GameStream {
    /// Whether the game is over and every event was sent.
    pub fn is_over(&self) -> bool {
        self.said_all
    }

    /// Waits for the next news. The viewer is determined each time, since a player who leaves a seat loses
    /// its view.
    pub async fn next(&mut self) -> Result<GameNews, Failure> {
        let news = self.news().await;
        self.interruptions.sent();
        news
    }

    async fn news(&mut self) -> Result<GameNews, Failure> {
        loop {
            if let Some(end) = self.interruptions.end() {
                return Ok(end.into());
            }
            if self.said_all {
                return Ok(GameNews::End);
            }
            let known = *self.moved.borrow_and_update();
            if known.rewinds != self.rewinds {
                self.rewinds = known.rewinds;
                self.has_read = false;
            }
            if known.reactions != self.reactions {
                let heard = self.heard(known.reactions).await?;
                if !heard.is_empty() {
                    return Ok(GameNews::Reactions(heard));
                }
            }
            if let Some((recent, state)) = self.watch.recent(self.after) {
                self.admit(&state).await?;
                let (viewer, over) = (state.viewer(&self.caller.account), state.game.is_over());
                let events =
                    recent.iter().map(|event| event.publish(viewer, over)).collect::<Result<_, _>>()?;
                return self.tell(events, &state).await;
            }
            // Read the log at first, and when an event is known that is not in memory here. The log poll
            // repeats lost hints within a second.
            if !self.has_read || known.version > self.after.seq {
                self.has_read = true;
                let loaded = self.streams.games.present(self.game).await?;
                self.admit(&loaded).await?;
                let viewer = loaded.viewer(&self.caller.account);
                let read =
                    self.streams.games.events_after(&loaded, viewer, self.after, CHUNK, Use::Show).await?;
                let Some(events) = read else {
                    self.after = LogPosition::of(loaded.version, &loaded.hash);
                    self.said_all = loaded.game.is_over();
                    (self.known, self.has_read) = (None, false);
                    return Ok(GameNews::Reset(HeadView { seq: loaded.version, hash: Hex(loaded.hash) }));
                };
                if !events.is_empty() {
                    // There may be more than one chunk.
                    self.has_read = events.len() < CHUNK;
                    return self.tell(events, &loaded).await;
                }
                if loaded.game.is_over() {
                    self.said_all = true;
                    continue;
                }
                if self.known.is_none() {
                    // Not shared: the time that is left and who is online differ from one moment to the next.
                    let turn = Arc::new(self.streams.games.turn(&loaded, self.key(&loaded), None).await?);
                    if self.watch.round_at(turn.key.version).is_none() {
                        self.watch.keep(&turn);
                    }
                    self.known = Some(turn.known());
                    return Ok(GameNews::Turn(ViewerTurn::of(turn, &loaded, &self.caller.account)?));
                }
            }
            tokio::select! {
                biased;
                _ = self.moved.changed() => {}
                interruption = self.interruptions.next() => return Ok(interruption.into()),
            }
        }
    }

    /// Refuses a viewer who may not see the game any more. Reads a spectator's blocks again after [`ADMITTED`].
    async fn admit(&mut self, loaded: &LoadedGame) -> Result<(), Failure> {
        if loaded.has_sat(&self.caller.account) {
            return Ok(());
        }
        if self.admitted.elapsed() < ADMITTED {
            return loaded.admit_outsider();
        }
        self.streams.games.admit(loaded, &self.caller.account).await?;
        self.admitted = Instant::now();
        Ok(())
    }

    /// The reactions up to the given number that the stream has not sent, without those of muted players and of players with
    /// a block between them and the viewer.
    async fn heard(&mut self, known: u64) -> Result<Vec<TableReaction>, Failure> {
        let new = self.watch.last_reactions(known.saturating_sub(self.reactions));
        self.reactions = known;
        let loaded = self.streams.games.recent(self.game).await?;
        self.admit(&loaded).await?;
        let mut heard = Vec::with_capacity(new.len());
        for said in new {
            let author = said.row.account_id.clone();
            let read = || async {
                let read =
                    self.streams.database.read(move |conn| relations::muters_of(conn, &author)).await?;
                Ok::<_, Failure>(read.into_iter().collect())
            };
            if !said.muters.get_or_try_init(read).await?.contains(&self.caller.account) {
                heard.extend(TableReaction::of(&said.row, &loaded));
            }
        }
        Ok(heard)
    }

    /// Tells events, with the turn after them if they are the newest and the client had the turn before them.
    async fn tell(
        &mut self,
        events: Vec<Arc<PublishedEvent>>,
        loaded: &LoadedGame,
    ) -> Result<GameNews, Failure> {
        self.after = events.last().map_or(self.after, |last| last.position());
        let is_newest = self.after.is_end_of(loaded);
        self.said_all = is_newest && loaded.game.is_over();
        let round = self.known.filter(|_| is_newest).and_then(|known| self.watch.round_at(known.version));
        // A failure does not keep the events back.
        let turn = match round {
            Some(round) => self.turn(loaded, SinceTurn { events: &events, round }).await.ok(),
            None => None,
        };
        self.known = turn.as_ref().map(ViewerTurn::known);
        if turn.is_none() {
            self.has_read = false;
        }
        Ok(GameNews::Events(events, turn))
    }

    /// The turn with what changed. The streams of the game that know the same share it.
    async fn turn(&self, loaded: &LoadedGame, since: SinceTurn<'_>) -> Result<ViewerTurn, Failure> {
        let key = self.key(loaded);
        let write = async || self.streams.games.turn(loaded, key, Some(since)).await;
        let shared = self.watch.turn(&key, write).await?;
        ViewerTurn::of(shared, loaded, &self.caller.account)
    }

    fn key(&self, loaded: &LoadedGame) -> TurnKey {
        let version = LogPosition::of(loaded.version, &loaded.hash);
        TurnKey { version, known: self.known, language: self.language }
    }
}

impl From<Interruption> for GameNews {
    fn from(interruption: Interruption) -> GameNews {
        match interruption {
            Interruption::Closing => GameNews::Reconnect,
            Interruption::SessionEnded => GameNews::SessionEnded,
            Interruption::Quiet => GameNews::Quiet,
        }
    }
}

//! Watching an account: one stream for all of one's games.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use serde::Serialize;
use tokio::sync::watch;
use tokio::time::sleep;
use uuid::Uuid;

use super::line::Line;
use crate::application::app::App;
use crate::application::caller::Caller;
use crate::application::failure::Failure;
use crate::engine::game::Status;
use crate::store::games;

/// What a stream of an account has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccountNews {
    /// It is the account's turn.
    YourTurn(Matter),
    /// The account sits at a table it did not sit at before, or a rematch awaits it.
    Invited(Matter),
    /// A game has started.
    Started(Matter),
    /// A game is over.
    Finished(Matter),
    /// Nothing, for a while.
    Quiet,
    /// The node is stopping: connect again, to another one.
    Reconnect,
    /// The session has ended, and the stream with it.
    SessionEnded,
}

/// The game that news are about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Matter {
    /// The game.
    pub game: Uuid,
    /// Its version.
    pub version: u64,
    /// Lobby, playing, finished or abandoned.
    pub status: Status,
}

/// A stream of all that happens in an account's games.
pub struct AccountStream {
    app: Arc<App>,
    caller: Caller,
    /// What the account has been told of each game.
    known: HashMap<Uuid, Known>,
    /// The rematches it has been told of.
    invited: HashSet<Uuid>,
    /// Whether the games that were there from the start have been looked at.
    begun: bool,
    news: VecDeque<AccountNews>,
    woken: watch::Receiver<u64>,
    closing: watch::Receiver<bool>,
    ended: watch::Receiver<bool>,
    _line: Line,
}

/// What an account has been told of a game.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Known {
    status: Status,
    /// The version at which it was told that it must act.
    turn: Option<u64>,
}

impl App {
    /// A stream of all that happens in the caller's games: those where it is their turn first.
    ///
    /// # Errors
    /// [`Failure::TooManyStreams`] where the account has as many as it may.
    pub fn stream_account(self: &Arc<App>, caller: &Caller) -> Result<AccountStream, Failure> {
        let line = Line::open(self, caller)?;
        Ok(AccountStream {
            app: Arc::clone(self),
            caller: caller.clone(),
            known: HashMap::new(),
            invited: HashSet::new(),
            begun: false,
            news: VecDeque::new(),
            woken: self.hub.account(&caller.account),
            closing: self.closing(),
            ended: self.session_end(caller),
            _line: line,
        })
    }
}

impl AccountStream {
    /// The next thing to say.
    pub async fn next(&mut self) -> Result<AccountNews, Failure> {
        let quiet = sleep(self.app.heartbeat);
        tokio::pin!(quiet);
        loop {
            if *self.closing.borrow() {
                return Ok(AccountNews::Reconnect);
            }
            if *self.ended.borrow() {
                return Ok(AccountNews::SessionEnded);
            }
            if let Some(news) = self.news.pop_front() {
                return Ok(news);
            }
            self.woken.mark_unchanged();
            self.look().await?;
            if !self.news.is_empty() {
                continue;
            }
            tokio::select! {
                _ = self.woken.changed() => {}
                _ = self.closing.changed() => {}
                _ = self.ended.changed() => {}
                () = &mut quiet => return Ok(AccountNews::Quiet),
            }
        }
    }

    /// Compares the account's games with what it has been told.
    async fn look(&mut self) -> Result<(), Failure> {
        let account = self.caller.account.to_string();
        let read = self
            .app
            .database
            .read(move |conn| Ok((games::open_of(conn, &account)?, games::invitations(conn, &[&account])?)));
        let (open, invitations) = read.await?;
        let mut ids: Vec<Uuid> = open.iter().filter_map(|id| id.parse().ok()).collect();
        let ended = self.known.keys().filter(|id| !ids.contains(id)).copied().collect::<Vec<_>>();
        self.app.hub.follow(&self.caller.account, ids.iter().copied());
        ids.extend(&ended);
        self.invite(invitations.into_iter().filter_map(|(_, id)| id.parse().ok())).await?;
        for id in ids {
            let loaded = self.app.present(id).await?;
            let status = loaded.game.status();
            let matter = Matter { game: id, version: loaded.version, status };
            let chair = loaded.chair_of(&self.caller.account);
            if chair.is_none() && !(loaded.game.is_over() && self.known.contains_key(&id)) {
                // Left, or given up: no news of it any more.
                self.known.remove(&id);
                continue;
            }
            let my_turn = chair.is_some() && loaded.game.to_act() == chair;
            let before = self.known.get(&id).copied();
            match before.map(|known| known.status) {
                None if self.begun && !self.invited.remove(&id) => {
                    self.news.push_back(AccountNews::Invited(matter.clone()));
                    if status == Status::Playing {
                        self.news.push_back(AccountNews::Started(matter.clone()));
                    }
                }
                Some(Status::Lobby) if status == Status::Playing => {
                    self.news.push_back(AccountNews::Started(matter.clone()));
                }
                Some(before) if before != status && loaded.game.is_over() => {
                    self.news.push_back(AccountNews::Finished(matter.clone()));
                }
                _ => {}
            }
            let told = before.and_then(|known| known.turn);
            if my_turn && told != Some(loaded.version) {
                self.news.push_back(AccountNews::YourTurn(matter));
            }
            if loaded.game.is_over() || chair.is_none() {
                self.known.remove(&id);
            } else {
                self.known.insert(id, Known { status, turn: my_turn.then_some(loaded.version) });
            }
        }
        self.begun = true;
        Ok(())
    }

    /// Tells of rematches that wait for the account, each once.
    async fn invite(&mut self, ids: impl Iterator<Item = Uuid>) -> Result<(), Failure> {
        for id in ids {
            if self.invited.insert(id) {
                let loaded = self.app.present(id).await?;
                let (version, status) = (loaded.version, loaded.game.status());
                self.news.push_back(AccountNews::Invited(Matter { game: id, version, status }));
            }
        }
        Ok(())
    }
}

//! Account streams: one stream for all games of the account.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use tokio::sync::watch;

use super::Streams;
use super::interruptions::{Interruption, Interruptions};
use super::open_stream::OpenStream;
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::base::request;
use crate::games::hub::account_news::AccountNews;
use crate::games::hub::account_watch::{AccountWatch, StreamNews};
use estimation_store::{GameId, account_games};

pub struct AccountStream {
    streams: Arc<Streams>,
    watch: Arc<AccountWatch>,
    /// Its number among the account's streams.
    number: u64,
    news: VecDeque<AccountNews>,
    hints: watch::Receiver<u64>,
    interruptions: Interruptions,
    _open: OpenStream,
}

impl Drop for AccountStream {
    fn drop(&mut self) {
        self.watch.close_stream(self.number);
    }
}

impl Streams {
    /// A stream of the caller's games. It starts with invitations and games awaiting the caller's move, and tells of
    /// every change after this call.
    ///
    /// # Errors
    /// [`Failure::TooManyStreams`] if the account has the maximum of open streams; [`Failure::Store`] if its games
    /// cannot be read.
    pub async fn stream_account(self: &Arc<Streams>, caller: &Caller) -> Result<AccountStream, Failure> {
        let open = OpenStream::open(self, caller)?;
        let (watch, number) = self.hub.account(&caller.account);
        let mut stream = AccountStream {
            streams: Arc::clone(self),
            number,
            news: VecDeque::new(),
            hints: watch.hints(),
            watch,
            interruptions: Interruptions::new(
                self.closing.watch(),
                self.sessions.session_end(caller),
                self.heartbeat,
            ),
            _open: open,
        };
        self.follow_hints(&stream.watch).await?;
        stream.news.extend(stream.watch.opening_news(number));
        Ok(stream)
    }

    /// Loads the hinted games of an account; the first call reads all its tables.
    async fn follow_hints(&self, watch: &Arc<AccountWatch>) -> Result<(), Failure> {
        let _alone = request::in_time(watch.looking.lock()).await?;
        if !watch.has_begun() {
            self.begin_watch(watch).await?;
        }
        while let Some(hint) = watch.next_hint() {
            self.hub.follow(watch, [hint.game]);
            match self.games.at_least(hint.game, hint.version).await {
                Ok(loaded) => {
                    let invited = watch.may_be_invited(&loaded) && self.is_invited(watch, hint.game).await?;
                    watch.look(&loaded, invited);
                }
                // One unreadable game does not block the others.
                Err(failure) if failure.is_unreadable() || matches!(failure, Failure::NotFound { .. }) => {
                    watch.forget(&hint.game);
                }
                Err(failure) => return Err(failure),
            }
            watch.followed(hint);
            if !watch.knows(&hint.game) {
                self.hub.unfollow(watch, [hint.game]);
            }
        }
        Ok(())
    }

    /// Reads the tables of an account and those it is invited to. They are followed before their states are
    /// read, so that no change is missed.
    async fn begin_watch(&self, watch: &Arc<AccountWatch>) -> Result<(), Failure> {
        let account = watch.account.clone();
        let asked = account.clone();
        let there = self.database.read(move |conn| account_games::current(conn, &asked)).await?;
        let there: HashSet<GameId> = there.iter().map(|found| found.id).collect();
        self.hub.follow(watch, there.iter().copied());
        let mut found = self.database.read(move |conn| account_games::current(conn, &account)).await?;
        // A table added in between arrives as a hint.
        found.retain(|table| there.contains(&table.id));
        watch.begin(found);
        Ok(())
    }

    async fn is_invited(&self, watch: &AccountWatch, game: GameId) -> Result<bool, Failure> {
        let account = watch.account.clone();
        Ok(self.database.read(move |conn| account_games::invites(conn, game, &account)).await?)
    }
}

impl AccountStream {
    /// Waits for the next news.
    pub async fn next(&mut self) -> Result<AccountNews, Failure> {
        let news = self.news().await;
        self.interruptions.sent();
        news
    }

    async fn news(&mut self) -> Result<AccountNews, Failure> {
        loop {
            if let Some(end) = self.interruptions.end() {
                return Ok(end.into());
            }
            if let Some(news) = self.news.pop_front() {
                return Ok(news);
            }
            self.hints.mark_unchanged();
            if self.watch.next_hint().is_some() {
                self.streams.follow_hints(&self.watch).await?;
            }
            let StreamNews { news, done } = self.watch.news(self.number);
            self.streams.hub.unfollow(&self.watch, done);
            self.news.extend(news);
            if !self.news.is_empty() {
                continue;
            }
            tokio::select! {
                biased;
                _ = self.hints.changed() => {}
                interruption = self.interruptions.next() => return Ok(interruption.into()),
            }
        }
    }
}

impl From<Interruption> for AccountNews {
    fn from(interruption: Interruption) -> AccountNews {
        match interruption {
            Interruption::Closing => AccountNews::Reconnect,
            Interruption::SessionEnded => AccountNews::SessionEnded,
            Interruption::Quiet => AccountNews::Quiet,
        }
    }
}

//! Account streams: one stream for all games of the account.

use std::collections::VecDeque;
use std::sync::Arc;

use super::interruptions::{Interruption, Interruptions};
use super::{OpenStream, Streams};
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::games::hub::account_watch::{AccountNews, AccountWatch};
use estimation_store::{GameId, account_games};

pub struct AccountStream {
    streams: Arc<Streams>,
    watch: Arc<AccountWatch>,
    news: VecDeque<AccountNews>,
    interruptions: Interruptions,
    _open: OpenStream,
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
        // Registered before the tables are read, so that no change is missed.
        let watch = self.hub.account(&caller.account);
        let account = caller.account.clone();
        let tables = self.database.read(move |conn| account_games::current(conn, &account)).await?;
        let mut news = VecDeque::from(watch.begin(&tables));
        while let Some((game, version)) = watch.next_hint() {
            news.extend(self.look(&watch, game, version).await?);
        }
        Ok(AccountStream {
            streams: Arc::clone(self),
            watch,
            news,
            interruptions: Interruptions::new(
                self.closing.watch(),
                self.sessions.session_end(caller),
                self.heartbeat,
            ),
            _open: open,
        })
    }

    /// Loads a hinted game and returns its news.
    async fn look(
        &self,
        watch: &AccountWatch,
        game: GameId,
        version: u64,
    ) -> Result<Vec<AccountNews>, Failure> {
        match self.games.at_least(game, version).await {
            Ok(loaded) => {
                let invited = watch.may_be_invited(&loaded) && self.is_invited(watch, game).await?;
                Ok(watch.look(&loaded, invited))
            }
            // One unreadable game does not block the others.
            Err(failure) if failure.is_unreadable() || matches!(failure, Failure::NotFound { .. }) => {
                watch.forget(&game);
                Ok(Vec::new())
            }
            Err(failure) => Err(failure),
        }
    }

    async fn is_invited(&self, watch: &AccountWatch, game: GameId) -> Result<bool, Failure> {
        let account = watch.account.clone();
        Ok(self.database.read(move |conn| account_games::invites(conn, game, &account)).await?)
    }
}

impl AccountStream {
    /// Waits for the next news. The stream is over after a failure, and if a wait is dropped.
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
            if let Some((game, version)) = self.watch.next_hint() {
                self.news.extend(self.streams.look(&self.watch, game, version).await?);
                continue;
            }
            tokio::select! {
                biased;
                () = self.watch.hinted() => {}
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

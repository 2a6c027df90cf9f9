//! Finds what a node that died has not written: turns of all games that are played, and what happened just before.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::Notifications;
use crate::base::failure::{Failure, milliseconds};
use crate::base::ids::first_id;
use crate::games::LoadedGame;
use crate::games::turn_watch::{About, Look, people_awaited};
use estimation_engine::game::GameStatus;
use estimation_engine::player::AccountId;
use estimation_store::{Connection, GameId, StoreError, account_games, games, players};

/// Games read per query.
const PAGE: i64 = 200;

/// How often the number of dead nodes is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// What happened before this time a node has written, or its death was noticed then.
const RECENT: SignedDuration = SignedDuration::from_mins(2);

impl Notifications {
    /// Looks at all games when this node starts, and when another one has died. Runs until dropped.
    pub(crate) async fn take_over(&self) {
        if !self.has_destinations() {
            return;
        }
        let mut dead = HashSet::new();
        let mut is_first = true;
        loop {
            if std::mem::take(&mut is_first) || self.presence.lost_a_node(&mut dead) {
                while let Err(failure) = self.find_missed().await {
                    tracing::warn!(error = %failure, "cannot look for what players were not told of");
                    tokio::time::sleep(LOOK).await;
                }
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Watches the turn of each game that waits for a person, and looks at what happened lately. What was told of is not
    /// told again. A game that cannot be read is left out.
    async fn find_missed(&self) -> Result<(), Failure> {
        let since = self.clock.now().checked_sub(RECENT).unwrap_or(Timestamp::UNIX_EPOCH);
        let mut behind = GameId::default();
        loop {
            let page = self.database.read(move |conn| games::waiting(conn, behind, PAGE)).await?;
            for game in &page {
                let Some(loaded) = self.readable(*game).await? else { continue };
                if people_awaited(&loaded).next().is_some() {
                    self.turn_watch.found(&loaded);
                }
                let is_new =
                    loaded.turn_clock.last.timestamp() >= since && loaded.created_at.timestamp() >= since;
                if is_new && loaded.game.status() == GameStatus::Playing {
                    self.look_at(&loaded, About::Started);
                }
            }
            match page.last() {
                Some(last) if page.len() as i64 == PAGE => behind = *last,
                _ => break,
            }
        }
        let first = GameId(first_id(since));
        let read = move |conn: &mut Connection| {
            Ok((games::ended_since(conn, milliseconds(since))?, invited_since(conn, first)?))
        };
        let (ended, invited) = self.database.read(read).await?;
        for game in ended {
            if let Some(loaded) = self.readable(game).await? {
                self.look_at(&loaded, About::Finished);
            }
        }
        for (game, accounts) in invited {
            if let Some(loaded) = self.readable(game).await? {
                self.look_at(&loaded, About::Invited { accounts });
            }
        }
        Ok(())
    }

    fn look_at(&self, loaded: &LoadedGame, about: About) {
        self.turn_watch.again(Look { at: self.now(), game: loaded.id, version: loaded.version, about });
    }

    /// A game, if it can be read.
    async fn readable(&self, game: GameId) -> Result<Option<Arc<LoadedGame>>, Failure> {
        match self.games.present(game).await {
            Ok(loaded) => Ok(Some(loaded)),
            Err(failure) if failure.is_unavailable() => Err(failure),
            Err(_) => Ok(None),
        }
    }
}

/// The rematches with ids from `first` on, each with the players of its original.
fn invited_since(conn: &mut Connection, first: GameId) -> Result<Vec<(GameId, Vec<AccountId>)>, StoreError> {
    let rematches = account_games::rematches_since(conn, first)?;
    let originals: Vec<GameId> = rematches.iter().map(|rematch| rematch.of).collect();
    let sat = players::of_games(conn, &originals)?;
    let invited = rematches.iter().map(|rematch| {
        let accounts = sat.iter().filter(|row| row.game_id == rematch.of);
        (rematch.id, accounts.filter_map(|row| row.account_id.clone()).collect())
    });
    Ok(invited.collect())
}

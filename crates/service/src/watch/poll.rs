//! Polls the log for watched games and accounts, so that a lost hint costs only a second.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use super::Streams;
use crate::base::failure::Failure;
use crate::base::ids::first_id;
use crate::games::hub::Polled;
use estimation_engine::player::AccountId;
use estimation_store::{GameId, account_games, event_reads, players};

/// How far back a poll searches for new seats and invitations. It exceeds the longest commit plus the clock
/// skew between nodes.
const LOOKBACK: Duration = Duration::from_secs(60);

impl Streams {
    /// Polls the heads of watched games, and recent seats and invitations. The cost does not depend on an
    /// account's number of tables.
    pub(crate) async fn poll_log(&self) -> Result<(), Failure> {
        let asked = Instant::now();
        let Polled { games, accounts } = self.hub.to_poll();
        if !games.is_empty() {
            let ids: Vec<GameId> = games.keys().copied().collect();
            for (game, head) in self.database.read(move |conn| event_reads::heads(conn, &ids)).await? {
                if games.get(&game).is_some_and(|polled| self.hub.looked_at(game, head, polled)) {
                    tracing::warn!(%game, version = head.seq, "a log lacks events that this node has read before");
                    self.games.forget(&game);
                }
            }
        }
        if !accounts.is_empty() {
            let since_last = self.hub.last_look().map_or(Duration::ZERO, |last| asked.duration_since(last));
            self.poll_seats(accounts, LOOKBACK.saturating_add(since_last)).await?;
        }
        self.hub.looked(asked);
        Ok(())
    }

    /// Finds accounts that were seated or invited within `span` before now.
    async fn poll_seats(&self, accounts: Vec<AccountId>, span: Duration) -> Result<(), Failure> {
        let span = SignedDuration::try_from(span).unwrap_or(SignedDuration::MAX);
        let first = first_id(self.clock.now().checked_sub(span).unwrap_or(Timestamp::UNIX_EPOCH));
        let found = self.database.read(move |conn| {
            let span = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
            let mut found = players::recently_seated(conn, &accounts, span)?;
            let watched: HashSet<&AccountId> = accounts.iter().collect();
            let rematches = account_games::rematches_since(conn, GameId(first))?;
            let former: Vec<GameId> = rematches.iter().map(|rematch| rematch.of).collect();
            for player in players::of_games(conn, &former)? {
                let Some(account) = player.account_id.filter(|account| watched.contains(account)) else {
                    continue;
                };
                let theirs = rematches.iter().filter(|rematch| rematch.of == player.game_id);
                found.extend(theirs.map(|rematch| (account.clone(), rematch.id)));
            }
            let tables: BTreeSet<GameId> = found.iter().map(|(_, game)| *game).collect();
            let heads = event_reads::heads(conn, &tables.into_iter().collect::<Vec<_>>())?;
            Ok((found, heads.into_iter().collect::<HashMap<_, _>>()))
        });
        let (found, heads) = found.await?;
        for (account, game) in found {
            if let Some(head) = heads.get(&game) {
                self.hub.moved(game, head.seq, [&account]);
            }
        }
        Ok(())
    }
}

//! The known state of an account's games, with the revision of each game's last change.
//!
//! Nothing here does I/O. The revision grows with every change of any game, so a stream can ask for changes
//! after its own revision.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::account_news::{AccountNews, Matter};
use estimation_engine::game::GameStatus;
use estimation_store::GameId;
use estimation_store::account_games::CurrentGame;

/// Grows with every change of any of the account's games.
pub(crate) type Revision = u64;

#[derive(Default)]
pub(crate) struct KnownGames {
    games: BTreeMap<GameId, KnownGame>,
    revision: Revision,
    /// Games by the revision of their last change.
    changes: BTreeMap<Revision, GameId>,
    /// The ended ones of `changes`.
    over: BTreeMap<Revision, GameId>,
}

struct KnownGame {
    version: u64,
    status: GameStatus,
    /// Whether the account is seated; otherwise it is invited.
    seated: bool,
    turn: bool,
    changed: Revision,
    /// The revisions in which each kind of news became true.
    invited_in: Revision,
    started_in: Revision,
    finished_in: Revision,
    turn_in: Revision,
}

/// A loaded state of a game.
pub(crate) struct SeenGame {
    pub(crate) version: u64,
    pub(crate) status: GameStatus,
    pub(crate) seated: bool,
    pub(crate) turn: bool,
    pub(crate) invited: bool,
}

impl KnownGames {
    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// Whether nothing is left to report of a game at this version.
    pub(crate) fn is_known(&self, game: &GameId, version: u64) -> bool {
        self.games.get(game).is_some_and(|known| known.version >= version)
    }

    pub(crate) fn contains(&self, game: &GameId) -> bool {
        self.games.contains_key(game)
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.games.is_empty() && self.changes.is_empty() && self.over.is_empty()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &GameId> {
        self.games.keys()
    }

    /// The next `number` games after one, wrapping around, with their known versions.
    pub(crate) fn behind(&self, game: GameId, number: usize) -> Vec<(GameId, u64)> {
        let behind = self.games.range((Bound::Excluded(game), Bound::Unbounded));
        let all = behind.chain(self.games.range(..=game));
        all.take(number).map(|(id, known)| (*id, known.version)).collect()
    }

    /// Records a table found at the start. The state must still be loaded where the account may have to act.
    pub(crate) fn find(&mut self, found: &CurrentGame) {
        let status = if found.playing { GameStatus::Playing } else { GameStatus::Lobby };
        let version = if found.may_wait() { 0 } else { found.version };
        self.games.insert(found.id, KnownGame { version, status, seated: found.seated, ..KnownGame::NEW });
    }

    /// Invitations, and games awaiting the account's move.
    pub(crate) fn opening_news(&self) -> Vec<AccountNews> {
        let open = || self.games.iter().filter(|(_, known)| !known.is_over());
        let invited = open().filter(|(_, known)| !known.seated);
        let turns = open().filter(|(_, known)| known.turn);
        let invited = invited.map(|(id, known)| AccountNews::Invited(known.matter(*id)));
        invited.chain(turns.map(|(id, known)| AccountNews::YourTurn(known.matter(*id)))).collect()
    }

    /// Changes after a revision that still hold.
    pub(crate) fn news_since(&self, after: Revision) -> Vec<AccountNews> {
        let changed = self.changes.range(after + 1..).filter_map(|(_, id)| Some((id, self.games.get(id)?)));
        changed.flat_map(|(id, known)| known.news_since(after, *id)).collect()
    }

    /// Accepts any state of a game as newer than the known one.
    pub(crate) fn rewind(&mut self, game: &GameId) {
        if let Some(known) = self.games.get_mut(game) {
            known.version = 0;
        }
    }

    pub(crate) fn forget(&mut self, game: &GameId) {
        self.remove(game);
    }

    fn remove(&mut self, game: &GameId) -> Option<KnownGame> {
        let known = self.games.remove(game)?;
        self.changes.remove(&known.changed);
        self.over.remove(&known.changed);
        Some(known)
    }

    /// Compares a loaded state with what is known of the game.
    pub(crate) fn look(&mut self, game: GameId, seen: SeenGame) {
        let before = self.games.get(&game);
        if before.is_some_and(|known| known.version >= seen.version) {
            return;
        }
        let sat = before.is_some_and(|known| known.seated);
        let over = matches!(seen.status, GameStatus::Finished | GameStatus::Abandoned);
        let invited =
            seen.status == GameStatus::Lobby && (seen.invited || before.is_some_and(|known| !known.seated));
        // Left, forfeited, started without the account, or over before it was known: no news.
        let concerns = if over { sat } else { seen.seated || invited };
        let before = self.remove(&game);
        if !concerns {
            return;
        }
        let next = self.revision + 1;
        let since = |news: bool, before: Revision| if news { next } else { before };
        let is_new = before.is_none();
        let was = before.unwrap_or(KnownGame::NEW);
        let known = KnownGame {
            version: seen.version,
            status: seen.status,
            seated: seen.seated || over,
            turn: seen.turn,
            invited_in: since(is_new, was.invited_in),
            started_in: since(
                seen.status == GameStatus::Playing && was.status == GameStatus::Lobby,
                was.started_in,
            ),
            finished_in: since(over && !was.is_over(), was.finished_in),
            turn_in: since(seen.turn, was.turn_in),
            changed: was.changed,
        };
        let news = [known.invited_in, known.started_in, known.finished_in, known.turn_in];
        let changed = if news.contains(&next) { next } else { known.changed };
        self.revision = self.revision.max(changed);
        if changed > 0 {
            self.changes.insert(changed, game);
        }
        if over {
            self.over.insert(changed, game);
        }
        self.games.insert(game, KnownGame { changed, ..known });
    }

    /// Drops the games that were over by a revision, and returns them.
    pub(crate) fn drop_over(&mut self, revision: Revision) -> Vec<GameId> {
        let mut done = Vec::new();
        while let Some(oldest) = self.over.first_entry().filter(|oldest| *oldest.key() <= revision) {
            let (changed, game) = oldest.remove_entry();
            self.changes.remove(&changed);
            self.games.remove(&game);
            done.push(game);
        }
        done
    }
}

impl KnownGame {
    const NEW: KnownGame = KnownGame {
        version: 0,
        status: GameStatus::Lobby,
        seated: false,
        turn: false,
        changed: 0,
        invited_in: 0,
        started_in: 0,
        finished_in: 0,
        turn_in: 0,
    };

    fn is_over(&self) -> bool {
        matches!(self.status, GameStatus::Finished | GameStatus::Abandoned)
    }

    fn matter(&self, game: GameId) -> Matter {
        Matter { game, version: self.version, status: self.status }
    }

    /// What became true of the game after a revision.
    fn news_since(&self, after: Revision, game: GameId) -> impl Iterator<Item = AccountNews> {
        let matter = self.matter(game);
        let when =
            |since: Revision, news: fn(Matter) -> AccountNews| (since > after).then(|| news(matter.clone()));
        [
            when(self.invited_in, AccountNews::Invited),
            when(self.started_in, AccountNews::Started),
            when(self.finished_in, AccountNews::Finished),
            when(if self.turn { self.turn_in } else { 0 }, AccountNews::YourTurn),
        ]
        .into_iter()
        .flatten()
    }
}

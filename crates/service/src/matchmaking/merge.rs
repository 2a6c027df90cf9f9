//! Brings players together who wait for the same game at different tables.
//!
//! A player is moved in two steps: joining the other table, which takes the queue entry along, and leaving the former one.
//! The queue entry keeps the former table until the second step, so any node can finish a move. No table begins while a
//! moved player has a seat there.
//!
//! Players who accept bots and players who do not share a table only if they fill it: then no seat is left for a bot. If
//! a seat becomes free again before the start, those who accept bots get a table of their own, where bots can come.

use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use super::Matchmaking;
use super::seek::strangers_table;
use crate::auth::caller::Caller;
use crate::auth::restrictions::Restrictions;
use crate::auth::tokens::Role;
use crate::base::failure::Failure;
use crate::games::idempotency::Reservation;
use crate::games::skipped_games::Job;
use crate::games::{LoadedGame, Request};
use estimation_engine::client_seed::PlayerSeed;
use estimation_engine::command::Position;
use estimation_engine::game::{GameStatus, Sitter};
use estimation_engine::hex::Hex;
use estimation_engine::player::AccountId;
use estimation_engine::rejection::Rejection;
use estimation_engine::table::TableCommand;
use estimation_store::matchmaking::{self, WaitingTable, finish_move, open_tables, unfinished_moves};
use estimation_store::{Effect, GameId, Server, StoreError};

/// Attempts at freeing one seat.
const TRIES: usize = 8;

/// Whether players still come to a table.
fn has_room(loaded: &LoadedGame) -> bool {
    let places = &loaded.game.table.places;
    loaded.game.status() == GameStatus::Lobby && places.values().any(Option::is_none)
}

fn empty_seats(loaded: &LoadedGame) -> usize {
    loaded.game.table.places.values().filter(|place| place.is_none()).count()
}

fn not_all_accept(table: &WaitingTable) -> bool {
    !table.accepts_bots()
}

/// Whether players who accept bots wait with players who do not.
fn is_mixed(table: &WaitingTable) -> bool {
    table.accepting > 0 && not_all_accept(table)
}

fn games_of(tables: &[WaitingTable], which: fn(&WaitingTable) -> bool) -> Vec<GameId> {
    tables.iter().filter(|table| which(table)).map(|table| table.game).collect()
}

/// The commitment that a player takes along to another table; none for a bot, and for a player who must commit again.
fn can_move(sitter: &Sitter) -> Option<(&AccountId, Option<Hex<32>>)> {
    let account = sitter.player.account()?;
    match &sitter.seed {
        PlayerSeed::Committed(commitment) => Some((account, Some(*commitment))),
        PlayerSeed::Void | PlayerSeed::Missing => None,
        _ => Some((account, None)),
    }
}

/// A request in the name of a player that takes the queue entry along from a table.
fn moving(account: &AccountId, from: GameId) -> (Caller, Reservation) {
    let caller = Caller {
        account: account.clone(),
        session: Uuid::nil(),
        role: Role::Player,
        signed_in_at: Timestamp::UNIX_EPOCH,
        restrictions: Restrictions::default(),
    };
    (caller, Reservation::of_server(vec![Effect::MoveQueue { account: account.clone(), from }]))
}

/// Whether a player cannot be seated at a table: it is full, has begun, or is not open to the player, or the player has
/// left meanwhile.
fn is_refused(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Rejected(_)
            | Failure::GameBusy
            | Failure::SessionEnded
            | Failure::Suspended { .. }
            | Failure::AuditorBarred
            | Failure::Blocked
            | Failure::TooManyChanges { .. }
            | Failure::Store(StoreError::QueueBusy)
    )
}

/// Whether a refusal lasts: not that another player or node was faster.
fn is_lasting(refusal: &Failure) -> bool {
    !matches!(
        refusal,
        Failure::GameBusy
            | Failure::Store(_)
            | Failure::Rejected(
                Rejection::GameFull { .. } | Rejection::NotInLobby { .. } | Rejection::SeedsOpening { .. }
            )
    )
}

impl Matchmaking {
    /// Finishes moves that a stopped node began, and moves players together.
    pub(super) async fn bring_together(self: &Arc<Matchmaking>) -> Result<(), Failure> {
        let skip = self.skipped_games.paused(Job::Matchmaking);
        for (account, from) in self.database.read(move |conn| unfinished_moves(conn, &skip)).await? {
            let finished = self.finish_move(&account, from).await;
            self.skipped_games.settle(Job::Matchmaking, from, finished)?;
        }
        let skip = self.skipped_games.paused(Job::Matchmaking);
        for tables in self.database.read(move |conn| open_tables(conn, &skip)).await? {
            if tables.len() < 2 && !tables.iter().any(is_mixed) {
                continue;
            }
            // No player of this node sits down at these tables meanwhile.
            let _alone = self.seating.lock().await;
            let (bots, people) =
                (games_of(&tables, WaitingTable::accepts_bots), games_of(&tables, not_all_accept));
            self.merge(&bots).await?;
            self.merge(&people).await?;
            if self.fill(&people, &bots).await? {
                continue;
            }
            for mixed in games_of(&tables, is_mixed) {
                self.separate(mixed, bots.clone()).await?;
            }
        }
        Ok(())
    }

    /// The tables that have room. One failing table does not block the others.
    async fn with_room(&self, tables: &[GameId]) -> Result<Vec<Arc<LoadedGame>>, Failure> {
        let mut waiting = Vec::with_capacity(tables.len());
        for &game in tables {
            let loaded = self.games.present(game).await;
            let loaded = self.skipped_games.settle(Job::Matchmaking, game, loaded)?;
            waiting.extend(loaded.filter(|loaded| has_room(loaded)));
        }
        Ok(waiting)
    }

    /// Moves players of later tables to earlier ones, as far as these have room.
    async fn merge(self: &Arc<Matchmaking>, tables: &[GameId]) -> Result<(), Failure> {
        let mut waiting = self.with_room(tables).await?;
        // A player whose commitment is void must commit again and is not moved: others come to the table.
        waiting.sort_by_key(|loaded| loaded.game.void_seeds().is_empty());
        let mut targets: Vec<GameId> = waiting.iter().map(|loaded| loaded.id).collect();
        while let Some(source) = waiting.pop() {
            targets.pop();
            for sitter in source.game.table.places.values().flatten() {
                self.move_to_one_of(sitter, &source, &targets).await?;
            }
        }
        Ok(())
    }

    /// The players of some tables who can move, with their tables. A player with an unfinished move stays.
    async fn movable<'t>(
        &self,
        tables: &'t [Arc<LoadedGame>],
    ) -> Result<Vec<(&'t LoadedGame, &'t Sitter)>, Failure> {
        let mut movable = Vec::new();
        for table in tables {
            let id = table.id;
            let entries = self.database.read(move |conn| matchmaking::of_game(conn, id)).await?;
            let is_settled = |account: &AccountId| {
                entries.iter().any(|entry| entry.account_id == *account && entry.left_game_id.is_none())
            };
            let sitters = table.game.table.places.values().flatten();
            let free =
                sitters.filter(|sitter| can_move(sitter).is_some_and(|(account, _)| is_settled(account)));
            movable.extend(free.map(|sitter| (&**table, sitter)));
        }
        Ok(movable)
    }

    /// Fills the first table without bots that enough players can join who wait where all accept bots. Returns
    /// whether a table was filled. The other way round, a bot could come first.
    async fn fill(self: &Arc<Matchmaking>, people: &[GameId], bots: &[GameId]) -> Result<bool, Failure> {
        let (tables, sources) = (self.with_room(people).await?, self.with_room(bots).await?);
        let mut players = self.movable(&sources).await?;
        for table in &tables {
            let may_join = |sitter: &Sitter| self.may_join(sitter, table.id);
            let mut empty = empty_seats(table);
            let mut candidates = players.iter().filter(|(_, sitter)| may_join(sitter)).count();
            let mut staying = Vec::with_capacity(players.len());
            for (source, sitter) in players {
                let is_candidate = may_join(sitter);
                let is_tried = is_candidate && (1..=candidates).contains(&empty);
                candidates = candidates.saturating_sub(usize::from(is_candidate));
                if is_tried && self.move_to_one_of(sitter, source, &[table.id]).await? {
                    empty -= 1;
                } else {
                    staying.push((source, sitter));
                }
            }
            if empty == 0 {
                return Ok(true);
            }
            players = staying;
        }
        Ok(false)
    }

    /// Whether a player can move and was not refused at this table lately.
    fn may_join(&self, sitter: &Sitter, target: GameId) -> bool {
        let is_refused =
            |account: &AccountId| self.refused_moves.has(&(account.clone(), target), self.clock.now());
        can_move(sitter).is_some_and(|(account, _)| !is_refused(account))
    }

    /// Takes the players who accept bots from a table where they wait with others: to a table where all accept them,
    /// or to a new one.
    async fn separate(
        self: &Arc<Matchmaking>,
        mixed: GameId,
        mut accepting: Vec<GameId>,
    ) -> Result<(), Failure> {
        let Some(source) = self.with_room(&[mixed]).await?.pop() else { return Ok(()) };
        let entries = self.database.read(move |conn| matchmaking::of_game(conn, mixed)).await?;
        for sitter in source.game.table.places.values().flatten() {
            let entry = entries.iter().find(|entry| sitter.player.account() == Some(&entry.account_id));
            if entry.is_none_or(|entry| entry.bots_at.is_none())
                || self.move_to_one_of(sitter, &source, &accepting).await?
            {
                continue;
            }
            let opened = self.move_to_new(sitter, &source).await;
            accepting.extend(self.skipped_games.settle(Job::Matchmaking, mixed, opened)?.flatten());
        }
        Ok(())
    }

    /// Moves a player to the first of some tables where that is possible. Returns false if there is none.
    async fn move_to_one_of(
        self: &Arc<Matchmaking>,
        sitter: &Sitter,
        source: &LoadedGame,
        targets: &[GameId],
    ) -> Result<bool, Failure> {
        for &target in targets.iter().filter(|&&target| self.may_join(sitter, target)) {
            let moved = self.move_player(sitter, source, target).await;
            if self.skipped_games.settle(Job::Matchmaking, target, moved)? == Some(true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Moves a player from a table to another one. Returns false if that is not possible.
    async fn move_player(
        self: &Arc<Matchmaking>,
        sitter: &Sitter,
        source: &LoadedGame,
        target: GameId,
    ) -> Result<bool, Failure> {
        let Some((account, commitment)) = can_move(sitter) else { return Ok(false) };
        let (caller, reservation) = moving(account, source.id);
        let join = TableCommand::Join { place: None, commitment };
        match self.games.settle(Request::Admitted(&reservation), &caller, target, &join, None).await {
            Ok(_) => {}
            Err(failure) if is_refused(&failure) => {
                if is_lasting(&failure) {
                    self.refused_moves.begin((account.clone(), target), self.clock.now());
                }
                return Ok(false);
            }
            Err(failure) => return Err(failure),
        }
        self.finish_move(account, source.id).await?;
        self.advance_matchmade_table(target).await?;
        Ok(true)
    }

    /// Moves a player from a table to a new one for the same game. Returns its id; none if that is not possible.
    async fn move_to_new(
        self: &Arc<Matchmaking>,
        sitter: &Sitter,
        source: &LoadedGame,
    ) -> Result<Option<GameId>, Failure> {
        let Some((account, commitment)) = can_move(sitter) else { return Ok(None) };
        let (caller, reservation) = moving(account, source.id);
        let table = strangers_table(source.game.rules().clone(), commitment);
        let opened = match self.games.open_table(&caller, table, &[], &reservation).await {
            Ok(done) => done.value.id,
            Err(failure) if is_refused(&failure) => return Ok(None),
            Err(failure) => return Err(failure),
        };
        self.finish_move(account, source.id).await?;
        Ok(Some(opened))
    }

    /// Frees the seat of a moved player at the former table.
    pub(super) async fn finish_move(
        self: &Arc<Matchmaking>,
        account: &AccountId,
        from: GameId,
    ) -> Result<(), Failure> {
        for _ in 0..TRIES {
            let loaded = self.games.present(from).await?;
            let (status, position) = (loaded.game.status(), loaded.position_of(account));
            let (GameStatus::Lobby, Some(Position::Place(place))) = (status, position) else {
                let account = account.clone();
                return Ok(self
                    .database
                    .write(Server, move |conn| finish_move(conn, &account, from))
                    .await?);
            };
            let leave = TableCommand::Leave { place: place.index() as u8 };
            if self.attempt(&loaded, account, &leave, &Reservation::of_server(Vec::new())).await? {
                return Ok(());
            }
        }
        Err(Failure::GameBusy)
    }
}

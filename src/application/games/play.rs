//! Playing: a command is decided on a recent state, and on the present one before it is refused.

use std::time::Instant;

use serde::Serialize;
use uuid::Uuid;

use super::LoadedGame;
use super::commit::Committed;
use super::events::PublishedEvent;
use super::view::GameView;
use crate::application::app::App;
use crate::application::caller::Caller;
use crate::application::failure::Failure;
use crate::application::once::{Done, OnceKey, Past, Ticket};
use crate::engine::command::{Actor, Command};
use crate::engine::decide::decide;
use crate::engine::event::Events;
use crate::engine::rejection::Rejection;
use crate::store::StoreError;

/// How often a command is decided again because the game has moved on meanwhile.
pub(super) const TRIES: usize = 8;

/// The most events told to somebody whose version was stale.
const MISSED_EVENTS: usize = 100;

/// What a command came to.
#[derive(Debug, Serialize)]
pub struct Played {
    /// The game's version now.
    pub version: u64,
    /// The events it caused, as the caller may see them.
    pub events: Vec<PublishedEvent>,
    /// The view after them.
    pub game: GameView,
}

/// A game's version, alone.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Position {
    /// The version now.
    pub version: u64,
}

/// What a command comes to on a state.
#[expect(clippy::large_enum_variant, reason = "accepted is what almost every verdict is")]
enum Verdict {
    Accepted(Actor, Events),
    Refused(Rejection),
    Stale,
}

impl App {
    /// Carries out a command of play, and shows what came of it.
    ///
    /// `expected` is the version the caller saw, if the command is meant for that alone.
    pub async fn play(
        &self,
        caller: &Caller,
        id: Uuid,
        expected: Option<u64>,
        command: &Command,
        once: Option<&OnceKey>,
    ) -> Result<Done<Played>, Failure> {
        let done = self.carry_out(caller, id, expected, command, once).await?;
        let committed = &done.value;
        let viewer = committed.state.viewer(&caller.account);
        Ok(done.with(Played {
            version: committed.state.version,
            events: committed.events(viewer)?,
            game: self.view_of(&committed.state, &caller.account).await?,
        }))
    }

    /// Carries out a command of play, and tells the version it led to.
    pub async fn play_briefly(
        &self,
        caller: &Caller,
        id: Uuid,
        expected: Option<u64>,
        command: &Command,
        once: Option<&OnceKey>,
    ) -> Result<Done<Position>, Failure> {
        let done = self.carry_out(caller, id, expected, command, once).await?;
        Ok(done.with(Position { version: done.value.state.version }))
    }

    async fn carry_out(
        &self,
        caller: &Caller,
        id: Uuid,
        expected: Option<u64>,
        command: &Command,
        once: Option<&OnceKey>,
    ) -> Result<Done<Committed>, Failure> {
        let turn = match self.ticket(caller, once).await? {
            Ticket::Go(turn) => turn,
            Ticket::Done(past) => return self.done_before(&past).await,
        };
        let began = Instant::now();
        for _ in 0..TRIES {
            let loaded = self.recent(id).await?;
            let verdict = match self.verdict(&loaded, caller, expected, command) {
                Verdict::Accepted(actor, events) => match self.commit(&loaded, actor, events, &turn).await {
                    Err(Failure::Store(StoreError::VersionConflict { .. })) => continue,
                    Err(Failure::Store(StoreError::KeyTaken)) => {
                        return self.done_before(&self.overtaken(&turn).await?).await;
                    }
                    Err(failure) => return Err(failure),
                    Ok(value) => {
                        self.metrics.command(began.elapsed());
                        return Ok(Done { value, replayed: false });
                    }
                },
                refusal => refusal,
            };
            // Nothing is refused on a state that is not the present one, nor what was done on another node.
            if self.is_outdated(&loaded).await? {
                continue;
            }
            if let Some(past) = self.past_of(&turn).await? {
                return self.done_before(&past).await;
            }
            loaded.admit(&caller.account)?;
            return Err(match verdict {
                Verdict::Refused(rejection) => rejection.into(),
                _ => self.stale(&loaded, caller, expected.unwrap_or(0)).await?,
            });
        }
        Err(Failure::Busy)
    }

    /// What was done before, to be answered again.
    pub(in crate::application) async fn done_before(&self, past: &Past) -> Result<Done<Committed>, Failure> {
        Ok(Done { value: self.committed_before(past).await?, replayed: true })
    }

    fn verdict(
        &self,
        loaded: &LoadedGame,
        caller: &Caller,
        expected: Option<u64>,
        command: &Command,
    ) -> Verdict {
        if expected.is_some_and(|expected| expected != loaded.version) {
            return Verdict::Stale;
        }
        let Some(chair) = loaded.chair_of(&caller.account) else {
            return Verdict::Refused(Rejection::NotSeated);
        };
        let actor = Actor::at(chair);
        match decide(&loaded.game, actor, command, &mut self.chance(loaded)) {
            Ok(events) => Verdict::Accepted(actor, events),
            Err(rejection) => Verdict::Refused(rejection),
        }
    }

    /// The refusal of a command that was meant for another version.
    async fn stale(&self, loaded: &LoadedGame, caller: &Caller, expected: u64) -> Result<Failure, Failure> {
        let viewer = loaded.viewer(&caller.account);
        let events = self.events_after(loaded, viewer, expected, MISSED_EVENTS).await?;
        Ok(Failure::StaleVersion { current_version: loaded.version, events })
    }
}

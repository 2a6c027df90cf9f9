//! Committing: events are hashed onto the chain and appended with everything that goes with them.

use std::sync::Arc;

use uuid::Uuid;

use super::LoadedGame;
use super::events::{PublishedEvent, publish};
use super::load::snapshot;
use crate::application::app::App;
use crate::application::failure::{Failure, milliseconds};
use crate::application::fairness::SeededChance;
use crate::application::once::{Past, Turn};
use crate::application::record::{Envelope, RecordTime, chain};
use crate::engine::chance::ClientSeed;
use crate::engine::command::Actor;
use crate::engine::event::{Event, Events};
use crate::engine::evolve::evolve;
use crate::engine::game::{Game, Status};
use crate::engine::redact::Viewer;
use crate::engine::seat::Place;
use crate::store::events::{self, StoredEvent};
use crate::store::games::GameChanges;
use crate::store::{Append, Connection, Effect, Hash, NewEvent};

/// A snapshot is kept at the latest after so many events.
const SNAPSHOT_EVERY: u64 = 64;

/// Events that are in the log, and the state they made.
pub(super) struct Committed {
    pub(super) state: Arc<LoadedGame>,
    events: Vec<StoredEvent>,
}

impl Committed {
    /// The events as somebody may see them.
    pub(super) fn events(&self, viewer: Viewer) -> Result<Vec<PublishedEvent>, Failure> {
        let game = self.state.id.to_string();
        let over = self.state.game.is_over();
        self.events.iter().map(|event| publish(&game, event, viewer, over)).collect()
    }
}

/// Hashes events onto a chain; gives them and the new head. The first event is the actor's, what follows
/// is the server's.
pub(super) fn chained(
    id: Uuid,
    (version, mut hash): (u64, Hash),
    at: RecordTime,
    actor: Actor,
    events: &Events,
) -> Result<(Vec<NewEvent>, Hash), Failure> {
    let mut new = Vec::with_capacity(events.len());
    for (seq, event) in (version + 1..).zip(events) {
        let actor = if seq == version + 1 { actor } else { Actor::Server };
        let body = Envelope { game: id, seq, at, actor, event }.canonical()?;
        hash = chain(hash, body.as_bytes());
        new.push(NewEvent { hash, body });
    }
    Ok((new, hash))
}

impl App {
    /// What was committed before, as of then.
    pub(super) async fn committed_before(&self, past: &Past) -> Result<Committed, Failure> {
        let id = past.game.parse().map_err(|_| Failure::Defect(format!("{:?} is no id", past.game)))?;
        let state = Arc::new(self.at_version(id, past.last_seq).await?);
        let Past { game, first_seq, last_seq } = past.clone();
        let read = move |conn: &mut Connection| {
            events::after(conn, &game, first_seq - 1, (last_seq + 1 - first_seq) as i64)
        };
        Ok(Committed { state, events: self.database.read(read).await? })
    }

    /// The chance of a game.
    pub(super) fn chance(&self, loaded: &LoadedGame) -> SeededChance<'_> {
        let places = loaded.game.table.places.values();
        let seeds: Vec<Option<ClientSeed>> =
            places.map(|sitter| sitter.as_ref().and_then(|sitter| sitter.client_seed.clone())).collect();
        SeededChance::new(loaded.id, loaded.seed.clone(), seeds, &*self.entropy)
    }

    /// Appends what was decided on a state. A conflict means the game has moved on, and the caller decides
    /// again.
    pub(super) async fn commit(
        &self,
        before: &LoadedGame,
        actor: Actor,
        events: Events,
        turn: &Turn,
    ) -> Result<Committed, Failure> {
        let at = RecordTime::of(self.now(), Some(before.at));
        let (new, hash) = chained(before.id, (before.version, before.hash), at, actor, &events)?;
        let mut game = before.game.clone();
        let mut effects = Vec::new();
        for event in &events {
            effects.extend(place_change(&game, event));
            evolve(&mut game, event);
        }
        let row_change = row_change(&before.game, &game, at);
        let seating_changed = row_change.is_some();
        effects.extend(row_change);
        let version = before.version + events.len() as u64;
        let state = Arc::new(LoadedGame { version, hash, at, game, ..before.clone() });
        let round_ended = events.iter().any(|event| matches!(event, Event::RoundScored(_)));
        if round_ended || version / SNAPSHOT_EVERY > before.version / SNAPSHOT_EVERY {
            effects.push(Effect::SaveSnapshot(snapshot(&state)?));
        }
        effects.extend(turn.remember(self, &before.id.to_string(), (before.version + 1, version)));
        let stored = stored(before.version, &new);
        let append = Append {
            game: before.id.to_string(),
            first_seq: before.version + 1,
            previous_hash: before.hash,
            events: new,
            effects,
        };
        match self.database.append(append).await {
            Ok(_) => {
                self.cache.keep(&state);
                self.announce(state.id, state.version);
                if seating_changed {
                    let players = state.game.table.places.values().flatten();
                    self.hub.wake(players.filter_map(|sitter| sitter.player.account()));
                }
                Ok(Committed { state, events: stored })
            }
            Err(error) => {
                self.cache.forget(&before.id);
                Err(error.into())
            }
        }
    }
}

fn stored(version: u64, events: &[NewEvent]) -> Vec<StoredEvent> {
    (version + 1..)
        .zip(events)
        .map(|(seq, event)| StoredEvent { seq, hash: event.hash, body: event.body.clone() })
        .collect()
}

/// What an event changes in the list of who sits where.
fn place_change(before: &Game, event: &Event) -> Option<Effect> {
    let number = |place: Place| place.index() as i32;
    match event {
        // Replacing one's client seed takes no new place.
        Event::PlayerJoined { place, .. } if before.table.at(*place).is_some() => None,
        Event::PlayerJoined { place, account, .. } => Some(Effect::SeatPlayer {
            place: number(*place),
            account: Some(account.to_string()),
            kind: "human".to_owned(),
        }),
        Event::PlayerLeft { place, .. } => Some(Effect::UnseatPlayer { place: number(*place) }),
        _ => None,
    }
}

/// What changes in the game's row: nothing while it is played.
fn row_change(before: &Game, after: &Game, at: RecordTime) -> Option<Effect> {
    let taken = |game: &Game| game.table.places.values().flatten().count() as i32;
    let status = Some(after.status()).filter(|&status| status != before.status());
    let host = Some(&after.table.host).filter(|&host| *host != before.table.host);
    let seats = Some(taken(after)).filter(|&count| count != taken(before));
    if status.is_none() && host.is_none() && seats.is_none() {
        return None;
    }
    let at = milliseconds(at.timestamp());
    let over = matches!(status, Some(Status::Finished | Status::Abandoned));
    Some(Effect::UpdateGame(GameChanges {
        status: status.map(|status| status.as_str().to_owned()),
        host: host.map(ToString::to_string),
        join_code: None,
        taken: seats,
        updated_at: at,
        ended_at: over.then_some(at),
    }))
}

//! Commits: events are hashed onto the chain and appended together with all their effects.

use std::sync::Arc;

use super::bots::{NextTimedAction, schedule};
use super::committed_event::CommittedEvent;
use super::due_games::Cause;
use super::published_event::PublishedEvent;
use super::snapshot::snapshot;
use super::{Games, LoadedGame};
use crate::auth::caller::Caller;
use crate::auth::keys::head::bind_head;
use crate::base::completion::run_to_completion;
use crate::base::failure::{Failure, milliseconds};
use crate::base::prerendered::Prerendered;
use crate::games::idempotency::{PriorOutcome, Reservation};
use estimation_engine::break_off::{BreakOff, break_offs};
use estimation_engine::command::{Actor, Position};
use estimation_engine::event::{Event, Events};
use estimation_engine::evolve::evolve;
use estimation_engine::game::{Game, GameStatus};
use estimation_engine::hex::Hex;
use estimation_engine::player::AccountId;
use estimation_engine::redact::Viewer;
use estimation_engine::seat::Place;
use estimation_engine::table::Decided;
use estimation_record::fairness::SeededChance;
use estimation_record::turn_clock::TimedAction;
use estimation_record::{Envelope, RecordTime, chain, ruleset_hash};
use estimation_store::break_offs::NewBreakOff;
use estimation_store::event_reads::{self, StoredEvent};
use estimation_store::games::GameChanges;
use estimation_store::{Append, Connection, Effect, GameId, Hash, StoreError};

/// The most events between two snapshots.
const SNAPSHOT_EVERY: u64 = 64;

/// Appended events and the resulting state.
pub(crate) struct CommitResult {
    pub(crate) state: Arc<LoadedGame>,
    pub(super) events: Vec<Arc<CommittedEvent>>,
}

/// Who hears of an append beside the watchers of the game.
pub(super) struct AppendAudience {
    /// Accounts that are seated, or were just unseated or invited.
    pub(super) accounts: Vec<AccountId>,
    /// Those of them that are invited to a new table.
    pub(super) invited: Vec<AccountId>,
    pub(super) bot_is_due: bool,
}

impl CommitResult {
    /// The events as a viewer may see them.
    pub(super) fn published(&self, viewer: Viewer) -> Result<Vec<Arc<PublishedEvent>>, Failure> {
        let over = self.state.game.is_over();
        self.events.iter().map(|event| event.publish(viewer, over)).collect()
    }
}

/// The actors of a command's events: the leading ones are the actor's, the others the server's.
pub(super) fn actors(actor: Actor, leading: usize) -> impl Iterator<Item = Actor> {
    std::iter::repeat_n(actor, leading).chain(std::iter::repeat(Actor::Server))
}

/// Hashes events onto a chain; returns them and the new head.
pub(super) fn chained<'e>(
    id: GameId,
    (version, mut hash): (u64, Hash),
    at: RecordTime,
    events: impl IntoIterator<Item = (Actor, &'e Event)>,
) -> Result<(Vec<StoredEvent>, Hash), Failure> {
    let mut new = Vec::new();
    for (seq, (actor, event)) in (version + 1..).zip(events) {
        let body = Envelope { game: id.0, seq, at, actor, event }.canonical()?;
        hash = chain(hash, body.as_bytes());
        new.push(StoredEvent { seq, hash, body, binding: None });
    }
    Ok((new, hash))
}

impl Games {
    pub(super) async fn committed_before(
        &self,
        caller: &Caller,
        past: &PriorOutcome,
    ) -> Result<CommitResult, Failure> {
        let present = self.present(past.game).await?;
        let state = Arc::new(self.at_version(&present, &caller.account, past.last_seq).await?);
        let PriorOutcome { game, first_seq, last_seq } = *past;
        let read = move |conn: &mut Connection| {
            event_reads::after(conn, game, first_seq - 1, (last_seq + 1 - first_seq) as i64)
        };
        let read =
            self.database.read(read).await?.into_iter().map(|event| CommittedEvent::read(game, &event));
        let events = read.map(|event| event.map(Arc::new)).collect::<Result<_, _>>()?;
        Ok(CommitResult { state, events })
    }

    pub(crate) fn chance(&self, loaded: &LoadedGame) -> SeededChance<'_> {
        SeededChance::new(loaded.id.0, loaded.seed.clone(), &loaded.game.table, &*self.entropy)
    }

    /// Appends a decision on a state. On a conflict the game has advanced, and the caller decides again.
    pub(super) async fn commit(
        self: &Arc<Games>,
        before: &LoadedGame,
        Decided { actor, events, leading }: Decided,
        reservation: &Reservation,
    ) -> Result<CommitResult, Failure> {
        let start = events.iter().position(|event| matches!(event, Event::GameStarted(_)));
        let at = match start.is_some() {
            true => self.public_log.start_time(self.clock.now(), before.turn_clock.last),
            false => RecordTime::of(self.clock.now(), Some(before.turn_clock.last)),
        };
        let (mut new, hash) =
            chained(before.id, (before.version, before.hash), at, actors(actor, leading).zip(&events))?;
        let keys = self.keys.ring().record_keys();
        bind_head(before.id, &mut new, &keys, self.clock.now())?;
        let (mut game, mut turn_clock) = (before.game.clone(), before.turn_clock);
        let mut effects = Vec::new();
        for (new, (actor, event)) in new.iter().zip(actors(actor, leading).zip(&events)) {
            effects.extend(place_change(&game, event));
            effects.extend(queue_change(event));
            for BreakOff { account, kind } in break_offs(&game, actor, event) {
                let (seq, kind) = (new.seq as i64, kind.as_str());
                effects.push(Effect::CountBreakOff(NewBreakOff { seq, account, kind, at }));
            }
            evolve(&mut game, event);
            turn_clock = turn_clock.after(event, at, &game);
        }
        if game.table.host != before.game.table.host {
            let account = game.table.host.clone();
            effects.push(Effect::HostTable { account, limit: *self.tables_per_host.get() });
        }
        let mut change = row_change(&before.game, &game, at);
        let mut join_code = before.join_code.clone();
        // The removed person knows the code.
        if join_code.is_some() && events.iter().any(|event| removed(actor, event).is_some()) {
            join_code = Some(self.invitation_code());
            change.get_or_insert_default().join_code = Some(join_code.clone());
        }
        let seating_changed = change.is_some();
        let next = schedule(self.bot_delay, turn_clock, &game, &hash);
        let wake_at = next_wake_at(before.wake_at, next, actor, seating_changed);
        if wake_at != before.wake_at {
            let change = change.get_or_insert_default();
            change.wake_at = Some(wake_at);
            change.updated_at = milliseconds(at.timestamp());
        }
        effects.extend(change.map(Effect::UpdateGame));
        let mut promise = before.promise.clone();
        if let Some(started) = start.and_then(|index| new.get(index)) {
            let ruleset = self.stored_rules(before.id).await?;
            let start = self.public_log.start(before.id, &game, (at, started.hash), ruleset)?;
            effects.push(Effect::LogStart(start.stored));
            promise = Some(Arc::new(Prerendered::new(start.promise)));
        }
        let version = before.version + events.len() as u64;
        // Field by field, to avoid copying the game twice.
        let state = Arc::new(LoadedGame {
            id: before.id,
            version,
            hash,
            turn_clock,
            wake_at,
            created_at: before.created_at,
            join_code,
            talk: before.talk,
            seed: before.seed.clone(),
            rules: Arc::clone(&before.rules),
            promise,
            common_parts: Arc::clone(&before.common_parts),
            game,
        });
        let round_ended = events.iter().any(|event| matches!(event, Event::RoundScored(_)));
        if round_ended || state.game.is_over() || version / SNAPSHOT_EVERY > before.version / SNAPSHOT_EVERY {
            effects.extend(snapshot(&state, &keys, self.clock.now())?.map(Effect::SaveSnapshot));
        }
        effects.extend(reservation.remember(self.clock.now(), before.id, (before.version + 1, version)));
        let committed = committed(at, actors(actor, leading), &new, events);
        let (game, previous_hash, by) = (before.id, before.hash, reservation.by());
        let append = Append { game, previous_hash, events: new, effects, by };
        let accounts = seated_before_or_after(&before.game, &state.game);
        let bot_is_due = next.is_some_and(|next| matches!(next.deadline.duty, TimedAction::Bot(_)));
        let committed = CommitResult { state, events: committed };
        let audience = AppendAudience { accounts, invited: Vec::new(), bot_is_due };
        Ok(self.conclude(append, committed, audience, reservation).await?)
    }

    /// The hash of the rules as the first event has them.
    async fn stored_rules(&self, game: GameId) -> Result<Hex<32>, Failure> {
        let first = self.database.read(move |conn| event_reads::after(conn, game, 0, 1)).await?.pop();
        first.and_then(|event| ruleset_hash(&event.body)).ok_or_else(|| {
            let detail = format!("the log of {game} does not begin with its rules");
            Failure::Store(StoreError::Corrupt { detail })
        })
    }

    /// Appends, then caches the state and announces it. Once the writer has the events, this completes even
    /// if the caller is dropped.
    pub(super) async fn conclude(
        self: &Arc<Games>,
        append: Append,
        committed: CommitResult,
        concerned: AppendAudience,
        reservation: &Reservation,
    ) -> Result<CommitResult, StoreError> {
        let (app, guard) = (Arc::clone(self), reservation.guard());
        let concluding = async move {
            let CommitResult { state, events } = &committed;
            let (outdated, previous) = (append.first_seq() - 1, append.previous_hash);
            if let Err(error) = app.database.append(append).await {
                app.cache.forget(&state.id, outdated);
                app.public_log.learn(&error);
                return Err(error);
            }
            app.cache.keep(state);
            app.hub.committed(state, events, &previous);
            app.announcements.announce(state.id, state.version, concerned.accounts);
            app.turn_watch.committed(state, events, &concerned.invited);
            if concerned.bot_is_due {
                app.due.look_at(state.id, Cause::Changed);
            }
            // From here on, a repeat finds the state and the stored outcome.
            drop(guard);
            Ok(committed)
        };
        run_to_completion(concluding).await
    }
}

/// The events to append, prepared for publishing.
fn committed(
    at: RecordTime,
    actors: impl Iterator<Item = Actor>,
    stored: &[StoredEvent],
    events: Events,
) -> Vec<Arc<CommittedEvent>> {
    let all = stored.iter().zip(actors).zip(events);
    all.map(|((stored, actor), event)| {
        Arc::new(CommittedEvent::new(stored.seq, stored.hash, at, actor, event))
    })
    .collect()
}

/// The accounts that have a position before or after an append.
fn seated_before_or_after(before: &Game, after: &Game) -> Vec<AccountId> {
    let mut accounts = Vec::new();
    for game in [before, after] {
        let players = game.table.places.values().flatten().filter_map(|sitter| sitter.player.account());
        for account in players.filter(|account| game.position_of(account).is_some()) {
            if !accounts.contains(account) {
                accounts.push(account.clone());
            }
        }
    }
    accounts
}

/// The event's effect on the stored seating.
fn place_change(before: &Game, event: &Event) -> Option<Effect> {
    let number = |place: Place| place.index() as i32;
    match event {
        Event::PlayerJoined { place, account, .. } => Some(Effect::SeatPlayer {
            place: number(*place),
            account: Some(account.clone()),
            kind: "human".to_owned(),
        }),
        // A new bot level is not a new place.
        Event::BotSeated { place, .. } if before.table.at(*place).is_some() => None,
        Event::BotSeated { place, .. } => {
            Some(Effect::SeatPlayer { place: number(*place), account: None, kind: "bot".to_owned() })
        }
        Event::PlayerLeft { place, .. } => Some(Effect::UnseatPlayer { place: number(*place) }),
        _ => None,
    }
}

/// The account that the actor removes from the table; none for a player who leaves.
pub(super) fn removed(actor: Actor, event: &Event) -> Option<&AccountId> {
    match event {
        Event::PlayerLeft { place, account } if actor != Actor::at(Position::Place(*place)) => {
            account.as_ref()
        }
        _ => None,
    }
}

/// The event's effect on the matchmaking queue; none at other tables.
fn queue_change(event: &Event) -> Option<Effect> {
    match event {
        Event::PlayerLeft { account, .. } => account.clone().map(|account| Effect::LeaveQueue { account }),
        Event::OpeningBegan {} => Some(Effect::RequireNoMove),
        Event::GameStarted(_) => Some(Effect::BeginQueued),
        Event::GameFinished(_) | Event::GameAbandoned { .. } => Some(Effect::EndQueued),
        _ => None,
    }
}

/// The changes to the game's row; `None` while play goes on.
fn row_change(before: &Game, after: &Game, at: RecordTime) -> Option<GameChanges> {
    let taken = |game: &Game| game.table.places.values().flatten().count() as i32;
    let status = Some(after.status()).filter(|&status| status != before.status());
    let host = Some(&after.table.host).filter(|&host| *host != before.table.host);
    let seats = Some(taken(after)).filter(|&count| count != taken(before));
    if status.is_none() && host.is_none() && seats.is_none() {
        return None;
    }
    let at = milliseconds(at.timestamp());
    let over = matches!(status, Some(GameStatus::Finished | GameStatus::Abandoned));
    Some(GameChanges {
        status: status.map(|status| status.as_str().to_owned()),
        host: host.cloned(),
        taken: seats,
        updated_at: at,
        ended_at: over.then_some(at),
        // Clear `rematch_of`, so another rematch can be opened.
        rematch_of: (over && before.status() == GameStatus::Lobby).then_some(None),
        ..GameChanges::default()
    })
}

/// The `wake_at` value for the game's row: early, never late.
///
/// A human turn keeps an earlier value, so that moves between people write no row. A worker that wakes too
/// early postpones it, at most to the end of the previous turn. A bot's turn is due soon, so it always
/// writes a value that no worker has postponed. A bot that moves after a bot reuses it; a bot that moves
/// before a person postpones it.
fn next_wake_at(
    known: Option<i64>,
    next: Option<NextTimedAction>,
    actor: Actor,
    seating_changed: bool,
) -> Option<i64> {
    let NextTimedAction { deadline, wake_at: at } = next?;
    let Some(known) = known.filter(|_| !seating_changed) else { return Some(at) };
    let own = actor.by().is_some();
    match deadline.duty {
        TimedAction::Bot(_) if own && known <= at => Some(known),
        TimedAction::Bot(_) if known <= at => Some(at.max(known + 1)),
        TimedAction::Clock(_) | TimedAction::Expiry if known <= at && !own => Some(known),
        _ => Some(at),
    }
}

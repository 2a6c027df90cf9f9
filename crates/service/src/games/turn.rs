//! The turn: what a client that follows the events of a game needs beside them to keep its view and to act.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::published_event::PublishedEvent;
use super::round_changes::{RoundChanges, changes};
use super::view::{Attendance, PersonView, SeatView, TimedFairness, host, seats};
use super::viewer_text::legal_text;
use super::{Games, LoadedGame, LogPosition};
use crate::base::failure::Failure;
use crate::base::locale::Language;
use crate::base::prerendered::Prerendered;
use crate::public_log::PromiseView;
use estimation_engine::command::{Command, Position};
use estimation_engine::event::EventKind;
use estimation_engine::game::{Game, GameStatus};
use estimation_engine::player::AccountId;
use estimation_engine::redact::Viewer;
use estimation_engine::seat::SeatSet;
use estimation_engine::view::{RoundView, ScoresView, fairness_view, round_view, scores_view};
use estimation_record::RecordTime;

/// What a client that follows the events of a game needs beside them: whose turn it is, and the parts of the view that
/// changed since its last turn, unless the events say so: a deal, an estimate, a card and a trick of the round, and the points
/// of a round of the scores. A part that is absent has not changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct Turn {
    /// The version of the game that this describes. Ignore it if you have a later one. Absent beside an event, whose number it
    /// is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub version: Option<u64>,
    /// The positions that must act; in an opening of client seeds, those whose seed is closed.
    #[schema(max_items = 5)]
    pub awaited: Vec<Position>,
    /// When the turn times out, or the opening ends; absent without a clock, and on a bot's turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub deadline: Option<RecordTime>,
    /// The milliseconds to the deadline when the turn was written; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 9_007_199_254_740_991_u64)]
    pub remaining_ms: Option<u64>,
    /// The seats, or places in the lobby, of absent persons for whom a bot plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stand_ins: Option<SeatSet>,
    /// The seats, or places in the lobby, whose player is online.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub connected: Option<SeatSet>,
    /// The game's status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub status: Option<GameStatus>,
    /// The host of the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub host: Option<PersonView>,
    /// The seats, as in the view.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_items = 2, max_items = 5)]
    pub seats: Option<Vec<SeatView>>,
    /// The members of the round that changed, as an account without a seat sees them; null if there is no round. `to_act` is
    /// the first of `awaited`, `deadline` that of the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RoundChanges>, required = false)]
    pub round: Option<Value>,
    /// Totals and points so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ScoresView>, nullable = false)]
    pub scores: Option<Arc<Prerendered<ScoresView>>>,
    /// The data for checking the deals.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<TimedFairness>, nullable = false)]
    pub fairness: Option<Arc<Prerendered<TimedFairness>>>,
    /// The promise that the public log has the start of the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<PromiseView>, nullable = false)]
    pub log: Option<Arc<Prerendered<PromiseView>>>,
    /// The commands that you may post now; absent if there are none.
    // Empty in a shared turn: `ViewerTurn` adds those of its viewer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(nullable = false, min_items = 1, max_items = 100)]
    pub legal: Vec<Command>,
}

/// The parts of a view that events change, beside what they say themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// The round, except for a card or a trick.
    round: bool,
    /// Status and seats.
    seats: bool,
    /// Totals and points, except for the points of a round.
    scores: bool,
    /// Host and the data for checking the deals.
    fairness: bool,
    log: bool,
}

impl Parts {
    const ALL: Parts = Parts { round: true, seats: true, scores: true, fairness: true, log: true };

    /// What an event of this kind changes, beside what it says itself.
    pub(crate) fn changed_by(kind: EventKind) -> Parts {
        let none = Parts::default();
        let round = Parts { round: true, ..none };
        let seats = Parts { seats: true, ..round };
        match kind {
            EventKind::CardPlayed | EventKind::TrickTaken => none,
            EventKind::GameCreated
            | EventKind::PlayerJoined
            | EventKind::PlayerLeft
            | EventKind::BotSeated
            | EventKind::HostChanged
            | EventKind::SeedCommitted
            | EventKind::OpeningBegan
            | EventKind::SeedOpened
            | EventKind::OpeningFailed => Parts { fairness: true, ..seats },
            EventKind::GameStarted => Parts { fairness: true, log: true, ..seats },
            EventKind::Revoked | EventKind::HintTaken => Parts { scores: true, ..round },
            EventKind::GameFinished | EventKind::GameAbandoned => Parts { log: false, ..Parts::ALL },
            EventKind::SeatsDrawn | EventKind::SeatChosen | EventKind::PlayerForfeited => seats,
            EventKind::DeckCut
            | EventKind::RoundDealt
            | EventKind::AvoidDeclared
            | EventKind::RedealCalled
            | EventKind::BlindDashed
            | EventKind::AuctionEntered
            | EventKind::BidMade
            | EventKind::Passed
            | EventKind::DashCalled
            | EventKind::AuctionWon
            | EventKind::AuctionVoid
            | EventKind::RoundFolded
            | EventKind::EstimateMade
            | EventKind::TrumpChanged
            | EventKind::PlayBegan
            | EventKind::RoundScored
            | EventKind::TurnTimedOut
            | EventKind::StandInBegan
            | EventKind::StandInEnded => round,
        }
    }

    /// Whether it is more than a round, so that it happens seldom.
    pub(crate) fn is_more_than_a_round(self) -> bool {
        self.seats || self.scores
    }

    #[must_use]
    pub(crate) fn and(self, other: Parts) -> Parts {
        Parts {
            round: self.round || other.round,
            seats: self.seats || other.seats,
            scores: self.scores || other.scores,
            fairness: self.fairness || other.fairness,
            log: self.log || other.log,
        }
    }
}

/// What a client has from its last turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClientState {
    /// The version of that turn.
    pub(crate) version: LogPosition,
    pub(crate) attendance: Attendance,
}

/// Which turn it is, and for clients that know what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TurnKey {
    pub(crate) version: LogPosition,
    /// None if the client needs the whole turn.
    pub(crate) known: Option<ClientState>,
    pub(crate) language: Language,
}

/// A turn without `legal`, written once for all viewers.
#[derive(Debug)]
pub(crate) struct SharedTurn {
    pub(crate) key: TurnKey,
    attendance: Attendance,
    /// The round, of which the next turn has what changed.
    pub(crate) round: Arc<Option<RoundView>>,
    json: String,
    frame: OnceLock<Bytes>,
}

impl SharedTurn {
    /// What a client knows that has it.
    pub(crate) fn known(&self) -> ClientState {
        ClientState { version: self.key.version, attendance: self.attendance }
    }
}

/// The events since the last turn, and the round in that turn.
pub(crate) struct SinceTurn<'a> {
    pub(crate) events: &'a [Arc<PublishedEvent>],
    pub(crate) round: Arc<Option<RoundView>>,
}

/// A turn as one viewer may see it.
#[derive(Debug)]
pub struct ViewerTurn {
    shared: Arc<SharedTurn>,
    /// The JSON of the viewer's commands; none if there are no commands.
    legal: Option<String>,
}

impl ViewerTurn {
    /// # Errors
    /// If the commands cannot be written as JSON.
    pub(crate) fn of(
        shared: Arc<SharedTurn>,
        loaded: &LoadedGame,
        account: &AccountId,
    ) -> Result<ViewerTurn, Failure> {
        let position = loaded.position_of(account);
        let legal = position.map(|position| legal_text(&loaded.game, position)).transpose();
        Ok(ViewerTurn { shared, legal: legal.map_err(unwritten)?.flatten() })
    }

    /// What the viewer knows after it.
    pub(crate) fn known(&self) -> ClientState {
        self.shared.known()
    }

    pub fn json(&self) -> String {
        let shared = &self.shared.json;
        match (&self.legal, shared.strip_suffix('}')) {
            (Some(legal), Some(open)) => [open, ",\"legal\":", legal, "}"].concat(),
            _ => shared.clone(),
        }
    }

    /// The frame of a message in which nothing differs between viewers, but for `legal`. `write` makes it, once for all
    /// viewers without commands.
    ///
    /// # Errors
    /// If `write` fails.
    pub fn frame<E>(&self, write: impl FnOnce(&str) -> Result<Bytes, E>) -> Result<Bytes, E> {
        let shared = &self.shared;
        match (&self.legal, shared.frame.get()) {
            (Some(_), _) => write(&self.json()),
            (None, Some(frame)) => Ok(frame.clone()),
            (None, None) => {
                let frame = write(&self.json())?;
                Ok(shared.frame.get_or_init(|| frame).clone())
            }
        }
    }
}

impl Games {
    /// The turn of a loaded game, without `legal`: the whole one, or what changed since the last one.
    pub(crate) async fn turn(
        &self,
        loaded: &LoadedGame,
        key: TurnKey,
        since: Option<SinceTurn<'_>>,
    ) -> Result<SharedTurn, Failure> {
        let (game, common) = (&loaded.game, &loaded.common_parts);
        let parts = since.as_ref().map_or(Parts::ALL, |since| {
            since.events.iter().map(|event| event.changes()).fold(Parts::default(), Parts::and)
        });
        let attendance = self.attendance(loaded).await?;
        let known = key.known.map(|known| known.attendance);
        let names = if parts.seats || parts.fairness { Some(self.names_at(loaded).await?) } else { None };
        let deadline = loaded.turn_clock.deadline(game);
        let opening_until = loaded.turn_clock.opening_until(game);
        let end = deadline.or(opening_until);
        let round = round_view(game, Viewer::Stranger);
        let turn = Turn {
            version: since.is_none().then_some(loaded.version),
            awaited: awaited(game),
            deadline: end,
            remaining_ms: end.map(|end| self.remaining_ms(end)),
            stand_ins: Some(attendance.stand_ins)
                .filter(|now| known.is_none_or(|known| known.stand_ins != *now)),
            connected: Some(attendance.connected)
                .filter(|now| known.is_none_or(|known| known.connected != *now)),
            status: parts.seats.then(|| game.status()),
            host: names.as_ref().filter(|_| parts.fairness).map(|names| host(&game.table, names)),
            seats: names.filter(|_| parts.seats).map(|names| seats(loaded, &names, attendance, key.language)),
            round: match &since {
                None => Some(serde_json::to_value(&round).map_err(unwritten)?),
                Some(since) if parts.round => {
                    changes(&since.round, since.events.iter().map(|event| event.json()), &round)
                        .map_err(unwritten)?
                }
                Some(_) => None,
            },
            scores: parts.scores.then(|| common.scores.write(scores_view(game))),
            fairness: parts.fairness.then(|| {
                common.fairness.write(TimedFairness { fairness: fairness_view(game), opening_until })
            }),
            log: loaded.promise.clone().filter(|_| parts.log),
            legal: Vec::new(),
        };
        let json = serde_json::to_string(&turn).map_err(unwritten)?;
        Ok(SharedTurn { key, attendance, round: Arc::new(round), json, frame: OnceLock::new() })
    }
}

/// The positions that a game waits for.
pub(super) fn awaited(game: &Game) -> Vec<Position> {
    match game.is_opening() {
        true => game.closed_seeds().into_iter().map(Position::Place).collect(),
        false => game.to_act().into_iter().collect(),
    }
}

fn unwritten(error: serde_json::Error) -> Failure {
    Failure::Defect(error.to_string())
}

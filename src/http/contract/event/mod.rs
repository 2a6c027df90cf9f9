//! The events of a game: what has happened, as the record has it and as a viewer may see it.

mod attendance;
mod calling;
mod playing;
mod seating;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::attendance::*;
pub use self::calling::*;
pub use self::playing::*;
pub use self::seating::*;
use super::declare::union;
use super::person::Actor;
use super::value::{Cursor, EventHash, Sequence, Time};

union! {
    /// A fact of a game. Every command has one leading event that holds it whole; the events after it are
    /// what the rules derive from it.
    pub enum Event by "type" {
        /// A table was opened.
        GameCreated(GameCreatedEvent),
        /// Somebody sat down.
        PlayerJoined(PlayerJoinedEvent),
        /// Somebody stood up.
        PlayerLeft(PlayerLeftEvent),
        /// A bot was seated.
        BotSeated(BotSeatedEvent),
        /// The table was passed on.
        HostChanged(HostChangedEvent),
        /// The game was started.
        GameStarted(GameStartedEvent),
        /// Cards were drawn for the choice of seats.
        SeatsDrawn(SeatsDrawnEvent),
        /// A seat was chosen.
        SeatChosen(SeatChosenEvent),
        /// The pack was cut.
        DeckCut(DeckCutEvent),
        /// The cards were dealt.
        RoundDealt(RoundDealtEvent),
        /// A hand that lacks a suit stays.
        AvoidDeclared(AvoidDeclaredEvent),
        /// A hand that lacks a suit had all cards dealt again.
        RedealCalled(RedealCalledEvent),
        /// A blind dash was declared.
        BlindDashed(BlindDashedEvent),
        /// Somebody stays in the round.
        AuctionEntered(AuctionEnteredEvent),
        /// A bid was made.
        BidMade(BidMadeEvent),
        /// Somebody passed.
        Passed(PassedEvent),
        /// A dash call was made.
        DashCalled(DashCalledEvent),
        /// The auction is over.
        AuctionWon(AuctionWonEvent),
        /// Nobody bid, and the cards are dealt again.
        AuctionVoid(AuctionVoidEvent),
        /// Nobody bid, and the round is spent.
        RoundFolded(RoundFoldedEvent),
        /// An estimate was named.
        EstimateMade(EstimateMadeEvent),
        /// Trump was changed.
        TrumpChanged(TrumpChangedEvent),
        /// All calls are made.
        PlayBegan(PlayBeganEvent),
        /// A card was played.
        CardPlayed(CardPlayedEvent),
        /// A trick is complete.
        TrickTaken(TrickTakenEvent),
        /// A card broke the duty to follow suit.
        Revoked(RevokedEvent),
        /// A turn ran out.
        TurnTimedOut(TurnTimedOutEvent),
        /// A bot begins to stand in.
        StandInBegan(StandInBeganEvent),
        /// An absent player is back.
        StandInEnded(StandInEndedEvent),
        /// A player left for good.
        PlayerForfeited(PlayerForfeitedEvent),
        /// A round is scored.
        RoundScored(RoundScoredEvent),
        /// The last round is scored.
        GameFinished(GameFinishedEvent),
        /// The game ended early.
        GameAbandoned(GameAbandonedEvent),
    }
}

/// An event with its place in the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventEnvelope {
    /// Its number in the game, from 1, without gaps.
    pub seq: Sequence,
    /// When it happened. Never before the event in front of it.
    pub at: Time,
    /// Who did it.
    pub actor: Actor,
    /// What links it to the events before it.
    pub hash: EventHash,
    /// What happened.
    pub event: Event,
}

/// A page of a game's events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventPage {
    /// The events, in order, as the caller may see them.
    #[schema(max_items = 100)]
    pub items: Vec<EventEnvelope>,
    /// Where the next page begins; null at the end.
    #[schema(required)]
    pub next_cursor: Option<Cursor>,
}

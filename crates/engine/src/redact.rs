//! Redaction of events for a viewer. Clients see a game only through this and [`view`](super::view::view).

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::card::{Card, Trump};
use super::card_set::CardSet;
use super::client_seed::ClientSeed;
use super::event::{AbandonReason, Event, EventKind, GameCreated, GameFinished, RoundDealt};
use super::hex::{Hex, Salt};
use super::listed::{VisibleScore, VisibleStart};
use super::player::{AccountId, BotLevel};
use super::ruleset::RoundKind;
use super::seat::{BySeat, Place, Seat};

/// The viewer of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// The player in a seat.
    Seat(Seat),
    /// Anyone without a seat, or a player before the seats are settled.
    Stranger,
}

/// A hand as a viewer may see it. In JSON `{"count": 7, "cards": […]}`, with `cards` null where they are hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisibleHand {
    /// The cards.
    Cards(CardSet),
    /// Only the number of cards.
    Hidden(u8),
}

impl Serialize for VisibleHand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (count, cards) = match self {
            VisibleHand::Cards(cards) => (cards.len(), Some(cards)),
            VisibleHand::Hidden(count) => (*count, None),
        };
        let mut hand = serializer.serialize_struct("Hand", 2)?;
        hand.serialize_field("count", &count)?;
        hand.serialize_field("cards", &cards)?;
        hand.end()
    }
}

/// An event as a viewer may see it. `type` says which of the other members are present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Event))]
pub struct VisibleEvent<'a> {
    /// The kind.
    pub r#type: EventKind,
    /// The player's seat; in events of absence before the seats are settled, the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub seat: Option<Seat>,
    /// The player's place in the lobby.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub place: Option<Place>,
    /// The player's account; absent for a bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub account: Option<&'a AccountId>,
    /// The player's contribution to the shuffles, if set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub client_seed: Option<&'a ClientSeed>,
    /// SHA-256 of a client seed, or with `opening_failed` of the next server seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub commitment: Option<Hex<32>>,
    /// The places whose seed stayed closed, or the place of a player who left when a seed was open.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, max_items = 5))]
    pub missing: Option<&'a [Place]>,
    /// The bot's level.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub level: Option<BotLevel>,
    /// The card that each place drew (`plain`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, value_type = Option<Vec<Card>>, min_items = 2, max_items = 5))]
    pub cards: Option<&'a BySeat<Card>>,
    /// The number of cards put under the rest (`plain`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 1, maximum = 51))]
    pub position: Option<u8>,
    /// The number of tricks bid or estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 0, maximum = 13))]
    pub tricks: Option<u8>,
    /// The trump that was named or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub trump: Option<Trump>,
    /// The card that was played, or that broke the duty to follow suit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub card: Option<Card>,
    /// The penalty of a revoke (`nineteen`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 2, maximum = 20))]
    pub points: Option<i32>,
    /// Why the game ended before its last round.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub reason: Option<AbandonReason>,
    /// The revealed server seed, when the game ends early.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub server_seed: Option<Hex<32>>,
    /// The table, with `game_created`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub table: Option<&'a GameCreated>,
    /// The players, with `game_started`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub start: Option<VisibleStart<'a>>,
    /// The deal, with `round_dealt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub deal: Option<VisibleDeal>,
    /// The score of a round, with `round_scored`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub score: Option<VisibleScore<'a>>,
    /// The result of the game, with `game_finished`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub result: Option<&'a GameFinished>,
}

/// The deal of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Deal))]
pub struct VisibleDeal {
    /// The round.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 19))]
    pub round: u8,
    /// The deal of the round, from 1: a redeal is the next attempt.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 2_147_483_647))]
    pub attempt: u32,
    /// The kind of the round.
    pub kind: RoundKind,
    /// The number of cards in each hand.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 13))]
    pub hand_size: u8,
    /// The dealer.
    pub dealer: Seat,
    /// The seat that speaks first.
    pub first_speaker: Seat,
    /// The multiplier carried over from void rounds.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 131_072))]
    pub carry: u32,
    /// Trump, if it is already known.
    pub trump: Option<Trump>,
    /// The card turned up (`nineteen`).
    pub indicator: Option<Card>,
    /// The hands, by seat. Until the game is over, the caller sees only their own cards.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<VisibleHand>, min_items = 2, max_items = 5))]
    pub hands: BySeat<VisibleHand>,
    /// Random bytes that prevent guessing the hands from the event's hash; null until the game is over.
    pub salt: Option<Salt>,
}

/// An event as `viewer` may see it. Once the game is over, nothing is hidden.
pub fn redact(event: &Event, viewer: Viewer, over: bool) -> VisibleEvent<'_> {
    let mut seen = VisibleEvent::of(event.kind());
    match event {
        Event::GameCreated(table) => seen.table = Some(table),
        Event::PlayerJoined { place, account } => {
            seen.place = Some(*place);
            seen.account = Some(account);
        }
        Event::PlayerLeft { place, account } => {
            seen.place = Some(*place);
            seen.account = account.as_ref();
        }
        Event::BotSeated { place, level } => {
            seen.place = Some(*place);
            seen.level = Some(*level);
        }
        Event::HostChanged { place, account } => {
            seen.place = Some(*place);
            seen.account = Some(account);
        }
        Event::SeedCommitted { place, commitment } => {
            seen.place = Some(*place);
            seen.commitment = *commitment;
        }
        Event::SeedOpened { place, client_seed } => {
            seen.place = Some(*place);
            seen.client_seed = Some(client_seed);
        }
        Event::OpeningFailed(failed) => {
            seen.missing = Some(&failed.missing);
            seen.commitment = Some(failed.commitment);
        }
        Event::GameStarted(start) => seen.start = Some((&**start).into()),
        Event::SeatsDrawn { cards } => seen.cards = Some(cards),
        Event::SeatChosen { place, seat } => {
            seen.place = Some(*place);
            seen.seat = Some(*seat);
        }
        Event::DeckCut { seat, position } => {
            seen.seat = Some(*seat);
            seen.position = Some(*position);
        }
        Event::RoundDealt(dealt) => seen.deal = Some(visible_deal(dealt, viewer, over)),
        Event::BidMade { seat, tricks, trump } | Event::AuctionWon { seat, tricks, trump } => {
            seen.seat = Some(*seat);
            seen.tricks = Some(*tricks);
            seen.trump = Some(*trump);
        }
        Event::EstimateMade { seat, tricks, trump } => {
            seen.seat = Some(*seat);
            seen.tricks = Some(*tricks);
            seen.trump = *trump;
        }
        Event::TrumpChanged { seat, trump } => {
            seen.seat = Some(*seat);
            seen.trump = Some(*trump);
        }
        Event::CardPlayed { seat, card } => {
            seen.seat = Some(*seat);
            seen.card = Some(*card);
        }
        Event::Revoked { seat, card, points } => {
            seen.seat = Some(*seat);
            seen.card = Some(*card);
            seen.points = Some(*points);
        }
        Event::AvoidDeclared { seat }
        | Event::RedealCalled { seat }
        | Event::BlindDashed { seat }
        | Event::AuctionEntered { seat }
        | Event::Passed { seat }
        | Event::DashCalled { seat }
        | Event::PlayBegan { leader: seat }
        | Event::TrickTaken { seat }
        | Event::TurnTimedOut { seat }
        | Event::StandInBegan { seat }
        | Event::StandInEnded { seat }
        | Event::PlayerForfeited { seat }
        | Event::HintTaken { seat } => seen.seat = Some(*seat),
        Event::OpeningBegan {} | Event::AuctionVoid {} | Event::RoundFolded {} => {}
        Event::RoundScored(score) => seen.score = Some((&**score).into()),
        Event::GameFinished(result) => seen.result = Some(result),
        Event::GameAbandoned { reason, server_seed } => {
            seen.reason = Some(*reason);
            seen.server_seed = Some(*server_seed);
        }
    }
    seen
}

impl VisibleEvent<'_> {
    fn of(kind: EventKind) -> Self {
        VisibleEvent {
            r#type: kind,
            seat: None,
            place: None,
            account: None,
            client_seed: None,
            commitment: None,
            missing: None,
            level: None,
            cards: None,
            position: None,
            tricks: None,
            trump: None,
            card: None,
            points: None,
            reason: None,
            server_seed: None,
            table: None,
            start: None,
            deal: None,
            score: None,
            result: None,
        }
    }
}

fn visible_deal(dealt: &RoundDealt, viewer: Viewer, over: bool) -> VisibleDeal {
    VisibleDeal {
        round: dealt.round,
        attempt: dealt.attempt,
        kind: dealt.kind,
        hand_size: dealt.hand_size,
        dealer: dealt.dealer,
        first_speaker: dealt.first_speaker,
        carry: dealt.carry,
        trump: dealt.trump,
        indicator: dealt.indicator,
        hands: visible_hands(&dealt.hands, viewer, over),
        salt: over.then_some(dealt.salt),
    }
}

/// The viewer's hand, and the number of cards in the others; all hands once the game is over.
pub(super) fn visible_hands(hands: &BySeat<CardSet>, viewer: Viewer, over: bool) -> BySeat<VisibleHand> {
    hands.map(|seat, &hand| {
        if over || viewer == Viewer::Seat(seat) {
            VisibleHand::Cards(hand)
        } else {
            VisibleHand::Hidden(hand.len())
        }
    })
}

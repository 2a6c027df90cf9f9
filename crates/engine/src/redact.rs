//! Redaction of events for a viewer. Clients see a game only through this and [`view`](super::view::view).

use serde::Serialize;

use super::card::{Card, Trump};
use super::card_set::CardSet;
use super::event::{Event, RoundDealt};
use super::ruleset::RoundKind;
use super::seat::{BySeat, Seat};

/// The viewer of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// The player in a seat.
    Seat(Seat),
    /// Anyone without a seat, or a player before the seats are settled.
    Stranger,
}

/// An event as a viewer may see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum VisibleEvent<'a> {
    /// The whole event.
    Whole(&'a Event),
    /// A deal with at most one visible hand.
    Dealt(VisibleDeal),
}

/// A hand as a viewer may see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum VisibleHand {
    /// The cards.
    Cards(CardSet),
    /// Only the number of cards.
    Hidden(u8),
}

/// `round_dealt` with the hands and the salt hidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "round_dealt")]
pub struct VisibleDeal {
    round: u8,
    attempt: u32,
    kind: RoundKind,
    hand_size: u8,
    dealer: Seat,
    first_speaker: Seat,
    carry: u32,
    trump: Option<Trump>,
    indicator: Option<Card>,
    hands: BySeat<VisibleHand>,
    salt: Option<()>,
}

/// An event as `viewer` may see it. Once the game is over, the whole event.
pub fn redact(event: &Event, viewer: Viewer, over: bool) -> VisibleEvent<'_> {
    match event {
        Event::RoundDealt(dealt) if !over => VisibleEvent::Dealt(visible_deal(dealt, viewer)),
        _ => VisibleEvent::Whole(event),
    }
}

fn visible_deal(dealt: &RoundDealt, viewer: Viewer) -> VisibleDeal {
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
        hands: visible_hands(&dealt.hands, viewer),
        salt: None,
    }
}

/// The viewer's hand, and the number of cards in the others.
pub(super) fn visible_hands(hands: &BySeat<CardSet>, viewer: Viewer) -> BySeat<VisibleHand> {
    hands.map(|seat, &hand| {
        if viewer == Viewer::Seat(seat) { VisibleHand::Cards(hand) } else { VisibleHand::Hidden(hand.len()) }
    })
}

//! Cards in hands and on the table, as somebody may see them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::value::{Card, SeatNumber};

/// The cards of a hand, in the canonical order of the deck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(max_items = 13)]
pub struct HandCards(pub Vec<Card>);

/// How many cards are in a hand that is hidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(minimum = 0, maximum = 13)]
pub struct CardCount(pub u8);

/// A hand as somebody may see it: the cards, or how many.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, expecting = "expected cards or their number")]
pub enum Hand {
    /// The cards.
    Cards(HandCards),
    /// Their number.
    Hidden(CardCount),
}

/// A card in a trick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TrickCard {
    /// Who played it.
    pub seat: SeatNumber,
    /// The card.
    pub card: Card,
}

/// A trick, complete or under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Trick {
    /// Who leads it.
    pub leader: SeatNumber,
    /// The cards so far, in order.
    #[schema(max_items = 5)]
    pub plays: Vec<TrickCard>,
}

//! The round under way.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Spoken;
use crate::http::contract::hand::{Hand, Trick};
use crate::http::contract::person::Chair;
use crate::http::contract::score::CallView;
use crate::http::contract::term::{Phase, RoundKind, Trump};
use crate::http::contract::value::{Card, SeatNumber, Time};

/// The round under way, as the caller may see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoundView {
    /// Its number, from 1; 0 while seats are chosen.
    #[schema(minimum = 0, maximum = 19)]
    pub number: u8,
    /// How many rounds the game has.
    #[schema(minimum = 1, maximum = 19)]
    pub of: u8,
    /// The deal of the round: a redeal is the next attempt.
    #[schema(minimum = 1, maximum = 2_147_483_647)]
    pub attempt: u32,
    /// The cards each player is dealt; 0 while seats are chosen.
    #[schema(minimum = 0, maximum = 13)]
    pub hand_size: u8,
    /// What kind of round it is; null while seats are chosen.
    #[schema(required)]
    pub kind: Option<RoundKind>,
    /// Who deals; null while seats are chosen.
    #[schema(required)]
    pub dealer: Option<SeatNumber>,
    /// Who speaks first; null while seats are chosen.
    #[schema(required)]
    pub first_speaker: Option<SeatNumber>,
    /// What is trump; null while it is not known.
    #[schema(required)]
    pub trump: Option<Trump>,
    /// The card turned up (`nineteen`); null elsewhere.
    #[schema(required)]
    pub indicator: Option<Card>,
    /// What multiplies the round's points, as far as it is known.
    #[schema(minimum = 1, maximum = 262_144)]
    pub multiplier: u32,
    /// What void rounds before it have made of the multiplier.
    #[schema(minimum = 1, maximum = 131_072)]
    pub carry: u32,
    /// What the round waits for.
    pub phase: Phase,
    /// Who must act; null if nobody.
    #[schema(required)]
    pub to_act: Option<Chair>,
    /// When the turn runs out; absent without a clock, and while a bot moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub deadline: Option<Time>,
    /// The cards drawn for the seats, by place (`plain`); null but while seats are chosen.
    #[schema(required, min_items = 2, max_items = 5)]
    pub drawn: Option<Vec<Card>>,
    /// Who has announced the lack of a suit.
    #[schema(max_items = 5)]
    pub avoided: Vec<SeatNumber>,
    /// What has been said before and in the auction, in order.
    #[schema(max_items = 80)]
    pub auction: Vec<Spoken>,
    /// What each seat is bound to; null where it is not known yet.
    #[schema(min_items = 2, max_items = 5)]
    pub calls: Vec<Option<CallView>>,
    /// The hands, by seat: the cards, or their number where hidden.
    #[schema(min_items = 2, max_items = 5)]
    pub hands: Vec<Hand>,
    /// The trick on the table; null before the play.
    #[schema(required)]
    pub trick: Option<Trick>,
    /// The trick before it; null if there is none.
    #[schema(required)]
    pub last_trick: Option<Trick>,
    /// The tricks each seat has taken; null while they are concealed.
    #[schema(required, min_items = 2, max_items = 5, minimum = 0, maximum = 13)]
    pub tricks_taken: Option<Vec<u8>>,
}

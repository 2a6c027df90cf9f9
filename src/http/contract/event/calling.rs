//! Events of a round before the first card: dealing, the void check, the auction and the estimates.

use crate::http::contract::declare::tagged;
use crate::http::contract::hand::Hand;
use crate::http::contract::term::{RoundKind, Trump};
use crate::http::contract::value::{Card, Salt, SeatNumber};

tagged! {
    /// The pack was cut (`plain`).
    pub struct DeckCutEvent {
        r#type: "deck_cut",
        /// By whom.
        pub seat: SeatNumber,
        /// How many cards from the top went under the rest.
        #[schema(minimum = 1, maximum = 51)]
        pub position: u8,
    }

    /// The cards were dealt. Until the game is over a viewer sees only their own hand, and no salt.
    pub struct RoundDealtEvent {
        r#type: "round_dealt",
        /// The round.
        #[schema(minimum = 1, maximum = 19)]
        pub round: u8,
        /// The deal of the round: a redeal is the next attempt.
        #[schema(minimum = 1, maximum = 2_147_483_647)]
        pub attempt: u32,
        /// What kind of round it is.
        pub kind: RoundKind,
        /// The cards in each hand.
        #[schema(minimum = 1, maximum = 13)]
        pub hand_size: u8,
        /// Who dealt.
        pub dealer: SeatNumber,
        /// Who speaks first.
        pub first_speaker: SeatNumber,
        /// What void rounds before it have made of the multiplier.
        #[schema(minimum = 1, maximum = 131_072)]
        pub carry: u32,
        /// Trump; null where it is not known yet.
        #[schema(required)]
        pub trump: Option<Trump>,
        /// The card turned up (`nineteen`); null elsewhere.
        #[schema(required)]
        pub indicator: Option<Card>,
        /// The hands, by seat: the cards, or their number where hidden.
        #[schema(min_items = 2, max_items = 5)]
        pub hands: Vec<Hand>,
        /// The salt; null while hidden.
        #[schema(required)]
        pub salt: Option<Salt>,
    }

    /// A hand that lacks a suit stays.
    pub struct AvoidDeclaredEvent {
        r#type: "avoid_declared",
        /// Whose.
        pub seat: SeatNumber,
    }

    /// A hand that lacks a suit had all cards dealt again.
    pub struct RedealCalledEvent {
        r#type: "redeal_called",
        /// Whose.
        pub seat: SeatNumber,
    }

    /// A blind dash was declared (`kabooot`).
    pub struct BlindDashedEvent {
        r#type: "blind_dashed",
        /// By whom.
        pub seat: SeatNumber,
    }

    /// Somebody stays in the round when asked before the auction.
    pub struct AuctionEnteredEvent {
        r#type: "auction_entered",
        /// Who.
        pub seat: SeatNumber,
    }

    /// A bid was made.
    pub struct BidMadeEvent {
        r#type: "bid_made",
        /// By whom.
        pub seat: SeatNumber,
        /// The tricks promised.
        #[schema(minimum = 1, maximum = 13)]
        pub tricks: u8,
        /// The trump named.
        pub trump: Trump,
    }

    /// Somebody passed.
    pub struct PassedEvent {
        r#type: "passed",
        /// Who.
        pub seat: SeatNumber,
    }

    /// A dash call was made.
    pub struct DashCalledEvent {
        r#type: "dash_called",
        /// By whom.
        pub seat: SeatNumber,
    }

    /// A bid stands, and the auction is over.
    pub struct AuctionWonEvent {
        r#type: "auction_won",
        /// The bidder.
        pub seat: SeatNumber,
        /// The bid.
        #[schema(minimum = 1, maximum = 13)]
        pub tricks: u8,
        /// What is trump.
        pub trump: Trump,
    }

    /// Nobody bid; the cards are dealt again.
    pub struct AuctionVoidEvent { r#type: "auction_void" }

    /// Nobody bid; the round is spent (`squares`).
    pub struct RoundFoldedEvent { r#type: "round_folded" }

    /// An estimate was named.
    pub struct EstimateMadeEvent {
        r#type: "estimate_made",
        /// By whom.
        pub seat: SeatNumber,
        /// The estimate.
        #[schema(minimum = 0, maximum = 13)]
        pub tricks: u8,
        /// A trump named with it; null if none was.
        #[schema(required)]
        pub trump: Option<Trump>,
    }

    /// Trump was changed by an estimate (`squares`).
    pub struct TrumpChangedEvent {
        r#type: "trump_changed",
        /// By whom.
        pub seat: SeatNumber,
        /// What is trump now.
        pub trump: Trump,
    }
}

//! The commands of play: what may be posted, and what a view lists as legal.

use super::declare::{tagged, union};
use super::term::Trump;
use super::value::{Card, SeatNumber};

tagged! {
    /// Take a free seat, in the order of the drawn cards (`plain`).
    pub struct ChooseSeatCommand {
        r#type: "choose_seat",
        /// The seat.
        pub seat: SeatNumber,
    }

    /// Cut the pack (`plain`).
    pub struct CutCommand {
        r#type: "cut",
        /// How many cards from the top go under the rest.
        #[schema(minimum = 1, maximum = 51)]
        pub position: u8,
    }

    /// Have all cards dealt again, for a hand that lacks a suit.
    pub struct RedealCommand { r#type: "redeal" }

    /// Keep a hand that lacks a suit, and say so.
    pub struct AvoidCommand { r#type: "avoid" }

    /// Stay in the round when asked for a dash before the auction.
    pub struct EnterAuctionCommand { r#type: "enter_auction" }

    /// Promise to take nothing, before trump is known (`kabooot`).
    pub struct BlindDashCommand { r#type: "blind_dash" }

    /// Bid for the right to name trump.
    pub struct BidCommand {
        r#type: "bid",
        /// The tricks promised.
        #[schema(minimum = 1, maximum = 13)]
        pub tricks: u8,
        /// The trump named.
        pub trump: Trump,
    }

    /// Leave the auction for good, to estimate later.
    pub struct PassCommand { r#type: "pass" }

    /// Promise to take nothing instead of bidding.
    pub struct DashCallCommand { r#type: "dash_call" }

    /// Name the tricks one will take.
    pub struct EstimateCommand {
        r#type: "estimate",
        /// The tricks.
        #[schema(minimum = 0, maximum = 13)]
        pub tricks: u8,
        /// A new trump, with 8 or more in a fast round of `squares`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub trump: Option<Trump>,
    }

    /// Play a card to the trick.
    pub struct PlayCommand {
        r#type: "play",
        /// The card, from one's own hand.
        pub card: Card,
    }

    /// Take one's seat back from the bot that stands in.
    pub struct ResumeCommand { r#type: "resume" }
}

union! {
    /// A command of play. A view lists under `legal` the commands its viewer may post, word for word.
    pub enum Command by "type" {
        /// Take a free seat.
        ChooseSeat(ChooseSeatCommand),
        /// Cut the pack.
        Cut(CutCommand),
        /// Have all cards dealt again.
        Redeal(RedealCommand),
        /// Keep a hand that lacks a suit.
        Avoid(AvoidCommand),
        /// Stay in the round.
        EnterAuction(EnterAuctionCommand),
        /// Declare a blind dash.
        BlindDash(BlindDashCommand),
        /// Bid.
        Bid(BidCommand),
        /// Pass.
        Pass(PassCommand),
        /// Make a dash call.
        DashCall(DashCallCommand),
        /// Estimate.
        Estimate(EstimateCommand),
        /// Play a card.
        Play(PlayCommand),
        /// Take one's seat back.
        Resume(ResumeCommand),
    }
}

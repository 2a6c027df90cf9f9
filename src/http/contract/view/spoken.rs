//! What has been said before and in the auction.

use crate::http::contract::declare::{tagged, union};
use crate::http::contract::term::Trump;
use crate::http::contract::value::SeatNumber;

tagged! {
    /// Somebody stays in the round.
    pub struct SpokenEnterAuction {
        r#type: "enter_auction",
        /// Who.
        pub seat: SeatNumber,
    }

    /// Somebody declared a blind dash.
    pub struct SpokenBlindDash {
        r#type: "blind_dash",
        /// Who.
        pub seat: SeatNumber,
    }

    /// Somebody bid.
    pub struct SpokenBid {
        r#type: "bid",
        /// Who.
        pub seat: SeatNumber,
        /// The tricks promised.
        #[schema(minimum = 1, maximum = 13)]
        pub tricks: u8,
        /// The trump named.
        pub trump: Trump,
    }

    /// Somebody passed.
    pub struct SpokenPass {
        r#type: "pass",
        /// Who.
        pub seat: SeatNumber,
    }

    /// Somebody made a dash call.
    pub struct SpokenDashCall {
        r#type: "dash_call",
        /// Who.
        pub seat: SeatNumber,
    }
}

union! {
    /// Something that somebody said before or in the auction.
    pub enum Spoken by "type" {
        /// Stayed in.
        EnterAuction(SpokenEnterAuction),
        /// Declared a blind dash.
        BlindDash(SpokenBlindDash),
        /// Bid.
        Bid(SpokenBid),
        /// Passed.
        Pass(SpokenPass),
        /// Made a dash call.
        DashCall(SpokenDashCall),
    }
}

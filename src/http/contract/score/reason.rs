//! Why points are given.

use crate::http::contract::declare::names;

names! {
    /// Why a line stands on the score sheet.
    pub enum Reason {
        /// The call was made.
        Made = "made",
        /// The tricks taken.
        Tricks = "tricks",
        /// The tricks called (`double-risk`).
        Call = "call",
        /// What lies between call and tricks, lost.
        Difference = "difference",
        /// The round's number (`kabooot`).
        Round = "round",
        /// The hand size (`nineteen`).
        HandSize = "hand_size",
        /// The larger of call and tricks (`nineteen`).
        LargerOfCallAndTricks = "larger_of_call_and_tricks",
        /// The bidder's part.
        Bidder = "bidder",
        /// A With's part.
        With = "with",
        /// The Risk's part.
        Risk = "risk",
        /// The Double Risk's part (`double-risk`).
        DoubleRisk = "double_risk",
        /// An estimate of 0.
        Dash = "dash",
        /// A dash call.
        DashCall = "dash_call",
        /// A blind dash (`kabooot`).
        BlindDash = "blind_dash",
        /// A call of 0 while the total is under 13 (`double-risk`).
        Under = "under",
        /// A call of 8 or more: its square or half square, or the factor 2.
        HighCall = "high_call",
        /// The only one who made it.
        OnlyWinner = "only_winner",
        /// The only one who lost.
        OnlyLoser = "only_loser",
        /// All thirteen called and taken (`kabooot`).
        Kabooot = "kabooot",
        /// Somebody else's kabooot.
        KaboootByOther = "kabooot_by_other",
        /// What multiplies the whole round.
        Multiplier = "multiplier",
        /// Nobody made it.
        NoWinner = "no_winner",
        /// Nobody bid.
        Folded = "folded",
    }
}

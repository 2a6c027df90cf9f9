//! What a ruleset may be made of, by name.

use crate::http::contract::declare::names;

names! {
    /// One of the five published rulesets.
    pub enum RulesetId {
        /// 19 turns, turned trump, penalty points.
        Nineteen = "nineteen",
        /// Calls of eight and more score their square.
        Squares = "squares",
        /// The round number is part of every score.
        Kabooot = "kabooot",
        /// Tricks, or minus the difference.
        Plain = "plain",
        /// Bidder, With, Risk and Double Risk add up.
        DoubleRisk = "double-risk",
    }

    /// What the rounds of a game are.
    pub enum Plan {
        /// Turns of changing hand size with a turned trump.
        Turns = "turns",
        /// Auction rounds of thirteen cards, then fast rounds.
        Rounds = "rounds",
    }

    /// How long a game of rounds is.
    pub enum Length {
        /// 13 auction rounds and 5 fast rounds.
        Full = "full",
        /// 5 auction rounds and 5 fast rounds.
        Mini = "mini",
        /// 5 auction rounds.
        Micro = "micro",
    }

    /// How the hand size runs.
    pub enum Order {
        /// From one card to ten and back.
        UpDown = "1-10-1",
        /// From ten cards to one and back.
        DownUp = "10-1-10",
    }

    /// What happens to a card that breaks the duty to follow suit.
    pub enum Revokes {
        /// It is refused.
        Refuse = "refuse",
        /// It is accepted and penalised.
        Penalise = "penalise",
    }

    /// How seats are given.
    pub enum Seating {
        /// Cards are drawn for the choice of seats.
        Draw = "draw",
        /// Everybody keeps the seat they joined.
        AsJoined = "as_joined",
    }

    /// Who starts the next round.
    pub enum StarterRotation {
        /// The next seat.
        Rotate = "rotate",
        /// Always the same seat.
        Fixed = "fixed",
        /// The seat that last was bidder.
        PreviousBidder = "previous_bidder",
    }

    /// How trump and bidder are found.
    pub enum AuctionKind {
        /// There is no auction: trump is turned up.
        None = "none",
        /// Each bid beats the last; a pass is final.
        Ascending = "ascending",
        /// One call each; the highest bid wins.
        SingleCall = "single_call",
    }

    /// How a player may be bound to nothing before trump is known.
    pub enum Dash {
        /// Not at all.
        None = "none",
        /// By a dash call.
        Call = "call",
        /// By a blind dash, asked of everybody before the auction.
        Blind = "blind",
    }

    /// When dash calls are made.
    pub enum DashCallTiming {
        /// Instead of one's first call.
        InAuction = "in_auction",
        /// Asked of everybody before the auction.
        BeforeAuction = "before_auction",
    }

    /// What follows when nobody bids.
    pub enum Unbid {
        /// The round is spent and the carry grows.
        Fold = "fold",
        /// The same dealer deals the same round again.
        Redeal = "redeal",
        /// The next seat deals the same round.
        PassDeal = "pass_deal",
    }

    /// Who leads the first trick of a round.
    pub enum FirstLead {
        /// The seat after the dealer.
        DealersRight = "dealers_right",
        /// The bidder; the seat after the dealer where there is none.
        Declarer = "declarer",
        /// The seat after the first estimator.
        AfterFirstEstimator = "after_first_estimator",
    }

    /// Which formula scores a round.
    pub enum Scoring {
        /// Penalty points (`nineteen`).
        Penalty = "penalty",
        /// High calls score their square (`squares`).
        Squares = "squares",
        /// The round number is part of every score (`kabooot`).
        RoundNumber = "round_number",
        /// Tricks, or minus the difference (`plain`).
        Difference = "difference",
        /// The roles add up (`double-risk`).
        Roles = "roles",
    }

    /// Where the Risk's levels begin.
    pub enum RiskLadder {
        /// When the total misses 13 by one.
        FromOne = "from_one",
        /// When the total misses 13 by two.
        FromTwo = "from_two",
    }

    /// How the carry grows over void rounds.
    pub enum CarryLadder {
        /// 2, 3, 4 …
        Add = "add",
        /// 2, 4, 8 …
        Double = "double",
        /// Always 2.
        Flat = "flat",
    }

    /// Which extras a call of eight or more gets beside its square.
    pub enum HighCallExtras {
        /// All of them.
        All = "all",
        /// Only the bonus of the only winner or loser.
        OnlyBonus = "only_bonus",
        /// None.
        None = "none",
    }

    /// How half a square is made whole.
    pub enum HalfSquare {
        /// Rounded down.
        Floor = "floor",
        /// Rounded up.
        Ceil = "ceil",
    }
}

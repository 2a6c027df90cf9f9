//! The five documents as data.

use super::*;

/// The version of today's presets. A change to any of them is a new version; games in progress keep theirs.
const VERSION: u32 = 1;

/// What `squares`, `kabooot`, `plain` and `double-risk` share: four players, thirteen cards each,
/// counter-clockwise, an auction and then fast rounds.
fn rounds(id: RulesetId, scoring: Scoring) -> Ruleset {
    Ruleset {
        id,
        version: VERSION,
        players: 4,
        direction: Direction::Counterclockwise,
        plan: Plan::Rounds,
        first_dealer: Seat::new(3),
        void_check: true,
        dash: Dash::Call,
        zero_limit: None,
        unbid: Unbid::Redeal,
        fast_bidder: true,
        withs: true,
        fast_withs: true,
        void_unmade: true,
        scoring,
        length: Length::Full,
        order: Order::UpDown,
        jokers: 0,
        concealed_tricks: false,
        revokes: Revokes::Refuse,
        starter_rotation: StarterRotation::Rotate,
        auction: AuctionKind::Ascending,
        minimum_bid: 4,
        dash_call_timing: DashCallTiming::InAuction,
        fast_redeal: false,
        fast_trump_change: false,
        risk_ladder: RiskLadder::FromOne,
        with_penalty: false,
        carry_ladder: CarryLadder::Add,
        high_call_extras: HighCallExtras::All,
        half_square: HalfSquare::Floor,
        blind_dash_swap: false,
        seating: Seating::AsJoined,
        cut: false,
        bid_direction: Direction::Counterclockwise,
        first_lead: FirstLead::Declarer,
        allow_pass: true,
        no_trump_bids: true,
        dash_limit: 2,
        forbid_thirteen: true,
    }
}

/// The preset of a document.
pub(super) fn preset(id: RulesetId) -> Ruleset {
    match id {
        RulesetId::Nineteen => Ruleset {
            direction: Direction::Clockwise,
            plan: Plan::Turns,
            first_dealer: Seat::new(0),
            void_check: false,
            dash: Dash::None,
            dash_limit: 0,
            fast_bidder: false,
            withs: false,
            fast_withs: false,
            void_unmade: false,
            auction: AuctionKind::None,
            bid_direction: Direction::Clockwise,
            first_lead: FirstLead::AfterFirstEstimator,
            ..rounds(id, Scoring::Penalty)
        },
        RulesetId::Squares => Ruleset {
            dash_limit: 3,
            unbid: Unbid::Fold,
            fast_trump_change: true,
            ..rounds(id, Scoring::Squares)
        },
        RulesetId::Kabooot => Ruleset {
            dash: Dash::Blind,
            zero_limit: Some(2),
            fast_withs: false,
            ..rounds(id, Scoring::RoundNumber)
        },
        RulesetId::Plain => Ruleset {
            void_check: false,
            unbid: Unbid::PassDeal,
            fast_bidder: false,
            withs: false,
            fast_withs: false,
            void_unmade: false,
            auction: AuctionKind::SingleCall,
            seating: Seating::Draw,
            cut: true,
            bid_direction: Direction::Clockwise,
            first_lead: FirstLead::DealersRight,
            allow_pass: false,
            forbid_thirteen: false,
            ..rounds(id, Scoring::Difference)
        },
        RulesetId::DoubleRisk => {
            Ruleset { zero_limit: Some(2), with_penalty: true, ..rounds(id, Scoring::Roles) }
        }
    }
}

/// The title under which a ruleset is known.
pub(super) const fn title(id: RulesetId) -> &'static str {
    match id {
        RulesetId::Nineteen => "Nineteen",
        RulesetId::Squares => "Squares",
        RulesetId::Kabooot => "Kabooot",
        RulesetId::Plain => "Plain",
        RulesetId::DoubleRisk => "Double Risk",
    }
}

/// What sets a ruleset apart, in a sentence.
pub(super) const fn description(id: RulesetId) -> &'static str {
    match id {
        RulesetId::Nineteen => {
            "Nineteen turns from one card to ten and back with a turned trump; penalty points, and the lowest total wins."
        }
        RulesetId::Squares => {
            "An ascending auction; calls of eight and more score their square, dash calls 23 or 33; folded rounds, the thirteenth round and two Withs double."
        }
        RulesetId::Kabooot => {
            "The round number is part of every score; blind dashes before the auction, and a kabooot for calling and taking all thirteen."
        }
        RulesetId::Plain => {
            "Tricks if you make your call, minus the difference if you do not, and nothing else; seats are drawn, the pack is cut, one call each."
        }
        RulesetId::DoubleRisk => {
            "Bidder, With, Risk and Double Risk add up, calls of eight and more double, and every round without a winner raises the next."
        }
    }
}

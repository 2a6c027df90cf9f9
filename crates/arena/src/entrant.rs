//! The players of the arena: the bots' levels, and one that overbids.

use serde::{Deserialize, Serialize};

use estimation_bots::{Budget, Dice, Level, choose};
use estimation_engine::card::{Suit, Trump};
use estimation_engine::card_set::CardSet;
use estimation_engine::command::{Command, Position};
use estimation_engine::redact::VisibleHand;
use estimation_engine::view::View;

/// A player of the arena, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entrant {
    /// Estimates a third of its hand more than `easy`, bids three tricks more than its longest suit has cards,
    /// and plays like `easy`.
    Wild,
    Easy,
    Steady,
    Sharp,
}

impl Entrant {
    pub const fn name(self) -> &'static str {
        match self {
            Entrant::Wild => "wild",
            Entrant::Easy => "easy",
            Entrant::Steady => "steady",
            Entrant::Sharp => "sharp",
        }
    }

    /// The entrant's choice for the viewer of a view.
    pub(super) fn choose(self, view: &View, dice: &mut Dice, budget: Budget<'_>) -> Option<Command> {
        match self {
            Entrant::Wild => wild(view, dice, budget),
            Entrant::Easy => choose(view, Level::Easy, dice, budget),
            Entrant::Steady => choose(view, Level::Steady, dice, budget),
            Entrant::Sharp => choose(view, Level::Sharp, dice, budget),
        }
    }
}

fn wild(view: &View, dice: &mut Dice, budget: Budget<'_>) -> Option<Command> {
    let choice = choose(view, Level::Easy, dice, budget)?;
    let Some(hand) = hand(view) else { return Some(choice) };
    let more = hand.len().div_ceil(3);
    let raised = match choice {
        Command::Estimate { tricks, .. } => nearest(view, tricks + more, |call| match *call {
            Command::Estimate { tricks, trump: None } => Some(tricks),
            _ => None,
        }),
        Command::Bid { .. } | Command::Pass {} => {
            let length = |suit: Suit| (hand & CardSet::of_suit(suit)).len();
            let long = Suit::ALL.into_iter().max_by_key(|&suit| length(suit))?;
            let max = length(long) + more - 2;
            let bid = |call: &Command| match *call {
                Command::Bid { tricks, trump } if trump == Trump::from(long) => Some(tricks),
                _ => None,
            };
            nearest(view, max, bid).filter(|call| bid(call) <= Some(max))
        }
        _ => None,
    };
    raised.or(Some(choice))
}

/// The legal call closest to a number of tricks.
fn nearest(view: &View, tricks: u8, called: impl Fn(&Command) -> Option<u8>) -> Option<Command> {
    let calls = view.legal.iter().filter_map(|call| Some((called(call)?.abs_diff(tricks), *call)));
    calls.min_by_key(|(distance, _)| *distance).map(|(_, call)| call)
}

fn hand(view: &View) -> Option<CardSet> {
    let Some(Position::Seat(seat)) = view.you else { return None };
    match view.round.as_ref()?.hands.get(seat)? {
        VisibleHand::Cards(hand) => Some(*hand),
        VisibleHand::Hidden(_) => None,
    }
}

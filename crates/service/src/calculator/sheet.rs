//! A sheet: the rounds of one game in order, scored and checked as a whole.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{PlayedRound, RoundFault, ScoredRound, players_missing, scored};
use crate::base::failure::Fault;
use crate::base::field_error::{FieldCode, FieldError};
use crate::rulesets::option_schemas::requested;
use crate::rulesets::{RulesFault, agreement};
use estimation_engine::ruleset::schedule::RoundPlan;
use estimation_engine::ruleset::{Ruleset, RulesetId, StarterRotation, Unbid};
use estimation_engine::seat::Seat;

/// The rounds of a game as the players wrote them down, with their common settings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedSheet {
    #[serde(default, deserialize_with = "requested")]
    pub options: BTreeMap<String, Value>,
    /// `None`: the first round's number, or else the ruleset's default.
    pub players: Option<u8>,
    pub rounds: Vec<PlayedRound>,
}

#[derive(Clone, Debug, Serialize)]
pub struct SheetRound {
    pub round: u8,
    #[serde(flatten)]
    pub scored: ScoredRound,
    /// Totals after this round, by seat, penalties included.
    pub totals: Vec<i32>,
}

#[derive(Clone, Debug)]
pub struct ScoredSheet {
    pub rounds: Vec<SheetRound>,
    pub warnings: Vec<SheetWarning>,
}

/// A round that the rules have another seat deal. Tables correct their deals by agreement, so it is scored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "round {round}: seat {dealer} dealt and seat {} spoke first; by the rules seat {expected} deals",
    dealer.after(1, *.players)
)]
pub struct SheetWarning {
    pub round: u8,
    pub players: u8,
    /// The seat that dealt, as given.
    pub dealer: Seat,
    /// The seat that deals by the rules.
    pub expected: Seat,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetFault {
    /// The number of the faulty round; `None` for the sheet as a whole.
    pub round: Option<u8>,
    pub error: FieldError,
}

/// The state of a sheet after a round.
#[derive(Default)]
struct SheetState {
    /// The number of the previous round.
    last: Option<u8>,
    /// The carry after the previous round; `None` if unknown.
    carry: Option<u32>,
    /// The dealer of the previous round; `None` if unknown.
    dealer: Option<Seat>,
    /// The last bidder of the rounds so far.
    last_bidder: Option<Seat>,
    totals: Vec<i32>,
}

/// Scores the rounds of a game. Rounds are consecutive; options and player count stay the same. The carry
/// passes from round to round. A sheet may start after round 1 if it gives its initial carry. If rounds say who dealt, or
/// who spoke first, a deal that does not move on by the rules is a warning.
///
/// # Errors
/// Every fault of the sheet, in order.
pub fn score_sheet(ruleset: RulesetId, sheet: &PlayedSheet) -> Result<ScoredSheet, Vec<SheetFault>> {
    if let Err(failures) = agreement(ruleset.as_str(), sheet.players, &sheet.options) {
        return Err(faults(None, &failures).collect());
    }
    let Some(first) = sheet.rounds.first() else {
        return Ok(ScoredSheet { rounds: Vec::new(), warnings: Vec::new() });
    };
    let mut table = match table(ruleset, sheet, first) {
        Ok(table) => table,
        Err(failures) => return Err(faults(Some(first.round), &failures).collect()),
    };
    let mut found = Vec::new();
    if sheet.players.is_none()
        && let Some(missing) = players_missing(&table, first)
    {
        found.extend(faults(Some(first.round), &[missing]));
        // Check the rest with as many players as there are calls.
        table.players = first.calls.len().clamp(2, 5) as u8;
    }
    let mut state = SheetState::default();
    let mut rounds = Vec::with_capacity(sheet.rounds.len());
    let mut warnings = Vec::new();
    for round in &sheet.rounds {
        let mut failures = state.check_order(round);
        failures.extend(check_table(&table, self::table(ruleset, sheet, round), round));
        match state.score(&table, round, &mut failures) {
            Some(scored) if failures.is_empty() => {
                warnings.extend(state.check_dealer(&table, round, &scored));
                rounds.push(scored);
            }
            _ => found.extend(faults(Some(round.round), &failures)),
        }
    }
    if found.is_empty() { Ok(ScoredSheet { rounds, warnings }) } else { Err(found) }
}

fn faults<F: Fault>(round: Option<u8>, failures: &[F]) -> impl Iterator<Item = SheetFault> {
    failures.iter().map(move |fault| SheetFault { round, error: fault.field_error() })
}

/// The sheet's rules with a round's options.
fn table(ruleset: RulesetId, sheet: &PlayedSheet, round: &PlayedRound) -> Result<Ruleset, Vec<RulesFault>> {
    let options = sheet.options.iter().chain(&round.options);
    agreement(ruleset.as_str(), sheet.players.or(round.players), options)
}

/// Checks that a round has the table's options and player count; `own` are the round's rules.
fn check_table(
    table: &Ruleset,
    own: Result<Ruleset, Vec<RulesFault>>,
    round: &PlayedRound,
) -> Vec<RoundFault> {
    let mut failures = Vec::new();
    if round.players.is_some_and(|players| players != table.players) {
        let reason = format!("must be {}, as in the rest of the sheet", table.players);
        failures.push(RoundFault::new("/players", FieldCode::Contradiction, reason));
    }
    if round.options.is_empty() {
        return failures;
    }
    match own {
        Ok(own) if Ruleset { players: table.players, ..own.clone() } != *table => {
            let reason = "must be what the table agreed on, as in the rest of the sheet";
            failures.push(RoundFault::new("/options", FieldCode::Contradiction, reason));
        }
        Ok(_) => {}
        Err(more) => failures.extend(more.into_iter().map(RoundFault::from)),
    }
    failures
}

impl SheetState {
    /// Checks that a round follows the previous one, and takes over its carry.
    fn check_order(&mut self, round: &PlayedRound) -> Vec<RoundFault> {
        let mut failures = Vec::new();
        if let Some(last) = self.last.replace(round.round)
            && round.round.checked_sub(1) != Some(last)
        {
            self.carry = None;
            let reason = match round.round == last {
                true => format!("must be the next: round {last} is entered already"),
                false => format!("must be {}, the round after {last}", u16::from(last) + 1),
            };
            failures.push(RoundFault::new("/round", FieldCode::Contradiction, reason));
        }
        if let (Some(given), Some(left)) = (round.carry, self.carry)
            && given != left
        {
            let reason = format!("must be {left}, as the round before left it");
            failures.push(RoundFault::new("/carry", FieldCode::Contradiction, reason));
        }
        failures
    }

    /// Scores a round, or records its faults.
    fn score(
        &mut self,
        table: &Ruleset,
        round: &PlayedRound,
        failures: &mut Vec<RoundFault>,
    ) -> Option<SheetRound> {
        let carry = round.carry.or(self.carry.take());
        let players = Some(table.players);
        if round.players.is_some() && round.players != players {
            return None;
        }
        let played = PlayedRound { players, carry, ..round.clone() };
        let scored = scored(table, &played).map_err(|more| failures.extend(more)).ok()?;
        self.carry = Some(scored.score.next_carry);
        self.totals.resize(table.players.into(), 0);
        for (seat, points) in scored.score.points.iter() {
            self.totals[seat.index()] += points;
        }
        for penalty in &scored.penalties {
            self.totals[penalty.seat.index()] += penalty.points;
        }
        Some(SheetRound { round: round.round, scored, totals: self.totals.clone() })
    }

    /// Compares the dealer of a scored round with the one by the rules, if both are known.
    fn check_dealer(
        &mut self,
        table: &Ruleset,
        round: &PlayedRound,
        scored: &SheetRound,
    ) -> Option<SheetWarning> {
        let players = table.players;
        let before = round.first_speaker.map(|first| Seat::new(first).before(1, players));
        let dealer = round.dealer.map(Seat::new).or(before);
        // An auction without a bid may have passed the deal on within the round.
        let certain = table.unbid != Unbid::PassDeal || table.round_plan(round.round) != RoundPlan::Auction;
        // A sheet that begins in the middle of a game lacks its earlier bidders.
        let certain = certain
            && (table.starter_rotation != StarterRotation::PreviousBidder || self.last_bidder.is_some());
        let expected =
            self.dealer.filter(|_| certain).map(|previous| table.next_dealer(previous, self.last_bidder));
        self.dealer = dealer;
        self.last_bidder = scored.scored.score.bidder.or(self.last_bidder);
        match (dealer, expected) {
            (Some(dealer), Some(expected)) if dealer != expected => {
                Some(SheetWarning { round: round.round, players, dealer, expected })
            }
            _ => None,
        }
    }
}

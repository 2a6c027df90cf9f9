//! The calculator: the score of a round that was played with real cards.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::failure::Failure;
use super::rulesets::agreed;
use crate::engine::ruleset::Plan;
use crate::engine::score::{Call, CallKind, Course, ImpossibleRound, RoundResult, RoundScore, check, score};
use crate::engine::seat::{BySeat, Seat, SeatSet};

/// A round as somebody wrote it down.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedRound {
    /// The options of the table.
    #[serde(default)]
    pub options: BTreeMap<String, Value>,
    /// How many play; none for the ruleset's usual number.
    pub players: Option<u8>,
    /// The round's number.
    pub round: u8,
    /// What void rounds before it have made of the multiplier; none for 1.
    pub carry: Option<u32>,
    /// Who spoke first.
    pub first_speaker: Option<u8>,
    /// Who dealt; enough instead of who spoke first.
    pub dealer: Option<u8>,
    /// Who was bidder, or that nobody was, if the writer says so.
    #[serde(default, deserialize_with = "given")]
    pub bidder: Option<Option<u8>>,
    /// The call of each seat; none for a seat that had none (a folded round).
    #[serde(default)]
    pub calls: Vec<Option<Call>>,
    /// The tricks of each seat.
    #[serde(default)]
    pub tricks: Vec<u8>,
    /// Whether nobody bid.
    #[serde(default)]
    pub folded: bool,
}

/// Reads a field that is there, so that null is told from nothing.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Scores a round under a ruleset. A round that could not have happened is refused with the reason.
pub fn score_round(ruleset: &str, played: &PlayedRound) -> Result<RoundScore, Failure> {
    ruleset
        .parse::<crate::engine::ruleset::RulesetId>()
        .map_err(|_| Failure::NotFound { what: "ruleset" })?;
    let rules = agreed(ruleset, played.players, &played.options)?;
    let last = rules.players - 1;
    let seat = |index: u8| {
        if index <= last { Ok(Seat::new(index)) } else { Err(ImpossibleRound::SeatOutOfRange { last }) }
    };
    let first_speaker = match (played.first_speaker, played.dealer) {
        (Some(first), Some(dealer)) if seat(dealer)?.after(1, rules.players) != seat(first)? => {
            return Err(Failure::RoundField { field: "dealer", reason: "sits before the first speaker" });
        }
        (Some(first), _) => seat(first)?,
        (None, Some(dealer)) => seat(dealer)?.after(1, rules.players),
        (None, None) if rules.plan == Plan::Turns => {
            return Err(Failure::RoundField { field: "dealer", reason: "must be given" });
        }
        (None, None) => return Err(Failure::RoundField { field: "first_speaker", reason: "must be given" }),
    };
    let course = if played.folded { folded(rules.players, played)? } else { course(rules.players, played)? };
    let carry = played.carry.unwrap_or(1);
    let result = RoundResult { round: played.round, carry, first_speaker, course };
    let bidder = played.bidder.map(|bidder| bidder.map(seat).transpose()).transpose()?;
    check(&rules, &result, bidder)?;
    Ok(score(&rules, &result))
}

fn course(players: u8, played: &PlayedRound) -> Result<Course, Failure> {
    let missing = ImpossibleRound::CallsMissing { players };
    let calls: Vec<Call> = played.calls.iter().copied().collect::<Option<_>>().ok_or(missing)?;
    let declarer = calls.iter().position(|call| call.kind == CallKind::Bid).map(|seat| Seat::new(seat as u8));
    let by_seat = |count: usize| if count == usize::from(players) { Ok(()) } else { Err(missing) };
    by_seat(calls.len())?;
    by_seat(played.tricks.len())?;
    Ok(Course::Played {
        declarer,
        calls: BySeat::from_fn(players, |seat| calls[seat.index()]),
        tricks: BySeat::from_fn(players, |seat| played.tricks[seat.index()]),
    })
}

/// A folded round has no calls but dash calls, and no tricks.
fn folded(players: u8, played: &PlayedRound) -> Result<Course, Failure> {
    let too_many = |count: usize| count != 0 && count != usize::from(players);
    if too_many(played.calls.len()) || too_many(played.tricks.len()) {
        return Err(ImpossibleRound::CallsMissing { players }.into());
    }
    if played.tricks.iter().any(|&tricks| tricks > 0) {
        return Err(ImpossibleRound::TricksInFold.into());
    }
    let mut dashed = SeatSet::EMPTY;
    for (seat, call) in played.calls.iter().enumerate() {
        match call {
            None => {}
            Some(Call { kind: CallKind::DashCall, tricks: 0 }) => dashed = dashed.with(Seat::new(seat as u8)),
            Some(_) => return Err(ImpossibleRound::CallsInFold.into()),
        }
    }
    Ok(Course::Folded { dashed })
}

//! The calculator: the score of a round, or of a sheet of rounds, that was played with real cards.

mod course;
mod fields;
mod sheet;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use self::course::course;
use self::fields::impossible;
pub use self::sheet::{PlayedSheet, SheetFault, SheetRound, score_sheet};
use super::failure::{Failure, FieldCode};
use super::rulesets::agreement;
use crate::engine::ruleset::schedule::RoundPlan;
use crate::engine::ruleset::{Revokes, Ruleset, RulesetId};
use crate::engine::score::{Call, ImpossibleRound, RoundResult, RoundScore, faults, score, setting_faults};
use crate::engine::seat::Seat;

/// The most revokes of one turn that are entered.
const REVOKES: usize = 100;

/// A round as the players wrote it down.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedRound {
    #[serde(default)]
    pub options: BTreeMap<String, Value>,
    /// How many play; none for the ruleset's usual number.
    pub players: Option<u8>,
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
    #[serde(default)]
    pub tricks: Vec<u8>,
    /// Whether nobody bid.
    #[serde(default)]
    pub folded: bool,
    /// Who revoked before the deal that counts, in order (`nineteen` R10).
    #[serde(default)]
    pub revokes: Vec<u8>,
}

/// What a round is worth, and what its revokes cost beside it.
#[derive(Clone, Debug, Serialize)]
pub struct ScoredRound {
    /// The score of the deal that counts.
    #[serde(flatten)]
    pub score: RoundScore,
    /// What each revoke cost, in order; not part of the points.
    pub penalties: Vec<RevokePenalty>,
}

/// What a revoke costs (`nineteen` R10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RevokePenalty {
    /// In which deal of the turn, from 1.
    pub attempt: u32,
    pub seat: Seat,
    /// Twice the hand size.
    pub points: i32,
}

/// Reads a field that is there, so that null is told from nothing.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Scores a round under a ruleset.
///
/// # Errors
/// [`Failure::NotFound`] for a ruleset that does not exist; otherwise every field for which the round could
/// not have happened.
pub fn score_round(ruleset: &str, played: &PlayedRound) -> Result<ScoredRound, Failure> {
    ruleset.parse::<RulesetId>().map_err(|_| Failure::NotFound { what: "ruleset" })?;
    let rules = agreement(ruleset, played.players, &played.options);
    rules.and_then(|rules| scored(&rules, played)).map_err(Failure::several)
}

/// Scores a round under the rules of its table. Errors are everything that is wrong with it.
fn scored(rules: &Ruleset, played: &PlayedRound) -> Result<ScoredRound, Vec<Failure>> {
    if let Some(missing) = players_missing(rules, played) {
        return Err(vec![missing]);
    }
    let mut failures = Vec::new();
    let first_speaker = first_speaker(rules, played, &mut failures);
    // A bidder that is not a seat of the table is not compared with the calls.
    let bidder = match played.bidder {
        Some(Some(index)) => seat(rules, "bidder", index, &mut failures).map(Some),
        said => said.map(|_| None),
    };
    let penalties = penalties(rules, played, &mut failures);
    let carry = played.carry.unwrap_or(1);
    let Some(course) = course(rules.players, played, &mut failures) else {
        let setting = setting_faults(rules, played.round, carry);
        failures.extend(setting.into_iter().map(|reason| impossible(reason, played)));
        return Err(failures);
    };
    // Any seat will do where the score does not depend on the first speaker.
    let speaker = first_speaker.unwrap_or(Seat::new(0));
    let result = RoundResult { round: played.round, carry, first_speaker: speaker, course };
    failures.extend(faults(rules, &result, bidder).into_iter().map(|reason| impossible(reason, played)));
    if !failures.is_empty() {
        return Err(failures);
    }
    let mut score = score(rules, &result);
    if first_speaker.is_none() && matches!(rules.round_plan(played.round), RoundPlan::Fast(_)) {
        score.risk = None;
    }
    Ok(ScoredRound { score, penalties })
}

/// The number of players has to be given where it is not the usual one.
fn players_missing(rules: &Ruleset, played: &PlayedRound) -> Option<Failure> {
    let (min, max) = Ruleset::players_range(rules.id);
    let usual = |count: usize| count == 0 || count == usize::from(rules.players);
    let missing =
        played.players.is_none() && min < max && !(usual(played.calls.len()) && usual(played.tricks.len()));
    let reason =
        || format!("must be given where not {} play: `{}` seats {min} to {max}", rules.players, rules.id);
    missing.then(|| Failure::field("players", FieldCode::Missing, reason()))
}

/// A seat of the table.
fn seat(rules: &Ruleset, field: &str, index: u8, failures: &mut Vec<Failure>) -> Option<Seat> {
    let last = rules.players - 1;
    if index <= last {
        return Some(Seat::new(index));
    }
    let (field, reason) = (field.to_owned(), ImpossibleRound::SeatOutOfRange { last });
    failures.push(Failure::ImpossibleRound { field, reason });
    None
}

/// Who spoke first; none where nobody says so and the score does not depend on it.
fn first_speaker(rules: &Ruleset, played: &PlayedRound, failures: &mut Vec<Failure>) -> Option<Seat> {
    let given = played.first_speaker.map(|index| seat(rules, "first_speaker", index, failures));
    let dealer = played.dealer.map(|index| seat(rules, "dealer", index, failures));
    let after = dealer.map(|dealer| dealer.map(|dealer| dealer.after(1, rules.players)));
    match (given, after) {
        (Some(Some(first)), Some(Some(after))) if first != after => {
            let reason = "must be the seat before `first_speaker`";
            failures.push(Failure::field("dealer", FieldCode::Contradiction, reason));
        }
        (None, None) if rules.needs_first_speaker(played.round) && !played.folded => {
            let reason = "or `dealer` must be given: in this round the score depends on who spoke first";
            failures.push(Failure::field("first_speaker", FieldCode::Missing, reason));
        }
        _ => {}
    }
    given.or(after).flatten()
}

/// What the revokes of a turn cost.
fn penalties(rules: &Ruleset, played: &PlayedRound, failures: &mut Vec<Failure>) -> Vec<RevokePenalty> {
    if played.revokes.is_empty() {
        return Vec::new();
    }
    if rules.revokes != Revokes::Penalise {
        failures.push(impossible(ImpossibleRound::RevokesNotPenalised, played));
        return Vec::new();
    }
    if played.revokes.len() > REVOKES {
        let reason = format!("must have at most {REVOKES} items");
        failures.push(Failure::field("revokes", FieldCode::TooLong, reason));
        return Vec::new();
    }
    let seats = played.revokes.iter().enumerate();
    let seats: Vec<Option<Seat>> =
        seats.map(|(at, &index)| seat(rules, &format!("revokes[{at}]"), index, failures)).collect();
    if !(1..=rules.rounds()).contains(&played.round) {
        return Vec::new();
    }
    let points = rules.revoke_charge(played.round);
    let charged = (1..).zip(seats).filter_map(|(attempt, seat)| Some((attempt, seat?)));
    charged.map(|(attempt, seat)| RevokePenalty { attempt, seat, points }).collect()
}

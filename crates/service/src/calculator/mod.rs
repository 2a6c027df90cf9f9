//! The calculator: scores rounds and sheets that were played with real cards.

mod course;
mod failure;
mod sheet;

use std::collections::BTreeMap;

use garde::Validate;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use self::course::course;
pub use self::failure::RoundFault;
use self::failure::impossible;
pub use self::sheet::{PlayedSheet, ScoredSheet, SheetFault, SheetRound, SheetWarning, score_sheet};
use crate::base::failure::{Failure, Faults};
use crate::base::field_error::FieldCode;
use crate::rulesets::agreement;
use crate::rulesets::option_schemas::{self, RequestedOptions};
use estimation_engine::ruleset::schedule::RoundPlan;
use estimation_engine::ruleset::{Revokes, Ruleset, RulesetId};
use estimation_engine::score::{
    CallKind, ImpossibleRound, RoundResult, RoundScore, faults, score, setting_faults,
};
use estimation_engine::seat::Seat;

/// The most revokes accepted for one turn.
const REVOKES: usize = 100;

/// The most calls and tricks of a round: one for each seat.
const SEATS: usize = 5;

/// A round as the players wrote it down.
#[derive(Clone, Debug, Default, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = ScoreRequest)]
#[garde(allow_unvalidated)]
pub struct PlayedRound {
    /// The options that differ from the ruleset's defaults.
    #[serde(default, deserialize_with = "option_schemas::requested")]
    #[schema(value_type = RequestedOptions)]
    pub options: BTreeMap<String, Value>,
    /// The number of players. Required in `nineteen` if not 4 play; the other rulesets are for 4.
    #[schema(minimum = 2, maximum = 5)]
    pub players: Option<u8>,
    /// The number of the round.
    #[schema(minimum = 1, maximum = 19)]
    pub round: u8,
    /// The multiplier carried over from earlier void rounds.
    #[schema(minimum = 1, maximum = 131_072, default = 1)]
    pub carry: Option<u32>,
    /// The seat that spoke first; without it, the seat after `dealer`. One of the two is required only in fast rounds of `squares`, `kabooot` and `double-risk`, where the score depends on it.
    #[schema(minimum = 0, maximum = 4)]
    pub first_speaker: Option<u8>,
    /// The seat that dealt, instead of `first_speaker`. If both are given, they must agree.
    #[schema(minimum = 0, maximum = 4)]
    pub dealer: Option<u8>,
    /// The bidder; null for none. It follows from the calls, so it may be left out; if it is given, it must agree with them.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<u8>, minimum = 0, maximum = 4)]
    pub bidder: Option<Option<u8>>,
    /// The calls, at most one per seat. In a folded round only dash calls.
    #[serde(default)]
    #[schema(max_items = 5)]
    pub calls: Vec<PlayedCall>,
    /// The tricks that each seat took. In a folded round zeros, or left out.
    #[serde(default)]
    #[schema(max_items = 5, minimum = 0, maximum = 13)]
    pub tricks: Vec<u8>,
    /// Whether no player bid and the round was not played (`squares`).
    #[serde(default)]
    #[schema(default = false)]
    pub folded: bool,
    /// The seats that revoked before the deal that counts, in order (`nineteen` with `revokes: penalise`). Each revoke voids a deal of the turn and costs twice the hand size.
    #[serde(default)]
    #[schema(max_items = 100, minimum = 0, maximum = 4)]
    pub revokes: Vec<u8>,
}

/// A call and its seat.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayedCall {
    /// The seat.
    #[schema(value_type = Seat)]
    pub seat: u8,
    /// The kind of the call.
    pub kind: CallKind,
    /// The tricks, 0‥13.
    #[schema(minimum = 0, maximum = 13)]
    pub tricks: u8,
}

/// The score of a round, and the cost of its revokes.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ScoreAnswer)]
pub struct ScoredRound {
    /// The score of the deal that counts.
    #[serde(flatten)]
    pub score: RoundScore,
    /// Penalty per revoke, in order; not part of the points.
    #[schema(max_items = 100)]
    pub penalties: Vec<RevokePenalty>,
}

/// The penalty for a revoke (`nineteen` R10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RevokePenalty {
    /// The deal of the turn, from 1.
    #[schema(minimum = 1, maximum = 2_147_483_647)]
    pub attempt: u32,
    /// The player's seat.
    pub seat: Seat,
    /// Twice the hand size.
    #[schema(minimum = 2, maximum = 20)]
    pub points: i32,
}

/// Deserializes a present field, so that null differs from absent.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Scores a round under a ruleset.
///
/// # Errors
/// [`Failure::NotFound`] for an unknown ruleset; otherwise every field that makes the round impossible.
pub fn score_round(ruleset: &str, played: &PlayedRound) -> Result<ScoredRound, Failure> {
    ruleset.parse::<RulesetId>().map_err(|_| Failure::NotFound { what: "ruleset" })?;
    let scored = rules_of(ruleset, played).and_then(|rules| scored(&rules, played));
    Ok(scored.map_err(Faults::several)?)
}

fn rules_of(ruleset: &str, played: &PlayedRound) -> Result<Ruleset, Vec<RoundFault>> {
    let rules = agreement(ruleset, played.players, &played.options);
    rules.map_err(|faults| faults.into_iter().map(RoundFault::from).collect())
}

/// The lists that are too long. They are not read.
fn too_long(played: &PlayedRound) -> Vec<RoundFault> {
    let lists = [
        ("/calls", played.calls.len(), SEATS),
        ("/tricks", played.tricks.len(), SEATS),
        ("/revokes", played.revokes.len(), REVOKES),
    ];
    let too_long = lists.into_iter().filter(|(_, length, limit)| length > limit);
    let failure = |(field, _, limit)| {
        RoundFault::new(field, FieldCode::TooLong, format!("must have at most {limit} items"))
    };
    too_long.map(failure).collect()
}

/// Scores a round under the table's rules, or returns every fault.
fn scored(rules: &Ruleset, played: &PlayedRound) -> Result<ScoredRound, Vec<RoundFault>> {
    let mut failures = too_long(played);
    if !failures.is_empty() {
        return Err(failures);
    }
    if let Some(missing) = players_missing(rules, played) {
        return Err(vec![missing]);
    }
    let first_speaker = first_speaker(rules, played, &mut failures);
    // Do not compare an invalid bidder with the calls.
    let bidder = match played.bidder {
        Some(Some(index)) => seat(rules, "/bidder", index, &mut failures).map(Some),
        said => said.map(|_| None),
    };
    let penalties = penalties(rules, played, &mut failures);
    let carry = played.carry.unwrap_or(1);
    let Some(course) = course(rules.players, played, &mut failures) else {
        let setting = setting_faults(rules, played.round, carry);
        failures.extend(setting.into_iter().map(|reason| impossible(reason, played)));
        return Err(failures);
    };
    // Without a given first speaker the score does not depend on one.
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

/// The player count is required when it differs from the ruleset's default.
fn players_missing(rules: &Ruleset, played: &PlayedRound) -> Option<RoundFault> {
    let (min, max) = Ruleset::players_range(rules.id);
    let usual = |count: usize| count == 0 || count == usize::from(rules.players);
    let missing =
        played.players.is_none() && min < max && !(usual(played.calls.len()) && usual(played.tricks.len()));
    let reason =
        || format!("must be given where not {} play: `{}` seats {min} to {max}", rules.players, rules.id);
    missing.then(|| RoundFault::new("/players", FieldCode::Missing, reason()))
}

fn seat(rules: &Ruleset, field: &str, index: u8, failures: &mut Vec<RoundFault>) -> Option<Seat> {
    let last = rules.players - 1;
    if index <= last {
        return Some(Seat::new(index));
    }
    let (field, reason) = (field.to_owned(), ImpossibleRound::SeatOutOfRange { last });
    failures.push(RoundFault::Impossible { field, reason });
    None
}

/// `None` when it is not given and the score does not depend on it.
fn first_speaker(rules: &Ruleset, played: &PlayedRound, failures: &mut Vec<RoundFault>) -> Option<Seat> {
    let given = played.first_speaker.map(|index| seat(rules, "/first_speaker", index, failures));
    let dealer = played.dealer.map(|index| seat(rules, "/dealer", index, failures));
    let after = dealer.map(|dealer| dealer.map(|dealer| dealer.after(1, rules.players)));
    match (given, after) {
        (Some(Some(first)), Some(Some(after))) if first != after => {
            let reason = "must be the seat before `/first_speaker`";
            failures.push(RoundFault::new("/dealer", FieldCode::Contradiction, reason));
        }
        (None, None) if rules.needs_first_speaker(played.round) && !played.folded => {
            let reason = "or `/dealer` must be given: in this round the score depends on who spoke first";
            failures.push(RoundFault::new("/first_speaker", FieldCode::Missing, reason));
        }
        _ => {}
    }
    given.or(after).flatten()
}

fn penalties(rules: &Ruleset, played: &PlayedRound, failures: &mut Vec<RoundFault>) -> Vec<RevokePenalty> {
    if played.revokes.is_empty() {
        return Vec::new();
    }
    if rules.revokes != Revokes::Penalise {
        failures.push(impossible(ImpossibleRound::RevokesNotPenalised, played));
        return Vec::new();
    }
    let seats = played.revokes.iter().enumerate();
    let seats: Vec<Option<Seat>> =
        seats.map(|(at, &index)| seat(rules, &format!("/revokes/{at}"), index, failures)).collect();
    if !(1..=rules.rounds()).contains(&played.round) {
        return Vec::new();
    }
    let points = rules.revoke_charge(played.round);
    let charged = (1..).zip(seats).filter_map(|(attempt, seat)| Some((attempt, seat?)));
    charged.map(|(attempt, seat)| RevokePenalty { attempt, seat, points }).collect()
}

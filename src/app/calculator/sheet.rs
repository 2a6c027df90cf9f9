//! A sheet: the rounds of one game in their order, scored and checked as a whole.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{PlayedRound, ScoredRound, players_missing, scored};
use crate::app::failure::{Failure, FieldCode, FieldError};
use crate::app::rulesets::agreement;
use crate::engine::ruleset::{Ruleset, RulesetId};

/// The rounds of a game as the players wrote them down, with what holds for all of them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedSheet {
    #[serde(default)]
    pub options: BTreeMap<String, Value>,
    /// How many play; none for the ruleset's usual number, or the one that the first round gives.
    pub players: Option<u8>,
    pub rounds: Vec<PlayedRound>,
}

/// A round of a sheet with its score.
#[derive(Clone, Debug, Serialize)]
pub struct SheetRound {
    pub round: u8,
    #[serde(flatten)]
    pub scored: ScoredRound,
    /// The totals after it, by seat, penalties included.
    pub totals: Vec<i32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetFault {
    /// The number of the round that has it; none for the sheet as a whole.
    pub round: Option<u8>,
    /// The field that is wrong, of the round or the sheet.
    pub error: FieldError,
}

/// The state of a sheet after a round.
#[derive(Default)]
struct SheetState {
    /// The number of the round before.
    last: Option<u8>,
    /// The carry that the round before left; none where that is not known.
    carry: Option<u32>,
    totals: Vec<i32>,
}

/// Scores the rounds of a game. They follow one another without a gap, at a table whose options and number of
/// players stay; the carry runs on from round to round. The first need not be round 1, and then says which
/// carry it began with.
///
/// # Errors
/// Everything that is wrong with the sheet, in order.
pub fn score_sheet(ruleset: RulesetId, sheet: &PlayedSheet) -> Result<Vec<SheetRound>, Vec<SheetFault>> {
    if let Err(failures) = agreement(ruleset.as_str(), sheet.players, &sheet.options) {
        return Err(faults(None, &failures).collect());
    }
    let Some(first) = sheet.rounds.first() else { return Ok(Vec::new()) };
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
    for round in &sheet.rounds {
        let mut failures = state.check_order(round);
        failures.extend(check_table(&table, self::table(ruleset, sheet, round), round));
        match state.score(&table, round, &mut failures) {
            Some(scored) if failures.is_empty() => rounds.push(scored),
            _ => found.extend(faults(Some(round.round), &failures)),
        }
    }
    if found.is_empty() { Ok(rounds) } else { Err(found) }
}

fn faults(round: Option<u8>, failures: &[Failure]) -> impl Iterator<Item = SheetFault> {
    failures.iter().flat_map(Failure::field_errors).map(move |error| SheetFault { round, error })
}

/// The rules of the sheet with the options of a round.
fn table(ruleset: RulesetId, sheet: &PlayedSheet, round: &PlayedRound) -> Result<Ruleset, Vec<Failure>> {
    let options = sheet.options.iter().chain(&round.options);
    agreement(ruleset.as_str(), sheet.players.or(round.players), options)
}

/// Checks that a round has the options and the players of the table; `own` are the round's rules.
fn check_table(table: &Ruleset, own: Result<Ruleset, Vec<Failure>>, round: &PlayedRound) -> Vec<Failure> {
    let mut failures = Vec::new();
    if round.players.is_some_and(|players| players != table.players) {
        let reason = format!("must be {}, as in the rest of the sheet", table.players);
        failures.push(Failure::field("players", FieldCode::Contradiction, reason));
    }
    if round.options.is_empty() {
        return failures;
    }
    match own {
        Ok(own) if Ruleset { players: table.players, ..own.clone() } != *table => {
            let reason = "must be what the table agreed on, as in the rest of the sheet";
            failures.push(Failure::field("options", FieldCode::Contradiction, reason));
        }
        Ok(_) => {}
        Err(more) => failures.extend(more),
    }
    failures
}

impl SheetState {
    /// Checks that a round follows the one before, and takes over its carry.
    fn check_order(&mut self, round: &PlayedRound) -> Vec<Failure> {
        let mut failures = Vec::new();
        if let Some(last) = self.last.replace(round.round)
            && round.round.checked_sub(1) != Some(last)
        {
            self.carry = None;
            let reason = match round.round == last {
                true => format!("must be the next: round {last} is entered already"),
                false => format!("must be {}, the round after {last}", u16::from(last) + 1),
            };
            failures.push(Failure::field("round", FieldCode::Contradiction, reason));
        }
        if let (Some(given), Some(left)) = (round.carry, self.carry)
            && given != left
        {
            let reason = format!("must be {left}, as the round before left it");
            failures.push(Failure::field("carry", FieldCode::Contradiction, reason));
        }
        failures
    }

    /// Scores a round, or adds what is wrong with it.
    fn score(
        &mut self,
        table: &Ruleset,
        round: &PlayedRound,
        failures: &mut Vec<Failure>,
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
}

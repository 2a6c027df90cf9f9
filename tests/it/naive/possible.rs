//! Whether a round, as somebody wrote it down at a real table, could have happened.

use super::rules::{Part, Rules};
use super::score::{Call, Kind, Roles, Round};

/// The first rule the round breaks, as a stable snake_case reason. `bidder` is what the writer claims, if he
/// claims anything.
pub fn possible(round: &Round, bidder: Option<Option<usize>>) -> Result<(), &'static str> {
    let rules = round.rules;
    shape(round)?;
    if round.folded {
        return folded(round);
    }
    let calls: Vec<Call> = round.calls.iter().copied().flatten().collect();
    if calls.len() < rules.players {
        return Err("calls_missing");
    }
    kinds(rules, rules.part(round.number), &calls)?;
    numbers(round, &calls)?;
    if bidder.is_some_and(|claimed| claimed != Roles::of(round).bidder) {
        return Err("bidder_disagrees");
    }
    let hand = rules.hand_size(round.number);
    if calls.iter().filter(|call| call.tricks == 0).count() > rules.zeros() {
        return Err("too_many_zeros");
    }
    if rules.bars_total() && calls.iter().map(|call| call.tricks).sum::<i64>() == hand {
        return Err("total_barred");
    }
    if round.tricks.iter().any(|tricks| !(0..=hand).contains(tricks)) {
        return Err("tricks_out_of_range");
    }
    if round.tricks.iter().sum::<i64>() != hand {
        return Err("tricks_do_not_sum");
    }
    Ok(())
}

/// Players, round, seats, carry and the length of the lists.
fn shape(round: &Round) -> Result<(), &'static str> {
    let rules = round.rules;
    let players = if rules.id == "nineteen" { 2..=5 } else { 4..=4 };
    if !players.contains(&rules.players) {
        return Err("players_out_of_range");
    }
    if !(1..=rules.rounds()).contains(&round.number) {
        return Err("round_out_of_range");
    }
    if round.first_speaker >= rules.players {
        return Err("seat_out_of_range");
    }
    if round.calls.len() != rules.players || round.tricks.len() != rules.players {
        return Err("calls_missing");
    }
    // Before round r there were at most r − 1 void rounds.
    let reachable = (0..round.number).any(|voids| {
        round.carry
            == match () {
                () if voids == 0 => 1,
                () if rules.among(&["nineteen", "plain"]) => 1,
                () if rules.is("carry_ladder", "double") => 1 << voids,
                () if rules.is("carry_ladder", "flat") => 2,
                () => 1 + voids,
            }
    });
    if reachable { Ok(()) } else { Err("carry_impossible") }
}

/// A folded round: nobody bid, nobody estimated, nothing was played.
fn folded(round: &Round) -> Result<(), &'static str> {
    let rules = round.rules;
    if rules.id != "squares" || rules.part(round.number) != Part::Auction {
        return Err("fold_not_allowed");
    }
    let calls: Vec<Call> = round.calls.iter().copied().flatten().collect();
    if calls.iter().any(|call| call.kind != Kind::DashCall || call.tricks != 0) {
        return Err("calls_in_fold");
    }
    if calls.len() > rules.dash_calls() {
        return Err("too_many_dash_calls");
    }
    if round.tricks.iter().any(|&tricks| tricks != 0) {
        return Err("tricks_in_fold");
    }
    Ok(())
}

/// Which kinds of call the round has room for, and how many of each.
fn kinds(rules: &Rules, part: Part, calls: &[Call]) -> Result<(), &'static str> {
    let of = |kind: Kind| calls.iter().filter(|call| call.kind == kind).count();
    let auction = part == Part::Auction;
    if of(Kind::Bid) > 0 && !auction {
        return Err("bid_not_allowed");
    }
    if of(Kind::DashCall) > 0 && (!auction || rules.id == "kabooot") {
        return Err("dash_call_not_allowed");
    }
    if of(Kind::BlindDash) > 0 && (!auction || rules.id != "kabooot") {
        return Err("blind_dash_not_allowed");
    }
    let dashes = calls.iter().filter(|call| matches!(call.kind, Kind::DashCall | Kind::BlindDash));
    if dashes.clone().any(|call| call.tricks != 0) {
        return Err("dash_call_not_zero");
    }
    if dashes.count() > rules.dash_calls() {
        return Err("too_many_dash_calls");
    }
    match of(Kind::Bid) {
        0 if auction => Err("no_bidder"),
        0 | 1 => Ok(()),
        _ => Err("two_bidders"),
    }
}

/// The range of the bid and of every estimate.
fn numbers(round: &Round, calls: &[Call]) -> Result<(), &'static str> {
    let rules = round.rules;
    let hand = rules.hand_size(round.number);
    let bid = calls.iter().find(|call| call.kind == Kind::Bid).map(|call| call.tricks);
    if bid.is_some_and(|bid| bid < rules.number("minimum_bid")) {
        return Err("bid_below_minimum");
    }
    if bid.is_some_and(|bid| bid > hand) {
        return Err("bid_out_of_range");
    }
    for call in calls.iter().filter(|call| call.kind == Kind::Estimate) {
        if !(0..=hand).contains(&call.tricks) {
            return Err("estimate_out_of_range");
        }
        if bid.is_some_and(|bid| call.tricks > bid) {
            return Err("estimate_above_bid");
        }
    }
    Ok(())
}

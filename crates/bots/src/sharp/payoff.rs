//! The payoff of a round for a seat: its points minus a share of the others' points.

use std::cell::RefCell;

use super::super::sight::Sight;
use estimation_engine::ruleset::{Ruleset, Scoring};
use estimation_engine::score::{Call, Course, RoundResult, score};
use estimation_engine::seat::{BySeat, MAX_PLAYERS, Seat};

/// The weight of the other players' points.
const OTHERS_WEIGHT: f32 = 0.7;

/// The payoff function of a seat.
#[derive(Clone, Debug)]
pub(super) struct Payoff<'a> {
    rules: &'a Ruleset,
    seat: Seat,
    round: u8,
    carry: u32,
    first_speaker: Seat,
}

impl<'a> Payoff<'a> {
    /// The payoff function of the viewer's round.
    pub(super) fn of(sight: &Sight<'a>) -> Option<Payoff<'a>> {
        Some(Payoff {
            rules: sight.rules,
            seat: sight.seat,
            round: sight.round.number,
            carry: sight.round.carry,
            first_speaker: sight.round.first_speaker?,
        })
    }

    pub(super) fn worth(&self, points: &BySeat<i32>) -> f32 {
        let own = points[self.seat] as f32;
        let others: i32 = points.values().sum::<i32>() - points[self.seat];
        let others = others as f32 / f32::from(points.players() - 1);
        let worth = own - OTHERS_WEIGHT * others;
        if self.rules.scoring == Scoring::Penalty { -worth } else { worth }
    }

    /// The payoff of a round with these calls and tricks.
    pub(super) fn played(
        &self,
        declarer: Option<Seat>,
        calls: &BySeat<Call>,
        taken: &[u8; MAX_PLAYERS],
    ) -> f32 {
        let tricks = BySeat::from_fn(calls.players(), |seat| taken[seat.index()]);
        let course = Course::Played { declarer, calls: calls.clone(), tricks };
        let result =
            RoundResult { round: self.round, carry: self.carry, first_speaker: self.first_speaker, course };
        self.worth(&score(self.rules, &result).points)
    }
}

/// The payoffs of a round with known calls, each computed once.
pub(super) struct Payoffs<'a> {
    payoff: Payoff<'a>,
    declarer: Option<Seat>,
    calls: BySeat<Call>,
    size: usize,
    known: RefCell<Vec<f32>>,
}

impl<'a> Payoffs<'a> {
    /// The payoffs of the viewer's round; none before all calls are made.
    pub(super) fn of(sight: &Sight<'a>) -> Option<Payoffs<'a>> {
        let settled: Option<Vec<Call>> = sight.calls.values().copied().collect();
        let calls = BySeat::try_from(settled?).ok()?;
        let size = usize::from(sight.round.hand_size) + 1;
        let all = size.pow(u32::from(calls.players()) - 1);
        Some(Payoffs {
            payoff: Payoff::of(sight)?,
            declarer: sight.declarer(),
            calls,
            size,
            known: RefCell::new(vec![f32::NAN; all]),
        })
    }

    /// The payoff of these tricks.
    pub(super) fn of_tricks(&self, taken: &[u8; MAX_PLAYERS]) -> f32 {
        let all_but_last = usize::from(self.calls.players()) - 1;
        let index =
            taken.iter().take(all_but_last).fold(0, |index, &tricks| index * self.size + usize::from(tricks));
        let mut known = self.known.borrow_mut();
        match known.get_mut(index) {
            Some(worth) if !worth.is_nan() => *worth,
            Some(worth) => {
                *worth = self.payoff.played(self.declarer, &self.calls, taken);
                *worth
            }
            None => self.payoff.played(self.declarer, &self.calls, taken),
        }
    }
}

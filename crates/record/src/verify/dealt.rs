//! Recorded deals, to be compared with the seeds once these are revealed.

use super::body::Violation;
use super::finding::Rule;
use crate::fairness::{DealKey, GameSeeds, ServerSeed};
use estimation_engine::card::Card;
use estimation_engine::card::Pack;
use estimation_engine::chance::Chance;
use estimation_engine::consequence::{deal_round, draw_cards};
use estimation_engine::event::RoundDealt;
use estimation_engine::hex::{Hex, Salt};
use estimation_engine::round::Deal;
use estimation_engine::round::DealNumber;
use estimation_engine::ruleset::Ruleset;
use estimation_engine::seat::BySeat;

/// A recorded deal.
pub(super) struct RecordedDeal {
    pub(super) seq: u64,
    pub(super) what: Dealt,
}

/// The dealt cards.
pub(super) enum Dealt {
    /// The cards for the choice of seats.
    Seats(BySeat<Card>),
    /// The hands of a round.
    Round { deal: Deal, cut: Option<u8>, dealt: Box<RoundDealt> },
}

impl RecordedDeal {
    /// Compares the deal with the revealed seed. Returns what is wrong, if anything.
    pub(super) fn problem(&self, rules: &Ruleset, chance: &mut ProvenChance<'_>) -> Option<Violation> {
        let fair = match &self.what {
            Dealt::Seats(cards) => draw_cards(rules, chance) == *cards,
            Dealt::Round { deal, cut, dealt: recorded } => {
                chance.salt = recorded.salt;
                deal_round(rules, *deal, *cut, chance) == **recorded
            }
        };
        (!fair).then(|| (Rule::Deal, "the seeds result in different cards".to_owned()))
    }
}

/// The chance proved by the revealed seeds.
pub(super) struct ProvenChance<'a> {
    pub(super) seed: &'a ServerSeed,
    pub(super) seeds: GameSeeds<'a>,
    pub(super) salt: Salt,
}

impl Chance for ProvenChance<'_> {
    fn shuffle(&mut self, deal: DealNumber, pack: &mut Pack) {
        DealKey::derive(self.seed, &self.seeds, deal).shuffle(pack);
    }

    fn salt(&mut self) -> Salt {
        self.salt
    }

    fn reveal(&mut self, _: u32) -> Hex<32> {
        self.seed.reveal()
    }

    fn recommit(&mut self, _: u32) -> Hex<32> {
        self.seed.commitment()
    }
}

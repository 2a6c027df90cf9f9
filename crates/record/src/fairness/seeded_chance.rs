//! An implementation of the engine's chance from seeds and entropy.

use std::sync::Arc;

use uuid::Uuid;

use super::{DealKey, GameSeeds, ServerSeed};
use crate::entropy::{Entropy, draw};
use estimation_engine::card::Card;
use estimation_engine::card::Pack;
use estimation_engine::chance::Chance;
use estimation_engine::game::Table;
use estimation_engine::hex::{Hex, Salt};
use estimation_engine::round::DealNumber;

/// The chance of one game: its seeds determine the packs; salts are new entropy.
pub struct SeededChance<'a> {
    game: Uuid,
    seed: ServerSeed,
    table: Arc<Table>,
    entropy: &'a dyn Entropy,
}

impl<'a> SeededChance<'a> {
    /// The chance of a game, from its first server seed and its table, which has the client seeds.
    pub fn new(
        game: Uuid,
        seed: ServerSeed,
        table: &Arc<Table>,
        entropy: &'a dyn Entropy,
    ) -> SeededChance<'a> {
        SeededChance { game, seed, table: Arc::clone(table), entropy }
    }
}

impl Chance for SeededChance<'_> {
    fn shuffle(&mut self, deal: DealNumber, pack: &mut Pack) {
        let seeds = GameSeeds::of(self.game, &self.table);
        DealKey::derive(&self.seed.after_openings(self.table.openings), &seeds, deal).shuffle(pack);
        if let Some(top) = self.entropy.stacked(deal) {
            stack(pack, top);
        }
    }

    fn salt(&mut self) -> Salt {
        Hex(draw(self.entropy))
    }

    fn reveal(&mut self, openings: u32) -> Hex<32> {
        self.seed.after_openings(openings).reveal()
    }

    fn start(&mut self, table: &Arc<Table>) {
        self.table = Arc::clone(table);
    }

    fn recommit(&mut self, openings: u32) -> Hex<32> {
        self.seed.after_openings(openings).commitment()
    }
}

/// Moves cards to the top of a pack, in the given order. Cards that are not in the pack are ignored.
fn stack(pack: &mut Pack, top: &[Card]) {
    let (mut on_top, below): (Pack, Pack) = pack.iter().copied().partition(|card| top.contains(card));
    on_top.sort_by_key(|card| top.iter().position(|other| other == card));
    on_top.extend(below);
    *pack = on_top;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::SeededEntropy;
    use estimation_engine::card_set::CardSet;
    use estimation_engine::event::{GameCreated, Visibility};
    use estimation_engine::game::Game;
    use estimation_engine::player::AccountId;
    use estimation_engine::ruleset::{Ruleset, RulesetId};

    const DEAL: DealNumber = DealNumber { round: 2, attempt: 1 };

    fn chance(entropy: &SeededEntropy) -> SeededChance<'_> {
        let table = Game::open(&GameCreated {
            ruleset: Ruleset::preset(RulesetId::Squares),
            host: AccountId::new("host"),
            visibility: Visibility::Public,
            spectators: true,
            turn_seconds: None,
            opening_seconds: 15,
            algorithm: crate::fairness::ALGORITHM.to_owned(),
            commitment: Hex([0; 32]),
        })
        .table;
        SeededChance::new(Uuid::nil(), ServerSeed::from_bytes([3; 32]), &table, entropy)
    }

    #[test]
    fn the_same_deal_gives_the_same_pack_and_salts_never_repeat() {
        let entropy = SeededEntropy::new(1);
        let mut chance = chance(&entropy);
        let canonical: Pack = CardSet::FULL.iter().collect();
        let (mut one, mut two) = (canonical.clone(), canonical.clone());
        chance.shuffle(DEAL, &mut one);
        assert_ne!(chance.salt(), chance.salt());
        chance.shuffle(DEAL, &mut two);
        assert_eq!(one, two);
        assert_ne!(one, canonical);
        assert_eq!(one.iter().copied().collect::<CardSet>(), CardSet::FULL);
        assert_eq!(chance.reveal(0), Hex([3; 32]));
    }

    #[test]
    fn a_stacked_pack_starts_with_the_cards_put_on_top() {
        let top: Vec<Card> = ["AS", "2C", "10H"].map(|card| card.parse().unwrap()).into();
        let entropy = SeededEntropy::new(1).stack(DEAL, top.clone());
        let mut pack: Pack = CardSet::FULL.iter().collect();
        chance(&entropy).shuffle(DEAL, &mut pack);
        assert_eq!(pack[..3], top);
        assert_eq!(pack.iter().copied().collect::<CardSet>(), CardSet::FULL);
        let mut other: Pack = CardSet::FULL.iter().collect();
        chance(&entropy).shuffle(DealNumber::DRAW, &mut other);
        assert_ne!(other[..3], top);
    }
}

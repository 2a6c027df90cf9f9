//! The inputs in a record: commands and random results.

use std::collections::{BTreeMap, VecDeque};

use estimation_engine::card::Pack;
use estimation_engine::chance::Chance;
use estimation_engine::hex::{Hex, Salt};
use estimation_engine::player::AccountId;
use estimation_engine::round::DealNumber;
use estimation_engine::table::TableCommand;
use estimation_record::verify::pack_of;

use crate::prelude::*;

/// The table command that an event records, and its account.
pub fn table_command(event: &Event) -> Option<(AccountId, TableCommand)> {
    match event {
        Event::PlayerJoined { place, account } => {
            let place = Some(place.index() as u8);
            Some((account.clone(), TableCommand::Join { place, commitment: None }))
        }
        Event::GameStarted(started) => {
            let host = started.players.values().next()?.account()?;
            Some((host.clone(), TableCommand::Start))
        }
        _ => None,
    }
}

pub struct RecordedChance {
    packs: BTreeMap<DealNumber, Vec<Card>>,
    salts: VecDeque<Salt>,
    seed: Hex<32>,
}

impl RecordedChance {
    pub fn of<'a>(rules: &Ruleset, events: impl Iterator<Item = &'a Event>) -> RecordedChance {
        let mut chance =
            RecordedChance { packs: BTreeMap::new(), salts: VecDeque::new(), seed: Hex([0; 32]) };
        let mut cut = None;
        for event in events {
            match event {
                Event::SeatsDrawn { cards } => {
                    let top = cards.values().copied().collect();
                    chance.packs.insert(DealNumber::DRAW, filled(rules, top));
                }
                Event::DeckCut { position, .. } => cut = Some(*position),
                Event::RoundDealt(dealt) => {
                    let pack = pack_of(rules, dealt, cut);
                    let number = DealNumber { round: dealt.round, attempt: dealt.attempt };
                    chance.packs.insert(number, pack);
                    chance.salts.push_back(dealt.salt);
                }
                Event::GameFinished(finished) => chance.seed = finished.server_seed,
                _ => {}
            }
        }
        chance
    }
}

fn filled(rules: &Ruleset, top: Vec<Card>) -> Vec<Card> {
    let on_top: CardSet = top.iter().copied().collect();
    top.into_iter().chain(rules.deck() & !on_top).collect()
}

impl Chance for RecordedChance {
    fn shuffle(&mut self, deal: DealNumber, pack: &mut Pack) {
        if let Some(recorded) = self.packs.get(&deal) {
            *pack = recorded.iter().copied().collect();
        }
    }

    fn salt(&mut self) -> Salt {
        self.salts.pop_front().unwrap_or(Hex([0; 16]))
    }

    fn reveal(&mut self, _: u32) -> Hex<32> {
        self.seed
    }

    fn recommit(&mut self, _: u32) -> Hex<32> {
        Hex([0; 32])
    }
}

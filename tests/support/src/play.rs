use std::collections::BTreeMap;

use crate::random::Random;
use estimation_engine::card::Card;
use estimation_engine::card::Pack;
use estimation_engine::chance::Chance;
use estimation_engine::command::{Actor, Command, Position};
use estimation_engine::decide::decide;
use estimation_engine::event::{Event, GameCreated, Visibility};
use estimation_engine::evolve::evolve;
use estimation_engine::game::{Game, Stage};
use estimation_engine::hex::{Hex, Salt};
use estimation_engine::legal::legal_commands;
use estimation_engine::player::AccountId;
use estimation_engine::round::DealNumber;
use estimation_engine::round::Phase;
use estimation_engine::ruleset::options::{OptionValue, RulesetOption};
use estimation_engine::ruleset::{Revokes, Ruleset, RulesetId};
use estimation_engine::table::{Decided, TableCommand, decide_table, open};

pub struct SeededChance(pub u64);

impl Chance for SeededChance {
    fn shuffle(&mut self, deal: DealNumber, pack: &mut Pack) {
        let mut random = Random(self.0 ^ (u64::from(deal.round) << 40) ^ (u64::from(deal.attempt) << 20));
        for i in (1..pack.len()).rev() {
            pack.swap(i, random.below(i + 1));
        }
    }

    fn salt(&mut self) -> Salt {
        Hex([7; 16])
    }

    fn reveal(&mut self, _: u32) -> Hex<32> {
        Hex([9; 32])
    }

    fn recommit(&mut self, _: u32) -> Hex<32> {
        Hex([0; 32])
    }
}

pub struct Table<C = SeededChance> {
    pub game: Game,
    pub chance: C,
    pub record: Vec<(Actor, Event)>,
}

impl Table {
    pub fn start(rules: Ruleset, seed: u64) -> Table {
        Table::started(rules, SeededChance(seed))
    }

    pub fn played(rules: Ruleset, seed: u64) -> Table {
        let mut table = Table::start(rules, seed);
        table.play_until(&mut Random(seed), |_| false);
        table
    }
}

impl<C: Chance> Table<C> {
    pub fn started(rules: Ruleset, chance: C) -> Table<C> {
        let mut table = Table::seated(rules, chance);
        table.at_table(&account(0), &TableCommand::Start);
        table
    }

    /// A full table in the lobby.
    pub fn seated(rules: Ruleset, chance: C) -> Table<C> {
        let players = rules.players;
        let mut table = Table::open(
            GameCreated {
                ruleset: rules,
                host: account(0),
                visibility: Visibility::Public,
                spectators: true,
                turn_seconds: None,
                opening_seconds: 15,
                algorithm: "test".to_owned(),
                commitment: Hex([1; 32]),
            },
            chance,
        );
        for player in 1..players {
            table.at_table(&account(player), &TableCommand::Join { place: None, commitment: None });
        }
        table
    }

    pub fn open(created: GameCreated, chance: C) -> Table<C> {
        let game = Game::open(&created);
        let first = open(created);
        let record = first.events.into_iter().map(|event| (first.actor, event)).collect();
        Table { game, chance, record }
    }

    pub fn at_table(&mut self, account: &AccountId, command: &TableCommand) {
        let decided = decide_table(&self.game, account, command, &mut self.chance)
            .unwrap_or_else(|refused| panic!("{command:?} refused: {refused:?}"));
        self.apply(decided);
    }

    pub fn post(&mut self, chair: Position, command: Command) {
        self.act(Actor::at(chair), command);
    }

    pub fn act(&mut self, actor: Actor, command: Command) {
        let events = decide(&self.game, actor, &command, &mut self.chance)
            .unwrap_or_else(|refused| panic!("{command:?} by {actor:?} refused: {refused:?}"));
        self.apply(Decided::led(actor, events));
    }

    pub fn apply(&mut self, Decided { actor, events, leading }: Decided) {
        for (index, event) in events.into_iter().enumerate() {
            evolve(&mut self.game, &event);
            self.record.push((if index < leading { actor } else { Actor::Server }, event));
        }
    }

    pub fn events(&self) -> Vec<Event> {
        self.record.iter().map(|(_, event)| event.clone()).collect()
    }

    pub fn play_until(&mut self, random: &mut Random, mut stop: impl FnMut(&Game) -> bool) {
        while let Some(chair) = self.game.to_act() {
            if stop(&self.game) {
                return;
            }
            let commands = legal_commands(&self.game, chair);
            assert!(!commands.is_empty(), "{chair:?} must act and has nothing legal: {:?}", self.game.stage);
            let command = revoke(random, &self.game).unwrap_or_else(|| lively(random, &commands));
            self.post(chair, command);
        }
    }
}

fn revoke(random: &mut Random, game: &Game) -> Option<Command> {
    if game.rules().revokes != Revokes::Penalise || random.below(50) > 0 {
        return None;
    }
    match (&game.stage, game.to_act()?) {
        (Stage::Round(round), Position::Seat(seat)) if matches!(round.phase, Phase::Play(_)) => {
            let held: Vec<Card> = round.hands[seat].iter().collect();
            Some(Command::Play { card: *random.pick(&held) })
        }
        _ => None,
    }
}

/// A random command. Redeals and cuts are rare enough for games to end, and passes common enough for varied
/// auctions.
pub fn lively(random: &mut Random, commands: &[Command]) -> Command {
    let command = *random.pick(commands);
    match command {
        Command::Redeal {} if random.below(4) > 0 => Command::Avoid {},
        Command::Bid { .. } if commands.contains(&Command::Pass {}) && random.below(3) == 0 => {
            Command::Pass {}
        }
        Command::Bid { .. } if commands.contains(&Command::DashCall {}) && random.below(4) == 0 => {
            Command::DashCall {}
        }
        _ => command,
    }
}

pub fn account(player: u8) -> AccountId {
    AccountId::new(format!("player-{player}"))
}

/// Every ruleset with its defaults and with each single option value, and `nineteen` with each number of
/// players.
pub fn every_variant() -> Vec<Ruleset> {
    let mut variants = Vec::new();
    for id in RulesetId::ALL {
        let (min, max) = Ruleset::players_range(id);
        for players in min..=max {
            let agreed = |options: BTreeMap<String, OptionValue>| {
                Ruleset::agreed(id, Some(players), &options).unwrap()
            };
            variants.push(agreed(BTreeMap::new()));
            for option in RulesetOption::of(id) {
                for value in option.values.all() {
                    variants.push(agreed(BTreeMap::from([(option.name.to_owned(), value)])));
                }
            }
        }
    }
    variants
}

pub fn random_variant(random: &mut Random) -> Ruleset {
    let id = *random.pick(&RulesetId::ALL);
    variant_of(id, random)
}

pub fn variant_of(id: RulesetId, random: &mut Random) -> Ruleset {
    let (min, max) = Ruleset::players_range(id);
    let players = min + random.below(usize::from(max - min) + 1) as u8;
    let options = RulesetOption::of(id)
        .map(|option| (option.name.to_owned(), random.pick(&option.values.all()).clone()))
        .collect();
    Ruleset::agreed(id, Some(players), &options).unwrap()
}

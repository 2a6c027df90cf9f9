//! A scene: a game as given, when and then, with chosen deals.

use std::collections::BTreeMap;

use estimation_engine::card::{Card, Trump};
use estimation_engine::command::{Actor, Command, Position};
use estimation_engine::decide::decide;
use estimation_engine::event::{Event, RoundDealt, RoundScored};
use estimation_engine::evolve::evolve;
use estimation_engine::game::{Game, Stage};
use estimation_engine::legal::legal_commands;
use estimation_engine::rejection::Rejection;
use estimation_engine::round::DealNumber;
use estimation_engine::round::{Phase, Round};
use estimation_engine::ruleset::options::OptionValue;
use estimation_engine::ruleset::{Plan, Ruleset, RulesetId};
use estimation_engine::seat::Seat;
use estimation_engine::view::view;

use super::acts::Act;
use super::stacked::{Script, StackedChance, pack_of};
use super::{Random, Table, lively};

pub struct Given {
    id: RulesetId,
    players: Option<u8>,
    options: BTreeMap<String, OptionValue>,
    packs: BTreeMap<DealNumber, Vec<Card>>,
    scripts: BTreeMap<DealNumber, Script>,
}

pub fn given(id: RulesetId) -> Given {
    let (packs, scripts) = (BTreeMap::new(), BTreeMap::new());
    Given { id, players: None, options: BTreeMap::new(), packs, scripts }
}

/// `plain` without draw and cut: seat 0 calls first, then 3, 2, 1.
pub fn plain() -> Given {
    given(RulesetId::Plain).with("seating", "as_joined").with("cut", false)
}

pub const fn deal(round: u8, attempt: u32) -> DealNumber {
    DealNumber { round, attempt }
}

impl Given {
    pub fn of(mut self, players: u8) -> Given {
        self.players = Some(players);
        self
    }

    pub fn with(mut self, option: &str, value: impl Into<serde_json::Value>) -> Given {
        let value = serde_json::from_value(value.into()).expect("a flag, a number or a name");
        self.options.insert(option.to_owned(), value);
        self
    }

    pub fn pack(mut self, number: DealNumber, pack: Vec<Card>) -> Given {
        self.packs.insert(number, pack);
        self
    }

    /// The hands of a deal, from the first speaker on, and the card turned up.
    pub fn hands(self, number: DealNumber, hands: &[&str], indicator: Option<&str>) -> Given {
        let hands: Vec<Vec<Card>> = hands.iter().map(|hand| super::stacked::cards(hand)).collect();
        self.pack(number, pack_of(&hands, indicator.map(|card| card.parse().expect("a card"))))
    }

    /// A first deal of a round in which each seat takes its tricks when played out. The start moves on by one
    /// seat a round.
    pub fn tricks(mut self, round: u8, by_seat: [u8; 4], trump: Trump) -> Given {
        let mut taken = by_seat;
        taken.rotate_left(usize::from(round - 1) % 4);
        self.scripts.insert(deal(round, 1), Script::taking(taken, trump));
        self
    }

    pub fn started(self) -> Scene {
        let rules = Ruleset::agreed(self.id, self.players, &self.options).expect("options of the ruleset");
        let mut chance = StackedChance::new(rules.clone());
        chance.packs = self.packs;
        chance.scripts = self.scripts;
        let table = Table::started(rules, chance);
        let record = table.events();
        let Table { game, chance, .. } = table;
        Scene { game, chance, record, last: Vec::new() }
    }
}

pub struct Scene {
    pub game: Game,
    pub chance: StackedChance,
    pub record: Vec<Event>,
    pub last: Vec<Event>,
}

impl Scene {
    pub fn when(mut self, act: Act) -> Scene {
        let decided = decide(&self.game, Actor::at(act.chair), &act.command, &mut self.chance);
        let events = decided.unwrap_or_else(|rejection| panic!("{act:?} is refused: {rejection:?}"));
        self.last = events.into_iter().collect();
        self.last.iter().for_each(|event| evolve(&mut self.game, event));
        self.record.extend(self.last.iter().cloned());
        self
    }

    pub fn when_all(self, acts: impl IntoIterator<Item = Act>) -> Scene {
        acts.into_iter().fold(self, Scene::when)
    }

    /// The command is not offered, is refused for this reason, and changes nothing.
    pub fn refuses(mut self, act: Act, expected: Rejection) -> Scene {
        let (before, asked) = (self.game.clone(), self.chance.asked);
        let decided = decide(&self.game, Actor::at(act.chair), &act.command, &mut self.chance);
        assert_eq!(decided.err(), Some(expected), "{act:?}");
        assert!(self.game == before && self.chance.asked == asked, "{act:?}: a refusal left a trace");
        let offered = legal_commands(&self.game, act.chair);
        assert!(!offered.contains(&act.command), "{act:?} is offered and was refused");
        self
    }

    /// The last command caused exactly events of these types.
    pub fn then_happened(self, types: &[&str]) -> Scene {
        let happened: Vec<String> = self.last.iter().map(kind).collect();
        assert_eq!(happened, types);
        self
    }

    /// The last command caused this event, among others.
    pub fn then(self, event: Event) -> Scene {
        assert!(self.last.contains(&event), "{event:?} is not in {:?}", self.last);
        self
    }

    pub fn then_turn_of(self, seat: u8) -> Scene {
        assert_eq!(self.game.to_act(), Some(Position::Seat(Seat::new(seat))));
        self
    }

    /// The player to move may do exactly this, in any order.
    pub fn then_offered(self, acts: &[Act]) -> Scene {
        let chair = self.game.to_act().expect("somebody must act");
        let mut offered = legal_commands(&self.game, chair);
        assert!(acts.iter().all(|act| act.chair == chair), "{chair:?} must act");
        for act in acts {
            let found = offered.iter().position(|command| *command == act.command);
            offered.swap_remove(found.unwrap_or_else(|| panic!("{act:?} is not offered")));
        }
        assert!(offered.is_empty(), "offered as well: {offered:?}");
        self
    }

    pub fn then_phase(self, phase: &str) -> Scene {
        assert_eq!(serde_json::json!(view(&self.game, None).round.expect("a round").phase), phase);
        self
    }

    pub fn then_points(self, points: &[i32]) -> Scene {
        let scored: Vec<i32> = self.scored().points.values().copied().collect();
        assert_eq!(scored, points);
        self
    }

    pub fn then_totals(self, totals: &[i32]) -> Scene {
        let found: Vec<i32> = self.game.sheet.totals.values().copied().collect();
        assert_eq!(found, totals);
        self
    }

    pub fn then_see(self, look: impl FnOnce(&Scene)) -> Scene {
        look(&self);
        self
    }

    pub fn scored(&self) -> &RoundScored {
        let found = self.last.iter().find_map(|event| match event {
            Event::RoundScored(scored) => Some(scored.as_ref()),
            _ => None,
        });
        found.expect("a round was scored")
    }

    pub fn dealt(&self) -> &RoundDealt {
        let found = self.record.iter().rev().find_map(|event| match event {
            Event::RoundDealt(dealt) => Some(dealt.as_ref()),
            _ => None,
        });
        found.expect("cards were dealt")
    }

    pub fn round(&self) -> &Round {
        match &self.game.stage {
            Stage::Round(round) => round,
            other => panic!("no round is under way: {other:?}"),
        }
    }

    pub fn played_out(mut self) -> Scene {
        let number = self.round().deal.number;
        let script = self.chance.script(number);
        while let Stage::Round(round) = &self.game.stage
            && let Phase::Play(play) = &round.phase
            && round.deal.number == number
        {
            let Some(Position::Seat(seat)) = self.game.to_act() else { panic!("nobody plays") };
            let offset = seat.before(round.first_speaker().index() as u8, 4).index();
            let card = script.tricks[usize::from(play.taken.values().sum::<u8>())][offset];
            self = self.when(Act { chair: Position::Seat(seat), command: Command::Play { card } });
        }
        self
    }

    pub fn up_to(mut self, holds: impl Fn(&Scene) -> bool) -> Scene {
        while !holds(&self) {
            self = self.step();
        }
        self
    }

    /// The player to move plays a random legal command.
    pub fn step(self) -> Scene {
        let chair = self.game.to_act().expect("the game goes on");
        let mut random = Random(self.record.len() as u64);
        let command = lively(&mut random, &legal_commands(&self.game, chair));
        self.when(Act { chair, command })
    }

    /// Plays simple rounds up to the deal of this one: the first speaker bids and takes four, the next two
    /// say and take three, the last says two and misses. No round is void, so the carry stays 1.
    pub fn up_to_round(mut self, round: u8) -> Scene {
        while self.dealt().round < round {
            self = self.quiet_step();
        }
        self
    }

    pub fn played_to_the_end(mut self) -> Scene {
        while !self.game.is_over() {
            self = self.quiet_step();
        }
        self
    }

    fn quiet_step(self) -> Scene {
        let chair = self.game.to_act().expect("the game goes on");
        let (Stage::Round(round), Position::Seat(seat)) = (&self.game.stage, chair) else {
            let command = *legal_commands(&self.game, chair).last().expect("something to do");
            return self.when(Act { chair, command });
        };
        if self.game.rules().plan == Plan::Turns {
            return self.step();
        }
        let offset = seat.before(round.first_speaker().index() as u8, 4).index();
        let command = match &round.phase {
            Phase::VoidCheck { .. } => Command::Avoid {},
            Phase::BlindDash { .. } => Command::EnterAuction {},
            Phase::Auction(_) if offset == 0 => Command::Bid { tricks: 4, trump: Trump::Spades },
            Phase::Auction(_) if self.game.rules().allow_pass => Command::Pass {},
            Phase::Auction(_) => Command::Bid { tricks: 4, trump: Trump::Clubs },
            Phase::Estimates(_) => Command::Estimate { tricks: [4, 3, 3, 2][offset], trump: None },
            Phase::Play(_) => return self.played_out(),
            Phase::Folded { .. } => panic!("a folded round is scored at once"),
        };
        self.when(Act { chair, command })
    }
}

pub fn kind(event: &Event) -> String {
    serde_json::to_value(event).expect("an event")["type"].as_str().expect("a type").to_owned()
}

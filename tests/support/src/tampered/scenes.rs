//! Sound histories for the corpus: games of six scenes, with the ruleset and the options of a table.

use std::collections::BTreeMap;

use estimation_engine::client_seed::ClientSeed;
use estimation_engine::command::{Actor, By, Command};
use estimation_engine::event::Events;
use estimation_engine::game::{Game, Stage};
use estimation_engine::hint::take_hint;
use estimation_engine::legal::legal_commands;
use estimation_engine::player::{AccountId, BotLevel};
use estimation_engine::ruleset::options::OptionValue;
use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_engine::table::{Decided, TableCommand, fail_opening};
use estimation_record::RecordTime;
use estimation_record::fairness::SeededChance;
use jiff::SignedDuration;

use crate::made::{self, Made, time};
use crate::play::{Table, lively};
use crate::random::Random;

/// The clock of [`Scene::Absent`].
const TURN_SECONDS: u32 = 30;

/// A sound history to record.
pub struct NewHistory {
    /// The name of the file, without its ending.
    pub name: String,
    pub scene: Scene,
    pub ruleset: RulesetId,
    pub players: Option<u8>,
    pub options: BTreeMap<String, OptionValue>,
}

/// What happens in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// Players, bots and hosts come and go, and all leave before the start.
    Lobby,
    /// The game has a clock. A bot stands in for a player who returns, is away again, and forfeits.
    Absent,
    /// Players make legal commands by chance, to the end.
    Played,
    /// The only person takes a hint, and forfeits after the first round.
    Hinted,
    /// Three openings of client seeds fail: a seed stays closed, a player leaves after one is open, and before.
    Openings,
    /// The host cancels the table during an opening.
    Withdrawn,
}

impl NewHistory {
    /// Records the history. The number determines its id, seeds and moves.
    pub fn recorded(&self, number: u64) -> Made {
        let rules =
            Ruleset::agreed(self.ruleset, self.players, &self.options).expect("options of the ruleset");
        let clock = Some(TURN_SECONDS).filter(|_| self.scene == Scene::Absent);
        made::made(rules, number, Some(clock), |table, random, accounts| {
            let mut recorder = Recorder { table, random, accounts, now: time(0), times: vec![time(0)] };
            match self.scene {
                Scene::Lobby => recorder.lobby(),
                Scene::Absent => recorder.absent(),
                Scene::Played => recorder.played(),
                Scene::Hinted => recorder.hinted(),
                Scene::Openings => recorder.openings(),
                Scene::Withdrawn => recorder.withdrawn(),
            }
            recorder.times
        })
    }

    /// What is in the history, in words.
    pub(super) fn about(&self) -> String {
        let what = match self.scene {
            Scene::Lobby => "a table with players, bots and hosts who come and go; cancelled",
            Scene::Absent => "a clock, bots, stand-ins, a return and forfeits",
            Scene::Played => "rounds made and lost; played to the end",
            Scene::Hinted => "one person with bots, and a hint; abandoned",
            Scene::Openings => "three openings that fail; abandoned",
            Scene::Withdrawn => "an opening during which the host cancels; abandoned",
        };
        format!("{} with {}: {what}", self.ruleset, serde_json::json!(self.options))
    }
}

/// A game that is being recorded.
struct Recorder<'a, 'b> {
    table: &'a mut Table<SeededChance<'b>>,
    random: &'a mut Random,
    accounts: &'a [AccountId],
    now: RecordTime,
    times: Vec<RecordTime>,
}

fn seed(letter: &str) -> ClientSeed {
    ClientSeed::new(letter.repeat(32)).expect("a client seed")
}

fn round(game: &Game) -> u8 {
    match &game.stage {
        Stage::Round(round) => round.deal.number.round,
        _ => 0,
    }
}

impl Recorder<'_, '_> {
    fn lobby(&mut self) {
        self.join(1);
        self.at_table(0, &TableCommand::Leave { place: 1 });
        for level in [BotLevel::Easy, BotLevel::Sharp] {
            self.at_table(0, &TableCommand::SeatBot { place: 1, level });
        }
        self.at_table(0, &TableCommand::Leave { place: 1 });
        self.join(2);
        self.at_table(0, &TableCommand::HandOver { place: 1 });
        self.at_table(0, &TableCommand::Leave { place: 0 });
        self.at_table(2, &TableCommand::Leave { place: 1 });
    }

    fn absent(&mut self) {
        self.join(1);
        for place in 2..self.table.game.rules().players {
            self.at_table(0, &TableCommand::SeatBot { place, level: BotLevel::Sharp });
        }
        self.at_table(0, &TableCommand::Start);
        let player = &self.accounts[1];
        let turn = |game: &Game| game.to_act() == game.position_of(player);
        for _ in 0..2 {
            // A bot stands in after the second turn without a command.
            for _ in 0..2 {
                self.play_until(turn);
                self.wait(TURN_SECONDS.into());
                self.act(Some(By::Clock));
            }
            self.play_until(turn);
            self.act(None);
            let position = self.table.game.position_of(player).expect("a player");
            self.table.act(Actor::at(position), Command::Resume {});
            self.stamp();
        }
        let first = round(&self.table.game);
        self.play_until(|game| round(game) > first);
        for player in [1, 0] {
            let position =
                self.table.game.position_of(&self.accounts[usize::from(player)]).expect("a player");
            self.at_table(player, &TableCommand::Leave { place: position.number().index() as u8 });
        }
    }

    fn played(&mut self) {
        for player in 1..self.table.game.rules().players {
            self.join(player);
        }
        self.at_table(0, &TableCommand::Start);
        self.play_until(|_| false);
    }

    fn hinted(&mut self) {
        for place in 1..self.table.game.rules().players {
            self.at_table(0, &TableCommand::SeatBot { place, level: BotLevel::Steady });
        }
        self.at_table(0, &TableCommand::Start);
        let player = &self.accounts[0];
        self.play_until(|game| game.to_act() == game.position_of(player));
        let position = self.table.game.to_act().expect("the game goes on");
        let taken = take_hint(&self.table.game, position).expect("a hint").expect("the first hint");
        self.table.apply(Decided::led(Actor::at(position), Events::from_iter([taken])));
        self.stamp();
        let first = round(&self.table.game);
        self.play_until(|game| round(game) > first);
        self.at_table(0, &TableCommand::Leave { place: position.number().index() as u8 });
    }

    fn openings(&mut self) {
        let players = self.table.game.rules().players;
        (1..players).for_each(|player| self.join(player));
        self.opening(1, ["a", "b"]);
        self.open(1, "b");
        self.wait(15);
        let decided = fail_opening(&self.table.game, &mut self.table.chance).expect("a seed is closed");
        self.table.apply(decided);
        self.stamp();
        self.opening(1, ["c", "d"]);
        self.open(0, "c");
        self.at_table(1, &TableCommand::Leave { place: 1 });
        self.join(players);
        self.opening(players, ["e", "f"]);
        self.at_table(players, &TableCommand::Leave { place: 1 });
    }

    fn withdrawn(&mut self) {
        (1..self.table.game.rules().players).for_each(|player| self.join(player));
        self.opening(1, ["a", "b"]);
        self.open(1, "b");
        self.at_table(0, &TableCommand::Cancel);
    }

    /// The host and another player commit to seeds, and the host requests the start.
    fn opening(&mut self, other: u8, seeds: [&str; 2]) {
        for (player, own) in [0, other].into_iter().zip(seeds) {
            self.at_table(player, &TableCommand::CommitSeed { commitment: Some(seed(own).commitment()) });
        }
        self.at_table(0, &TableCommand::Start);
    }

    fn open(&mut self, player: u8, own: &str) {
        self.at_table(player, &TableCommand::OpenSeed { client_seed: seed(own) });
    }

    fn wait(&mut self, seconds: i64) {
        self.now = self.now.plus(SignedDuration::from_secs(seconds));
    }

    /// Gives the events since the last call the present time. The next command comes a second later.
    fn stamp(&mut self) {
        self.times.resize(self.table.record.len(), self.now);
        self.wait(1);
    }

    fn at_table(&mut self, player: u8, command: &TableCommand) {
        self.wait(1);
        self.table.at_table(&self.accounts[usize::from(player)], command);
        self.stamp();
    }

    fn join(&mut self, player: u8) {
        self.at_table(player, &TableCommand::Join { place: None, commitment: None });
    }

    /// The player whose turn it is gives a legal command, except to come back, or a bot or the clock for them.
    fn act(&mut self, by: Option<By>) {
        let position = self.table.game.to_act().expect("the game goes on");
        let mut commands = legal_commands(&self.table.game, position);
        commands.retain(|command| *command != Command::Resume {});
        let command = lively(self.random, &commands);
        let bot = self.table.game.is_played_by_bot(position).then_some(By::Bot);
        let actor = by.or(bot).map_or(Actor::at(position), |by| Actor::acting(by, position));
        self.table.act(actor, command);
        self.stamp();
    }

    fn play_until(&mut self, stop: impl Fn(&Game) -> bool) {
        while !self.table.game.is_over() && !stop(&self.table.game) {
            self.act(None);
        }
    }
}

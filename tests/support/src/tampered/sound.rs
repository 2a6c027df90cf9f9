//! The sound histories of the corpus: short games of every ruleset, with every kind of event.

use estimation_engine::client_seed::ClientSeed;
use estimation_engine::command::{Actor, By, Command, Position};
use estimation_engine::event::{GameCreated, Visibility};
use estimation_engine::game::{Game, Stage};
use estimation_engine::hex::Hex;
use estimation_engine::legal::legal_commands;
use estimation_engine::player::{AccountId, BotLevel};
use estimation_engine::round::Phase;
use estimation_engine::ruleset::options::OptionValue;
use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_engine::table::{TableCommand, expire, fail_opening};
use estimation_record::entropy::SeededEntropy;
use estimation_record::fairness::{ALGORITHM, SeededChance, ServerSeed};
use estimation_record::{Envelope, RecordTime};
use jiff::SignedDuration;
use uuid::Uuid;

use super::rehearsal::Shown;
use crate::made::{Made, time};
use crate::play::{Table, lively};
use crate::random::Random;

/// A sound history with its file name and what is in it.
pub struct Sound {
    pub name: &'static str,
    pub about: &'static str,
    pub made: Made,
}

/// The sound histories, the shortest first.
pub fn all() -> Vec<Sound> {
    let sound = |name, about, made| Sound { name, about, made };
    vec![
        sound("cancelled", "a table with players, bots and hosts who come and go; cancelled", cancelled()),
        sound("expired-lobby", "a table with one person, given up after a day", expired_lobby()),
        sound("expired-table", "a table with two persons, given up after a week", expired_table()),
        sound("expired-game", "a game without a clock, given up after thirty days", expired_game()),
        sound("draw", "a draw for seats with a clock; abandoned", draw()),
        sound("clock", "a clock, bots, stand-ins, a return and forfeits; abandoned", clock()),
        sound("stood-in", "a bot stands in for a player at the end; played to the end", stood_in()),
        sound("double-risk", "dash calls before the auction; abandoned", double_risk()),
        sound("kabooot", "blind dashes and an auction without a bid; abandoned", kabooot()),
        sound(
            "squares",
            "folded rounds, a played one and fast rounds with a new trump; abandoned",
            squares(),
        ),
        sound("plain", "a draw, cuts and an auction without a bid; played to the end", plain()),
        sound("nineteen", "two players, a joker and revokes; played to the end", nineteen()),
        sound(
            "seeds",
            "commitments to client seeds, two openings that fail and one that starts the game; abandoned",
            seeds(),
        ),
        sound(
            "absences",
            "a return and a forfeit in the turn of another player, which do not lengthen the turn; abandoned",
            absences(),
        ),
    ]
}

/// The seconds for opening client seeds.
const OPENING_SECONDS: u32 = 15;

/// A game that is being recorded.
pub(super) struct Recorder<'a> {
    game: Uuid,
    seed: &'a ServerSeed,
    entropy: &'a SeededEntropy,
    table: Table<SeededChance<'a>>,
    now: RecordTime,
    times: Vec<RecordTime>,
    random: Random,
}

fn account(player: u8) -> AccountId {
    let id = Uuid::from_u64_pair(0x019b_7a00_0002_7000, 0x8000_0000_0000_0000 | u64::from(player));
    AccountId::new(id.to_string())
}

fn client_seed(player: u8) -> ClientSeed {
    ClientSeed::new(format!("{player:02x}").repeat(16)).expect("a client seed")
}

pub(super) fn agreed(id: RulesetId, players: u8, options: &[(&str, OptionValue)]) -> Ruleset {
    let options = options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Ruleset::agreed(id, Some(players), &options).expect("options of the ruleset")
}

pub(super) fn name(value: &str) -> OptionValue {
    OptionValue::Name(value.to_owned())
}

/// Records a game. The number determines its id, seeds and moves.
pub(super) fn recorded(
    number: u64,
    ruleset: Ruleset,
    turn_seconds: Option<u32>,
    play: fn(&mut Recorder<'_>),
) -> Made {
    let game = Uuid::from_u64_pair(0x019b_7a00_0001_7000, 0x8000_0000_0000_0000 | number);
    let entropy = SeededEntropy::new(number);
    let seed = ServerSeed::draw(&entropy);
    let created = GameCreated {
        ruleset,
        host: account(0),
        client_seed: Some(client_seed(0)),
        visibility: Visibility::Public,
        spectators: true,
        turn_seconds,
        opening_seconds: OPENING_SECONDS,
        algorithm: ALGORITHM.to_owned(),
        commitment: seed.commitment(),
    };
    let chance = SeededChance::new(game, seed.clone(), &Game::open(&created).table, &entropy);
    let table = Table::open(created, chance);
    let (now, random) = (time(0), Random(number));
    let mut recorder =
        Recorder { game, seed: &seed, entropy: &entropy, table, now, times: vec![now], random };
    play(&mut recorder);
    let Recorder { table, times, .. } = recorder;
    let events = (1..).zip(table.record.iter().zip(times));
    let bodies = events.map(|(seq, ((actor, event), at))| {
        Envelope { game, seq, at, actor: *actor, event }.canonical().expect("canonical JSON")
    });
    let mut made = Made::of(game, bodies.collect());
    made.sign();
    made
}

impl Recorder<'_> {
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
        self.table.at_table(&account(player), command);
        self.stamp();
    }

    pub(super) fn join(&mut self, player: u8, seeded: bool) {
        let client_seed = seeded.then(|| client_seed(player));
        self.at_table(player, &TableCommand::Join { place: None, client_seed, commitment: None });
    }

    pub(super) fn start(&mut self, host: u8) {
        self.at_table(host, &TableCommand::Start);
    }

    fn commit(&mut self, player: u8, seed: Option<u8>) {
        let commitment = seed.map(|seed| client_seed(seed).commitment());
        self.at_table(player, &TableCommand::CommitSeed { commitment });
    }

    fn open(&mut self, player: u8, seed: u8) {
        self.at_table(player, &TableCommand::OpenSeed { client_seed: client_seed(seed) });
    }

    /// The time for opening seeds passes.
    fn fail_opening(&mut self) {
        self.wait(OPENING_SECONDS.into());
        self.know_table();
        let decided = fail_opening(&self.table.game, &mut self.table.chance).expect("a closed seed");
        self.table.apply(decided);
        self.stamp();
    }

    /// Gives the chance the present table, which says how many openings failed.
    fn know_table(&mut self) {
        let (seed, table) = (self.seed.clone(), &self.table.game.table);
        self.table.chance = SeededChance::new(self.game, seed, table, self.entropy);
    }

    fn expire(&mut self, seconds: i64) {
        self.wait(seconds);
        let decided = expire(&self.table.game, &mut self.table.chance).expect("a game that is not over");
        self.table.apply(decided);
        self.stamp();
    }

    fn act(&mut self, by: Option<By>, choose: Choice) {
        let position = self.table.game.to_act().expect("the game goes on");
        let command = self.chosen(position, choose);
        let bot = self.table.game.is_played_by_bot(position).then_some(By::Bot);
        let actor = by.or(bot).map_or(Actor::at(position), |by| Actor::acting(by, position));
        self.table.act(actor, command);
        self.stamp();
    }

    /// The player whose turn it is gives a command.
    pub(super) fn command(&mut self, command: Command) {
        let position = self.table.game.to_act().expect("the game goes on");
        self.table.act(Actor::at(position), command);
        self.stamp();
    }

    /// The player whose turn it is gives a legal command.
    pub(super) fn any(&mut self) {
        self.act(None, any);
    }

    /// The commands of a round that shows what the game has not shown yet.
    pub(super) fn rehearsed(&mut self, shown: &mut Shown, trials: usize) -> Option<Vec<Command>> {
        shown.rehearsed(&self.table.game, &mut self.random, trials)
    }

    pub(super) fn players(&self) -> u8 {
        self.table.game.rules().players
    }

    pub(super) fn stage(&self) -> &Stage {
        &self.table.game.stage
    }

    pub(super) fn is_over(&self) -> bool {
        self.table.game.is_over()
    }

    pub(super) fn round(&self) -> u8 {
        round(&self.table.game)
    }

    /// A legal command, except to come back.
    fn chosen(&mut self, position: Position, choose: Choice) -> Command {
        let mut commands = legal_commands(&self.table.game, position);
        commands.retain(|command| *command != Command::Resume {});
        choose(&mut self.random, &self.table.game, &commands)
    }

    /// The clock acts for the player whose turn it is.
    fn time_out(&mut self, choose: Choice) {
        let seconds = self.table.game.table.turn_seconds.expect("a clock");
        self.wait(seconds.into());
        self.act(Some(By::Clock), choose);
    }

    fn play_until(&mut self, choose: Choice, stop: impl Fn(&Game) -> bool) {
        while !self.table.game.is_over() && !stop(&self.table.game) {
            self.act(None, choose);
        }
    }

    fn position(&self, player: u8) -> Position {
        self.table.game.position_of(&account(player)).expect("a player")
    }

    fn is_turn_of(&self, player: u8) -> bool {
        self.table.game.to_act() == Some(self.position(player))
    }

    /// The players forfeit, in this order.
    pub(super) fn forfeit(&mut self, players: impl IntoIterator<Item = u8>) {
        for player in players {
            let place = self.position(player).number().index() as u8;
            self.at_table(player, &TableCommand::Leave { place });
        }
    }
}

/// Chooses a command of the player to move.
type Choice = fn(&mut Random, &Game, &[Command]) -> Command;

fn any(random: &mut Random, _: &Game, commands: &[Command]) -> Command {
    lively(random, commands)
}

fn round(game: &Game) -> u8 {
    match &game.stage {
        Stage::Round(round) => round.deal.number.round,
        _ => 0,
    }
}

fn attempt(game: &Game) -> u32 {
    match &game.stage {
        Stage::Round(round) => round.deal.number.attempt,
        _ => 0,
    }
}

/// The command, if it is legal.
fn wanted(commands: &[Command], command: Command) -> Option<Command> {
    commands.contains(&command).then_some(command)
}

fn cancelled() -> Made {
    recorded(1, Ruleset::preset(RulesetId::Squares), None, |table| {
        table.join(1, true);
        table.join(2, false);
        let client_seed = Some(client_seed(7));
        table.at_table(1, &TableCommand::Join { place: None, client_seed, commitment: None });
        table.at_table(0, &TableCommand::Leave { place: 2 });
        table.at_table(0, &TableCommand::SeatBot { place: 2, level: BotLevel::Easy });
        table.at_table(0, &TableCommand::SeatBot { place: 2, level: BotLevel::Sharp });
        table.at_table(0, &TableCommand::Leave { place: 2 });
        table.join(3, true);
        table.at_table(0, &TableCommand::HandOver { place: 1 });
        table.at_table(0, &TableCommand::Leave { place: 0 });
        table.at_table(1, &TableCommand::Leave { place: 1 });
        table.at_table(3, &TableCommand::Leave { place: 2 });
    })
}

fn expired_lobby() -> Made {
    recorded(2, Ruleset::preset(RulesetId::Kabooot), None, |table| table.expire(24 * 3600))
}

fn expired_table() -> Made {
    recorded(3, Ruleset::preset(RulesetId::Plain), Some(60), |table| {
        table.join(1, true);
        table.expire(7 * 24 * 3600);
    })
}

fn expired_game() -> Made {
    let rules = Ruleset::preset(RulesetId::DoubleRisk);
    recorded(4, rules, None, |table| {
        table.join(1, true);
        for place in [2, 3] {
            table.at_table(0, &TableCommand::SeatBot { place, level: BotLevel::Steady });
        }
        table.start(0);
        table.play_until(
            any,
            |game| matches!(&game.stage, Stage::Round(round) if matches!(round.phase, Phase::Play(_))),
        );
        while !table.is_turn_of(0) {
            table.act(None, any);
        }
        table.expire(30 * 24 * 3600);
    })
}

fn clock() -> Made {
    let rules = agreed(RulesetId::Nineteen, 3, &[("order", name("10-1-10"))]);
    recorded(5, rules, Some(30), |table| {
        table.join(1, true);
        table.at_table(0, &TableCommand::SeatBot { place: 2, level: BotLevel::Sharp });
        table.start(0);
        for _ in 0..2 {
            table.play_until(any, |game| game.to_act() == game.position_of(&account(1)));
            table.time_out(any);
        }
        // A bot stands in. The player comes back by the command.
        let turn = |game: &Game| game.to_act() == game.position_of(&account(1));
        table.play_until(any, turn);
        table.act(None, any);
        table.wait(1);
        table.table.act(Actor::at(table.position(1)), Command::Resume {});
        table.stamp();
        for _ in 0..2 {
            table.play_until(any, turn);
            table.time_out(any);
        }
        // This time the player comes back by acting.
        table.play_until(any, turn);
        let position = table.position(1);
        let command = table.chosen(position, any);
        table.table.act(Actor::at(position), command);
        table.stamp();
        table.play_until(any, |game| round(game) == 2);
        table.play_until(any, turn);
        table.time_out(any);
        table.forfeit([1]);
        table.play_until(any, |game| round(game) == 3);
        table.forfeit([0]);
    })
}

fn stood_in() -> Made {
    recorded(32, agreed(RulesetId::Squares, 4, &[("length", name("micro"))]), Some(30), |table| {
        table.join(1, true);
        for (place, level) in [(2, BotLevel::Easy), (3, BotLevel::Sharp)] {
            table.at_table(0, &TableCommand::SeatBot { place, level });
        }
        table.start(0);
        let turn = |game: &Game| game.to_act() == game.position_of(&account(0));
        for returns in [true, false] {
            for _ in 0..2 {
                table.play_until(any, turn);
                table.time_out(any);
            }
            if returns {
                table.play_until(any, turn);
                table.table.act(Actor::at(table.position(0)), Command::Resume {});
                table.stamp();
            }
        }
        table.play_until(any, |_| false);
    })
}

fn absences() -> Made {
    let rules = agreed(RulesetId::Nineteen, 3, &[("order", name("10-1-10"))]);
    recorded(29, rules, Some(30), |table| {
        table.join(1, true);
        table.join(2, false);
        table.start(0);
        let turn_of = |player: u8| move |game: &Game| game.to_act() == game.position_of(&account(player));
        for _ in 0..2 {
            table.play_until(any, turn_of(1));
            table.time_out(any);
        }
        table.play_until(any, turn_of(0));
        table.table.act(Actor::at(table.position(1)), Command::Resume {});
        table.stamp();
        // 30 seconds after the turn of player 0 began.
        table.wait(28);
        table.act(Some(By::Clock), any);
        for _ in 0..2 {
            table.play_until(any, turn_of(1));
            table.time_out(any);
        }
        // The player forfeits while a bot stands in.
        table.play_until(any, turn_of(2));
        table.forfeit([1]);
        table.wait(27);
        table.act(Some(By::Clock), any);
        table.play_until(any, |game| round(game) == 2);
        table.forfeit([2, 0]);
    })
}

fn draw() -> Made {
    recorded(6, agreed(RulesetId::Plain, 4, &[("length", name("micro"))]), Some(10), |table| {
        table.join(1, false);
        table.join(2, true);
        table.at_table(0, &TableCommand::SeatBot { place: 3, level: BotLevel::Easy });
        table.start(0);
        while !matches!(table.table.game.stage, Stage::Dealing { .. }) {
            let bot = table.table.game.to_act().is_some_and(|turn| table.table.game.is_played_by_bot(turn));
            if bot { table.act(None, any) } else { table.time_out(any) }
        }
        table.act(None, any);
        table.act(None, any);
        table.forfeit([2, 0, 1]);
    })
}

fn nineteen() -> Made {
    let rules =
        agreed(RulesetId::Nineteen, 2, &[("revokes", name("penalise")), ("jokers", OptionValue::Number(1))]);
    recorded(7, rules, None, |table| {
        table.join(1, true);
        table.start(0);
        table.play_until(
            |random, game, commands| match (&game.stage, game.to_act()) {
                (Stage::Round(round), Some(Position::Seat(seat)))
                    if matches!(round.phase, Phase::Play(_)) && random.once_in(12) =>
                {
                    let held: Vec<_> = round.hands[seat].iter().collect();
                    Command::Play { card: *random.pick(&held) }
                }
                _ => lively(random, commands),
            },
            |_| false,
        );
    })
}

fn squares() -> Made {
    recorded(262, agreed(RulesetId::Squares, 4, &[("length", name("mini"))]), None, |table| {
        for player in 1..4 {
            table.join(player, player != 2);
        }
        table.start(0);
        let choose: Choice = |random, game, commands| {
            let folds = [1, 2, 4, 5].contains(&round(game));
            let dash = (round(game) > 1).then(|| wanted(commands, Command::DashCall {})).flatten();
            let named: Vec<Command> = commands
                .iter()
                .copied()
                .filter(|command| matches!(command, Command::Estimate { trump: Some(_), tricks: 8 | 9 }))
                .collect();
            if folds && let Some(pass) = wanted(commands, Command::Pass {}) {
                return dash.filter(|_| random.once_in(3)).unwrap_or(pass);
            }
            if !named.is_empty() && random.once_in(2) {
                return *random.pick(&named);
            }
            let redeals =
                wanted(commands, Command::Redeal {}).filter(|_| attempt(game) == 1 && round(game) < 3);
            if let Some(asked) = redeals.or_else(|| wanted(commands, Command::Avoid {})) {
                return asked;
            }
            lively(random, commands)
        };
        table.play_until(choose, |game| round(game) == 7);
        table.forfeit([3, 1, 0, 2]);
    })
}

fn kabooot() -> Made {
    recorded(9, agreed(RulesetId::Kabooot, 4, &[("length", name("micro"))]), None, |table| {
        for player in 1..4 {
            table.join(player, player == 1);
        }
        table.start(0);
        let choose: Choice = |random, game, commands| {
            let nobody = (round(game) == 1 && attempt(game) == 1).then(|| wanted(commands, Command::Pass {}));
            let dash = wanted(commands, Command::BlindDash {}).filter(|_| random.once_in(3));
            nobody.flatten().or(dash).unwrap_or_else(|| lively(random, commands))
        };
        table.play_until(choose, |game| round(game) == 3);
        table.forfeit([0, 1, 2, 3]);
    })
}

fn plain() -> Made {
    let options = [("length", name("micro")), ("allow_pass", OptionValue::Flag(true))];
    recorded(10, agreed(RulesetId::Plain, 4, &options), None, |table| {
        for player in 1..4 {
            table.join(player, true);
        }
        table.start(0);
        let choose: Choice = |random, game, commands| {
            let nobody = (round(game) == 2 && attempt(game) == 1).then(|| wanted(commands, Command::Pass {}));
            nobody.flatten().unwrap_or_else(|| lively(random, commands))
        };
        table.play_until(choose, |_| false);
    })
}

fn seeds() -> Made {
    let rules = agreed(RulesetId::Nineteen, 3, &[("order", name("10-1-10"))]);
    recorded(12, rules, None, |table| {
        table.join(1, false);
        table.join(2, true);
        table.commit(0, Some(0x10));
        table.commit(1, Some(0x11));
        table.commit(1, Some(0x21));
        // One seed stays closed.
        table.at_table(0, &TableCommand::Start);
        table.open(1, 0x21);
        table.fail_opening();
        table.commit(0, Some(0x30));
        table.commit(1, Some(0x31));
        table.at_table(0, &TableCommand::Start);
        // The host leaves, and the opening fails.
        table.open(0, 0x30);
        table.know_table();
        table.at_table(0, &TableCommand::Leave { place: 0 });
        table.at_table(
            3,
            &TableCommand::Join {
                place: None,
                client_seed: None,
                commitment: Some(client_seed(0x43).commitment()),
            },
        );
        table.commit(1, Some(0x41));
        table.commit(2, Some(0x42));
        table.commit(2, None);
        table.know_table();
        table.at_table(1, &TableCommand::Start);
        table.open(1, 0x41);
        table.open(3, 0x43);
        table.play_until(any, |game| round(game) == 2);
        table.forfeit([1, 2, 3]);
    })
}

fn double_risk() -> Made {
    let options = [("length", name("mini")), ("dash_call_timing", name("before_auction"))];
    recorded(11, agreed(RulesetId::DoubleRisk, 4, &options), None, |table| {
        for player in 1..4 {
            table.join(player, player == 3);
        }
        table.start(0);
        table.play_until(any, |game| round(game) == 3);
        table.forfeit([1, 0, 3, 2]);
    })
}

/// The server seed of a forged history.
pub fn other_seed() -> Hex<32> {
    Hex([0x5e; 32])
}

//! The cost of the record: verifying histories, and the chain on the write path.
//!
//! `cargo bench --bench record` verifies 1,000 histories of all rulesets on one core, and then writes events
//! with and without the chain, alternating; `… -- write` does only the writing. `… -- chi` shuffles a million
//! packs and tests that every card is equally likely at every index, and every pair of neighbours.
#![allow(
    dead_code,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, and stops where it cannot go on"
)]

use std::time::{Duration, Instant};

use estimation_engine::card_set::CardSet;
use estimation_engine::chance::{Chance, Shuffles};
use estimation_engine::command::{Actor, Position};
use estimation_engine::decide::decide;
use estimation_engine::event::{Event, GameCreated, Visibility};
use estimation_engine::evolve::evolve;
use estimation_engine::game::Game;
use estimation_engine::hex::Hex;
use estimation_engine::legal::legal;
use estimation_engine::player::AccountId;
use estimation_engine::round::DealNumber;
use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_engine::seat::Place;
use estimation_engine::table::{TableCommand, decide_table};
use estimation_record::fairness::{ALGORITHM, DealKey, GameSeeds, SeededChance, ServerSeed};
use estimation_record::verify::{Audit, read};
use estimation_record::{Envelope, chain};
use estimation_service::base::entropy::SeededEntropy;
use estimation_store::event_reads::StoredEvent;
use estimation_store::{Append, Database, DatabaseUrl, GENESIS, GameId, Settings};
use estimation_test_support::{Random, made, variant_of};
use uuid::Uuid;

fn main() {
    if std::env::args().any(|argument| argument == "chi") {
        return uniform();
    }
    if !std::env::args().any(|argument| argument == "write") {
        verify(1_000);
    }
    write();
}

/// Verifies histories from their text, one after the other.
fn verify(games: u64) {
    let trust = made::trust();
    let mut dice = Random(1);
    let (mut spent, mut bytes, mut events, mut deals) = (Duration::ZERO, 0, 0, 0);
    for number in 0..games {
        let id = RulesetId::ALL[number as usize % RulesetId::ALL.len()];
        // Half of them with presets, half with options.
        let rules = if number % 10 < 5 { Ruleset::preset(id) } else { variant_of(id, &mut dice) };
        let text = made::play(rules, number).lines();
        let began = Instant::now();
        let mut audit = Audit::new(&trust);
        read(text.as_bytes(), &mut audit);
        let report = audit.finish();
        spent += began.elapsed();
        assert_eq!(report.findings, []);
        bytes += text.len();
        events += report.events;
        deals += report.deals;
    }
    let seconds = spent.as_secs_f64();
    println!("{games} histories, {events} events, {deals} deals, {} MB", bytes / 1_000_000);
    println!(
        "{seconds:.1} s, {:.0} games/s, {:.0} events/s",
        games as f64 / seconds,
        events as f64 / seconds
    );
}

/// Writes the events of games through the store, alternating with and without the record.
///
/// Rounds are short and many, and each is compared with its neighbour, so that other load on the machine
/// affects both alike.
fn write() {
    const PAIRS: usize = 15;
    const LENGTH: Duration = Duration::from_millis(1_500);
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (mut rates, mut costs) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for pair in 0..PAIRS {
        // Alternate which goes first, so that neither benefits from a warmer machine.
        for with in if pair % 2 == 0 { [true, false] } else { [false, true] } {
            let path = folder.path().join(format!("{pair}-{with}.db"));
            let database =
                Database::open(&DatabaseUrl::sqlite(&path), Settings::default()).expect("a database");
            let (began, busy) = (Instant::now(), processor_time());
            let commands = runtime.block_on(play(&database, with, LENGTH)) as f64;
            rates[usize::from(with)].push(commands / began.elapsed().as_secs_f64());
            let busy = processor_time().saturating_sub(busy);
            costs[usize::from(with)].push(busy.as_secs_f64() * 1e6 / commands);
            runtime.block_on(database.shutdown());
            drop(database);
            std::fs::remove_file(&path).expect("the database file");
        }
    }
    println!("commands through the store, 64 tables, SQLite, {PAIRS} pairs of {LENGTH:?}:");
    compare("commands/s", &rates);
    compare("processor µs per command", &costs);
}

/// Prints the medians without and with the chain, and the median of the pairs' ratios.
fn compare(what: &str, [without, with]: &[Vec<f64>; 2]) {
    let changes = with.iter().zip(without).map(|(with, without)| (with / without - 1.0) * 100.0).collect();
    println!(
        "  {what}: without the chain {:.1}, with it {:.1}; pair by pair {:+.1} %",
        median(without.clone()),
        median(with.clone()),
        median(changes)
    );
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The number of commands that 64 tables write in this time.
async fn play(database: &Database, with: bool, length: Duration) -> u64 {
    let began = Instant::now();
    let tables: Vec<_> =
        (0..64).map(|number| table(database.clone(), with, number, began + length)).collect();
    futures_util::future::join_all(tables).await.into_iter().sum()
}

async fn table(database: Database, with: bool, number: u64, until: Instant) -> u64 {
    let mut dice = Random(number);
    let mut commands = 0;
    let mut games = 0;
    while Instant::now() < until {
        games += 1;
        let id = Uuid::from_u64_pair(number, games);
        let entropy = SeededEntropy::new(number);
        let mut game = lobby(RulesetId::ALL[(number % 5) as usize]);
        let mut log = Log { with, id, seq: 0, hash: GENESIS };
        let mut fair = SeededChance::new(id, ServerSeed::from_bytes([7; 32]), &game.table, &entropy);
        let mut cheap = cheap(Random(number));
        let host = game.table.host.clone();
        let chance: &mut dyn Chance = if with { &mut fair } else { &mut cheap };
        let started = decide_table(&game, &host, &TableCommand::Start, chance).expect("a start");
        let mut due = Some((Actor::at(Position::Place(Place::new(0))), started.events));
        while let Some((actor, events)) = due {
            events.iter().for_each(|event| evolve(&mut game, event));
            database.append(log.append(actor, &events)).await.expect("an append");
            commands += 1;
            if Instant::now() >= until {
                return commands;
            }
            due = game.to_act().map(|chair| {
                let allowed = legal(&game, chair);
                let command = allowed.nth(dice.below(allowed.len())).expect("something is legal");
                let chance: &mut dyn Chance = if with { &mut fair } else { &mut cheap };
                let actor = Actor::at(chair);
                (actor, decide(&game, actor, &command, chance).expect("what is legal is accepted"))
            });
        }
    }
    commands
}

/// A log with or without hashing.
struct Log {
    with: bool,
    id: Uuid,
    seq: u64,
    hash: [u8; 32],
}

impl Log {
    fn append(&mut self, actor: Actor, events: &[Event]) -> Append {
        let previous_hash = self.hash;
        let at = made::time(0);
        let mut new = Vec::with_capacity(events.len());
        for event in events {
            self.seq += 1;
            let envelope = Envelope { game: self.id, seq: self.seq, at, actor, event };
            let body = if self.with {
                envelope.canonical().expect("canonical JSON")
            } else {
                serde_json::to_string(&envelope).expect("JSON")
            };
            self.hash = if self.with { chain(self.hash, body.as_bytes()) } else { [1; 32] };
            new.push(StoredEvent { seq: self.seq, hash: self.hash, body, binding: None });
        }
        Append { game: GameId(self.id), previous_hash, events: new, effects: Vec::new(), by: None }
    }
}

fn lobby(id: RulesetId) -> Game {
    let account = |place: u8| AccountId::new(format!("019b7a00-0000-7000-8000-00000000000{place}"));
    let mut game = Game::open(&GameCreated {
        ruleset: Ruleset::preset(id),
        host: account(0),
        visibility: Visibility::Public,
        spectators: true,
        turn_seconds: None,
        opening_seconds: 15,
        algorithm: ALGORITHM.to_owned(),
        commitment: Hex([0; 32]),
    });
    for player in 1..game.rules().players {
        let join = TableCommand::Join { place: None, commitment: None };
        let joined =
            decide_table(&game, &account(player), &join, &mut cheap(Random(0))).expect("a free place");
        joined.events.iter().for_each(|event| evolve(&mut game, event));
    }
    game
}

/// A chance without seeds.
fn cheap(mut random: Random) -> impl Chance {
    Shuffles(move |_, pack| {
        for i in (1..pack.len()).rev() {
            pack.swap(i, random.below(i + 1));
        }
    })
}

/// A chi-squared test of a million shuffles: the card at each index, and the card after each card.
fn uniform() {
    const DEALS: u32 = 1_000_000;
    const CARDS: usize = 52;
    let canonical: Vec<u8> = CardSet::FULL.iter().map(|card| card.index()).take(CARDS).collect();
    let mut places = vec![0_u32; CARDS * CARDS];
    let mut pairs = vec![0_u32; CARDS * CARDS];
    let seed = ServerSeed::from_bytes([42; 32]);
    let seeds = GameSeeds { game: Uuid::nil(), client_seeds: vec![None; 4] };
    for attempt in 1..=DEALS {
        let mut pack = canonical.clone();
        DealKey::derive(&seed, &seeds, DealNumber { round: 1, attempt }).shuffle(&mut pack);
        for (place, &card) in pack.iter().enumerate() {
            places[place * CARDS + usize::from(card)] += 1;
        }
        for pair in pack.windows(2) {
            pairs[usize::from(pair[0]) * CARDS + usize::from(pair[1])] += 1;
        }
    }
    let cards = CARDS as f64;
    let first = squares(&places[..CARDS], f64::from(DEALS) / cards);
    judge("first card", first, cards - 1.0);
    // All row and column sums are fixed, which leaves 51 × 51 degrees of freedom.
    judge("card by place", squares(&places, f64::from(DEALS) / cards), (cards - 1.0) * (cards - 1.0));
    let neighbours: Vec<u32> =
        (0..CARDS * CARDS).filter(|i| i / CARDS != i % CARDS).map(|i| pairs[i]).collect();
    judge("neighbours", squares(&neighbours, f64::from(DEALS) / cards), cards * (cards - 1.0) - 1.0);
}

fn squares(counts: &[u32], expected: f64) -> f64 {
    counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum()
}

/// Compares with a chi-squared distribution, by Wilson and Hilferty's normal approximation.
fn judge(what: &str, sum: f64, freedom: f64) {
    let spread = 2.0 / (9.0 * freedom);
    let z = ((sum / freedom).cbrt() - (1.0 - spread)) / spread.sqrt();
    println!("{what:<14} chi-squared {sum:>9.1} with {freedom:>5.0} degrees of freedom, z = {z:+.2}");
    assert!(z.abs() < 4.0, "{what}: the shuffle is not uniform");
}

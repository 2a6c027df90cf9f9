//! Histories made in memory as the service makes them: real seeds, rules, chain and signature.

use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer, SigningKey};
use estimation_engine::client_seed::ClientSeed;
use estimation_engine::command::Actor;
use estimation_engine::event::{GameCreated, Visibility};
use estimation_engine::game::Game;
use estimation_engine::hex::Hex;
use estimation_engine::player::AccountId;
use estimation_engine::ruleset::Ruleset;
use estimation_engine::table::TableCommand;
use estimation_record::entropy::SeededEntropy;
use estimation_record::fairness::{ALGORITHM, SeededChance, ServerSeed};
use estimation_record::verify::{
    Audit, End, EventLine, FORMAT, Header, Piece, Report, SignatureLine, Status, Trust, read,
};
use estimation_record::{Envelope, GENESIS, GameEnd, Kid, LogEntry, RecordTime, canonical_json, chain};
use serde_json::Value;
use uuid::Uuid;

use crate::play::Table;
use crate::random::Random;

#[derive(Clone)]
pub struct Made {
    pub header: Header,
    pub events: Vec<EventLine>,
    pub end: End,
}

fn key() -> &'static SigningKey {
    static KEY: OnceLock<SigningKey> = OnceLock::new();
    KEY.get_or_init(|| SigningKey::from_bytes(&[77; 32]))
}

/// The public key of the signature, in hexadecimal, as verifiers get it.
pub fn key_hex() -> String {
    hex::encode(key().verifying_key().as_bytes())
}

/// The public key as a service publishes it: a JWK set.
pub fn jwks() -> Value {
    let x = URL_SAFE_NO_PAD.encode(key().verifying_key().as_bytes());
    let key = serde_json::json!({"kty": "OKP", "crv": "Ed25519", "x": x, "estimation:purpose": "record"});
    serde_json::json!({ "keys": [key] })
}

pub fn trust() -> Trust {
    let mut trust = Trust::default();
    trust.add_key(key().verifying_key());
    trust
}

pub fn audited(pieces: &[Piece]) -> Report {
    let trust = trust();
    let mut audit = Audit::new(&trust);
    pieces.iter().cloned().for_each(|piece| audit.piece(piece));
    audit.finish()
}

pub fn audited_text(text: impl AsRef<[u8]>) -> Report {
    let trust = trust();
    let mut audit = Audit::new(&trust);
    read(text.as_ref(), &mut audit);
    audit.finish()
}

pub fn time(seconds: i64) -> RecordTime {
    RecordTime::of(jiff::Timestamp::from_second(1_767_225_600 + seconds).expect("a time"), None)
}

pub fn signed(statement: &[u8]) -> SignatureLine {
    let kid = Kid::of(&key().verifying_key()).to_string();
    SignatureLine { kid, value: Hex(key().sign(statement).to_bytes()) }
}

/// A whole random game. The number determines the game id, the seeds and the moves.
pub fn play(rules: Ruleset, number: u64) -> Made {
    made(rules, number, None, |table, random, accounts| {
        fill(table, random, accounts);
        let seeds = commit(table, random);
        let host = table.game.table.host.clone();
        table.at_table(&host, &TableCommand::Start);
        for (account, client_seed) in seeds {
            table.at_table(&account, &TableCommand::OpenSeed { client_seed });
        }
        table.play_until(random, |_| false);
        Vec::new()
    })
}

/// A game that starts and that all players forfeit at once.
pub fn forfeited(rules: Ruleset, number: u64) -> Made {
    made(rules, number, None, |table, random, accounts| {
        fill(table, random, accounts);
        let host = table.game.table.host.clone();
        table.at_table(&host, &TableCommand::Start);
        let sitters: Vec<_> = table.game.table.places.values().flatten().cloned().collect();
        for (place, sitter) in (0..).zip(&sitters) {
            let account = sitter.player.account().expect("a person");
            table.at_table(account, &TableCommand::Leave { place });
        }
        Vec::new()
    })
}

pub fn cancelled(rules: Ruleset, number: u64) -> Made {
    made(rules, number, None, |table, _, accounts| {
        table.at_table(&accounts[0], &TableCommand::Leave { place: 0 });
        Vec::new()
    })
}

/// A cancelled table where the host opened this seed, before another player left and the opening failed.
pub fn opened(rules: Ruleset, number: u64, client_seed: &str) -> Made {
    made(rules, number, None, |table, _, accounts| {
        let seed = ClientSeed::new(client_seed).expect("a client seed");
        let commit = |seed: &ClientSeed| TableCommand::CommitSeed { commitment: Some(seed.commitment()) };
        let players = usize::from(table.game.rules().players);
        for account in &accounts[1..players] {
            table.at_table(account, &TableCommand::Join { place: None, commitment: None });
        }
        table.at_table(&accounts[0], &commit(&seed));
        table.at_table(&accounts[1], &commit(&ClientSeed::new("1b".repeat(16)).expect("a client seed")));
        table.at_table(&accounts[0], &TableCommand::Start);
        table.at_table(&accounts[0], &TableCommand::OpenSeed { client_seed: seed });
        for place in (0..players).rev() {
            table.at_table(&accounts[place], &TableCommand::Leave { place: place as u8 });
        }
        Vec::new()
    })
}

/// A game with a clock as given, or with or without one by chance. `act` plays it and returns the times of the
/// events; without any, a second passes for every few events.
pub(crate) fn made(
    rules: Ruleset,
    number: u64,
    clock: Option<Option<u32>>,
    act: impl for<'a> FnOnce(&mut Table<SeededChance<'a>>, &mut Random, &[AccountId]) -> Vec<RecordTime>,
) -> Made {
    let mut random = Random(number);
    let id = Uuid::from_u64_pair(0x019b_7a00_0000_7000, 0x8000_0000_0000_0000 | number);
    let account = |place: u64| Uuid::from_u64_pair(0x019b_7a00_0000_7001, 0x8000_0000_0000_0000 | place);
    let accounts: Vec<AccountId> = (0..6).map(|place| AccountId::new(account(place).to_string())).collect();
    let entropy = SeededEntropy::new(number);
    let seed = ServerSeed::draw(&entropy);
    let created = GameCreated {
        ruleset: rules,
        host: accounts[0].clone(),
        visibility: if random.once_in(2) { Visibility::Public } else { Visibility::Private },
        spectators: true,
        turn_seconds: clock.unwrap_or(random.once_in(2).then_some(60)),
        opening_seconds: 15,
        algorithm: ALGORITHM.to_owned(),
        commitment: seed.commitment(),
    };
    let chance = SeededChance::new(id, seed, &Game::open(&created).table, &entropy);
    let mut table = Table::open(created, chance);
    let times = act(&mut table, &mut random, &accounts);
    written(id, &table, &times)
}

/// Fills the lobby; some players join and leave.
fn fill(table: &mut Table<SeededChance<'_>>, random: &mut Random, accounts: &[AccountId]) {
    let players = table.game.rules().players;
    let join = |place| TableCommand::Join { place, commitment: None };
    for account in &accounts[1..usize::from(players)] {
        table.at_table(account, &join(None));
    }
    let last = &accounts[usize::from(players) - 1];
    if random.once_in(2) {
        table.at_table(last, &TableCommand::Leave { place: players - 1 });
        table.at_table(last, &join(Some(players - 1)));
    }
    if random.once_in(3) {
        // The host leaves, the table gets another host, and another player takes the place.
        table.at_table(&accounts[0], &TableCommand::Leave { place: 0 });
        table.at_table(&accounts[usize::from(players)], &join(None));
    }
}

/// Some of the players commit to a seed, and one may go without. Returns the seeds to open, in order of places.
fn commit(table: &mut Table<SeededChance<'_>>, random: &mut Random) -> Vec<(AccountId, ClientSeed)> {
    let sitters: Vec<_> = table.game.table.places.values().flatten().cloned().collect();
    let mut seeds = Vec::new();
    for account in sitters.iter().filter_map(|sitter| sitter.player.account()) {
        if random.once_in(2) {
            let seed = client_seed(random);
            table.at_table(account, &TableCommand::CommitSeed { commitment: Some(seed.commitment()) });
            seeds.push((account.clone(), seed));
        } else if random.once_in(4) {
            table.at_table(account, &TableCommand::CommitSeed { commitment: None });
        }
    }
    seeds
}

fn client_seed(random: &mut Random) -> ClientSeed {
    let digits: String = (0..3).map(|_| format!("{:016x}", random.number())).collect();
    ClientSeed::new(digits).expect("hexadecimal digits")
}

/// Writes a finished game as the service would: events of one command have one time.
fn written(game: Uuid, table: &Table<SeededChance<'_>>, times: &[RecordTime]) -> Made {
    let mut at = time(0);
    let bodies = table.record.iter().enumerate().map(|(index, (actor, event))| {
        if *actor != Actor::Server {
            at = time(index as i64 / 3);
        }
        let at = times.get(index).copied().unwrap_or(at);
        let envelope = Envelope { game, seq: index as u64 + 1, at, actor: *actor, event };
        envelope.canonical().expect("canonical JSON")
    });
    let mut made = Made::of(game, bodies.collect());
    made.sign();
    made
}

impl Made {
    /// The unsigned history of a finished game, from the stored texts of its events.
    pub fn of(game: Uuid, bodies: Vec<String>) -> Made {
        let said = |body: &String| serde_json::from_str::<Value>(body).expect("JSON")["event"].clone();
        let (first, last) = (said(&bodies[0]), said(&bodies[bodies.len() - 1]));
        let ruleset = serde_json::from_value(first["ruleset"]["id"].clone()).expect("a ruleset");
        let finished = last["type"] == "game_finished";
        let status = if finished { Status::Finished } else { Status::Abandoned };
        let header = Header { format: FORMAT.to_owned(), game, ruleset, status };
        let line = |(seq, body)| EventLine { seq, hash: String::new(), body };
        let events = (1..).zip(bodies).map(line).collect();
        let standings = serde_json::from_value(last["standings"].clone()).expect("standings");
        let end = End { events: 0, head: Hex(GENESIS), standings, signature: None };
        let mut made = Made { header, events, end };
        made.rehash();
        made
    }

    pub fn sign(&mut self) {
        let statement = GameEnd {
            game: self.header.game,
            ruleset: self.header.ruleset,
            head: self.end.head,
            events: self.end.events,
            standings: self.end.standings.as_ref(),
        };
        self.end.signature = Some(signed(&statement.statement().expect("canonical JSON")));
    }

    /// Recomputes the chain and the end after a change, as a forger without the key could.
    pub fn rehash(&mut self) {
        let mut hash = GENESIS;
        for line in &mut self.events {
            hash = chain(hash, line.body.as_bytes());
            line.hash = Hex(hash).to_string();
        }
        self.end.head = Hex(hash);
        self.end.events = self.events.len() as u64;
    }

    /// Changes the content of an event; the text stays canonical.
    pub fn edit(&mut self, index: usize, change: impl FnOnce(&mut Value)) {
        let mut body = serde_json::from_str(&self.events[index].body).expect("JSON");
        change(&mut body);
        self.events[index].body = canonical_json(&body).expect("canonical JSON");
    }

    /// Removes an event. The later ones get the numbers of their positions.
    pub fn remove(&mut self, index: usize) {
        self.events.remove(index);
        for later in index..self.events.len() {
            self.events[later].seq = later as u64 + 1;
            self.edit(later, |body| body["seq"] = serde_json::json!(later + 1));
        }
    }

    pub fn find(&self, kind: &str, from: usize) -> Option<usize> {
        let kind = format!("\"type\":\"{kind}\"");
        (from..self.events.len()).find(|&index| self.events[index].body.contains(&kind))
    }

    pub fn pieces(&self) -> Vec<Piece> {
        let events = self.events.iter().cloned().map(Piece::Event);
        [Piece::Header(self.header.clone())]
            .into_iter()
            .chain(events)
            .chain([Piece::End(self.end.clone())])
            .collect()
    }

    /// The time of the last event.
    pub fn ended_at(&self) -> RecordTime {
        let body = self.events.last().and_then(|line| serde_json::from_str::<Value>(&line.body).ok());
        body.and_then(|body| body["at"].as_str()?.parse().ok()).unwrap_or(time(0))
    }

    /// The entry of the end in a public log.
    pub fn logged_end(&self) -> LogEntry {
        let End { events, head, .. } = self.end;
        LogEntry::End { game: self.header.game, at: self.ended_at(), events, head }
    }

    pub fn lines(&self) -> String {
        lines(&self.pieces())
    }

    pub fn json(&self) -> String {
        let Made { header, events, end } = self;
        format!(
            "{{\"header\":{},\"events\":{},\"end\":{}}}",
            serde_json::json!(header),
            serde_json::json!(events),
            serde_json::json!(end)
        )
    }
}

pub fn lines(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| serde_json::to_string(piece).expect("JSON") + "\n").collect()
}

/// The start of a history as the public log should have it, then changed.
pub fn logged_start(made: &Made, change: impl FnOnce(&mut LogEntry)) -> LogEntry {
    let trust = trust();
    let mut audit = Audit::new(&trust);
    made.pieces().into_iter().for_each(|piece| audit.piece(piece));
    let start = audit.last().and_then(|verdict| verdict.started.clone()).expect("a started game");
    let seat = |(place, is_person): (u8, &bool)| is_person.then_some(Hex([place; 32]));
    let mut entry = start.entry((1..).zip(start.people()).map(seat).collect());
    change(&mut entry);
    entry
}

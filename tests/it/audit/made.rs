//! Histories made in memory the way the service makes them: real seeds, real rules, a real chain, signed.

use estimation::app::entropy::SeededEntropy;
use estimation::app::keys::KeyRing;
use estimation::engine::card_set::CardSet;
use estimation::engine::chance::{ClientSeed, Hex};
use estimation::engine::command::{Actor, Command, Position};
use estimation::engine::decide::decide;
use estimation::engine::event::{Event, GameCreated, Visibility};
use estimation::engine::evolve::evolve;
use estimation::engine::game::{Game, Stage};
use estimation::engine::legal::legal;
use estimation::engine::player::AccountId;
use estimation::engine::round::Phase;
use estimation::engine::ruleset::options::RulesetOption;
use estimation::engine::ruleset::{Revokes, Ruleset, RulesetId};
use estimation::engine::table::{TableCommand, decide_table, open};
use estimation_record::fairness::{ALGORITHM, SeededChance, ServerSeed};
use estimation_record::verify::{
    End, EventLine, FORMAT, Header, ListedLine, Piece, SignatureLine, SignedCheckpoint, Status, Trust,
};
use estimation_record::{
    Checkpoint, Envelope, GENESIS, GameEnd, ListedGame, RecordTime, canonical_json, chain,
};
use uuid::Uuid;

/// A small generator: SplitMix64.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// A history in its pieces.
#[derive(Clone)]
pub struct Made {
    pub header: Header,
    pub events: Vec<EventLine>,
    pub end: End,
}

/// The keys everything here is signed with.
pub fn keys() -> KeyRing {
    KeyRing::create(&SeededEntropy::new(77), time(0).timestamp())
}

/// What an auditor of these histories trusts.
pub fn trust() -> Trust {
    let mut trust = Trust::default();
    keys().record_keys().iter().for_each(|key| trust.add_key(*key.verifying_key()));
    trust
}

/// A time so many seconds into 2026.
pub fn time(seconds: i64) -> RecordTime {
    RecordTime::of(jiff::Timestamp::from_second(1_767_225_600 + seconds).expect("a time"), None)
}

fn signed(statement: &[u8]) -> SignatureLine {
    let signed = keys().record_keys().sign(statement, time(0).timestamp()).expect("a record key");
    SignatureLine { kid: signed.kid.to_string(), value: Hex(signed.signature) }
}

/// The rules of a ruleset with options chosen at random.
pub fn variant(id: RulesetId, dice: &mut Dice) -> Ruleset {
    let (fewest, most) = Ruleset::players_range(id);
    let players = fewest + dice.below(usize::from(most - fewest) + 1) as u8;
    let mut options = std::collections::BTreeMap::new();
    for option in RulesetOption::of(id) {
        let values = option.values.all();
        options.insert(option.name.to_owned(), values[dice.below(values.len())].clone());
    }
    Ruleset::agreed(id, Some(players), &options).expect("options of the ruleset")
}

/// A game under way, written down as the service would.
struct Table {
    id: Uuid,
    game: Game,
    seed: ServerSeed,
    entropy: SeededEntropy,
    events: Vec<EventLine>,
    hash: [u8; 32],
    dice: Dice,
}

impl Table {
    fn write(&mut self, actor: Actor, events: &[Event]) {
        let at = time(self.events.len() as i64 / 3);
        for (index, event) in events.iter().enumerate() {
            let seq = self.events.len() as u64 + 1;
            let actor = if index == 0 { actor } else { Actor::Server };
            let envelope = Envelope { game: self.id, seq, at, actor, event };
            let body = envelope.canonical().expect("canonical JSON");
            self.hash = chain(self.hash, body.as_bytes());
            self.events.push(EventLine { seq, hash: Hex(self.hash).to_string(), body });
            if seq > 1 {
                evolve(&mut self.game, event);
            }
        }
    }

    fn chance(&self) -> SeededChance<'_> {
        let sitters = self.game.table.places.values();
        let seeds =
            sitters.map(|sitter| sitter.as_ref().and_then(|sitter| sitter.client_seed.clone())).collect();
        SeededChance::new(self.id, self.seed.clone(), seeds, &self.entropy)
    }

    fn at_table(&mut self, account: &AccountId, command: &TableCommand) {
        let decided = decide_table(&self.game, account, command, &mut self.chance());
        let decided = decided.unwrap_or_else(|refused| panic!("{command:?}: {refused:?}"));
        self.write(decided.actor, &decided.events);
    }

    /// Fills the lobby, with some coming and going.
    fn fill(&mut self, accounts: &[AccountId]) {
        let players = self.game.rules().players;
        for account in &accounts[1..usize::from(players)] {
            let client_seed = (self.dice.below(2) == 0).then(|| self.client_seed());
            self.at_table(account, &TableCommand::Join { place: None, client_seed });
        }
        let last = &accounts[usize::from(players) - 1];
        if self.dice.below(2) == 0 {
            let client_seed = Some(self.client_seed());
            self.at_table(last, &TableCommand::Join { place: None, client_seed });
        }
        if self.dice.below(2) == 0 {
            self.at_table(last, &TableCommand::Leave { place: players - 1 });
            self.at_table(last, &TableCommand::Join { place: Some(players - 1), client_seed: None });
        }
        if self.dice.below(3) == 0 {
            // The host leaves, the table is handed on, and somebody else takes the place.
            self.at_table(&accounts[0], &TableCommand::Leave { place: 0 });
            self.at_table(
                &accounts[usize::from(players)],
                &TableCommand::Join { place: None, client_seed: None },
            );
        }
    }

    fn client_seed(&mut self) -> ClientSeed {
        let digits: String = (0..3).map(|_| format!("{:016x}", self.dice.next())).collect();
        ClientSeed::new(digits).expect("hexadecimal digits")
    }

    fn play(&mut self) {
        while let Some(chair) = self.game.to_act() {
            let allowed = legal(&self.game, chair);
            let command = self.revoke(chair).unwrap_or_else(|| {
                let pick = self.dice.below(allowed.len());
                allowed.nth(pick).expect("something is legal")
            });
            let actor = Actor::at(chair);
            let decided = decide(&self.game, actor, &command, &mut self.chance());
            let events = decided.unwrap_or_else(|refused| panic!("{command:?}: {refused:?}"));
            self.write(actor, &events);
        }
    }

    /// Now and then a card that breaks the duty to follow suit, where that is penalised.
    fn revoke(&mut self, chair: Position) -> Option<Command> {
        let (Stage::Round(round), Position::Seat(seat)) = (&self.game.stage, chair) else { return None };
        let due = matches!(round.phase, Phase::Play(_)) && self.game.rules().revokes == Revokes::Penalise;
        let few = self.game.sheet.fouls.len() < 3;
        let hand: CardSet = round.hands[seat];
        let wrong = hand.iter().map(|card| Command::Play { card });
        let wrong = wrong.into_iter().find(|command| !legal(&self.game, chair).contains(command));
        wrong.filter(|_| due && few && self.dice.below(20) == 0)
    }

    fn made(self) -> Made {
        let last: serde_json::Value =
            serde_json::from_str(&self.events.last().expect("events").body).expect("JSON");
        let standings = serde_json::from_value(last["event"]["standings"].clone()).expect("standings");
        let status = if self.game.is_over() && last["event"]["type"] == "game_finished" {
            Status::Finished
        } else {
            Status::Abandoned
        };
        let header =
            Header { format: FORMAT.to_owned(), game: self.id, ruleset: self.game.rules().id, status };
        let end = End { events: self.events.len() as u64, head: Hex(self.hash), standings, signature: None };
        let mut made = Made { header, events: self.events, end };
        made.sign();
        made
    }
}

fn opened(rules: Ruleset, number: u64) -> (Table, Vec<AccountId>) {
    let mut dice = Dice(number);
    let id = Uuid::from_u64_pair(0x019b_7a00_0000_7000, 0x8000_0000_0000_0000 | number);
    let account = |place: u64| Uuid::from_u64_pair(0x019b_7a00_0000_7001, 0x8000_0000_0000_0000 | place);
    let accounts: Vec<AccountId> = (0..6).map(|place| AccountId::new(account(place).to_string())).collect();
    let entropy = SeededEntropy::new(number);
    let seed = ServerSeed::draw(&entropy);
    let created = GameCreated {
        ruleset: rules,
        host: accounts[0].clone(),
        client_seed: (dice.below(2) == 0).then(|| ClientSeed::new("0a".repeat(16)).expect("a seed")),
        visibility: if dice.below(2) == 0 { Visibility::Public } else { Visibility::Private },
        spectators: true,
        turn_seconds: (dice.below(2) == 0).then_some(60),
        algorithm: ALGORITHM.to_owned(),
        commitment: seed.commitment(),
    };
    let game = Game::open(&created);
    let opened = open(created);
    let mut table = Table { id, game, seed, entropy, events: Vec::new(), hash: GENESIS, dice };
    table.write(opened.actor, &opened.events);
    (table, accounts)
}

/// A whole game of some rules, played at random; the number gives game, seeds and moves.
pub fn play(rules: Ruleset, number: u64) -> Made {
    let (mut table, accounts) = opened(rules, number);
    table.fill(&accounts);
    let host = table.game.table.host.clone();
    table.at_table(&host, &TableCommand::Start);
    table.play();
    table.made()
}

/// A table that is called off before the start.
pub fn cancelled(rules: Ruleset, number: u64) -> Made {
    let (mut table, accounts) = opened(rules, number);
    table.at_table(&accounts[0], &TableCommand::Leave { place: 0 });
    table.made()
}

impl Made {
    /// Signs the end anew.
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

    /// Makes the chain and the end agree with the bodies again, as somebody would who cannot sign.
    pub fn rehash(&mut self) {
        let mut hash = GENESIS;
        for line in &mut self.events {
            hash = chain(hash, line.body.as_bytes());
            line.hash = Hex(hash).to_string();
        }
        self.end.head = Hex(hash);
        self.end.events = self.events.len() as u64;
    }

    /// Changes what an event says; the text stays canonical.
    pub fn edit(&mut self, index: usize, change: impl FnOnce(&mut serde_json::Value)) {
        let mut body = serde_json::from_str(&self.events[index].body).expect("JSON");
        change(&mut body);
        self.events[index].body = canonical_json(&body).expect("canonical JSON");
    }

    /// The first event of a kind from an index on.
    pub fn find(&self, kind: &str, from: usize) -> Option<usize> {
        let kind = format!("\"type\":\"{kind}\"");
        (from..self.events.len()).find(|&index| self.events[index].body.contains(&kind))
    }

    /// The history as pieces.
    pub fn pieces(&self) -> Vec<Piece> {
        let events = self.events.iter().cloned().map(Piece::Event);
        [Piece::Header(self.header.clone())]
            .into_iter()
            .chain(events)
            .chain([Piece::End(self.end.clone())])
            .collect()
    }

    /// The history as lines of JSON.
    pub fn lines(&self) -> String {
        lines(&self.pieces())
    }

    /// The history as one object.
    pub fn json(&self) -> String {
        let json = |value: &dyn erased::Json| value.json();
        format!(
            "{{\"header\":{},\"events\":{},\"end\":{}}}",
            json(&self.header),
            json(&self.events),
            json(&self.end)
        )
    }
}

mod erased {
    /// Anything that can be written as JSON.
    pub trait Json {
        fn json(&self) -> String;
    }

    impl<T: serde::Serialize> Json for T {
        fn json(&self) -> String {
            serde_json::to_string(self).expect("JSON")
        }
    }
}

/// Pieces as lines of JSON.
pub fn lines(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| serde_json::to_string(piece).expect("JSON") + "\n").collect()
}

/// The list of some games' ends, with its checkpoint.
pub fn list(games: &[Made]) -> Vec<Piece> {
    let mut hash = GENESIS;
    let mut pieces = Vec::new();
    for (position, made) in (1..).zip(games) {
        let signature = made.end.signature.clone().expect("a signature");
        let entry = ListedGame {
            position,
            game: made.header.game,
            events: made.end.events,
            head: made.end.head,
            listed_at: time(position as i64),
            kid: signature.kid,
            signature: signature.value,
        };
        hash = entry.chained(hash).expect("canonical JSON");
        pieces.push(Piece::Listed(ListedLine { entry, hash: Hex(hash) }));
    }
    let checkpoint = Checkpoint { games: games.len() as u64, head: Hex(hash), at: time(1_000_000) };
    let signature = signed(&checkpoint.statement().expect("canonical JSON"));
    pieces.push(Piece::Checkpoint(SignedCheckpoint { checkpoint, signature }));
    pieces
}

//! Small units of work for tests. The store does not read the content of events.

use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::accounts::{self, AccountKind, AccountRow};
use estimation_store::event_reads::{self, StoredEvent};
use estimation_store::games::NewGame;
use estimation_store::idempotency::{RememberedRequest, RequestKey};
use estimation_store::role::Role;
use estimation_store::{Append, Connection, Database, Effect, GENESIS, GameId, Hash, Id, Server};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The id of the game with this name. Ids sort like the names, which have at most 16 bytes.
pub fn game_id(name: &str) -> GameId {
    let mut bytes = [0; 16];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    GameId(Uuid::from_bytes(bytes))
}

/// The id of the row with this name.
pub fn row_id(name: &str) -> Id {
    Id(game_id(name).0)
}

/// A time so many milliseconds after 1970 began.
pub fn at(milliseconds: i64) -> RecordTime {
    RecordTime::from_milliseconds(milliseconds).expect("a time")
}

/// The number of the last event of a game; 0 if it has none.
pub async fn version(store: &Database, game: &'static str) -> u64 {
    store
        .read(move |conn| event_reads::head(conn, game_id(game)))
        .await
        .expect("a look")
        .map_or(0, |head| head.seq)
}

/// The id of the account with this name.
pub fn account_id(name: &str) -> AccountId {
    AccountId::new(name)
}

#[derive(Clone)]
pub struct Log {
    pub game: GameId,
    pub seq: u64,
    pub hash: Hash,
}

impl Log {
    pub fn new(game: &str) -> Self {
        Self { game: game_id(game), seq: 0, hash: GENESIS }
    }

    /// The next events as a unit. The log advances as if they had been accepted.
    pub fn next(&mut self, bodies: &[&str]) -> Append {
        let previous_hash = self.hash;
        let events = bodies
            .iter()
            .map(|body| {
                let hash = Sha256::new().chain_update(self.hash).chain_update(body).finalize().into();
                self.hash = hash;
                self.seq += 1;
                StoredEvent { seq: self.seq, hash, body: (*body).to_owned(), binding: None }
            })
            .collect();
        Append { game: self.game, previous_hash, events, effects: Vec::new(), by: None }
    }

    /// The next events of a competing writer. The log does not advance.
    pub fn rival(&self, bodies: &[&str]) -> Append {
        self.clone().next(bodies)
    }
}

pub fn with(mut append: Append, effects: impl IntoIterator<Item = Effect>) -> Append {
    append.effects.extend(effects);
    append
}

pub fn lobby_game(ruleset: &str, host: &str) -> NewGame {
    NewGame {
        status: "lobby".to_owned(),
        ruleset: ruleset.to_owned(),
        visibility: "public".to_owned(),
        join_code: None,
        host: account_id(host),
        players: 4,
        taken: 1,
        created_at: 1_000,
        wake_at: None,
        rematch_of: None,
        talk: true,
        format: 1,
    }
}

pub fn guest(id: &str) -> AccountRow {
    AccountRow {
        id: account_id(id),
        username: None,
        username_key: None,
        display_name: format!("Guest {id}"),
        password_hash: None,
        kind: AccountKind::Guest,
        role: Role::Player,
        created_at: at(10),
        updated_at: at(10),
        password_changes: 0,
    }
}

pub async fn people<const N: usize>(store: &Database, ids: [&'static str; N]) {
    let make = move |conn: &mut Connection| ids.iter().try_for_each(|id| accounts::insert(conn, &guest(id)));
    store.write(Server, make).await.expect("accounts");
}

pub fn human(place: i32, account: &str) -> Effect {
    Effect::SeatPlayer { place, account: Some(account_id(account)), kind: "human".to_owned() }
}

pub fn request(key: &str, game: &str) -> RememberedRequest {
    RememberedRequest {
        request: RequestKey {
            account: account_id("ann"),
            method: "POST".to_owned(),
            path: format!("/v1/games/{game}/commands"),
            key: key.to_owned(),
        },
        body_hash: [7; 32],
        status: 200,
        game: Some(game_id(game)),
        first_seq: Some(1),
        last_seq: Some(2),
        resource: None,
        created_at: 5_000,
    }
}

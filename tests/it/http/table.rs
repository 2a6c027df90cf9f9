//! Tables and those who sit at them, in the words of the game: `table.seat(2).play("10S")`.

use serde_json::{Map, Value, json};

use super::client::{Answer, Client, Request};
use super::service::Service;

/// Those who sit down first, in this order.
pub const NAMES: [&str; 5] = ["noor", "omar", "lina", "ziad", "sami"];

/// Somebody with an account, signed in.
#[derive(Clone)]
pub struct Player {
    pub client: Client,
    pub name: String,
    pub account: String,
    pub access_token: String,
    pub refresh_token: String,
}

/// A table about to be opened.
pub struct TableSetup<'a> {
    service: &'a Service,
    wish: Map<String, Value>,
    players: u8,
}

/// A table, and who sits there in order of places.
pub struct Table {
    pub id: String,
    pub players: Vec<Player>,
}

/// Somebody at a table.
pub struct Seat<'a> {
    pub table: &'a Table,
    pub player: &'a Player,
}

impl Player {
    /// The player that a registration made.
    pub fn new(nobody: &Client, name: &str, registered: &Value) -> Player {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let session = &registered["session"];
        let access_token = text(&session["access_token"]);
        Player {
            client: nobody.with_token(&access_token),
            name: name.to_owned(),
            account: text(&registered["account"]["id"]),
            access_token,
            refresh_token: text(&session["refresh_token"]),
        }
    }

    /// The same player at another server.
    pub fn at(self, nobody: &Client) -> Player {
        Player { client: nobody.with_token(&self.access_token), ..self }
    }
}

impl<'a> TableSetup<'a> {
    pub fn new(service: &'a Service, ruleset: &str) -> TableSetup<'a> {
        let mut wish = Map::new();
        wish.insert("ruleset".to_owned(), ruleset.into());
        TableSetup { service, wish, players: 4 }
    }

    pub fn players(self, players: u8) -> TableSetup<'a> {
        TableSetup { players, ..self.with("players", players) }
    }

    pub fn options(self, options: Value) -> TableSetup<'a> {
        self.with("options", options)
    }

    /// Any field of the request.
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> TableSetup<'a> {
        self.wish.insert(field.to_owned(), value.into());
        self
    }

    /// Opens the table: the first of the [`NAMES`] is its host.
    pub async fn open(self) -> Table {
        let host = self.service.player(NAMES[0]).await;
        let game = host.client.send("/v1/games", &Value::Object(self.wish)).await.accepted();
        Table { id: game["id"].as_str().expect("an id").to_owned(), players: vec![host] }
    }

    /// Opens the table and has everybody sit down.
    pub async fn full(self) -> Table {
        let (service, players) = (self.service, self.players);
        let mut table = self.open().await;
        let code = table.seat(0).view().await.accepted()["join_code"].clone();
        for name in &NAMES[1..usize::from(players)] {
            let player = service.player(name).await;
            let mut wish = Map::new();
            if !code.is_null() {
                wish.insert("join_code".to_owned(), code.clone());
            }
            player.client.send(&table.path("seats"), &wish.into()).await.accepted();
            table.players.push(player);
        }
        table
    }

    /// Opens the table, has everybody sit down, and starts the game.
    pub async fn started(self) -> Table {
        let table = self.full().await;
        table.start().await.accepted();
        table
    }
}

impl Table {
    /// The path of something of the game's.
    pub fn path(&self, part: &str) -> String {
        format!("/v1/games/{}/{part}", self.id)
    }

    /// Who sits in a seat; before the seats are settled, at a place.
    pub fn seat(&self, seat: usize) -> Seat<'_> {
        Seat { table: self, player: &self.players[seat] }
    }

    /// The game as somebody sees it who may not even sit there.
    pub fn seen_by<'a>(&'a self, player: &'a Player) -> Seat<'a> {
        Seat { table: self, player }
    }

    /// Has a request refused, and sees to it that nothing has changed, for anybody at the table.
    pub async fn refuses(&self, request: Request, status: u16, code: &str) -> Value {
        let before = self.tags().await;
        let problem = request.await.refused(status, code);
        assert_eq!(self.tags().await, before, "{code} changed something");
        problem
    }

    /// The entity tags of the game as everybody at the table sees it.
    async fn tags(&self) -> Vec<String> {
        let mut tags = Vec::new();
        for player in &self.players {
            tags.push(self.seen_by(player).view().await.etag());
        }
        tags
    }

    /// The host starts the game.
    pub async fn start(&self) -> Answer {
        self.players[0].client.post(&self.path("start")).await
    }

    /// The same table at another server.
    pub async fn at(&self, service: &Service) -> Table {
        let mut players = Vec::new();
        for player in &self.players {
            players.push(service.player(&player.name).await);
        }
        Table { id: self.id.clone(), players }
    }

    /// The game as the host sees it.
    pub async fn view(&self) -> Value {
        self.seat(0).view().await.accepted()
    }
}

impl Seat<'_> {
    pub fn view(&self) -> Request {
        self.player.client.get(&format!("/v1/games/{}", self.table.id))
    }

    pub fn events(&self, after: u64, limit: u64) -> Request {
        self.player.client.get(&format!("{}?after={after}&limit={limit}", self.table.path("events")))
    }

    pub fn scores(&self) -> Request {
        self.player.client.get(&self.table.path("scores"))
    }

    pub fn command(&self, command: &Value) -> Request {
        self.player.client.send(&self.table.path("commands"), command)
    }

    pub fn estimate(&self, tricks: u8) -> Request {
        self.command(&json!({"type": "estimate", "tricks": tricks}))
    }

    pub fn play(&self, card: &str) -> Request {
        self.command(&json!({"type": "play", "card": card}))
    }

    pub fn bid(&self, tricks: u8, trump: &str) -> Request {
        self.command(&json!({"type": "bid", "tricks": tricks, "trump": trump}))
    }

    pub fn sit_down(&self, wish: &Value) -> Request {
        self.player.client.send(&self.table.path("seats"), wish)
    }

    /// The whole log, as this player may see it.
    pub async fn log(&self) -> Vec<Value> {
        let mut log = Vec::new();
        loop {
            let page = self.events(log.len() as u64, 100).await.accepted();
            log.extend(page["items"].as_array().expect("events").iter().cloned());
            if page["next_cursor"].is_null() {
                return log;
            }
        }
    }
}

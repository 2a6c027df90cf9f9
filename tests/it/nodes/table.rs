//! A table and those who sit at it.

use estimation_test_support::Random;
use serde_json::{Map, Value, json};

use super::client::{Answer, Client, Player};

/// A table, and who sits there in order of places.
#[derive(Clone)]
pub struct Table {
    pub id: String,
    pub players: Vec<Player>,
}

impl Table {
    /// Opens a table and has everybody sit down; the game starts when `start` is called.
    pub async fn open(nobody: &Client, wish: &Value, players: usize) -> Table {
        let mut sitting = Vec::new();
        for name in ["noor", "omar", "lina", "ziad", "sami"].iter().take(players) {
            sitting.push(nobody.register(name).await);
        }
        Table::of(sitting, wish).await
    }

    /// Has these players open a table and sit down.
    pub async fn of(players: Vec<Player>, wish: &Value) -> Table {
        let game = players[0].client.post("/v1/games", wish).await.accepted();
        let id = game["id"].as_str().expect("an id").to_owned();
        let table = Table { id, players };
        for player in &table.players[1..] {
            let mut seat = Map::new();
            if game["join_code"].is_string() {
                seat.insert("join_code".to_owned(), game["join_code"].clone());
            }
            player.client.post(&table.path("seats"), &seat.into()).await.accepted();
        }
        table
    }

    /// A game of `nineteen` for two, started.
    pub async fn of_two(nobody: &Client) -> Table {
        let table = Table::open(nobody, &json!({"ruleset": "nineteen", "players": 2}), 2).await;
        table.start().await.accepted();
        table
    }

    pub async fn start(&self) -> Answer {
        self.players[0].client.post(&self.path("start"), &json!({})).await
    }

    /// The path of something of the game's.
    pub fn path(&self, part: &str) -> String {
        format!("/v1/games/{}/{part}", self.id)
    }

    pub fn game(&self) -> String {
        format!("/v1/games/{}", self.id)
    }

    pub fn stream(&self) -> String {
        self.path("stream")
    }

    /// The same table with everybody at another node.
    pub fn at(&self, url: &str) -> Table {
        Table { id: self.id.clone(), players: self.players.iter().map(|player| player.at(url)).collect() }
    }

    /// The game as somebody sees it.
    pub async fn view(&self, player: usize) -> Value {
        self.players[player].client.get(&self.game()).await.accepted()
    }

    /// Who must act, with their view; none when the game is over.
    pub async fn turn(&self) -> Option<(usize, Value)> {
        let mut view = self.view(0).await;
        let actor = self.actor(&view)?;
        if actor != 0 {
            view = self.view(actor).await;
        }
        Some((actor, view))
    }

    /// Who must act, as a view says it.
    pub fn actor(&self, view: &Value) -> Option<usize> {
        if view["status"] != "playing" {
            return None;
        }
        let to_act = &view["round"]["to_act"];
        if let Some(place) = to_act["place"].as_u64() {
            return Some(place as usize);
        }
        let account = &view["seats"][to_act["seat"].as_u64().expect("a seat") as usize]["player"]["id"];
        self.players.iter().position(|player| *account == *player.account)
    }

    pub async fn post(&self, player: usize, command: &Value) -> Answer {
        self.players[player].client.post(&self.path("commands"), command).await
    }

    /// Plays a number of commands, or until the game is over; gives the version reached.
    pub async fn play(&self, dice: &mut Random, commands: usize) -> u64 {
        let Some((mut actor, mut view)) = self.turn().await else { return self.version().await };
        for _ in 0..commands {
            let command = dice.command(view["legal"].as_array().expect("commands"));
            let done = self.post(actor, &command).await.accepted();
            view = done["game"].clone();
            match self.actor(&view) {
                None => break,
                Some(next) if next != actor => {
                    actor = next;
                    view = self.view(actor).await;
                }
                Some(_) => {}
            }
        }
        view["version"].as_u64().expect("a version")
    }

    pub async fn version(&self) -> u64 {
        self.view(0).await["version"].as_u64().expect("a version")
    }

    /// The whole log, as a player may see it.
    pub async fn log(&self, player: usize) -> Vec<Value> {
        let mut log: Vec<Value> = Vec::new();
        loop {
            let path = format!("{}?after={}&limit=100", self.path("events"), log.len());
            let page = self.players[player].client.get(&path).await.accepted();
            log.extend(page["items"].as_array().expect("events").iter().cloned());
            if page["next_cursor"].is_null() {
                return log;
            }
        }
    }
}

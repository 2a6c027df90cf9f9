use serde_json::Map;

use crate::prelude::*;

pub use crate::harness::table::{NAMES, Player, Table};

pub struct TableSetup<'a> {
    service: &'a Service,
    wish: Map<String, Value>,
    players: u8,
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

    pub fn with(mut self, field: &str, value: impl Into<Value>) -> TableSetup<'a> {
        self.wish.insert(field.to_owned(), value.into());
        self
    }

    pub async fn open(self) -> Table {
        let host = self.service.player(NAMES[0]).await;
        let game = host.client.send("/v1/games", &Value::Object(self.wish)).await.accepted();
        Table { id: game["id"].as_str().expect("an id").to_owned(), players: vec![host] }
    }

    pub async fn full(self) -> Table {
        let mut players = Vec::new();
        for name in &NAMES[..usize::from(self.players)] {
            players.push(self.service.player(name).await);
        }
        Table::of(players, &self.wish.into()).await
    }

    pub async fn started(self) -> Table {
        let table = self.full().await;
        table.start().await.accepted();
        table
    }
}

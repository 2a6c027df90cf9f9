//! Tables and their players, in the words of the game: `table.seat(2).play("10S")`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::time::Duration;
use uuid::Uuid;

use estimation_engine::player::AccountId;
use estimation_service::auth::caller::Caller;
use estimation_service::auth::restrictions::Restrictions;
use estimation_service::auth::tokens::Role;
use estimation_test_support::Random;
use serde_json::{Map, Value, json};

use super::client::{Answer, Client, Request};
use crate::nodes::frames::id_of;
use crate::patience::eventually;

/// The first players, in this order.
pub const NAMES: [&str; 5] = ["noor", "omar", "lina", "ziad", "sami"];

#[derive(Clone)]
pub struct Player {
    pub client: Client,
    pub name: String,
    pub account: String,
    pub access_token: String,
    pub refresh_token: String,
}

#[derive(Clone)]
pub struct Table {
    pub id: String,
    pub players: Vec<Player>,
}

pub struct Seat<'a> {
    pub table: &'a Table,
    pub player: &'a Player,
}

impl Player {
    /// The session of the access token.
    pub fn session(&self) -> Uuid {
        let claims = self.access_token.split('.').nth(1).expect("a token");
        let claims = URL_SAFE_NO_PAD.decode(claims).expect("base64url");
        let claims: Value = serde_json::from_slice(&claims).expect("claims");
        claims["sid"].as_str().and_then(|id| id.parse().ok()).expect("a session")
    }

    /// The player as a service of the server sees them after the authentication.
    pub fn caller(&self) -> Caller {
        Caller {
            account: AccountId::new(&*self.account),
            session: self.session(),
            role: Role::Player,
            signed_in_at: jiff::Timestamp::UNIX_EPOCH,
            restrictions: Restrictions::default(),
        }
    }

    pub fn new(nobody: &Client, name: &str, registered: &Value) -> Player {
        let mut player = Player {
            client: nobody.clone(),
            name: name.to_owned(),
            account: registered["account"]["id"].as_str().expect("a text").to_owned(),
            access_token: String::new(),
            refresh_token: String::new(),
        };
        player.use_session(&registered["session"]);
        player
    }

    pub fn use_session(&mut self, session: &Value) {
        self.access_token = session["access_token"].as_str().expect("a text").to_owned();
        self.refresh_token = session["refresh_token"].as_str().unwrap_or_default().to_owned();
        self.client = self.client.with_token(&self.access_token);
    }

    pub fn at(&self, base: &str) -> Player {
        Player { client: self.client.at(base), ..self.clone() }
    }
}

impl Table {
    /// Opens a table and seats the players. `start` starts the game.
    pub async fn open(nobody: &Client, wish: &Value, players: usize) -> Table {
        let mut sitting = Vec::new();
        for name in &NAMES[..players] {
            sitting.push(nobody.register(name).await);
        }
        Table::of(sitting, wish).await
    }

    pub async fn of(players: Vec<Player>, wish: &Value) -> Table {
        let game = players[0].client.send("/v1/games", wish).await.accepted();
        let id = game["id"].as_str().expect("an id").to_owned();
        let table = Table { id, players };
        for player in &table.players[1..] {
            let mut seat = Map::new();
            if game["join_code"].is_string() {
                seat.insert("join_code".to_owned(), game["join_code"].clone());
            }
            player.client.send(&table.path("seats"), &seat.into()).await.accepted();
        }
        table
    }

    pub async fn of_two(nobody: &Client) -> Table {
        let table = Table::open(nobody, &json!({"ruleset": "nineteen", "players": 2}), 2).await;
        table.start().await.accepted();
        table
    }

    pub fn path(&self, part: &str) -> String {
        format!("/v1/games/{}/{part}", self.id)
    }

    /// The player in a seat; before the seats are settled, at a place.
    pub fn seat(&self, seat: usize) -> Seat<'_> {
        Seat { table: self, player: &self.players[seat] }
    }

    /// The game through another player, who may not be seated.
    pub fn seen_by<'a>(&'a self, player: &'a Player) -> Seat<'a> {
        Seat { table: self, player }
    }

    /// Asserts that a request is refused and that nothing changed for any player at the table.
    pub async fn refuses(&self, request: Request, status: u16, code: &str) -> Value {
        let before = self.views().await;
        let problem = request.await.refused(status, code);
        assert_eq!(self.views().await, before, "{code} changed something");
        problem
    }

    /// What each player sees, without what differs from one moment to the next: who is online, and the time that is left.
    pub async fn views(&self) -> Vec<Value> {
        let mut views = Vec::new();
        for player in &self.players {
            let mut view = self.seen_by(player).view().await.accepted();
            view["remaining_ms"].take();
            for seat in view["seats"].as_array_mut().into_iter().flatten() {
                seat["connected"].take();
            }
            views.push(view);
        }
        views
    }

    pub async fn start(&self) -> Answer {
        self.players[0].client.post(&self.path("start")).await
    }

    pub fn at(&self, base: &str) -> Table {
        Table { id: self.id.clone(), players: self.players.iter().map(|player| player.at(base)).collect() }
    }

    pub async fn view(&self) -> Value {
        self.seat(0).view().await.accepted()
    }

    pub fn game(&self) -> String {
        format!("/v1/games/{}", self.id)
    }

    pub fn stream(&self) -> String {
        self.path("stream")
    }

    /// The player to move and their view; none after the end.
    pub async fn turn(&self) -> Option<(usize, Value)> {
        let mut view = self.view().await;
        let actor = self.actor(&view)?;
        if actor != 0 {
            view = self.seat(actor).view().await.accepted();
        }
        Some((actor, view))
    }

    /// The player to move, from a view.
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

    /// Plays a number of commands, or to the end. Returns the version reached.
    pub async fn play(&self, dice: &mut Random, commands: usize) -> u64 {
        let Some((mut actor, mut view)) = self.turn().await else { return self.version().await };
        for _ in 0..commands {
            let command = dice.command(view["legal"].as_array().expect("commands"));
            let done = self.seat(actor).command(&command).await.accepted();
            view = done["game"].clone();
            match self.actor(&view) {
                None => break,
                Some(next) if next != actor => {
                    actor = next;
                    view = self.seat(actor).view().await.accepted();
                }
                Some(_) => {}
            }
        }
        view["version"].as_u64().expect("a version")
    }

    /// Plays random legal commands to the end; bots play by themselves.
    pub async fn play_out(&self, dice: &mut Random) {
        let view = self.play_until(dice, |_| false).await;
        assert_eq!(view["status"], "finished");
    }

    /// Plays until the condition holds or the game is over. Returns the last view.
    pub async fn play_until(&self, dice: &mut Random, enough: impl Fn(&Value) -> bool) -> Value {
        let mut view = self.view().await;
        while view["status"] == "playing" && !enough(&view) {
            let to_act = &view["round"]["to_act"]["seat"];
            let stood_in =
                to_act.as_u64().is_some_and(|seat| view["seats"][seat as usize]["stand_in"] == true);
            let player = &self.players[self.actor(&view).unwrap_or(0)];
            let shown = self.seen_by(player).view().await.accepted();
            let legal = shown["legal"].as_array().expect("commands");
            if shown["version"] != view["version"] || stood_in || legal.is_empty() {
                tokio::time::sleep(Duration::from_millis(2)).await;
                view = shown;
                continue;
            }
            view = self.seen_by(player).command(&dice.command(legal)).await.accepted()["game"].clone();
        }
        view
    }

    pub async fn any_move(&self) -> Answer {
        let (actor, view) = self.turn().await.expect("a game under way");
        self.seat(actor).command(&view["legal"][0]).await
    }

    /// Retries moves until one is accepted; only retryable problems may occur before.
    pub async fn moves_again(&self) {
        eventually("a move", async || {
            let answer = self.any_move().await;
            answer.is_success() || answer.unavailable().is_null()
        })
        .await;
    }

    pub async fn version(&self) -> u64 {
        self.view().await["version"].as_u64().expect("a version")
    }

    /// The id of the last event's frame.
    pub async fn head(&self) -> String {
        let head = &self.view().await["head"];
        id_of(head["seq"].as_u64().expect("a number"), head["hash"].as_str().expect("a hash"))
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

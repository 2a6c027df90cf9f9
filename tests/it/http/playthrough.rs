//! Plays a game to its end with random legal moves, while all players read views, try illegal requests, and
//! remember every answer.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::harness::client::STALE;
use crate::prelude::*;

pub struct Heard {
    pub listener: usize,
    pub version: u64,
    pub answer: Answer,
}

pub struct Playthrough<'a> {
    table: &'a Table,
    onlooker: &'a Player,
    dice: Random,
    view: Value,
    pub heard: Vec<Heard>,
    pub commands: usize,
    pub refusals: usize,
    pub known: Arc<AtomicU64>,
}

impl<'a> Playthrough<'a> {
    pub async fn begin(table: &'a Table, onlooker: &'a Player, seed: u64) -> Playthrough<'a> {
        let view = table.view().await;
        Playthrough {
            table,
            onlooker,
            dice: Random(seed),
            view,
            heard: Vec::new(),
            commands: 0,
            refusals: 0,
            known: Arc::default(),
        }
    }

    pub async fn play_out(&mut self) {
        self.until(|view| view["status"] != "playing").await;
        assert_eq!(self.view["status"], "finished");
    }

    pub async fn until(&mut self, enough: impl Fn(&Value) -> bool) {
        while !enough(&self.view) {
            self.step().await;
            assert!(self.commands < 5_000, "the game does not end");
        }
    }

    async fn step(&mut self) {
        let actor = self.actor();
        let shown = self.look(actor).await;
        let legal = shown["legal"].as_array().expect("a list").clone();
        assert!(!legal.is_empty(), "whose turn it is has something to do");
        if self.dice.once_in(9) {
            self.look_around().await;
        }
        if self.dice.once_in(4) {
            self.try_something(actor, &legal).await;
        }
        let command = match self.revoke(&shown, &legal) {
            Some(command) => command,
            None => self.dice.command(&legal),
        };
        let answer = self.table.seen_by(self.player(actor)).command(&command).await;
        let played = answer.accepted();
        self.view = played["game"].clone();
        assert_eq!(played["version"], self.view["version"]);
        let events = played["events"].as_array().expect("events");
        let first = shown["version"].as_u64().expect("a version") + 1;
        assert_eq!(events[0]["seq"], first, "nothing of the command's may be left out");
        self.commands += 1;
        self.remember(actor, answer);
    }

    /// Where tables penalise revokes, a player sometimes revokes: any held card is accepted.
    fn revoke(&mut self, shown: &Value, legal: &[Value]) -> Option<Value> {
        let penalised = shown["ruleset"]["options"]["revokes"] == "penalise";
        if !penalised || shown["round"]["phase"] != "play" || !self.dice.once_in(20) {
            return None;
        }
        let seat = shown["you"]["seat"].as_u64().expect("a seat") as usize;
        let hand = shown["round"]["hands"][seat]["cards"].as_array().expect("a hand");
        let plays: Vec<Value> = hand.iter().map(|card| json!({"type": "play", "card": card})).collect();
        plays.into_iter().find(|play| !legal.contains(play))
    }

    async fn look_around(&mut self) {
        for listener in 0..=self.table.players.len() {
            self.look(listener).await;
        }
        let listener = self.dice.below(self.table.players.len() + 1);
        let version = self.view["version"].as_u64().expect("a version");
        let after = self.dice.below(version as usize) as u64;
        let log = self.table.seen_by(self.player(listener)).events(after, 100).await;
        log.accepted();
        self.remember(listener, log);
        let sheet = self.table.seen_by(self.player(listener)).scores().await;
        sheet.accepted();
        self.remember(listener, sheet);
    }

    /// The service refuses a command that is not listed, and a command for another version. Nothing changes.
    async fn try_something(&mut self, actor: usize, legal: &[Value]) {
        let command = self.anything();
        let listener = self.dice.below(self.table.players.len() + 1);
        let at = self.table.seen_by(self.player(listener));
        let answer = match () {
            () if listener == self.table.players.len() => {
                let answer = at.command(&command).await;
                answer.refused(403, "not-seated");
                answer
            }
            () if listener != actor => {
                let answer = at.command(&command).await;
                answer.refused(409, "not-your-turn");
                answer
            }
            () if self.dice.once_in(2) => {
                let answer = at.command(&legal[0]).header("if-match", STALE).await;
                answer.refused(412, "stale-version");
                answer
            }
            () if legal.contains(&command) || self.view["ruleset"]["options"]["revokes"] == "penalise" => {
                return;
            }
            () => {
                let answer = at.command(&command).await;
                assert_eq!(answer.status, 409, "{answer}\nis not among {legal:?}");
                answer
            }
        };
        self.refusals += 1;
        self.remember(listener, answer);
        let version = self.view["version"].clone();
        self.look(actor).await;
        assert_eq!(self.view["version"], version, "a refusal changed the game");
    }

    fn anything(&mut self) -> Value {
        let trump = *self.dice.pick(&["clubs", "diamonds", "hearts", "spades", "no_trump"]);
        let rank = *self.dice.pick(&["2", "5", "7", "9", "10", "J", "Q", "K", "A"]);
        let card = format!("{rank}{}", self.dice.pick(&["C", "D", "H", "S"]));
        let tricks = self.dice.below(14);
        match self.dice.below(9) {
            0 => json!({"type": "redeal"}),
            1 => json!({"type": "blind_dash"}),
            2 => json!({"type": "bid", "tricks": tricks.max(1), "trump": trump}),
            3 => json!({"type": "pass"}),
            4 => json!({"type": "dash_call"}),
            5 => json!({"type": "estimate", "tricks": tricks}),
            6 => json!({"type": "estimate", "tricks": tricks, "trump": trump}),
            _ => json!({"type": "play", "card": card}),
        }
    }

    async fn look(&mut self, listener: usize) -> Value {
        let answer = self.table.seen_by(self.player(listener)).view().await;
        let view = answer.accepted();
        assert_eq!(view["version"], view["head"]["seq"]);
        self.view = view.clone();
        self.remember(listener, answer);
        view
    }

    fn actor(&self) -> usize {
        let to_act = &self.view["round"]["to_act"];
        if let Some(place) = to_act["place"].as_u64() {
            return place as usize;
        }
        let seat = to_act["seat"].as_u64().expect("somebody must act") as usize;
        let account = &self.view["seats"][seat]["player"]["id"];
        let sits = |player: &Player| *account == player.account;
        self.table.players.iter().position(sits).expect("somebody sits there")
    }

    fn player(&self, listener: usize) -> &'a Player {
        self.table.players.get(listener).unwrap_or(self.onlooker)
    }

    fn remember(&mut self, listener: usize, answer: Answer) {
        let version = self.view["version"].as_u64().expect("a version");
        self.known.fetch_max(version, Ordering::Relaxed);
        self.heard.push(Heard { listener, version, answer });
    }
}

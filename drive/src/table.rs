//! A table: one game from opening to end, played by clients with their own views.

use std::sync::Arc;
use std::time::Instant;

use hyper::Method;
use rand::RngExt;
use rand::rngs::StdRng;

use crate::error::DriveError;
use crate::foresight::Foresight;
use crate::http::{Answer, Call};
use crate::ledger::Record;
use crate::plan::TablePlan;
use crate::player::{Player, RetryBudget};
use crate::run::Run;
use crate::stream::{Followers, Listener};
use crate::view::{Event, Scene, Status, Tag};

/// The request that seats a bot.
const BOT: &str = "{\"level\":\"steady\"}";

/// A game that is being played.
pub struct Table<'a> {
    pub run: &'a Arc<Run>,
    pub players: &'a mut [Player],
    pub plan: &'a TablePlan,
    pub dice: StdRng,
    pub record: Record,
    /// The retry budget for commands with unknown outcomes.
    pub budget: RetryBudget,
    /// The path of the game's view.
    path: String,
    /// The path of its commands.
    pub commands: Arc<str>,
    /// The round of the last revoke, and the number of revokes in it.
    pub fouls: (u8, u8),
    head: (u64, Tag),
    foresight: Foresight,
    /// Reads still to send, in hundredths.
    owed: u32,
    listeners: Vec<Listener>,
    /// The players' streams, if they follow.
    pub followers: Option<Followers>,
}

/// Opens a table. The first player becomes the host. Returns the game's id and the first view.
pub async fn open(plan: &TablePlan, host: &mut Player) -> Result<(String, Scene), DriveError> {
    let answer = host.ask(&Call::post("/v1/games", Some(plan.body.clone().into()))).await?;
    if answer.status == 201 { Scene::of_view(0, &answer) } else { Err(DriveError::unexpected(&answer)) }
}

impl<'a> Table<'a> {
    /// A new table.
    pub fn of(
        run: &'a Arc<Run>,
        players: &'a mut [Player],
        plan: &'a TablePlan,
        dice: StdRng,
        game: &str,
    ) -> Table<'a> {
        let path = format!("/v1/games/{game}");
        Table {
            run,
            players,
            plan,
            dice,
            record: Record::of(game),
            budget: RetryBudget::of(run.flags.patience),
            commands: format!("{path}/commands").into(),
            path,
            fouls: (0, 0),
            head: (0, Tag::new()),
            foresight: Foresight::default(),
            owed: 0,
            listeners: Vec::new(),
            followers: None,
        }
    }

    /// Seats all players, starts the game and opens the streams. Returns the host's scene, or that of the player to act
    /// if the players follow.
    pub async fn set_up(&mut self, opened: &Scene, seats: usize) -> Result<Scene, DriveError> {
        self.acknowledge(opened.version, &opened.tag, Vec::new())?;
        self.sit_down(seats).await?;
        let scene = self.start().await?;
        let game = &self.record.game;
        for number in 0..usize::from(self.run.flags.streams) {
            let player = &mut self.players[number % self.players.len()];
            self.listeners.push(Listener::open(self.run, player, game).await?);
        }
        if !self.run.flags.follow {
            return Ok(scene);
        }
        self.followers = Some(Followers::open(self.run, self.players, game, &self.head).await?);
        Ok(self.follow(&scene).await?.0)
    }

    /// Waits for a turn in the stream of a player who may act, or the end of the game. Returns the scene, and when the
    /// turn came.
    pub async fn follow(&mut self, before: &Scene) -> Result<(Scene, Instant), DriveError> {
        loop {
            let Some(followers) = &mut self.followers else {
                return Err(self.contradiction("its players do not follow it"));
            };
            let heard = followers.turn(&self.record.game, &mut self.record.seen).await?;
            let at = heard.at;
            let scene = Scene::of_turn(before, heard);
            let scene = scene.map_err(|cause| self.contradiction(cause))?;
            self.follows(scene.version, &scene.tag)?;
            if !scene.legal.is_empty() || scene.status != Status::Playing {
                return Ok((scene, at));
            }
        }
    }

    /// Plays the first rounds of the game, this share of all.
    pub async fn play_ahead(&mut self, mut scene: Scene, share: f64) -> Result<Scene, DriveError> {
        let rounds = (f64::from(scene.rounds().1) * share) as u8;
        while scene.status == Status::Playing && scene.rounds().0 <= rounds {
            scene = self.step(scene).await?;
        }
        Ok(scene)
    }

    /// Waits until all tables are ready, and plays the game to its end.
    pub async fn play(&mut self, mut scene: Scene) -> Result<(), DriveError> {
        self.run.pace.started().await;
        while scene.status == Status::Playing {
            if self.run.pace.is_over() {
                return Ok(());
            }
            scene = self.step(scene).await?;
        }
        for listener in self.listeners.drain(..) {
            listener.finish().await;
        }
        if let Some(followers) = self.followers.take() {
            followers.finish().await?;
        }
        match scene.status {
            Status::Finished => Ok(()),
            status => Err(self.contradiction(format!("it ended {status:?}"))),
        }
    }

    /// Sends the next command, or gets the view of the player to act.
    async fn step(&mut self, scene: Scene) -> Result<Scene, DriveError> {
        let actor = self.actor(&scene)?;
        if self.run.flags.foresee {
            let account = Some(&*self.players[scene.viewer].account);
            self.foresight.learn(&scene, scene.accounts().iter().position(|other| *other == account));
        }
        if scene.viewer != actor {
            if self.followers.is_some() {
                return Err(self.contradiction("a player has legal commands and is not awaited"));
            }
            if let Some(foreseen) = self.foresight.scene(&scene, actor) {
                return Ok(foreseen);
            }
            self.run.statistics.count(|counts| counts.looks += 1);
            return self.look(actor).await;
        }
        let scene = self.turn(scene).await?;
        self.send_extra_reads().await?;
        Ok(scene)
    }

    /// Sends extra reads at the configured rate.
    async fn send_extra_reads(&mut self) -> Result<(), DriveError> {
        self.owed += self.run.flags.reads;
        while self.owed >= 100 {
            self.owed -= 100;
            let path = match self.dice.random_range(0..3) {
                0 => self.path.clone(),
                1 => format!("{}/events?after={}", self.path, self.head.0.saturating_sub(8)),
                _ => format!("{}/scores", self.path),
            };
            let reader = self.dice.random_range(0..self.players.len());
            self.players[reader].get(path).await?;
            self.run.statistics.count(|counts| counts.reads += 1);
        }
        Ok(())
    }

    async fn sit_down(&mut self, seats: usize) -> Result<(), DriveError> {
        for player in 1..self.players.len() {
            let call = Call::post(format!("{}/seats", self.path), Some("{}".into()));
            let answer = self.players[player].ask(&call).await?;
            if answer.status != 409 {
                self.seen(player, &answer)?;
            } else if answer.code() != "already-seated" {
                return Err(DriveError::unexpected(&answer));
            }
        }
        for place in self.players.len()..seats {
            let path = format!("{}/seats/{place}/bot", self.path);
            let call = Call { method: Method::PUT, ..Call::post(path, Some(BOT.into())) };
            let answer = self.players[0].ask(&call).await?;
            self.seen(0, &answer)?;
        }
        Ok(())
    }

    async fn start(&mut self) -> Result<Scene, DriveError> {
        let answer = self.players[0].ask(&Call::post(format!("{}/start", self.path), None)).await?;
        // A retry after a lost response finds the game already started.
        if answer.status == 409 && answer.code() == "game-not-in-lobby" {
            return self.look(0).await;
        }
        self.seen(0, &answer)
    }

    /// The acknowledged scene of a response that is a view.
    fn seen(&mut self, viewer: usize, answer: &Answer) -> Result<Scene, DriveError> {
        if answer.status != 200 {
            return Err(DriveError::unexpected(answer));
        }
        let (_, scene) = Scene::of_view(viewer, answer)?;
        self.acknowledge(scene.version, &scene.tag, Vec::new())?;
        Ok(scene)
    }

    /// Requests a player's current view.
    pub async fn look(&mut self, viewer: usize) -> Result<Scene, DriveError> {
        let answer = self.players[viewer].get(&*self.path).await?;
        let (_, scene) = Scene::of_view(viewer, &answer)?;
        self.follows(scene.version, &scene.tag)?;
        Ok(scene)
    }

    /// Records an acknowledged command: the version after it, the tag of its last event, and its events.
    pub fn acknowledge(&mut self, version: u64, tag: &Tag, events: Vec<Event>) -> Result<(), DriveError> {
        self.follows(version, tag)?;
        let acknowledged = self.run.ledger.acknowledge(&mut self.record, version, tag, events);
        acknowledged.map_err(|error| {
            self.contradiction(format!("its acknowledged commands cannot be written: {error}"))
        })
    }

    /// Checks a version against earlier ones: they never decrease.
    fn follows(&mut self, version: u64, tag: &Tag) -> Result<(), DriveError> {
        let (last, last_tag) = &self.head;
        if version < *last {
            let what = format!("version {version} after version {last}: something was lost");
            return Err(self.contradiction(what));
        }
        if version == *last && tag != last_tag {
            return Err(self.contradiction(format!("version {version} has another hash than before")));
        }
        self.head = (version, tag.clone());
        Ok(())
    }

    /// The player whose turn it is.
    fn actor(&self, scene: &Scene) -> Result<usize, DriveError> {
        let Some(position) = scene.to_act else {
            return Err(self.contradiction("it is being played, and no player must act"));
        };
        let accounts = scene.accounts();
        let account = accounts.get(position.number()).copied().flatten();
        let actor = self.players.iter().position(|player| Some(&*player.account) == account);
        actor.ok_or_else(|| self.contradiction(format!("no player is at {position:?}")))
    }

    pub fn contradiction(&self, what: impl ToString) -> DriveError {
        DriveError::contradiction(&self.record.game, what)
    }
}

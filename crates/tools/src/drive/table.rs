//! A table: one game from opening to end, played by clients with their own views.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::Method;

use super::followers::Followers;
use super::foresight::Foresight;
use super::ledger::Record;
use super::listener::{GameStream, Listener};
use super::patience::RetryBudget;
use super::plan::TablePlan;
use super::player::Player;
use super::run::Run;
use super::scene::{Scene, Tag};
use super::trouble::DriveError;
use super::wire::{Position, Status, code};
use crate::dice::Dice;
use crate::http::{Answer, Call};

/// The request that seats a bot.
const BOT: &str = "{\"level\":\"steady\"}";

/// A game that is being played.
pub(super) struct Table<'a> {
    pub(super) run: &'a Arc<Run>,
    pub(super) players: &'a mut [Player],
    pub(super) plan: TablePlan,
    pub(super) dice: Dice,
    pub(super) record: Record,
    /// The retry budget for commands with unknown outcomes.
    pub(super) patience: RetryBudget,
    /// The path of the game's view.
    pub(super) path: String,
    /// The path of its commands.
    pub(super) commands: Bytes,
    /// The revokes of the current round.
    pub(super) fouls: (u8, u8),
    head: (u64, Tag),
    positions: Option<Positions>,
    foresight: Foresight,
    /// Reads still to send, in hundredths.
    owed: u32,
    listeners: Vec<Listener>,
    /// The players' streams, if they follow.
    pub(super) followers: Option<Followers>,
}

/// The player at each seat or place; none for a bot.
struct Positions {
    settled: bool,
    players: Vec<Option<usize>>,
}

/// An open table, from its first view.
pub(super) struct Opened {
    pub(super) scene: Scene,
    pub(super) seats: usize,
}

/// Opens a table. The first player becomes the host.
pub(super) async fn open(plan: &TablePlan, host: &mut Player) -> Result<Opened, DriveError> {
    let body = plan.body().to_string();
    let answer = host.ask(&Call::post("/v1/games", Some(body.into()))).await?;
    if answer.status != 201 {
        return Err(DriveError::unexpected(&answer));
    }
    let scene = Scene::of_view(0, &answer)?;
    let seats = scene.accounts().len();
    Ok(Opened { scene, seats })
}

impl<'a> Table<'a> {
    /// A new table with a player for each seat.
    pub(super) fn of(
        run: &'a Arc<Run>,
        players: &'a mut [Player],
        plan: TablePlan,
        dice: Dice,
        opened: &Scene,
    ) -> Result<Table<'a>, DriveError> {
        let game = String::from_utf8_lossy(&opened.game).into_owned();
        let path = format!("/v1/games/{game}");
        let mut table = Table {
            run,
            players,
            plan,
            dice,
            record: Record::of(&game),
            patience: RetryBudget::of(run.flags.patience()),
            commands: format!("{path}/commands").into(),
            path,
            fouls: (0, 0),
            head: (0, [0; 8]),
            positions: None,
            foresight: Foresight::default(),
            owed: 0,
            listeners: Vec::new(),
            followers: None,
        };
        table.acknowledge(opened.version, opened.tag, &[])?;
        Ok(table)
    }

    /// Seats all players, starts the game and opens the streams. Returns the host's scene, or that of the player to act
    /// if the players follow.
    pub(super) async fn set_up(&mut self, seats: usize) -> Result<Scene, DriveError> {
        self.sit_down(seats).await?;
        let scene = self.start().await?;
        let game = &self.record.game;
        for number in 0..usize::from(self.run.flags.streams) {
            let body = self.players[number % self.players.len()].stream(game, None).await?;
            let stream = GameStream { game: game.clone(), body, after: 0, follower: None };
            self.listeners.push(Listener::to(self.run, stream));
        }
        if !self.run.flags.follow {
            return Ok(scene);
        }
        self.followers = Some(Followers::open(self.run, self.players, game, self.head).await?);
        Ok(self.follow(&scene).await?.0)
    }

    /// Waits for a turn in the stream of a player who may act, or the end of the game. Returns the scene, and when the
    /// turn came.
    pub(super) async fn follow(&mut self, before: &Scene) -> Result<(Scene, Instant), DriveError> {
        loop {
            let Some(followers) = &mut self.followers else {
                return Err(self.contradiction("its players do not follow it"));
            };
            let heard = followers.turn(&self.record.game, &mut self.record.seen).await?;
            let scene = Scene::of_turn(before, &heard).map_err(|cause| self.contradiction(cause))?;
            self.follows(scene.version, scene.tag)?;
            if !scene.legal.is_empty() || scene.status != Status::Playing {
                return Ok((scene, heard.at));
            }
        }
    }

    /// Plays the first rounds of the game, this share of all.
    pub(super) async fn play_ahead(&mut self, mut scene: Scene, share: f64) -> Result<Scene, DriveError> {
        let rounds = (f64::from(scene.rounds) * share) as u8;
        while scene.status == Status::Playing && scene.round <= rounds {
            scene = self.step(scene).await?;
        }
        Ok(scene)
    }

    /// Waits until all tables are ready, and plays the game to its end.
    pub(super) async fn play(&mut self, mut scene: Scene) -> Result<(), DriveError> {
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
            self.foresight.learn(&scene, self.seat_of(scene.viewer));
        }
        if scene.viewer != actor {
            if self.followers.is_some() {
                return Err(self.contradiction("a player has legal commands and is not awaited"));
            }
            return match self.foresight.scene(&scene, actor) {
                Some(foreseen) => Ok(foreseen),
                None => {
                    self.run.statistics.count(|counts| counts.looks += 1);
                    self.look(actor).await
                }
            };
        }
        if scene.legal.is_empty() {
            return Err(self.contradiction("the player to act has no legal command"));
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
            let kind = self.dice.below(3);
            let path = match kind {
                0 => self.path.clone(),
                1 => format!("{}/events?after={}", self.path, self.head.0.saturating_sub(8)),
                _ => format!("{}/scores", self.path),
            };
            let reader = self.dice.below(self.players.len());
            let answer = self.players[reader].get(path).await?;
            self.run.statistics.read(answer.latency);
        }
        Ok(())
    }

    /// A player's seat, once the seats are settled.
    fn seat_of(&self, player: usize) -> Option<usize> {
        let positions = self.positions.as_ref().filter(|positions| positions.settled)?;
        positions.players.iter().position(|&other| other == Some(player))
    }

    async fn sit_down(&mut self, seats: usize) -> Result<(), DriveError> {
        for player in 1..self.players.len() {
            let call = Call::post(format!("{}/seats", self.path), Some("{}".into()));
            let answer = self.players[player].ask(&call).await?;
            if answer.status != 409 {
                self.seen(player, &answer)?;
            } else if code(&answer) != "already-seated" {
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
        if answer.status == 409 && code(&answer) == "game-not-in-lobby" {
            return self.look(0).await;
        }
        self.seen(0, &answer)
    }

    /// The acknowledged scene of a response that is a view.
    fn seen(&mut self, viewer: usize, answer: &Answer) -> Result<Scene, DriveError> {
        if answer.status != 200 {
            return Err(DriveError::unexpected(answer));
        }
        let scene = Scene::of_view(viewer, answer)?;
        self.acknowledge(scene.version, scene.tag, &[])?;
        Ok(scene)
    }

    /// Requests a player's current view.
    pub(super) async fn look(&mut self, viewer: usize) -> Result<Scene, DriveError> {
        let answer = self.players[viewer].get(self.path.clone()).await?;
        let scene = Scene::of_view(viewer, &answer)?;
        self.follows(scene.version, scene.tag)?;
        Ok(scene)
    }

    /// Records an acknowledged command.
    pub(super) fn acknowledge(&mut self, version: u64, tag: Tag, events: &[Bytes]) -> Result<(), DriveError> {
        self.follows(version, tag)?;
        Ok(self.run.ledger.acknowledge(&mut self.record, version, tag, events)?)
    }

    /// Checks a version against earlier ones: they never decrease.
    fn follows(&mut self, version: u64, tag: Tag) -> Result<(), DriveError> {
        let (last, last_tag) = self.head;
        if version < last {
            return Err(
                self.contradiction(format!("version {version} after version {last}: something was lost"))
            );
        }
        if version == last && tag != last_tag {
            return Err(self.contradiction(format!("version {version} has another hash than before")));
        }
        self.head = (version, tag);
        Ok(())
    }

    /// The player whose turn it is.
    fn actor(&mut self, scene: &Scene) -> Result<usize, DriveError> {
        let Some(position) = scene.to_act else {
            return Err(self.contradiction("it is being played, and no player must act"));
        };
        let settled = matches!(position, Position::Seat(_));
        if self.positions.as_ref().is_none_or(|positions| positions.settled != settled) {
            let accounts = scene.accounts();
            let player = |account: &Option<&str>| {
                self.players.iter().position(|player| Some(player.account.as_str()) == *account)
            };
            let players = accounts.iter().map(player).collect();
            self.positions = Some(Positions { settled, players });
        }
        let actor = self.positions.as_ref().and_then(|positions| positions.players.get(position.number()));
        actor.copied().flatten().ok_or_else(|| self.contradiction(format!("no player is at {position:?}")))
    }

    pub(super) fn contradiction(&self, what: impl Into<String>) -> DriveError {
        DriveError::contradiction(&self.record.game, what)
    }
}

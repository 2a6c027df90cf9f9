//! A crew: the players of one table, who play one game after another.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Semaphore;

use super::ledger::Record;
use super::player::Player;
use super::run::Run;
use super::table::{Table, open};
use super::trouble::DriveError;
use super::verify::verify;
use super::wire;
use crate::dice::Dice;

/// The default number of players at a table.
const USUAL: usize = 4;

/// The players of one table.
pub(super) struct Crew {
    run: Arc<Run>,
    names: Names,
    registrations: Arc<Semaphore>,
    players: Vec<Player>,
    records: Vec<Record>,
    /// Whether the crew has reported that it is ready to play.
    arrived: bool,
}

/// The account names of a crew.
pub(super) struct Names {
    /// A tag that is unique for each run.
    pub(super) tag: String,
    /// The password of all its accounts.
    pub(super) password: String,
    /// The crew's number in the run.
    pub(super) crew: usize,
}

impl Crew {
    /// Registers the players, each with a new account. Hashing passwords is slow, so a semaphore limits
    /// concurrent registrations.
    pub(super) async fn gather(
        run: Arc<Run>,
        names: Names,
        registrations: Arc<Semaphore>,
    ) -> Result<Crew, DriveError> {
        let seats = run.plan.most_players().map_or(USUAL, usize::from);
        let players = seats.saturating_sub(run.flags.bots.into()).max(1);
        let mut crew =
            Crew { run, names, registrations, players: Vec::new(), records: Vec::new(), arrived: false };
        crew.fill(players).await?;
        Ok(crew)
    }

    async fn fill(&mut self, players: usize) -> Result<(), DriveError> {
        while self.players.len() < players {
            let _turn = self.registrations.acquire().await;
            let Names { tag, password, crew } = &self.names;
            let name = format!("drive-{tag}-{crew}-{}", self.players.len());
            self.players.push(Player::register(&self.run, name, password.clone()).await?);
        }
        Ok(())
    }

    /// Plays until no games are left.
    pub(super) async fn play(mut self) -> Crew {
        while let Some(game) = self.run.next_game() {
            let run = Arc::clone(&self.run);
            match self.game(game).await {
                Ok(()) if run.pace.is_over() => {}
                Ok(()) => run.statistics.count(|counts| counts.finished += 1),
                Err(trouble) => {
                    run.failed(&format!("game {game}, {}", run.plan.table(game).described()), &trouble)
                }
            }
            run.progress.inc(1);
        }
        // The other tables wait for this one, even if none of its games could be started.
        arrive(&self.run, &mut self.arrived);
        self
    }

    async fn game(&mut self, number: usize) -> Result<(), DriveError> {
        let plan = self.run.plan.table(number);
        let dice = Dice::of([self.run.flags.seed, number as u64, 0, 0]);
        let opened = open(&plan, &mut self.players[0]).await?;
        let players = opened.seats.saturating_sub(self.run.flags.bots.into()).max(1);
        self.fill(players).await?;
        let players = &mut self.players[..players];
        let mut table = Table::of(&self.run, players, plan, dice, &opened.scene)?;
        let mut ready = table.set_up(opened.seats).await;
        if let (Ok(scene), false) = (&ready, self.arrived) {
            let share = self.run.pace.share_ahead(self.names.crew);
            ready = table.play_ahead(scene.clone(), share).await;
        }
        if ready.is_ok() {
            arrive(&self.run, &mut self.arrived);
        }
        let played = match ready {
            Ok(scene) => table.play(scene).await,
            Err(trouble) => Err(trouble),
        };
        self.records.push(table.record);
        played
    }

    /// Compares the logs of all games with what the crew saw of them.
    pub(super) async fn verify(mut self) -> Crew {
        for record in &self.records {
            match verify(&mut self.players[0], record).await {
                Ok(events) => self.run.statistics.count(|counts| counts.verified_events += events),
                Err(trouble) => self.run.failed("verification", &trouble),
            }
        }
        self
    }

    /// The score sheet of the crew's last game.
    pub(super) async fn sheet(&mut self) -> Result<Option<Value>, DriveError> {
        let Some(record) = self.records.last() else { return Ok(None) };
        let answer = self.players[0].get(format!("/v1/games/{}/scores", record.game)).await?;
        wire::read(&answer).map(Some)
    }
}

/// Reports once that a crew is ready to play, or never will be.
fn arrive(run: &Run, arrived: &mut bool) {
    if !std::mem::replace(arrived, true) && run.pace.arrive() {
        run.target.traffic.reset();
    }
}

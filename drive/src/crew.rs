//! A crew: the players of one table, who play one game after another.

use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::error::DriveError;
use crate::ledger::Record;
use crate::player::Player;
use crate::run::Run;
use crate::table::{Table, open};
use crate::verify::verify;

/// The players of one table.
pub struct Crew {
    run: Arc<Run>,
    /// Its number in the run.
    number: usize,
    players: Vec<Player>,
    records: Vec<Record>,
    /// Whether the crew has reported that it is ready to play.
    has_arrived: bool,
}

impl Crew {
    /// Registers the players, each with a new account. Hashing passwords is slow, so a semaphore limits
    /// concurrent registrations.
    pub async fn gather(run: Arc<Run>, number: usize) -> Result<Crew, DriveError> {
        let seats = run.flags.tables.iter().map(|table| table.players).max().unwrap_or(0);
        let mut crew = Crew { run, number, players: Vec::new(), records: Vec::new(), has_arrived: false };
        crew.fill(seats).await?;
        Ok(crew)
    }

    /// Registers players for a table with this many seats. Returns their number, which is less by that of the bots.
    async fn fill(&mut self, seats: usize) -> Result<usize, DriveError> {
        let players = seats.saturating_sub(self.run.flags.bots.into()).max(1);
        while self.players.len() < players {
            let _turn = self.run.registrations.acquire().await;
            let name = format!("{}-{}-{}", self.run.tag, self.number, self.players.len());
            self.players.push(Player::register(&self.run, &name).await?);
        }
        Ok(players)
    }

    /// Plays until no games are left.
    pub async fn play(mut self) -> Crew {
        while let Some(game) = self.run.next_game() {
            let run = Arc::clone(&self.run);
            match self.game(game).await {
                Ok(()) if run.pace.is_over() => {}
                Ok(()) => run.statistics.count(|counts| counts.finished += 1),
                Err(error) => run.failed(&format!("game {game}, {}", run.plan(game).body), &error),
            }
        }
        // The other tables wait for this one, even if none of its games could be started.
        arrive(&self.run, &mut self.has_arrived);
        self
    }

    async fn game(&mut self, number: usize) -> Result<(), DriveError> {
        let run = Arc::clone(&self.run);
        let plan = run.plan(number);
        let dice = StdRng::seed_from_u64(run.flags.seed.wrapping_add((number as u64) << 32));
        let (game, opened) = open(plan, &mut self.players[0]).await?;
        let seats = opened.accounts().len();
        let players = self.fill(seats).await?;
        let mut table = Table::of(&run, &mut self.players[..players], plan, dice, &game);
        let played = async {
            let mut scene = table.set_up(&opened, seats).await?;
            if !self.has_arrived {
                scene = table.play_ahead(scene, run.pace.share_ahead(self.number)).await?;
            }
            arrive(&run, &mut self.has_arrived);
            table.play(scene).await
        };
        let played = played.await;
        self.records.push(table.record);
        played
    }

    /// Compares the logs of all games with what the crew saw of them.
    pub async fn verify(mut self) -> Crew {
        for record in &self.records {
            match verify(&mut self.players[0], record).await {
                Ok(events) => self.run.statistics.count(|counts| counts.verified_events += events),
                Err(error) => self.run.failed("verification", &error),
            }
        }
        self
    }
}

/// Reports once that a crew is ready to play, or never will be.
fn arrive(run: &Run, has_arrived: &mut bool) {
    if !std::mem::replace(has_arrived, true) && run.pace.arrive() {
        run.target.traffic.reset();
    }
}

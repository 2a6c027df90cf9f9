//! What a bot does at a position, and the clock there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::spawn_blocking;

use super::{Games, LoadedGame};
use crate::base::failure::Failure;
use estimation_bots::{self as bots, Budget, Dice};
use estimation_engine::command::{By, Command, Position};
use estimation_engine::player::{BotLevel, Player};
use estimation_engine::view::{View, view};

/// The level of a stand-in: a bot that plays for an absent person.
const STAND_IN: BotLevel = BotLevel::Steady;

/// The time limit of a bot's search.
const THINKING_TIME: Duration = Duration::from_millis(250);

impl Games {
    /// The command of a bot or a stand-in, or of an expired turn, based on the position's own view.
    pub(crate) async fn choice(
        &self,
        loaded: &LoadedGame,
        by: By,
        position: Position,
    ) -> Result<Command, Failure> {
        let mut seen: View = view(&loaded.game, Some(position));
        // Only the player may take their seat back.
        seen.legal.retain(|command| *command != Command::Resume {});
        let sitter = loaded.game.table.place_of(position).and_then(|place| loaded.game.table.at(place));
        let level = match sitter.map(|sitter| &sitter.player) {
            Some(Player::Bot { level }) => *level,
            _ => STAND_IN,
        };
        let mut seed = [0; 32];
        self.entropy.fill(&mut seed);
        let metrics = Arc::clone(&self.metrics);
        // The wait for a thread counts too.
        let began = Instant::now();
        // Off the event loop: a searching bot uses all its time.
        let thinking = spawn_blocking(move || match by {
            By::Clock => bots::timeout_move(&seen),
            By::Bot => {
                let over = move || began.elapsed() >= THINKING_TIME;
                let chosen = bots::choose(&seen, level, &mut Dice::from_seed(seed), Budget::Until(&over));
                metrics.bot(level, began.elapsed());
                chosen
            }
        });
        let chosen = thinking.await.map_err(|error| Failure::Defect(error.to_string()))?;
        chosen.ok_or_else(|| Failure::Defect(format!("nothing may be done in game {}", loaded.id)))
    }
}

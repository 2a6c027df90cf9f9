//! What a bot does at a position, and what it hints to a player.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::task::spawn_blocking;
use utoipa::ToSchema;

use super::change::TRIES;
use super::{Games, LoadedGame};
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::games::idempotency::Reservation;
use estimation_bots::{self as bots, Budget, Dice};
use estimation_engine::command::{Actor, By, Command, Position};
use estimation_engine::event::Events;
use estimation_engine::hint::take_hint;
use estimation_engine::player::{BotLevel, Player};
use estimation_engine::table::Decided;
use estimation_engine::view::{View, view};
use estimation_store::GameId;

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

/// What the bot that would stand in for you would do.
#[derive(Debug, Serialize, ToSchema)]
pub struct Hint {
    /// The version of the game that the hint is for. Ignore the hint if you have a later one.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub version: u64,
    /// One of the commands in `legal`.
    pub command: Command,
}

impl Games {
    /// A hint for the caller's turn. The first hint of a game is recorded.
    ///
    /// # Errors
    /// What [`take_hint`] refuses; [`Failure::GameBusy`] if the game advanced every time.
    pub async fn hint(self: &Arc<Games>, caller: &Caller, id: GameId) -> Result<Hint, Failure> {
        let by = caller.authority(RequiredAuthority::SignedIn, self.clock.now());
        let reservation = Reservation::free(by);
        for _ in 0..TRIES {
            let loaded = self.present(id).await?;
            let position = self.seated(&loaded, &caller.account).await?;
            let Some(taken) = take_hint(&loaded.game, position)? else {
                let command = self.choice(&loaded, By::Bot, position).await?;
                return Ok(Hint { version: loaded.version, command });
            };
            let decided = Decided::led(Actor::at(position), Events::from_iter([taken]));
            self.change_on(&loaded, decided, &reservation).await?;
        }
        Err(Failure::GameBusy)
    }
}

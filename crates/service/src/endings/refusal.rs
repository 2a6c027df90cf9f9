//! Why the end of a game is not signed. Each node records it once for each game and reason; the row is deleted when the end
//! is signed.

use super::Endings;
use crate::base::failure::{Failure, milliseconds};
use crate::games::skipped_games::Job;
use estimation_store::{Connection, GameId, Server, StoreError, ended_games};

/// Why the end of a game is not signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// The public log has no start of the game.
    StartMissing,
    /// The public log has another start than the game, or one that was not promised.
    StartDiffers,
    /// The log of the game does not verify, or no node has bound its end.
    LogUnsound,
    /// The game cannot be read.
    Unreadable,
}

impl Reason {
    /// Its name in the database and in what operators read.
    const fn as_str(self) -> &'static str {
        match self {
            Reason::StartMissing => "start-missing",
            Reason::StartDiffers => "start-differs",
            Reason::LogUnsound => "log-unsound",
            Reason::Unreadable => "unreadable",
        }
    }
}

/// A failure to sign a game.
#[derive(Debug)]
pub(super) struct Refusal {
    reason: Reason,
    failure: Failure,
}

impl Refusal {
    pub(super) fn of_finding(game: GameId, reason: Reason, finding: String) -> Refusal {
        Refusal { reason, failure: Failure::UnsoundLog { game, finding } }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        let reason = match failure {
            Failure::UnsoundLog { .. } => Reason::LogUnsound,
            _ => Reason::Unreadable,
        };
        Refusal { reason, failure }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        Failure::from(error).into()
    }
}

impl Endings {
    /// Records why a game is not signed, and leaves it out for a while.
    ///
    /// # Errors
    /// The failure, if it would affect every other game as well; that of the database if it is unavailable.
    pub(super) async fn refuse(
        &self,
        game: GameId,
        Refusal { reason, failure }: Refusal,
    ) -> Result<(), Failure> {
        let is_new = failure.is_of_one_game() && !self.skipped_games.is_recorded(Job::Sign, game, &failure);
        // PostgreSQL stores no NUL.
        let detail = failure.to_string().replace('\0', "\\0");
        // First, so that a game whose refusal cannot be recorded holds up no other.
        self.skipped_games.skip(Job::Sign, game, failure)?;
        if !is_new {
            return Ok(());
        }
        let now = milliseconds(self.clock.now());
        let record = move |conn: &mut Connection| {
            ended_games::record_refusal(conn, game, (reason.as_str(), &detail), now)
        };
        match self.database.write(Server, record).await {
            Ok(()) => self.skipped_games.recorded(Job::Sign, game),
            Err(error) if error.is_unavailable() => return Err(error.into()),
            Err(error) => tracing::error!(%game, %error, "the refusal of a game cannot be recorded"),
        }
        Ok(())
    }
}

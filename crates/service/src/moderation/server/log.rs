//! The public log, and what waits for a signature.

use serde::Serialize;
use utoipa::ToSchema;

use super::time;
use crate::auth::permission::Staff;
use crate::base::failure::Failure;
use crate::moderation::Moderation;
use estimation_record::RecordTime;
use estimation_store::public_log::tree::Tree;
use estimation_store::{GameId, games};

/// The most skipped games in a report.
const SKIPPED: usize = 100;

/// What a witness knows of the public log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WitnessReport {
    /// Its name.
    #[schema(min_length = 1, max_length = 255)]
    pub name: String,
    /// The size of the log that it has seen, as far as it was told; null for none.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub size: Option<u64>,
    /// Why it does not cosign; null if it does.
    #[schema(min_length = 1, max_length = 1000)]
    pub trouble: Option<String>,
}

/// A game that a background job of a node skips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SkippedGame {
    /// The job: `sign`, `log`, `count`, `pack`, `timers`, `matchmaking`, `seats` or `pages`.
    #[schema(min_length = 1, max_length = 32)]
    pub job: String,
    /// The game.
    pub game: GameId,
    /// Why it fails.
    #[schema(min_length = 1, max_length = 1000)]
    pub reason: String,
}

/// The state of the public log, and of games that wait for their end to be signed and packed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LogReport {
    /// The name of the log; null before the first start of a node.
    #[schema(min_length = 1, max_length = 255)]
    pub origin: Option<String>,
    /// The number of entries.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub size: u64,
    /// The number of entries in the last checkpoint.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub signed_size: u64,
    /// The time of the last checkpoint; null before the first.
    pub checkpoint_at: Option<RecordTime>,
    /// Entries that wait for their position.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub waiting: u64,
    /// Rows of waiting entries that no node enters.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub refused: u64,
    /// Why the node that answers does not sign the log; null if it does.
    #[schema(min_length = 1, max_length = 1000)]
    pub refusal: Option<String>,
    /// The time of a start that the log should have by now; null if it has all.
    pub overdue_start: Option<RecordTime>,
    /// The witnesses.
    #[schema(max_items = 100)]
    pub witnesses: Vec<WitnessReport>,
    /// Games that are over and not signed.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub unsigned_games: i64,
    /// Games that are signed and not packed.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub unpacked_games: i64,
    /// The games that background jobs of the node that answers skip.
    #[schema(max_items = 100)]
    pub skipped: Vec<SkippedGame>,
}

impl Moderation {
    /// The state of the public log, and of games that wait for their end to be signed and packed.
    pub async fn log(&self, _by: &Staff) -> Result<LogReport, Failure> {
        let (unsigned_games, unpacked_games) = self.database.read(games::count_unfinished).await?;
        let log = self.public_log.glimpse().await.map_err(Failure::from)?;
        let tree = log.tree.as_ref();
        let witness = |status: crate::public_log::WitnessStatus| WitnessReport {
            name: status.name,
            size: status.size,
            trouble: status.trouble.map(shortened),
        };
        let skipped = self.skipped_games.list(SKIPPED).into_iter().map(|(job, game, reason)| SkippedGame {
            job: job.as_str().to_owned(),
            game,
            reason: shortened(reason),
        });
        Ok(LogReport {
            origin: tree.map(|tree| tree.origin.clone()),
            size: tree.map_or(0, |tree| tree.size),
            signed_size: tree.map_or(0, |tree| tree.signed_size),
            checkpoint_at: tree.and_then(Tree::checkpoint_at).map(time).transpose()?,
            waiting: log.waiting,
            refused: log.refused,
            refusal: log.refusal.map(|refusal| shortened(format!("{}: {}", refusal.reason, refusal.detail))),
            overdue_start: log.overdue_start.map(time).transpose()?,
            witnesses: log.witnesses.into_iter().map(witness).collect(),
            unsigned_games,
            unpacked_games,
            skipped: skipped.collect(),
        })
    }
}

/// A text of at most 1,000 characters.
fn shortened(text: String) -> String {
    match text.char_indices().nth(1_000) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

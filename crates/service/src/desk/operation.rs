//! How the service works: the overview, queues, the public log, nodes, backups and settings.

use std::time::Instant;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Desk;
use crate::auth::caller::Caller;
use crate::auth::tokens::Role;
use crate::base::failure::{Failure, stored_id};
use crate::games::failure::GameFailure;
use crate::moderation::failure::ModerationFailure;
use estimation_engine::choice::Choice;
use estimation_engine::event::Visibility;
use estimation_engine::ruleset::RulesetId;
use estimation_record::RecordTime;
use estimation_store::{Connection, GameId, checked_backups, games, matchmaking, reports};

/// The most tables and queues in a list, and the most skipped games, backups and settings.
const TABLES: i64 = 50;
const SKIPPED: usize = 100;
const BACKUPS: i64 = 20;

/// What an operator looks at first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Overview {
    /// The caller's role.
    pub role: Role,
    /// The version of the server.
    #[schema(min_length = 1, max_length = 64)]
    pub version: String,
    /// Reports that wait for a decision, appeals among them.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub open_reports: i64,
    /// The time of the oldest of them; null for none.
    pub oldest_report_at: Option<RecordTime>,
    /// Appeals that wait for a decision.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub appeals: i64,
    /// Tables in the lobby.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub lobby_games: i64,
    /// Games that are played.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub playing_games: i64,
    /// Players in the matchmaking queue.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub waiting_players: i64,
    /// Games that are over and whose end is not signed yet.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub unsigned_games: i64,
    /// Games that background jobs of the node that answers skip because they fail.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub skipped_games: usize,
    /// Entries that wait for their position in the public log.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub log_waiting: u64,
    /// Rows of waiting entries that no node enters.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub log_refused: u64,
    /// The time of the last checkpoint of the public log; null before the first.
    pub checkpoint_at: Option<RecordTime>,
    /// Running nodes.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub nodes: usize,
    /// Those of them that are not ready.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub unready_nodes: usize,
    /// The time of the newest backup that was checked; null for none.
    pub checked_backup_at: Option<RecordTime>,
}

/// A table of strangers at which players wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = WaitingQueue)]
pub struct WaitingQueueView {
    /// The table.
    pub game: GameId,
    /// The ruleset.
    pub ruleset: RulesetId,
    /// The number of seats.
    #[schema(minimum = 2, maximum = 5)]
    pub players: i32,
    /// The number of players who wait.
    #[schema(minimum = 1, maximum = 5)]
    pub waiting: i64,
    /// Since when the first waits.
    pub since: RecordTime,
    /// Whether all of them accept bots, sooner or later.
    pub accepts_bots: bool,
}

/// A table in the lobby that its host opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = WaitingTable)]
pub struct WaitingTableView {
    /// The table.
    pub game: GameId,
    /// The ruleset.
    pub ruleset: RulesetId,
    /// The number of seats.
    #[schema(minimum = 2, maximum = 5)]
    pub players: i32,
    /// The number of occupied seats.
    #[schema(minimum = 0, maximum = 5)]
    pub taken: i32,
    /// Whether it is public.
    pub visibility: Visibility,
    /// When it was opened.
    pub opened_at: RecordTime,
}

/// Who waits for a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = WaitingGames)]
pub struct Queues {
    /// Matchmaking, the longest waiting first.
    #[schema(max_items = 50)]
    pub queues: Vec<WaitingQueueView>,
    /// Tables in the lobby, oldest first.
    #[schema(max_items = 50)]
    pub tables: Vec<WaitingTableView>,
}

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

/// A running node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct NodeView {
    /// An id that it draws at its start.
    pub id: Uuid,
    /// The version of the program.
    #[schema(min_length = 1, max_length = 64)]
    pub version: String,
    /// The newest format of games that it knows.
    #[schema(minimum = 1, maximum = 2147483647)]
    pub format: i32,
    /// When it started.
    pub started_at: RecordTime,
    /// When it last said so.
    pub seen_at: RecordTime,
    /// `ready`, or why it is not.
    #[schema(min_length = 1, max_length = 64)]
    pub state: String,
    /// How long its oldest change waits to be written, in milliseconds.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub waits_ms: i64,
}

/// The running nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct NodeList {
    /// The nodes, the longest running first; on SQLite the one that answers.
    #[schema(max_items = 1000)]
    pub items: Vec<NodeView>,
}

estimation_engine::choices! {
    /// The database of a backup.
    pub enum BackupKind {
        /// A copy of the SQLite file.
        Sqlite = "sqlite",
        /// A base backup of PostgreSQL with its archive.
        Postgres = "postgres",
    }
}

/// A backup that was restored, audited and found sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = CheckedBackup)]
pub struct CheckedBackupView {
    /// The check's id.
    pub id: Uuid,
    /// The database.
    pub kind: BackupKind,
    /// The time of the state that it restores.
    pub made_at: RecordTime,
    /// When it was checked.
    pub checked_at: RecordTime,
    /// The number of games in it.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub games: i64,
    /// The number of entries of the public log in it.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub log_size: i64,
}

/// Checked backups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BackupList {
    /// The backups, newest first.
    #[schema(max_items = 20)]
    pub items: Vec<CheckedBackupView>,
}

estimation_engine::choices! {
    /// Where a setting comes from.
    pub enum SettingSource {
        /// The command line.
        Flag = "flag",
        /// The environment.
        Environment = "environment",
        /// The configuration file.
        File = "file",
        /// The program.
        Default = "default",
    }
}

/// A setting in effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Setting)]
pub struct SettingView {
    /// The flag, without its hyphens.
    #[schema(min_length = 1, max_length = 64)]
    pub flag: String,
    /// The value as in the settings file, a text in quotes; null if it is not set, or not shown because it is a secret.
    #[schema(min_length = 0, max_length = 10000)]
    pub value: Option<String>,
    /// Where it comes from; null if it is not set.
    pub source: Option<SettingSource>,
}

/// The settings in effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SettingList {
    /// The settings, in the order of `estimation serve --help`.
    #[schema(max_items = 1000)]
    pub items: Vec<SettingView>,
}

fn time(at: i64) -> Result<RecordTime, Failure> {
    Ok(RecordTime::from_milliseconds(at)?)
}

fn ruleset(text: &str) -> Result<RulesetId, Failure> {
    text.parse().map_err(|_| Failure::Defect(format!("{text:?} is no ruleset")))
}

impl Desk {
    /// What an operator looks at first.
    pub async fn overview(&self, caller: &Caller) -> Result<Overview, ModerationFailure> {
        self.require_any(caller)?;
        let read = |conn: &mut Connection| {
            let backup = checked_backups::newest(conn, 1)?.pop();
            let counts = (games::count_open(conn, "lobby")?, games::count_open(conn, "playing")?);
            let unsigned = games::count_unfinished(conn)?.0;
            Ok((reports::count_open(conn)?, counts, unsigned, matchmaking::count_waiting(conn)?, backup))
        };
        let (
            (open_reports, appeals, oldest),
            (lobby_games, playing_games),
            unsigned_games,
            waiting_players,
            backup,
        ) = self.database.read(read).await?;
        let log = self.public_log.glimpse().await.map_err(GameFailure::from)?;
        let nodes = self.nodes.live(self.now()).await?;
        Ok(Overview {
            role: caller.role,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            open_reports,
            oldest_report_at: oldest.map(time).transpose()?,
            appeals,
            lobby_games,
            playing_games,
            waiting_players,
            unsigned_games,
            skipped_games: self.skipped_games.counts(Instant::now()).iter().map(|(_, games)| games).sum(),
            log_waiting: log.waiting,
            log_refused: log.refused,
            checkpoint_at: log
                .tree
                .filter(|tree| !tree.note.is_empty())
                .map(|tree| time(tree.signed_at))
                .transpose()?,
            nodes: nodes.len(),
            unready_nodes: nodes.iter().filter(|node| node.state != "ready").count(),
            checked_backup_at: backup.map(|backup| time(backup.made_at)).transpose()?,
        })
    }

    /// Who waits for a game.
    pub async fn queues(&self, caller: &Caller) -> Result<Queues, ModerationFailure> {
        self.require_moderator(caller)?;
        let read = |conn: &mut Connection| {
            Ok((matchmaking::queues(conn, TABLES)?, games::waiting_tables(conn, TABLES)?))
        };
        let (queues, tables) = self.database.read(read).await?;
        let queue = |row: matchmaking::WaitingQueue| {
            Ok::<_, Failure>(WaitingQueueView {
                game: row.game,
                ruleset: ruleset(&row.ruleset)?,
                players: row.players,
                waiting: row.waiting,
                since: time(row.since.unwrap_or_default())?,
                accepts_bots: row.accepting == row.waiting,
            })
        };
        let table = |row: games::GameRow| {
            let visibility = Visibility::from_name(&row.visibility);
            let defect = || Failure::Defect(format!("{:?} is no visibility", row.visibility));
            Ok::<_, Failure>(WaitingTableView {
                game: row.id,
                ruleset: ruleset(&row.ruleset)?,
                players: row.players,
                taken: row.taken,
                visibility: visibility.ok_or_else(defect)?,
                opened_at: time(row.created_at)?,
            })
        };
        Ok(Queues {
            queues: queues.into_iter().map(queue).collect::<Result<_, _>>()?,
            tables: tables.into_iter().map(table).collect::<Result<_, _>>()?,
        })
    }

    /// The state of the public log, and of games that wait for their end to be signed and packed.
    pub async fn log(&self, caller: &Caller) -> Result<LogReport, ModerationFailure> {
        self.require_any(caller)?;
        let (unsigned_games, unpacked_games) = self.database.read(games::count_unfinished).await?;
        let log = self.public_log.glimpse().await.map_err(GameFailure::from)?;
        let tree = log.tree.as_ref();
        let signed = tree.filter(|tree| !tree.note.is_empty());
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
            checkpoint_at: signed.map(|tree| time(tree.signed_at)).transpose()?,
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

    /// The running nodes; for admins.
    pub async fn nodes(&self, caller: &Caller) -> Result<NodeList, ModerationFailure> {
        caller.require(Role::Admin)?;
        let items = self.nodes.live(self.now()).await?.into_iter().map(|row| {
            Ok::<_, Failure>(NodeView {
                id: stored_id(&row.id)?,
                version: row.version,
                format: row.format,
                started_at: time(row.started_at)?,
                seen_at: time(row.seen_at)?,
                state: row.state,
                waits_ms: row.waits,
            })
        });
        Ok(NodeList { items: items.collect::<Result<_, _>>()? })
    }

    /// The backups that were checked; for admins.
    pub async fn backups(&self, caller: &Caller) -> Result<BackupList, ModerationFailure> {
        caller.require(Role::Admin)?;
        let rows = self.database.read(|conn| checked_backups::newest(conn, BACKUPS)).await?;
        let items = rows.into_iter().map(|row| {
            let kind = BackupKind::from_name(&row.kind);
            Ok::<_, Failure>(CheckedBackupView {
                id: stored_id(&row.id)?,
                kind: kind.ok_or_else(|| Failure::Defect(format!("{:?} is no kind of backup", row.kind)))?,
                made_at: time(row.made_at)?,
                checked_at: time(row.checked_at)?,
                games: row.games,
                log_size: row.log_size,
            })
        });
        Ok(BackupList { items: items.collect::<Result<_, _>>()? })
    }

    /// The settings in effect, without secrets; for admins.
    pub fn settings(&self, caller: &Caller) -> Result<SettingList, ModerationFailure> {
        caller.require(Role::Admin)?;
        Ok(SettingList { items: self.settings.get().to_vec() })
    }
}

/// A text of at most 1,000 characters.
fn shortened(text: String) -> String {
    match text.char_indices().nth(1_000) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

//! The desk: what operators, moderators and auditors see of the service, and what moderators do.
//!
//! | | admin | moderator | auditor |
//! |---|---|---|---|
//! | the overview, the public log, games, who did what | reads | reads | reads |
//! | accounts, reports, queues | reads and acts | reads and acts | |
//! | nodes, backups, settings | reads | | |
//!
//! Each function begins with what it requires of the caller: a role with its second step, and for acts one of the last 15
//! minutes. Nothing here shows a hidden card: a game is shown by its table, its phase and whose turn it is.

mod accounts;
mod acts;
mod games;
mod log;
mod overview;
mod queues;
mod reports;
mod server;

use std::sync::Arc;

use crate::auth::caller::Caller;
use crate::auth::sessions::Sessions;
use crate::auth::tokens::Role;
use crate::base::clock::Clock;
use crate::base::entropy::Entropy;
use crate::base::failure::{Failure, milliseconds};
use crate::base::field_error::FieldCode;
use crate::base::live::Live;
use crate::base::names::Names;
use crate::games::Games;
use crate::games::skipped_games::SkippedGames;
use crate::moderation::{Moderation, refuse_controls};
use crate::nodes::Nodes;
use crate::public_log::PublicLog;
use estimation_record::RecordTime;
use estimation_store::Database;

pub use self::accounts::{
    AccountSummary, ActDone, ActRequest, FoundAccounts, InspectedAccount, InspectedSession, PlayedGame,
    RoleChange,
};
pub use self::acts::{ModeratorAct, ModeratorActPage};
pub use self::games::{EndRequest, InspectedGame, InspectedSeat};
pub use self::log::{LogReport, SkippedGame, WitnessReport};
pub use self::overview::Overview;
pub use self::queues::{Queues, WaitingQueueView, WaitingTableView};
pub use self::reports::{
    DecisionRequest, EvidencePlayer, EvidenceReaction, InspectedReport, ReportEvidence, ReportQueue,
};
pub use self::server::{
    BackupList, CheckedBackupView, NodeList, NodeView, SettingList, SettingSource, SettingView,
};

/// The roles that see the desk. A refusal names the first.
const ANY: [Role; 3] = [Role::Moderator, Role::Admin, Role::Auditor];

/// The roles that moderate.
const MODERATORS: [Role; 2] = [Role::Moderator, Role::Admin];

/// The longest reason, and the longest words that say why a person is not told, and how to appeal, in characters. Together
/// they fit into a body of 16 KiB, however they are written.
const LONGEST_REASON: usize = 600;
const LONGEST_UNTOLD: usize = 200;
const LONGEST_APPEAL: usize = 400;

pub struct Desk {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) moderation: Arc<Moderation>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) games: Arc<Games>,
    pub(crate) names: Arc<Names>,
    pub(crate) public_log: Arc<PublicLog>,
    pub(crate) skipped_games: Arc<SkippedGames>,
    pub(crate) nodes: Arc<Nodes>,
    pub(crate) settings: Live<Vec<SettingView>>,
}

impl Desk {
    /// Shows other settings from now on.
    pub(crate) fn set_settings(&self, settings: Vec<SettingView>) {
        self.settings.set(settings);
    }

    /// Refuses other roles, and accounts that are suspended.
    fn require_any(&self, caller: &Caller) -> Result<(), Failure> {
        caller.require_any(&ANY)?;
        caller.standing.require_playing(self.clock.now())
    }

    fn require_moderator(&self, caller: &Caller) -> Result<(), Failure> {
        caller.require_any(&MODERATORS)?;
        caller.standing.require_playing(self.clock.now())
    }

    /// For acts.
    fn require_moderator_now(&self, caller: &Caller) -> Result<(), Failure> {
        caller.require_any_now(&MODERATORS, self.clock.now())?;
        caller.standing.require_playing(self.clock.now())
    }

    fn now(&self) -> i64 {
        milliseconds(self.clock.now())
    }
}

/// Refuses a text that says nothing, or too much.
fn check_length(field: &'static str, text: Option<&str>, longest: usize) -> Result<(), Failure> {
    let Some(text) = text else { return Ok(()) };
    let code = match text.chars().count() {
        _ if text.trim().is_empty() => FieldCode::TooShort,
        count if count > longest => FieldCode::TooLong,
        _ => return refuse_controls(field, text),
    };
    Err(Failure::field(field, code, format!("must have 1 to {longest} characters")))
}

fn time(milliseconds: i64) -> Result<RecordTime, Failure> {
    Ok(RecordTime::from_milliseconds(milliseconds)?)
}

//! Moderation: reports about players, what moderators do about them, and what roles see of the service.
//!
//! | | admin, operator at the command line | moderator | auditor |
//! |---|---|---|---|
//! | the overview, the public log, games, who did what | reads | reads | reads |
//! | accounts, reports, queues | reads and acts | reads and acts | |
//! | nodes, backups, settings | reads | | |
//!
//! Each function takes a proof of its role ([`crate::auth::permission`]). Nothing here shows a hidden card: a game is shown by
//! its table, its phase and whose turn it is.
//!
//! A report is kept with its evidence as its reporter could see it. The API and notices tell the reporter of
//! a decision, and an account of an act. An act is a row that cannot be changed; what it allows the account is in its standing,
//! which every node reads with the account's sessions.
//!
//! A suspended or banned account signs in, reads its games, exports its data, appeals, and can be deleted. It takes no seat,
//! and the seats that it has are freed as the rules say for a player who leaves (A9). If a banned account is deleted, keyed
//! hashes of its identities stay until the ban ends ([`crate::accounts`]).

mod accounts;
mod acts;
mod enact;
mod evidence;
mod games;
mod queue;
mod reports;
pub mod server;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use self::server::SettingView;
use crate::accounts::Accounts;
use crate::accounts::changes::ChangeLog;
use crate::auth::active_keys::ActiveKeys;
use crate::auth::sessions::Sessions;
use crate::auth::throttle::Throttle;
use crate::base::clock::Clock;
use crate::base::entropy::Entropy;
use crate::base::failure::{Failure, milliseconds};
use crate::base::field_error::FieldCode;
use crate::base::ids::new_id;
use crate::base::live::Live;
use crate::base::metrics::Metrics;
use crate::base::names::Names;
use crate::games::Games;
use crate::games::skipped_games::SkippedGames;
use crate::mail::Mail;
use crate::nodes::Nodes;
use crate::notifications::{NoticeKind, Reach, account_notice, write_at_once};
use crate::public_log::PublicLog;
use crate::reactions::Reactions;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::notifications::NewNotification;
use estimation_store::{Connection, Database, Id, Server, StoreError, moderation, reports as rows};

pub use self::accounts::{
    AccountSummary, FoundAccounts, InspectedAccount, InspectedSession, PlayedGame, RoleChange,
};
pub(crate) use self::acts::check_seal;
pub use self::acts::{
    Act, ActDone, ActRequest, ChangedValue, ModerationAction, ModeratorAct, ModeratorActPage, StandingView,
};
pub(crate) use self::enact::standing_changes;
pub use self::evidence::{EvidencePlayer, EvidenceReaction, ReportEvidence};
pub use self::games::{EndRequest, InspectedGame, InspectedSeat};
pub use self::queue::{Decision, DecisionRequest, InspectedReport, QueuedReport, ReportQueue};
pub use self::reports::{Report, ReportAbout, ReportList, ReportRequest, ReportState};

/// How long reports are kept after their decision.
const KEPT: SignedDuration = SignedDuration::from_hours(365 * 24);

/// For how long a notice of a decision is worth sending.
const TOLD_WITHIN: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The longest reason of an act, and the longest words that say why a person is not told, and how to appeal, in characters.
/// Together they fit into a body of 16 KiB, however they are written.
const LONGEST_REASON: usize = 600;
const LONGEST_UNTOLD: usize = 200;
const LONGEST_APPEAL: usize = 400;

pub struct Moderation {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) keys: Arc<ActiveKeys>,
    pub(crate) throttle: Arc<Throttle>,
    pub(crate) games: Arc<Games>,
    pub(crate) names: Arc<Names>,
    pub(crate) reactions: Arc<Reactions>,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) change_log: Arc<ChangeLog>,
    pub(crate) mail: Arc<Mail>,
    pub(crate) public_log: Arc<PublicLog>,
    pub(crate) skipped_games: Arc<SkippedGames>,
    pub(crate) nodes: Arc<Nodes>,
    /// The settings in effect, without secrets.
    pub(crate) settings: Live<Vec<SettingView>>,
}

impl Moderation {
    /// Deletes old reports, and what ended bans remembered.
    pub(crate) async fn sweep(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let before = milliseconds(now.checked_sub(KEPT).unwrap_or(Timestamp::UNIX_EPOCH));
        let now = milliseconds(now);
        let sweep = move |conn: &mut Connection| {
            rows::sweep(conn, before)?;
            moderation::sweep(conn, now)
        };
        self.database.write(Server, sweep).await.map(drop)
    }

    /// Tells the players of a game that a moderator ended it.
    async fn tell_players(&self, players: Vec<AccountId>) -> Result<(), StoreError> {
        let now = RecordTime::from(self.clock.now());
        let notices: Vec<(AccountId, Id)> =
            players.into_iter().map(|account| (account, Id(self.draw_id()))).collect();
        let write = move |conn: &mut Connection| {
            notices
                .iter()
                .try_for_each(|(account, id)| tell(conn, NoticeKind::StandingChanged, account, *id, now))
        };
        self.database.write(Server, write).await
    }

    /// The present time in milliseconds since 1970.
    fn now(&self) -> i64 {
        milliseconds(self.clock.now())
    }

    fn draw_id(&self) -> Uuid {
        new_id(self.clock.now(), &*self.entropy)
    }

    /// Whether an account exists.
    async fn exists(&self, account: &AccountId) -> Result<bool, Failure> {
        let account = account.clone();
        let read = move |conn: &mut Connection| estimation_store::accounts::find(conn, &account);
        Ok(self.database.read(read).await?.is_some())
    }
}

/// Writes a notice for every destination, in the transaction of what it tells of. The command line does not know which
/// destinations the nodes have; a node without one drops the notice.
fn tell(
    conn: &mut Connection,
    kind: NoticeKind,
    account: &AccountId,
    id: Id,
    now: RecordTime,
) -> Result<(), StoreError> {
    let notice = account_notice(kind, account, id, now);
    let notice = NewNotification { expires_at: Some(now.plus(TOLD_WITHIN)), ..notice };
    write_at_once(conn, &notice, Reach { webhook: true, pushes: true }, None)
}

/// Refuses a text that says nothing, or too much, or has characters that [`refuse_controls`] does.
fn check_text(field: &'static str, text: Option<&str>, longest: usize) -> Result<(), Failure> {
    let Some(text) = text else { return Ok(()) };
    let code = match text.chars().count() {
        _ if text.trim().is_empty() => FieldCode::TooShort,
        count if count > longest => FieldCode::TooLong,
        _ => return refuse_controls(field, text),
    };
    Err(Failure::field(field, code, format!("must have 1 to {longest} characters")))
}

/// Refuses characters that no text needs, and that can hide or forge what people read: controls but the end of a line, and marks
/// that turn the direction of a text around.
fn refuse_controls(field: &'static str, text: &str) -> Result<(), Failure> {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if text.chars().any(|c| (c.is_control() && c != '\n') || turns(c)) {
        return Err(Failure::field(field, FieldCode::WrongFormat, "must have no control characters"));
    }
    Ok(())
}

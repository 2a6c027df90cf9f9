//! Reports about players, and what moderators do about them.
//!
//! A report is kept with its evidence as its reporter could see it. The API and notices tell the reporter of
//! a decision, and an account of an act. An act is a row that cannot be changed; what it allows the account is in its standing,
//! which every node reads with the account's sessions.
//!
//! A suspended or banned account signs in, reads its games, exports its data, appeals, and can be deleted. It takes no seat,
//! and the seats that it has are freed as the rules say for a player who leaves (A9). If a banned account is deleted, keyed
//! hashes of its identities stay until the ban ends ([`crate::accounts`]).

mod acts;
mod enact;
mod evidence;
mod queue;
mod reports;
pub(crate) mod seal;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::accounts::Accounts;
use crate::accounts::changes::ChangeLog;
use crate::auth::active_keys::ActiveKeys;
use crate::auth::sessions::Sessions;
use crate::auth::throttle::Throttle;
use crate::base::clock::Clock;
use crate::base::entropy::Entropy;
use crate::base::failure::{Failure, milliseconds};
use crate::base::ids::new_id;
use crate::base::metrics::Metrics;
use crate::base::names::Names;
use crate::games::Games;
use crate::mail::Mail;
use crate::notifications::{NoticeKind, Reach, account_notice, write_at_once};
use crate::talk::Talk;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::notifications::NewNotification;
use estimation_store::{Connection, Database, Id, Server, StoreError, moderation, reports as rows};

pub use self::acts::{Act, Measure, ModerationAction, StandingView};
pub(crate) use self::acts::{InEffect, named};
pub(crate) use self::enact::standing_changes;
pub use self::enact::{Acted, ChangedValue, NewAct};
pub use self::evidence::Evidence;
pub use self::queue::{Decision, QueuedReport, StoredReport};
pub(crate) use self::reports::refuse_controls;
pub use self::reports::{Report, ReportAbout, ReportList, ReportRequest, ReportState};

/// How long reports are kept after their decision.
const KEPT: SignedDuration = SignedDuration::from_hours(365 * 24);

/// For how long a notice of a decision is worth sending.
const TOLD_WITHIN: SignedDuration = SignedDuration::from_hours(7 * 24);

pub struct Moderation {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) keys: Arc<ActiveKeys>,
    pub(crate) throttle: Arc<Throttle>,
    pub(crate) games: Arc<Games>,
    pub(crate) names: Arc<Names>,
    pub(crate) talk: Arc<Talk>,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) change_log: Arc<ChangeLog>,
    pub(crate) mail: Arc<Mail>,
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
    pub(crate) async fn tell_players(&self, players: Vec<AccountId>) -> Result<(), StoreError> {
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

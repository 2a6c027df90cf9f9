//! Notices: what players are told while they have no stream, by webhooks to the operator's gateway and by Web Push.
//!
//! The log says what is due. A commit writes nothing for it: the node only records the time at which a notice may be due
//! (`TurnWatch`). A job looks then (`due`), and writes a row for each destination of a notice that is due. Another one
//! sends the rows (`deliver`). When a node dies, the others look at all games that are played (`missed`).
//!
//! The id of a notice follows from its account, its kind, and the game and the time of what it tells of. Several
//! nodes that find it write it once. Its destination may get it several times, with the same id.

mod choices;
mod deliver;
mod due;
mod kind;
mod missed;
mod preferences;
mod web_push;
mod webhook;

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::sync::{Notify, Semaphore};
use uuid::{Builder, Uuid};

pub use self::choices::{NotificationChoices, QuietHours};
pub(crate) use self::due::{Reach, account_notice, write_at_once};
pub use self::kind::NoticeKind;
pub use self::preferences::{NewPushSubscription, NotificationSettings};
pub use self::web_push::{NotAPushHost, PushHost, PushSettings};
pub use self::webhook::{NotAWebhookSecret, Webhook, WebhookSecret};
use crate::auth::active_keys::ActiveKeys;
use crate::base::clock::Clock;
use crate::base::entropy::Entropy;
use crate::base::failure::{Failure, milliseconds};
use crate::base::metrics::Metrics;
use crate::games::Games;
use crate::games::hub::presence::Presence;
use crate::games::turn_watch::TurnWatch;
use crate::outbound::Outbound;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::notifications::{NewNotification, NotificationRow};
use estimation_store::{Connection, Database, GameId, Id, games, invitations};

/// The most notices that a node sends at a time.
pub(crate) const AT_ONCE: usize = 32;

/// Where notices go. Without destinations nobody is told anything.
#[derive(Clone, Default)]
pub struct Destinations {
    /// The operator's gateway.
    pub webhook: Option<Webhook>,
    /// Browsers.
    pub push: Option<PushSettings>,
    /// The URL of the web app, for links to tables; none for links without a host.
    pub public_url: Option<String>,
}

impl Destinations {
    pub(crate) fn is_empty(&self) -> bool {
        self.webhook.is_none() && self.push.is_none()
    }
}

pub struct Notifications {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) keys: Arc<ActiveKeys>,
    pub(crate) games: Arc<Games>,
    pub(crate) presence: Arc<Presence>,
    pub(crate) turn_watch: Arc<TurnWatch>,
    pub(crate) webhook: Option<Webhook>,
    pub(crate) push: Option<PushSettings>,
    pub(crate) public_url: Option<String>,
    pub(crate) outbound: Outbound,
    pub(crate) slots: Arc<Semaphore>,
    /// Wakes the sending when rows were written.
    pub(crate) written: Notify,
    /// Due notices that could not be written yet.
    pub(crate) unwritten: Mutex<Vec<NewNotification>>,
}

impl Notifications {
    fn reach(&self) -> Reach {
        Reach { webhook: self.webhook.is_some(), pushes: self.push.is_some() }
    }

    fn has_destinations(&self) -> bool {
        self.webhook.is_some() || self.push.is_some()
    }

    fn now(&self) -> i64 {
        milliseconds(self.clock.now())
    }
}

/// What a notice tells of: a game, and when that began.
#[derive(Clone, Copy)]
struct Matter {
    game: GameId,
    version: u64,
    since: Timestamp,
    /// When it is of no use any more.
    expires_at: Option<Timestamp>,
}

fn notice(kind: NoticeKind, account: &AccountId, matter: Matter, now: RecordTime) -> NewNotification {
    let since = milliseconds(matter.since);
    let text = format!("estimation/notice/v1 {} {account} {} {since}", kind.as_str(), matter.game);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(text)[..16]);
    NewNotification {
        id: Id(Builder::from_custom_bytes(bytes).into_uuid()),
        account: account.clone(),
        kind: kind.as_str(),
        game: Some(matter.game),
        version: i64::try_from(matter.version).ok(),
        since: matter.since.into(),
        expires_at: matter.expires_at.map(RecordTime::from),
        created_at: now,
    }
}

/// An invitation of a friend to a table.
#[derive(Clone, Debug, Serialize)]
struct InvitationNotice {
    /// The invitation's id.
    invitation: Uuid,
    /// The link to the table in the web app, which an app can claim.
    url: String,
}

impl Notifications {
    /// The invitation that a notice tells of; none for other notices, and for rematches. A notice of an invitation has its
    /// id.
    async fn invitation(&self, row: &NotificationRow) -> Result<Option<InvitationNotice>, Failure> {
        if row.kind != NoticeKind::Invited.as_str() {
            return Ok(None);
        }
        let id = row.id;
        let read = move |conn: &mut Connection| match invitations::find(conn, id)? {
            Some(invitation) => games::find(conn, invitation.game_id),
            None => Ok(None),
        };
        let Some(game) = self.database.read(read).await? else { return Ok(None) };
        let path = match game.join_code {
            Some(code) => format!("/join/{code}"),
            None => format!("/games/{}", game.id),
        };
        let url = format!("{}{path}", self.public_url.as_deref().unwrap_or_default());
        Ok(Some(InvitationNotice { invitation: id.0, url }))
    }
}

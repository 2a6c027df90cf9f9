//! What a player chose about notices, and the subscriptions of a player's browsers.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use super::Notifications;
use super::choices::{NotificationChoices, QuietHours};
use super::kind::NoticeKind;
use super::web_push::is_point;
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::base::failure::{Failure, milliseconds};
use crate::base::field_error::FieldCode;
use estimation_store::push_subscriptions::{self, PushSubscription};
use estimation_store::{Connection, Server, StoreError, notifications};

/// How long settled notices are kept, so that they are not written again.
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// How long parked notices are kept.
const PARKED: SignedDuration = SignedDuration::from_hours(30 * 24);

/// What the player chose, and what this server can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct NotificationSettings {
    /// The kinds that the player does not want.
    #[schema(max_items = 16)]
    pub muted: Vec<NoticeKind>,
    /// The hours in which notices wait; null for none.
    pub quiet_hours: Option<QuietHours>,
    /// The key for `PushManager.subscribe` (`applicationServerKey`); null if this server sends no pushes.
    #[schema(min_length = 87, max_length = 87)]
    pub push_key: Option<String>,
    /// Whether this session has a push subscription.
    pub subscribed: bool,
}

/// A subscription as a browser gives it.
pub struct NewPushSubscription {
    /// The URL of the push service.
    pub endpoint: String,
    /// The browser's public key as base64url.
    pub p256dh: String,
    /// The browser's authentication secret as base64url.
    pub auth: String,
}

impl Notifications {
    /// What the caller chose.
    pub async fn settings(&self, caller: &Caller) -> Result<NotificationSettings, Failure> {
        let (account, session) = (caller.account.clone(), caller.session.to_string());
        let read = move |conn: &mut Connection| {
            let accounts = [account];
            let subscriptions = push_subscriptions::of_accounts(conn, &accounts)?;
            let is_subscribed = subscriptions.iter().any(|one| one.session_id == session);
            Ok((notifications::choices(conn, &accounts)?.pop(), is_subscribed))
        };
        let (stored, subscribed) = self.database.read(read).await?;
        let chosen: NotificationChoices = match stored {
            Some((_, text)) => {
                serde_json::from_str(&text).map_err(|error| Failure::Defect(error.to_string()))?
            }
            None => NotificationChoices::default(),
        };
        let push_key = self.push.as_ref().map(|_| self.keys.ring().push_key().public().to_owned());
        Ok(NotificationSettings {
            muted: chosen.muted,
            quiet_hours: chosen.quiet_hours,
            push_key,
            subscribed,
        })
    }

    /// Stores what the caller chose, in place of all of it.
    pub async fn choose(
        &self,
        caller: &Caller,
        choices: NotificationChoices,
    ) -> Result<NotificationSettings, Failure> {
        let choices = choices.checked().map_err(Failure::from)?;
        let text = serde_json::to_string(&choices).map_err(|error| Failure::Defect(error.to_string()))?;
        let (account, now) = (caller.account.clone(), self.now());
        let choose =
            move |conn: &mut Connection| Ok::<_, Failure>(notifications::choose(conn, &account, &text, now)?);
        self.database.write(caller.authority(RequiredAuthority::SignedIn, self.clock.now()), choose).await?;
        self.settings(caller).await
    }

    /// Sends pushes to the browser of the caller's session from now on.
    ///
    /// # Errors
    /// [`Failure::PushOff`], or the fields that are no subscription to a push service that this server knows.
    pub async fn subscribe(&self, caller: &Caller, new: NewPushSubscription) -> Result<(), Failure> {
        let push = self.push.as_ref().ok_or(Failure::PushOff)?;
        push.endpoint(&new.endpoint)?;
        let wrong = |field: &'static str, reason: &str| Failure::field(field, FieldCode::WrongFormat, reason);
        // Some browsers pad.
        let decoded =
            |text: &str, padding| URL_SAFE_NO_PAD.decode(text.strip_suffix(padding).unwrap_or(text)).ok();
        let p256dh = decoded(&new.p256dh, "=")
            .filter(|bytes| bytes.len() == 65 && is_point(bytes))
            .ok_or_else(|| wrong("/keys/p256dh", "must be a point of P-256, as base64url"))?;
        let auth = decoded(&new.auth, "==")
            .filter(|bytes| bytes.len() == 16)
            .ok_or_else(|| wrong("/keys/auth", "must be 16 bytes, as base64url"))?;
        let subscription = PushSubscription {
            session_id: caller.session.to_string(),
            account_id: caller.account.clone(),
            endpoint: new.endpoint,
            p256dh,
            auth,
            created_at: self.clock.now().into(),
            pushed_at: 0,
        };
        let put = move |conn: &mut Connection| Ok(push_subscriptions::put(conn, &subscription)?);
        self.database.write(caller.authority(RequiredAuthority::SignedIn, self.clock.now()), put).await
    }

    /// Sends no pushes to the browser of the caller's session any more.
    ///
    /// # Errors
    /// [`Failure::NotFound`] if it has no subscription.
    pub async fn unsubscribe(&self, caller: &Caller) -> Result<(), Failure> {
        let session = caller.session.to_string();
        let delete = move |conn: &mut Connection| match push_subscriptions::delete(conn, &session)? {
            true => Ok(()),
            false => Err(Failure::NotFound { what: "push subscription" }),
        };
        self.database.write(caller.authority(RequiredAuthority::SignedIn, self.clock.now()), delete).await
    }

    /// Deletes old notices, and the subscriptions of ended sessions.
    pub(crate) async fn sweep(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let before = |age| milliseconds(now.checked_sub(age).unwrap_or(Timestamp::UNIX_EPOCH));
        let (settled, parked, now) = (before(KEPT), before(PARKED), milliseconds(now));
        let sweep = move |conn: &mut Connection| {
            push_subscriptions::sweep(conn)?;
            notifications::sweep(conn, settled, parked, now)
        };
        self.database.write(Server, sweep).await.map(drop)
    }
}

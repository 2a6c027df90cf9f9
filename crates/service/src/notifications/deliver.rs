//! Sends the notices that were written, with retries.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::due::{GROUPING, turn_of};
use super::kind::NoticeKind;
use super::web_push::{Message, PushedNotice, TOGETHER};
use super::webhook::{Body, Data};
use super::{AT_ONCE, Notifications};
use crate::base::failure::Failure;
use crate::games::turn_watch::people_awaited;
use crate::outbound::{DeliveryAnswer, NoAnswer};
use estimation_engine::choice::Choice;
use estimation_engine::game::GameStatus;
use estimation_record::RecordTime;
use estimation_store::notifications::{self, DeliveryOutcome, NotificationRow, WEBHOOK};
use estimation_store::push_subscriptions::{self, Pushing};
use estimation_store::{Connection, Server};

/// How often due notices are searched, if nothing was written meanwhile.
const LOOK: Duration = Duration::from_millis(500);

/// How long a node has for an attempt before another one takes over, in milliseconds. A request takes at most ten seconds.
const ATTEMPT: i64 = 20_000;

/// The pauses after failed attempts, in seconds; the last one repeats.
const PAUSES: [i64; 7] = [5, 30, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600];

/// How long an attempt is repeated, in milliseconds.
const PATIENCE: i64 = 24 * 3600 * 1000;

impl Notifications {
    /// Sends notices until dropped.
    pub(crate) async fn deliver(self: Arc<Notifications>) {
        if !self.has_destinations() {
            return;
        }
        loop {
            match self.begin_due().await {
                // There may be more.
                Ok(begun) if begun == AT_ONCE => continue,
                Ok(_) => {}
                Err(failure) => tracing::warn!(error = %failure, "cannot read which notices are due"),
            }
            let _ = timeout(LOOK, self.written.notified()).await;
        }
    }

    /// Begins to send due notices, as many as there are slots, and returns how many.
    async fn begin_due(self: &Arc<Notifications>) -> Result<usize, Failure> {
        let free = self.slots.available_permits();
        if free == 0 {
            return Ok(0);
        }
        let now = self.now();
        let limit = i64::try_from(free).unwrap_or(i64::MAX);
        let is_due = move |conn: &mut Connection| notifications::any_due(conn, now);
        if !self.database.read(is_due).await? {
            return Ok(0);
        }
        let take = move |conn: &mut Connection| notifications::take(conn, now, now + ATTEMPT, limit);
        let taken = self.database.write(Server, take).await?;
        let begun = taken.len();
        // Each webhook goes alone, the pushes to a browser together.
        let mut groups: BTreeMap<(String, Option<usize>), Vec<NotificationRow>> = BTreeMap::new();
        for (index, row) in taken.into_iter().enumerate() {
            let own = (row.destination == WEBHOOK).then_some(index);
            groups.entry((row.destination.clone(), own)).or_default().push(row);
        }
        for rows in groups.into_values() {
            let Ok(slot) = Arc::clone(&self.slots).acquire_owned().await else { return Ok(0) };
            let notifications = Arc::clone(self);
            tokio::spawn(async move {
                if let Err(failure) = notifications.send(rows).await {
                    tracing::warn!(error = %failure, "cannot send notices");
                }
                drop(slot);
                // A later notice of the game may wait for this one.
                notifications.written.notify_one();
            });
        }
        Ok(begun)
    }

    /// Sends notices to one destination, and writes how that ended.
    async fn send(&self, rows: Vec<NotificationRow>) -> Result<(), Failure> {
        let (mut current, mut outdated) = (Vec::new(), Vec::new());
        for row in rows {
            if self.is_current(&row).await? { current.push(row) } else { outdated.push(row) }
        }
        let is_webhook = current.first().is_some_and(|row| row.destination == WEBHOOK);
        let mut settled: Vec<(NotificationRow, DeliveryOutcome)> =
            outdated.into_iter().map(|row| (row, DeliveryOutcome::Dropped)).collect();
        if is_webhook {
            for row in current {
                let how = self.send_webhook(&row).await?;
                settled.push((row, how));
            }
        } else if !current.is_empty() {
            // Those that do not fit go with the next push.
            let rest = current.split_off(current.len().min(TOGETHER));
            let at = self.now() + GROUPING;
            settled.extend(rest.into_iter().map(|row| (row, DeliveryOutcome::Later(at))));
            let how = self.push(&current).await?;
            settled.extend(current.into_iter().map(|row| (row, how)));
        }
        let now = self.now();
        for (row, how) in &settled {
            self.metrics.notice_sent(row.destination == WEBHOOK, *how);
            if *how == DeliveryOutcome::Parked {
                tracing::warn!(id = %row.id, kind = row.kind, "a webhook failed for a day and is parked");
            }
        }
        let write = move |conn: &mut Connection| {
            settled.iter().try_for_each(|(row, how)| notifications::settle(conn, row, *how, now))
        };
        Ok(self.database.write(Server, write).await?)
    }

    /// Whether a notice is still of use.
    async fn is_current(&self, row: &NotificationRow) -> Result<bool, Failure> {
        if row.expires_at.is_some_and(|at| at.timestamp() <= self.clock.now()) {
            return Ok(false);
        }
        let (Some(game), Some(kind)) = (row.game_id, NoticeKind::from_name(&row.kind)) else {
            return Ok(true);
        };
        let loaded = match self.games.present(game).await {
            Ok(loaded) => loaded,
            Err(Failure::Store(error)) if error.is_unavailable() => {
                return Err(error.into());
            }
            Err(_) => return Ok(false),
        };
        let status = loaded.game.status();
        Ok(match kind {
            NoticeKind::YourTurn | NoticeKind::TurnEnding => {
                RecordTime::from(turn_of(&loaded).since) == row.since
                    && people_awaited(&loaded).any(|account| *account == row.account_id)
            }
            NoticeKind::GameStarted => status == GameStatus::Playing,
            NoticeKind::GameFinished
            | NoticeKind::FriendRequest
            | NoticeKind::FriendAccepted
            | NoticeKind::AccountChanged
            | NoticeKind::ReportDecided
            | NoticeKind::StandingChanged => true,
            NoticeKind::Invited => {
                status == GameStatus::Lobby && loaded.position_of(&row.account_id).is_none()
            }
        })
    }

    async fn send_webhook(&self, row: &NotificationRow) -> Result<DeliveryOutcome, Failure> {
        let (Some(webhook), Some(kind)) = (&self.webhook, NoticeKind::from_name(&row.kind)) else {
            return Ok(DeliveryOutcome::Dropped);
        };
        let body = Body {
            kind,
            timestamp: row.created_at,
            data: Data {
                account: &row.account_id,
                game: row.game_id,
                version: row.version,
                expires_at: row.expires_at,
                invitation: self.invitation(row).await?,
            },
        };
        let answer = self.outbound.post(webhook.request(row.id, self.clock.now(), &body)?).await;
        Ok(match answer {
            Ok(DeliveryAnswer { status: 200..=299, .. }) => DeliveryOutcome::Delivered,
            answer => {
                let pause = self.pause_after(row, &answer);
                // Later failures of the notice say nothing new.
                if row.failures == 0 {
                    tracing::warn!(answer = %said(&answer), id = %row.id, "a webhook failed and is tried again");
                }
                let at = self.now() + pause;
                if at > row.created_at.milliseconds() + PATIENCE {
                    DeliveryOutcome::Parked
                } else {
                    DeliveryOutcome::Again(at)
                }
            }
        })
    }

    /// Sends notices to a browser.
    async fn push(&self, rows: &[NotificationRow]) -> Result<DeliveryOutcome, Failure> {
        let (Some(push), Some(first)) = (&self.push, rows.first()) else {
            return Ok(DeliveryOutcome::Dropped);
        };
        let (session, now) = (first.destination.clone(), self.now());
        let begin =
            move |conn: &mut Connection| push_subscriptions::begin_push(conn, &session, now, GROUPING);
        let subscription = match self.database.write(Server, begin).await? {
            Pushing::Now(subscription) => subscription,
            Pushing::Later(at) => return Ok(DeliveryOutcome::Later(at)),
            Pushing::Gone => return Ok(DeliveryOutcome::Dropped),
        };
        let mut notices = Vec::with_capacity(rows.len());
        for row in rows {
            let Some(kind) = NoticeKind::from_name(&row.kind) else { continue };
            notices.push(PushedNotice {
                id: row.id,
                kind,
                game: row.game_id,
                version: row.version,
                expires_at: row.expires_at,
                invitation: self.invitation(row).await?,
            });
        }
        let message = Message { notices };
        // With the last of them, the push is of no use any more.
        let until = rows.iter().map(|row| row.expires_at).collect::<Option<Vec<_>>>();
        let until = until.and_then(|all| all.into_iter().max()).map(RecordTime::timestamp);
        let ring = self.keys.ring();
        let times = (self.clock.now(), until);
        let request = push.request(&subscription, &message, ring.push_key(), times, &*self.entropy)?;
        let answer = self.outbound.post(request).await;
        Ok(match answer {
            Ok(DeliveryAnswer { status: 200..=299, .. }) => DeliveryOutcome::Delivered,
            // The browser has given the subscription up.
            Ok(DeliveryAnswer { status: 404 | 410, .. }) => {
                let session = first.destination.clone();
                self.database.write(Server, move |conn| push_subscriptions::delete(conn, &session)).await?;
                DeliveryOutcome::Dropped
            }
            Ok(DeliveryAnswer { status: 429 | 500..=599, .. }) | Err(_) => {
                let (session, former) = (first.destination.clone(), subscription.pushed_at);
                let reset =
                    move |conn: &mut Connection| push_subscriptions::set_pushed(conn, &session, former);
                self.database.write(Server, reset).await?;
                let at = self.now() + self.pause_after(first, &answer);
                if at > first.created_at.milliseconds() + PATIENCE {
                    DeliveryOutcome::Dropped
                } else {
                    DeliveryOutcome::Again(at)
                }
            }
            // The push service refuses it, and would do so again.
            Ok(DeliveryAnswer { status, .. }) => {
                tracing::warn!(status, "a push service refuses a push");
                DeliveryOutcome::Dropped
            }
        })
    }

    /// The milliseconds to the next attempt: as the answer asks, at least the pause after so many failures.
    fn pause_after(&self, row: &NotificationRow, answer: &Result<DeliveryAnswer, NoAnswer>) -> i64 {
        let failures = usize::try_from(row.failures).unwrap_or(0).min(PAUSES.len() - 1);
        let asked = answer.as_ref().ok().and_then(|answered| answered.retry_after).map_or(0, i64::from);
        PAUSES[failures].max(asked.min(3600)) * 1000
    }
}

/// What came of a request, for the log.
fn said(answer: &Result<DeliveryAnswer, NoAnswer>) -> String {
    match answer {
        Ok(answered) => format!("status {}", answered.status),
        Err(error) => error.to_string(),
    }
}

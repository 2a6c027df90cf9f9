//! Finds what is due, and writes it for each destination.

use std::collections::{HashMap, HashSet};
use std::sync::{MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};

use super::choices::NotificationChoices;
use super::kind::NoticeKind;
use super::{Matter, Notifications, notice};
use crate::base::failure::{Failure, milliseconds};
use crate::games::LoadedGame;
use crate::games::turn_watch::{About, Look, people_awaited};
use estimation_engine::choice::Choice;
use estimation_engine::game::GameStatus;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::notifications::{self, NewNotification, WEBHOOK};
use estimation_store::push_subscriptions::PushSubscription;
use estimation_store::{Connection, Server};
use estimation_store::{Id, StoreError, push_subscriptions};

/// After how many milliseconds a turn whose player has a stream is looked at again.
const AGAIN: i64 = 1_000;

/// How long pushes to a browser are gathered after one, in milliseconds.
pub(super) const GROUPING: i64 = 60_000;

/// Turns shorter than this have no notice that they are about to run out.
const LONG_TURN: SignedDuration = SignedDuration::from_mins(10);

/// How long before its end a player is told that a turn runs out: a quarter of it, at most this.
const LAST_HOUR: SignedDuration = SignedDuration::from_hours(1);

impl Notifications {
    /// Looks at what may be due by now, and writes the notices that are.
    pub(crate) async fn find_due(&self) -> Result<(), Failure> {
        let mut looks = Vec::new();
        for look in self.turn_watch.due(self.now()) {
            match self.games.at_least(look.game, look.version).await {
                Ok(loaded) => looks.push((look, loaded)),
                Err(failure) => self.look_again(look, &failure),
            }
        }
        let mut notices = std::mem::take(&mut *self.unwritten());
        if !looks.is_empty() {
            let people = looks.iter().flat_map(|(look, loaded)| concerned(look, loaded));
            let people: Vec<AccountId> = people.collect();
            let there: HashSet<AccountId> = match self.presence.who_follows(&people).await {
                Ok(there) => there.into_iter().collect(),
                Err(failure) => {
                    looks.into_iter().for_each(|(look, _)| self.turn_watch.again(look));
                    *self.unwritten() = notices;
                    return Err(failure);
                }
            };
            for (look, loaded) in looks {
                let absent = concerned(&look, &loaded).filter(|one| !there.contains(one)).collect();
                match self.decide(look.clone(), &loaded, absent).await {
                    Ok(due) => notices.extend(due),
                    Err(failure) => self.look_again(look, &failure),
                }
            }
        }
        let written = self.write(&notices).await;
        if written.is_err() {
            self.unwritten().extend(notices);
        }
        written
    }

    /// Tells an account of something, unless a client of it follows a stream. A failure is logged.
    pub(crate) async fn tell_absent(&self, notice: NewNotification) {
        if !self.has_destinations() {
            return;
        }
        let told = async {
            let there = self.presence.who_follows([&notice.account]).await?;
            if there.is_empty() { self.write(std::slice::from_ref(&notice)).await } else { Ok(()) }
        };
        if let Err(failure) = told.await {
            tracing::warn!(error = %failure, kind = notice.kind, "cannot tell a player");
        }
    }

    /// Tries a look again that failed because the database was not available. Other failures would not pass.
    fn look_again(&self, look: Look, failure: &Failure) {
        if failure.is_unavailable() {
            self.turn_watch.again(Look { at: self.now() + AGAIN, ..look });
        } else {
            tracing::warn!(game = %look.game, error = %failure, "cannot tell players of a game");
        }
    }

    fn unwritten(&self) -> MutexGuard<'_, Vec<NewNotification>> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The notices to those who are absent, and when to look again.
    async fn decide(
        &self,
        look: Look,
        loaded: &LoadedGame,
        absent: Vec<AccountId>,
    ) -> Result<Vec<NewNotification>, Failure> {
        let Look { game, version, about, .. } = look;
        let turn = turn_of(loaded);
        let opened = Matter { expires_at: None, since: loaded.created_at.timestamp(), ..turn };
        let (kind, matter) = match about {
            About::Turn { mut told } => {
                // Reads the log only if there is a notice to write.
                if (!absent.is_empty() || loaded.version != version)
                    && self.has_moved(loaded, version).await?
                {
                    return Ok(Vec::new());
                }
                told.extend(absent.iter().cloned());
                let all_told = people_awaited(loaded).all(|account| told.contains(account));
                let next = match all_told {
                    true => ending_of(loaded).map(|at| (milliseconds(at), About::TurnEnding)),
                    false => Some((self.now() + AGAIN, About::Turn { told })),
                };
                match next {
                    Some((at, about)) => self.turn_watch.again(Look { at, game, version, about }),
                    None => self.turn_watch.done(game, version),
                }
                (NoticeKind::YourTurn, turn)
            }
            About::TurnEnding => {
                if self.has_moved(loaded, version).await? {
                    return Ok(Vec::new());
                }
                self.turn_watch.done(game, version);
                (NoticeKind::TurnEnding, turn)
            }
            About::Started => (NoticeKind::GameStarted, opened),
            About::Finished => {
                let since = loaded.turn_clock.last.timestamp();
                (NoticeKind::GameFinished, Matter { since, expires_at: None, ..turn })
            }
            About::Invited { .. } => (NoticeKind::Invited, opened),
        };
        let now = self.clock.now().into();
        Ok(absent.iter().map(|one| notice(kind, one, matter, now)).collect())
    }

    /// Whether the game has a later version. The node that wrote it watches the turn.
    async fn has_moved(&self, loaded: &LoadedGame, version: u64) -> Result<bool, Failure> {
        let has_moved = loaded.version != version || self.games.is_outdated(loaded).await?;
        if has_moved {
            self.turn_watch.done(loaded.id, version);
        }
        Ok(has_moved)
    }

    /// Writes notices for their destinations, as their accounts chose. A notice that was written before stays as it is.
    async fn write(&self, notices: &[NewNotification]) -> Result<(), Failure> {
        if notices.is_empty() {
            return Ok(());
        }
        let accounts: Vec<AccountId> = notices.iter().map(|notice| notice.account.clone()).collect();
        let read = move |conn: &mut Connection| {
            let subscriptions = push_subscriptions::of_accounts(conn, &accounts)?;
            Ok((notifications::choices(conn, &accounts)?, subscriptions))
        };
        let (stored, subscriptions) = self.database.read(read).await?;
        let choices: HashMap<AccountId, NotificationChoices> = stored
            .into_iter()
            .map(|(account, text)| (account, serde_json::from_str(&text).unwrap_or_default()))
            .collect();
        let (now, reach) = (self.clock.now(), self.reach());
        let mut wanted: Vec<(NewNotification, i64)> = Vec::new();
        for notice in notices {
            let chosen = choices.get(&notice.account).cloned().unwrap_or_default();
            if NoticeKind::from_name(notice.kind).is_none_or(|kind| chosen.wants(kind)) {
                wanted.push((notice.clone(), milliseconds(chosen.send_at(now))));
            }
        }
        if wanted.is_empty() || (!reach.webhook && subscriptions.is_empty()) {
            return Ok(());
        }
        let write_all = move |conn: &mut Connection| {
            let mut is_new = false;
            for (notice, at) in &wanted {
                is_new |= write(conn, notice, reach, &subscriptions, (*at, Some(GROUPING)))?;
            }
            Ok::<_, Failure>(is_new)
        };
        if self.database.write(Server, write_all).await? {
            self.written.notify_one();
        }
        Ok(())
    }
}

/// Whom a look concerns.
fn concerned(look: &Look, loaded: &LoadedGame) -> impl Iterator<Item = AccountId> {
    let people: Vec<AccountId> = match &look.about {
        About::Turn { told } => {
            people_awaited(loaded).filter(|account| !told.contains(account)).cloned().collect()
        }
        About::TurnEnding => people_awaited(loaded).cloned().collect(),
        About::Started | About::Finished => {
            let sitters = loaded.game.table.places.values().flatten();
            sitters.filter_map(|sitter| sitter.player.account().cloned()).collect()
        }
        About::Invited { accounts } => accounts.clone(),
    };
    people.into_iter()
}

/// The turn for which a game waits.
pub(super) fn turn_of(loaded: &LoadedGame) -> Matter {
    let expires_at = loaded.turn_clock.due(&loaded.game).map(|due| due.at.timestamp());
    Matter { game: loaded.id, version: loaded.version, since: loaded.turn_clock.turn.timestamp(), expires_at }
}

/// When the player is told that the turn runs out; none for short turns and those without a clock.
fn ending_of(loaded: &LoadedGame) -> Option<Timestamp> {
    let end = loaded.turn_clock.deadline(&loaded.game)?.timestamp();
    let length = end.duration_since(loaded.turn_clock.turn.timestamp());
    if loaded.game.status() != GameStatus::Playing || length < LONG_TURN {
        return None;
    }
    end.checked_sub(LAST_HOUR.min(length / 4)).ok()
}

/// A notice about an account and no game.
pub(crate) fn account_notice(
    kind: NoticeKind,
    account: &AccountId,
    id: Id,
    now: RecordTime,
) -> NewNotification {
    NewNotification {
        id,
        account: account.clone(),
        kind: kind.as_str(),
        game: None,
        version: None,
        since: now,
        expires_at: None,
        created_at: now,
    }
}

/// The destinations that notices have.
#[derive(Clone, Copy)]
pub(crate) struct Reach {
    pub(crate) webhook: bool,
    /// The browsers of all sessions of the account.
    pub(crate) pushes: bool,
}

/// Writes a notice for its destinations, to be sent from a time on, and to a browser not within `grouping` milliseconds of its
/// last push. Returns whether it is new for one.
pub(super) fn write(
    conn: &mut Connection,
    notice: &NewNotification,
    reach: Reach,
    subscriptions: &[PushSubscription],
    (at, grouping): (i64, Option<i64>),
) -> Result<bool, StoreError> {
    let mut is_new = reach.webhook && notifications::add(conn, notice, WEBHOOK, at)?;
    for one in subscriptions.iter().filter(|one| reach.pushes && one.account_id == notice.account) {
        let at = grouping.map_or(at, |grouping| at.max(one.pushed_at + grouping));
        is_new |= notifications::add(conn, notice, &one.session_id, at)?;
    }
    Ok(is_new)
}

/// Writes a notice that cannot be muted and does not wait for the end of quiet hours. The browser of the session `except`
/// does not get it.
pub(crate) fn write_at_once(
    conn: &mut Connection,
    notice: &NewNotification,
    reach: Reach,
    except: Option<&str>,
) -> Result<(), StoreError> {
    let mut subscriptions = match reach.pushes {
        true => push_subscriptions::of_accounts(conn, std::slice::from_ref(&notice.account))?,
        false => Vec::new(),
    };
    subscriptions.retain(|one| except != Some(one.session_id.as_str()));
    write(conn, notice, reach, &subscriptions, (notice.created_at.milliseconds(), None)).map(drop)
}

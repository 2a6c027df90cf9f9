//! Doing something to an account: the change, its act and what is told of it, in one transaction.

use std::sync::Arc;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::acts::{Act, Measure};
use super::queue::checked_answer;
use super::{Moderation, tell};
use crate::accounts::changes::{AccountChangeKind, MadeChange};
use crate::accounts::erase;
use crate::auth::authority::Required;
use crate::auth::caller::Caller;
use crate::auth::keys::RefreshKey;
use crate::auth::link_token::LinkToken;
use crate::auth::security;
use crate::auth::standing::FOREVER;
use crate::auth::throttle::Limited;
use crate::auth::tokens::Role;
use crate::base::completion::run_to_completion;
use crate::base::entropy::SystemEntropy;
use crate::base::failure::Failure;
use crate::base::field_error::FieldCode;
use crate::base::names::{choose_display_name, neutral};
use crate::mail::MailKind;
use crate::notifications::NoticeKind;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::accounts::{self, AccountChanges, AccountRow, StoredName};
use estimation_store::email_addresses::{self, EmailLinkRow, Purpose};
use estimation_store::mails::{self, MailRow};
use estimation_store::moderation::{self, ActToRecord, ModerationAct, Seal, StandingRow};
use estimation_store::{Connection, Hash, Id, StoreError, reports, second_steps, sessions};

/// How long a link into an account does not work yet, and then works.
const ACCESS_AFTER: SignedDuration = SignedDuration::from_hours(24);
const ACCESS_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);

/// What a moderator wants done to an account.
pub struct NewAct<'a> {
    pub measure: Measure,
    /// Why. The account is told.
    pub reason: &'a str,
    /// How to appeal.
    pub appeal: Option<&'a str>,
    /// The report that led to it.
    pub report: Option<Uuid>,
    /// Why the account is not told; `None` to tell it.
    pub untold: Option<&'a str>,
    /// The moderator; `None` for the command line.
    pub by: Option<&'a Caller>,
}

impl<'a> NewAct<'a> {
    /// An act by the command line, of which the account is told.
    pub fn by_operator(measure: Measure, reason: &'a str, report: Option<Uuid>) -> NewAct<'a> {
        NewAct { measure, reason, appeal: None, report, untold: None, by: None }
    }
}

/// A value that an act changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangedValue {
    /// What it is called.
    #[schema(min_length = 1, max_length = 32, example = "muted_until")]
    pub field: String,
    /// The value before; null for none.
    #[schema(min_length = 0, max_length = 2560)]
    pub before: Option<String>,
    /// The value after; null for none.
    #[schema(min_length = 0, max_length = 2560)]
    pub after: Option<String>,
}

impl ChangedValue {
    pub(crate) fn new(
        field: &str,
        before: Option<impl Into<String>>,
        after: Option<impl Into<String>>,
    ) -> ChangedValue {
        ChangedValue { field: field.to_owned(), before: before.map(Into::into), after: after.map(Into::into) }
    }

    /// The text of changes, as it is stored.
    pub(crate) fn stored(changes: &[ChangedValue]) -> Result<String, StoreError> {
        serde_json::to_string(changes).map_err(|error| StoreError::Corrupt { detail: error.to_string() })
    }
}

/// What was done.
pub struct Acted {
    pub(crate) row: ModerationAct,
    /// The token of the link, for [`Measure::GiveAccess`].
    pub(crate) token: Option<String>,
}

/// What the transaction needs.
struct Enacting {
    row: ModerationAct,
    seal: Seal,
    account: AccountId,
    measure: Measure,
    /// The moderator; `None` for the command line.
    by: Option<Caller>,
    /// The new display name.
    name: Option<String>,
    /// The change of a way into the account.
    change: Option<MadeChange>,
    /// The mail that tells of it or has the export; `None` if the server sends no mail.
    mail: Option<MailRow>,
    /// The hash of a link's token.
    link: Hash,
    notice: Id,
    key: Arc<RefreshKey>,
    now: RecordTime,
}

impl Measure {
    /// The change of a way into the account.
    fn change(&self) -> Option<AccountChangeKind> {
        match self {
            Measure::GiveAccess => Some(AccountChangeKind::AccessGiven),
            Measure::RemoveSecondStep => Some(AccountChangeKind::SecondStepRemoved),
            _ => None,
        }
    }

    /// The mail that goes to the account's address.
    fn mail(&self) -> Option<MailKind> {
        match self {
            Measure::GiveAccess => Some(MailKind::Access),
            Measure::SendExport => Some(MailKind::Export),
            _ => None,
        }
    }
}

impl Moderation {
    /// Does something to an account, and tells it unless the act says why not. Nodes notice it within two seconds.
    ///
    /// # Errors
    /// [`Failure::NotFound`], the fields that are wrong, [`Failure::AccountProtected`],
    /// [`Failure::TooManyAttempts`] for too many mails to the account,
    /// [`Failure::NoEmailAddress`], [`Failure::NoSecondStep`].
    pub async fn act(self: &Arc<Moderation>, account: &AccountId, act: NewAct<'_>) -> Result<Acted, Failure> {
        let NewAct { measure, reason, appeal, report, untold, by } = act;
        checked_answer(reason)?;
        let now = RecordTime::from(self.clock.now());
        if measure.until().is_some_and(|until| until <= now.milliseconds()) {
            return Err(Failure::field("until", FieldCode::OutOfRange, "must be in the future"));
        }
        if measure.mail().is_some() {
            let attempt = self.throttle.meter().attempt(Limited::MailToAccount, account.as_str().as_bytes());
            self.throttle.count(attempt.into_iter().collect()).await?;
        }
        let name = match &measure {
            Measure::Rename(Some(name)) => {
                let chosen = choose_display_name(name).map_err(|fault| {
                    Failure::field("display_name", FieldCode::WrongFormat, fault.refusal.to_string())
                })?;
                Some(chosen)
            }
            Measure::Rename(None) => Some(neutral("Player", account)),
            _ => None,
        };
        let row = ModerationAct {
            id: Id(self.draw_id()),
            account_id: Some(account.clone()),
            game_id: None,
            act: measure.act(),
            until_at: measure.until(),
            reason: reason.to_owned(),
            appeal: appeal.map(ToOwned::to_owned),
            changes: String::new(),
            report_id: report.map(Id),
            acted_by: by.map(|by| by.account.clone()),
            untold: untold.map(ToOwned::to_owned),
            created_at: now,
        };
        let token = LinkToken::draw(&SystemEntropy);
        let enacting = Enacting {
            account: account.clone(),
            seal: self.seal(),
            by: by.cloned(),
            name,
            change: measure.change().map(|kind| self.change_log.made_by_moderator(account, kind)),
            mail: measure.mail().and_then(|kind| self.mail.to_account(kind, account)),
            link: token.hash(),
            notice: Id(self.draw_id()),
            key: self.sessions.refresh_key(),
            measure: measure.clone(),
            now,
            row,
        };
        let (app, account) = (Arc::clone(self), account.clone());
        let by = by.map(|by| by.authority(Required::Acting, self.clock.now()));
        let acting = async move {
            let row = app.database.write(by, move |conn| enacting.enact(conn)).await?;
            app.metrics.moderation_act(measure.act().as_str());
            security::moderated(&account, row.act.as_str(), row.acted_by.as_ref());
            app.names.forget(&account);
            match measure {
                Measure::EndSessions => app.sessions.sessions_ended(&account, None),
                Measure::RemoveSecondStep => app.sessions.second_step_changed(&account),
                Measure::Delete => app.accounts.erased(&account, "asked a moderator").await,
                _ => {}
            }
            let token = matches!(measure, Measure::GiveAccess).then(|| token.text().to_string());
            Ok(Acted { row, token })
        };
        run_to_completion(acting).await
    }
}

impl Enacting {
    fn enact(&self, conn: &mut Connection) -> Result<ModerationAct, Failure> {
        // Acts on an account, and changes of its role, take turns.
        let account = accounts::find_locked(conn, &self.account)?;
        let account = account.ok_or(Failure::NotFound { what: "account" })?;
        if let Some(moderator) = &self.by {
            let has_role = account.role != Role::Player;
            if moderator.account == self.account || (has_role && moderator.role != Role::Admin) {
                return Err(Failure::AccountProtected);
            }
        }
        if let Some(report) = self.row.report_id {
            let subject = reports::find(conn, report)?.map(|report| report.subject_id);
            if subject.as_ref() != Some(&self.account) {
                let reason = "must be a report about this account";
                return Err(Failure::field("report", FieldCode::Contradiction, reason));
            }
        }
        let changes = self.changed(conn, &account)?;
        let act = ModerationAct { changes: ChangedValue::stored(&changes)?, ..self.row.clone() };
        let to_record = ActToRecord { act, seal: Arc::clone(&self.seal) };
        moderation::record(conn, &to_record)?;
        let row = to_record.act;
        if let Some(change) = &self.change {
            change.write(conn)?;
        }
        // A change of a way into the account has a notice of its own.
        let is_told = row.untold.is_none()
            && self.change.is_none()
            && !matches!(self.measure, Measure::Note | Measure::Delete);
        if is_told {
            tell(conn, NoticeKind::StandingChanged, &self.account, self.notice, self.now)?;
        }
        Ok(row)
    }

    /// Changes what the measure is about, and returns the values before and after.
    fn changed(&self, conn: &mut Connection, account: &AccountRow) -> Result<Vec<ChangedValue>, Failure> {
        let id = &self.account;
        Ok(match &self.measure {
            Measure::Note => Vec::new(),
            Measure::Rename(_) => {
                let before = account.display_name.as_stored();
                let name = self.name.clone().unwrap_or_default();
                let changes = AccountChanges {
                    display_name: Some(StoredName::new(name.clone())),
                    updated_at: self.now.milliseconds(),
                    ..AccountChanges::default()
                };
                accounts::update(conn, id, &changes)?;
                vec![ChangedValue::new("display_name", Some(before), Some(name))]
            }
            Measure::Mute(_) | Measure::Suspend(_) | Measure::Ban(_) | Measure::Lift => {
                let before = moderation::standing(conn, id)?;
                let after = self.standing_after(before.clone());
                moderation::set_standing(conn, &after)?;
                standing_changes(self.measure.act(), &before, &after)
            }
            Measure::EndSessions => {
                let ended = sessions::end_all(conn, id, self.now.milliseconds())?;
                vec![ChangedValue::new("sessions", Some(ended.to_string()), Some("0"))]
            }
            Measure::GiveAccess => {
                email_addresses::stop_access(conn, id)?;
                let works_at = self.now.plus(ACCESS_AFTER);
                let times = (works_at, works_at.plus(ACCESS_FOR));
                let link = EmailLinkRow::new(self.link, id.clone(), Purpose::Access, times);
                email_addresses::add_link(conn, &link)?;
                self.send(conn)?;
                vec![ChangedValue::new("access_works_at", None::<String>, Some(works_at.to_string()))]
            }
            Measure::SendExport => match self.send(conn)? {
                true => Vec::new(),
                false => return Err(Failure::NoEmailAddress),
            },
            Measure::RemoveSecondStep => {
                if !second_steps::remove(conn, id)? {
                    return Err(Failure::NoSecondStep);
                }
                sessions::forget_second_step(conn, id)?;
                vec![ChangedValue::new("second_step", Some("set up"), None::<String>)]
            }
            Measure::Delete => {
                let erased =
                    erase::rows(conn, id, &self.key, self.now.milliseconds()).map_err(
                        |error| match error {
                            StoreError::LastAdmin => Failure::LastAdmin,
                            error => error.into(),
                        },
                    )?;
                if !erased {
                    return Err(Failure::NotFound { what: "account" });
                }
                vec![ChangedValue::new("account", Some(account.kind.as_str()), None::<String>)]
            }
        })
    }

    /// Writes the mail to the account's address. Returns false without an address, or a server that sends mail.
    fn send(&self, conn: &mut Connection) -> Result<bool, StoreError> {
        let (Some(mail), Some(address)) = (&self.mail, email_addresses::find(conn, &self.account)?) else {
            return Ok(false);
        };
        mails::add(conn, &MailRow { address: address.address, ..mail.clone() })?;
        Ok(true)
    }

    fn standing_after(&self, standing: StandingRow) -> StandingRow {
        let until = self.measure.until();
        match self.measure {
            Measure::Mute(_) => StandingRow { muted_until: until, ..standing },
            Measure::Suspend(_) => StandingRow { suspended_until: until, ..standing },
            Measure::Ban(_) => StandingRow { banned_until: until, ..standing },
            Measure::Lift => StandingRow::good(&standing.account_id),
            _ => standing,
        }
    }
}

/// The values that an act changed in a standing: the one that it is about, and others that differ.
pub(crate) fn standing_changes(act: Act, before: &StandingRow, after: &StandingRow) -> Vec<ChangedValue> {
    let values = |row: &StandingRow| [row.muted_until, row.suspended_until, row.banned_until];
    let fields =
        [(Act::Muted, "muted_until"), (Act::Suspended, "suspended_until"), (Act::Banned, "banned_until")];
    fields
        .into_iter()
        .zip(values(before).into_iter().zip(values(after)))
        .filter(|((own, _), (before, after))| *own == act || before != after)
        .map(|((_, field), (before, after))| ChangedValue::new(field, written(before), written(after)))
        .collect()
}

/// A time as text; `forever` for no end.
fn written(time: Option<i64>) -> Option<String> {
    let text = |time| RecordTime::from_milliseconds(time).map(|time| time.to_string());
    time.map(|time| if time >= FOREVER { "forever".to_owned() } else { text(time).unwrap_or_default() })
}

//! Doing something to an account: the change, its act and what is told of it, in one transaction.

use std::sync::Arc;

use jiff::SignedDuration;

use super::acts::{Act, ActDone, ActRequest, ChangedValue};
use super::{LONGEST_APPEAL, LONGEST_REASON, LONGEST_UNTOLD, Moderation, check_text, tell};
use crate::accounts::changes::{AccountChangeKind, MadeChange};
use crate::accounts::erase;
use crate::auth::keys::RefreshKey;
use crate::auth::link_token::LinkToken;
use crate::auth::permission::ActingModerator;
use crate::auth::restrictions::FOREVER;
use crate::auth::security;
use crate::auth::throttle::LimitKind;
use crate::auth::tokens::Role;
use crate::base::completion::run_to_completion;
use crate::base::entropy::SystemEntropy;
use crate::base::failure::{Failure, milliseconds};
use crate::base::field_error::FieldCode;
use crate::base::names::{choose_display_name, neutral};
use crate::mail::MailKind;
use crate::notifications::NoticeKind;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::accounts::{self, AccountChanges, AccountRow};
use estimation_store::email_addresses::{self, EmailLinkRow, Purpose};
use estimation_store::mails::{self, MailRow};
use estimation_store::moderation::{self, ActToRecord, ModerationAct, Seal, StandingRow};
use estimation_store::{Connection, Hash, Id, StoreError, reports, second_steps, sessions};

/// How long a link into an account does not work yet, and then works.
const ACCESS_AFTER: SignedDuration = SignedDuration::from_hours(24);
const ACCESS_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);

/// What the transaction needs.
struct Enacting {
    row: ModerationAct,
    seal: Seal,
    account: AccountId,
    act: Act,
    by: ActingModerator,
    /// The new display name, for [`Act::Renamed`].
    name: String,
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

/// The change of a way into the account that an act is.
fn change_of(act: Act) -> Option<AccountChangeKind> {
    match act {
        Act::AccessGiven => Some(AccountChangeKind::AccessGiven),
        Act::SecondStepRemoved => Some(AccountChangeKind::SecondStepRemoved),
        _ => None,
    }
}

/// The mail of an act to the account's address.
fn mail_of(act: Act) -> Option<MailKind> {
    match act {
        Act::AccessGiven => Some(MailKind::Access),
        Act::ExportSent => Some(MailKind::Export),
        _ => None,
    }
}

impl ActRequest {
    /// Refuses a request without the fields that its act needs, or with others.
    fn check(&self) -> Result<(), Failure> {
        let ActRequest { act, until, display_name, appeal, untold, .. } = self;
        let refused = |field: &'static str, is_given: bool| {
            let reason = format!("must not be given for `{}`", act.as_str());
            if is_given { Err(Failure::field(field, FieldCode::Contradiction, reason)) } else { Ok(()) }
        };
        let is_timed = matches!(act, Act::Muted | Act::Suspended | Act::Banned);
        refused("/until", until.is_some() && !is_timed)?;
        refused("/display_name", display_name.is_some() && *act != Act::Renamed)?;
        // Of these the account is told by a mail, by a change of its ways in, or not at all.
        let is_told_otherwise = matches!(
            act,
            Act::Noted | Act::Deleted | Act::AccessGiven | Act::ExportSent | Act::SecondStepRemoved
        );
        refused("/untold", untold.is_some() && is_told_otherwise)?;
        refused("/appeal", appeal.is_some() && !matches!(act, Act::Suspended | Act::Banned))?;
        match act {
            Act::ReportUpheld | Act::ReportDismissed | Act::GameEnded => {
                let reason = "must not be an act with an operation of its own";
                Err(Failure::field("/act", FieldCode::NotAChoice, reason))
            }
            Act::Muted | Act::Suspended if until.is_none() => {
                Err(Failure::field("/until", FieldCode::Missing, "must be given"))
            }
            _ => Ok(()),
        }
    }

    /// The end of what the act begins.
    fn until_at(&self) -> Option<i64> {
        let until = self.until.map(|until| milliseconds(until.timestamp()).min(FOREVER));
        until.or((self.act == Act::Banned).then_some(FOREVER))
    }
}

impl Moderation {
    /// Does something to an account, and tells it unless the request says why not. Nodes notice it within two seconds.
    ///
    /// # Errors
    /// [`Failure::NotFound`], the fields that are wrong, [`Failure::AccountProtected`],
    /// [`Failure::TooManyAttempts`] for too many mails to the account,
    /// [`Failure::NoEmailAddress`], [`Failure::NoSecondStep`].
    pub async fn act(
        self: &Arc<Moderation>,
        by: &ActingModerator,
        account: &AccountId,
        request: &ActRequest,
    ) -> Result<ActDone, Failure> {
        request.check()?;
        let act = request.act;
        if act == Act::SecondStepRemoved && !by.is_admin() {
            return Err(Failure::RoleRequired { role: Role::Admin });
        }
        check_text("/reason", Some(&request.reason), LONGEST_REASON)?;
        check_text("/untold", request.untold.as_deref(), LONGEST_UNTOLD)?;
        check_text("/appeal", request.appeal.as_deref(), LONGEST_APPEAL)?;
        let (until_at, now) = (request.until_at(), RecordTime::from(self.clock.now()));
        if until_at.is_some_and(|until| until <= now.milliseconds()) {
            return Err(Failure::field("/until", FieldCode::OutOfRange, "must be in the future"));
        }
        if mail_of(act).is_some() {
            let attempt =
                self.throttle.meter().attempt(LimitKind::MailToAccount, account.as_str().as_bytes());
            self.throttle.count(attempt.into_iter().collect()).await?;
        }
        let name = match &request.display_name {
            Some(name) => choose_display_name(name).map_err(|fault| {
                Failure::field("/display_name", FieldCode::WrongFormat, fault.refusal.to_string())
            })?,
            None => neutral("Player", account),
        };
        let row = ModerationAct {
            account_id: Some(account.clone()),
            until_at,
            appeal: request.appeal.clone(),
            report_id: request.report.map(Id),
            untold: request.untold.clone(),
            ..self.new_act(by, act, &request.reason)
        };
        let token = LinkToken::draw(&SystemEntropy);
        let enacting = Enacting {
            account: account.clone(),
            seal: self.seal(),
            by: by.clone(),
            name,
            change: change_of(act).map(|kind| self.change_log.made_by_moderator(account, kind)),
            mail: mail_of(act).and_then(|kind| self.mail.to_account(kind, account)),
            link: token.hash(),
            notice: Id(self.draw_id()),
            key: self.sessions.refresh_key(),
            act,
            now,
            row,
        };
        let (app, account) = (Arc::clone(self), account.clone());
        let by = by.authority(self.clock.now());
        let acting = async move {
            let row = app.database.write(by, move |conn| enacting.enact(conn)).await?;
            app.metrics.moderation_act(act.as_str());
            security::moderated(&account, row.act.as_str(), row.acted_by.as_ref());
            app.names.forget(&account);
            match act {
                Act::SessionsEnded => app.sessions.sessions_ended(&account, None),
                Act::SecondStepRemoved => app.sessions.second_step_changed(&account),
                Act::Deleted => app.accounts.erased(&account, "asked a moderator").await,
                _ => {}
            }
            let token = (act == Act::AccessGiven).then(|| token.text().to_string());
            Ok::<_, Failure>((row, token))
        };
        let (row, token) = run_to_completion(acting).await?;
        Ok(ActDone { act: self.act_view(row).await?, token })
    }
}

impl Enacting {
    fn enact(&self, conn: &mut Connection) -> Result<ModerationAct, Failure> {
        // Acts on an account, and changes of its role, take turns.
        let account = accounts::find_locked(conn, &self.account)?;
        let account = account.ok_or(Failure::NotFound { what: "account" })?;
        if self.by.is_barred_from(&self.account, account.role != Role::Player) {
            return Err(Failure::AccountProtected);
        }
        if let Some(report) = self.row.report_id {
            let subject = reports::find(conn, report)?.map(|report| report.subject_id);
            if subject.as_ref() != Some(&self.account) {
                let reason = "must be a report about this account";
                return Err(Failure::field("/report", FieldCode::Contradiction, reason));
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
        let is_told =
            row.untold.is_none() && self.change.is_none() && !matches!(self.act, Act::Noted | Act::Deleted);
        if is_told {
            tell(conn, NoticeKind::StandingChanged, &self.account, self.notice, self.now)?;
        }
        Ok(row)
    }

    /// Changes what the act is about, and returns the values before and after.
    fn changed(&self, conn: &mut Connection, account: &AccountRow) -> Result<Vec<ChangedValue>, Failure> {
        let id = &self.account;
        Ok(match self.act {
            Act::Noted | Act::ReportUpheld | Act::ReportDismissed | Act::GameEnded => Vec::new(),
            Act::Renamed => {
                let before = account.display_name.as_str();
                let name = self.name.clone();
                let changes = AccountChanges {
                    display_name: Some(name.clone()),
                    updated_at: self.now.milliseconds(),
                    ..AccountChanges::default()
                };
                accounts::update(conn, id, &changes)?;
                vec![ChangedValue::new("display_name", Some(before), Some(name))]
            }
            Act::Muted | Act::Suspended | Act::Banned | Act::Lifted => {
                let before = moderation::standing(conn, id)?;
                let after = self.standing_after(before.clone());
                moderation::set_standing(conn, &after)?;
                standing_changes(self.act, &before, &after)
            }
            Act::SessionsEnded => {
                let ended = sessions::end_all(conn, id, self.now.milliseconds())?;
                vec![ChangedValue::new("sessions", Some(ended.to_string()), Some("0"))]
            }
            Act::AccessGiven => {
                email_addresses::stop_access(conn, id)?;
                let works_at = self.now.plus(ACCESS_AFTER);
                let times = (works_at, works_at.plus(ACCESS_FOR));
                let link = EmailLinkRow::new(self.link, id.clone(), Purpose::Access, times);
                email_addresses::add_link(conn, &link)?;
                self.send(conn)?;
                vec![ChangedValue::new("access_works_at", None::<String>, Some(works_at.to_string()))]
            }
            Act::ExportSent => match self.send(conn)? {
                true => Vec::new(),
                false => return Err(Failure::NoEmailAddress),
            },
            Act::SecondStepRemoved => {
                if !second_steps::remove(conn, id)? {
                    return Err(Failure::NoSecondStep);
                }
                sessions::forget_second_step(conn, id)?;
                vec![ChangedValue::new("second_step", Some("set up"), None::<String>)]
            }
            Act::Deleted => {
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
        let until = self.row.until_at;
        match self.act {
            Act::Muted => StandingRow { muted_until: until, ..standing },
            Act::Suspended => StandingRow { suspended_until: until, ..standing },
            Act::Banned => StandingRow { banned_until: until, ..standing },
            Act::Lifted => StandingRow::good(&standing.account_id),
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

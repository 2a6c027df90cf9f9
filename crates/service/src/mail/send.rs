//! Sends the mails that were written, with retries.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use lettre::message::header::ContentType;
use lettre::{Message, Transport};
use thiserror::Error;
use tokio::task::spawn_blocking;

use super::settings::EmailAddress;
use super::{LINK_LIFETIME, LONG_LINK_LIFETIME, Mail, MailKind, MailSettings};
use crate::auth::authority::AskingSession;
use crate::auth::link_token::LinkToken;
use crate::base::failure::{Failure, milliseconds};
use crate::base::locale::Language;
use estimation_record::RecordTime;
use estimation_store::email_addresses::{self, EmailLinkRow, Purpose};
use estimation_store::mails::{self, MailRow};
use estimation_store::{Connection, Hash, Server, StoreError, accounts};

/// The most accounts of an address that a mail has links for.
const MAX_ACCOUNTS: i64 = 5;

/// How long a node has for a mail before another one tries, in milliseconds. Each command of SMTP takes at most ten seconds.
const ATTEMPT: i64 = 180_000;

/// The pause after a failed attempt, in milliseconds.
const PAUSE: i64 = 60_000;

/// How long a mail is tried again, in milliseconds. A player who waits for a link requests another one.
const PATIENCE: i64 = 60 * 60_000;
const PATIENCE_OF_NEWS: i64 = 24 * PATIENCE;

/// Why a mail was not sent. The text is for the log.
#[derive(Debug, Error)]
enum NotSent {
    /// Another attempt would fail too.
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Later(String),
}

impl From<Failure> for NotSent {
    /// Only failures of the database may pass.
    fn from(failure: Failure) -> NotSent {
        match failure {
            Failure::Store(error) => NotSent::Later(error.to_string()),
            failure => NotSent::Refused(failure.to_string()),
        }
    }
}

impl From<StoreError> for NotSent {
    fn from(error: StoreError) -> NotSent {
        NotSent::Later(error.to_string())
    }
}

impl Mail {
    pub(crate) async fn send_due(&self) -> Result<(), Failure> {
        let Some(settings) = &self.settings else { return Ok(()) };
        loop {
            let now = milliseconds(self.clock.now());
            if !self.database.read(move |conn| mails::any_due(conn, now)).await? {
                return Ok(());
            }
            let take = move |conn: &mut Connection| mails::take(conn, now, now + ATTEMPT);
            let Some(mail) = self.database.write(Server, take).await? else { return Ok(()) };
            let is_awaited = matches!(mail.kind, MailKind::Verify | MailKind::Reset);
            let patience = if is_awaited { PATIENCE } else { PATIENCE_OF_NEWS };
            let is_over = match self.send(settings, &mail).await {
                Ok(()) => true,
                Err(error @ NotSent::Refused(_)) => {
                    tracing::warn!(kind = mail.kind.as_str(), %error, "a mail is given up");
                    true
                }
                Err(error @ NotSent::Later(_)) => {
                    tracing::warn!(kind = mail.kind.as_str(), %error, "a mail was not sent");
                    milliseconds(self.clock.now()) - mail.created_at.milliseconds() > patience
                }
            };
            let (id, at) = (mail.id, milliseconds(self.clock.now()) + PAUSE);
            if is_over {
                self.database.write(Server, move |conn| mails::end(conn, id)).await?;
            } else {
                self.database.write(Server, move |conn| mails::retry(conn, id, at)).await?;
            }
        }
    }

    /// Sends a mail, to each address for which it has links.
    async fn send(&self, settings: &MailSettings, mail: &MailRow) -> Result<(), NotSent> {
        let own = |links: Vec<String>| BTreeMap::from([(mail.address.clone(), links)]);
        let links = match mail.kind {
            MailKind::Verify => self.verification(settings, mail).await?.map(own).unwrap_or_default(),
            MailKind::Reset => self.resets(settings, &mail.address).await?,
            MailKind::Changed => own(Vec::new()),
            MailKind::Access => {
                self.account_link(settings, mail, Purpose::Stop).await?.map(own).unwrap_or_default()
            }
            MailKind::Export => {
                self.account_link(settings, mail, Purpose::Export).await?.map(own).unwrap_or_default()
            }
        };
        let mut messages = Vec::new();
        for (address, links) in links {
            messages.push(message(settings, mail, &address, &links)?);
        }
        if messages.is_empty() {
            return Ok(());
        }
        let server = settings.server.0.clone();
        let send = move || messages.iter().try_for_each(|message| server.send(message).map(drop));
        let sent = match spawn_blocking(send).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) if error.is_permanent() => Err(NotSent::Refused(error.to_string())),
            Ok(Err(error)) => Err(NotSent::Later(error.to_string())),
            Err(error) => Err(NotSent::Later(error.to_string())),
        };
        self.metrics.mail(match &sent {
            Ok(()) => "sent",
            Err(NotSent::Later(_)) => "failed",
            Err(NotSent::Refused(_)) => "refused",
        });
        sent
    }

    /// The link that verifies an address; none if the mail was withdrawn meanwhile, or the session that asked for it has ended.
    async fn verification(
        &self,
        settings: &MailSettings,
        mail: &MailRow,
    ) -> Result<Option<Vec<String>>, StoreError> {
        let (Some(account), Some(session)) = (mail.account_id.clone(), mail.session_id) else {
            return Ok(None);
        };
        let (token, address) = (LinkToken::draw(&*self.entropy), mail.address.clone());
        let asking = AskingSession { session, account: account.clone() };
        let link =
            EmailLinkRow::verify(token.hash(), account, address, session, self.link_times(LINK_LIFETIME));
        let id = mail.id;
        let write = move |conn: &mut Connection| {
            let is_wanted = mails::is_wanted(conn, id)? && asking.is_active(conn)?;
            if is_wanted {
                email_addresses::add_link(conn, &link)?;
            }
            Ok::<_, StoreError>(is_wanted)
        };
        let is_wanted = self.database.write(Server, write).await?;
        let url = format!("{}/account#verify={}", settings.public_url, *token.text());
        Ok(is_wanted.then(|| vec![url]))
    }

    /// The links into the accounts of an address, each with the name of its account, by the address as it was verified. The
    /// spelling of a request may differ.
    async fn resets(
        &self,
        settings: &MailSettings,
        address: &str,
    ) -> Result<BTreeMap<String, Vec<String>>, Failure> {
        let (key, times) = (EmailAddress::read(address)?.key(), self.link_times(LINK_LIFETIME));
        let tokens: Vec<LinkToken> = (0..MAX_ACCOUNTS).map(|_| LinkToken::draw(&*self.entropy)).collect();
        let hashes: Vec<Hash> = tokens.iter().map(LinkToken::hash).collect();
        let write = move |conn: &mut Connection| {
            let mut rows = Vec::new();
            let found = email_addresses::accounts_of(conn, &key, MAX_ACCOUNTS)?;
            for ((account, address), hash) in found.into_iter().zip(&hashes) {
                let Some(row) = accounts::find(conn, &account)? else { continue };
                email_addresses::add_link(conn, &EmailLinkRow::new(*hash, account, Purpose::Reset, times))?;
                rows.push((row, address, *hash));
            }
            Ok::<_, StoreError>(rows)
        };
        let mut links: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (row, address, hash) in self.database.write(Server, write).await? {
            let Some(token) = tokens.iter().find(|token| token.hash() == hash) else { continue };
            let name = row.username.unwrap_or(row.display_name);
            let link = format!("{name}:\n{}/account#reset={}", settings.public_url, *token.text());
            links.entry(address).or_default().push(link);
        }
        Ok(links)
    }

    /// The link of a mail about an account; none if the mail was withdrawn, or the account has another address by now.
    async fn account_link(
        &self,
        settings: &MailSettings,
        mail: &MailRow,
        purpose: Purpose,
    ) -> Result<Option<Vec<String>>, StoreError> {
        let Some(account) = mail.account_id.clone() else { return Ok(None) };
        let token = LinkToken::draw(&*self.entropy);
        let link =
            EmailLinkRow::new(token.hash(), account.clone(), purpose, self.link_times(LONG_LINK_LIFETIME));
        let (id, address) = (mail.id, mail.address.clone());
        let write = move |conn: &mut Connection| {
            let present = email_addresses::find(conn, &account)?;
            let is_wanted =
                mails::is_wanted(conn, id)? && present.is_some_and(|present| present.address == address);
            if is_wanted {
                // An attempt that failed may have been delivered: its link does not work.
                email_addresses::replace_link(conn, &link)?;
            }
            Ok::<_, StoreError>(is_wanted)
        };
        let is_wanted = self.database.write(Server, write).await?;
        let name = if purpose == Purpose::Stop { "stop" } else { "export" };
        let url = format!("{}/account#{name}={}", settings.public_url, *token.text());
        Ok(is_wanted.then(|| vec![url]))
    }

    /// When a link that is sent now begins and ceases to work.
    fn link_times(&self, lifetime: SignedDuration) -> (RecordTime, RecordTime) {
        let now = RecordTime::from(self.clock.now());
        (now, now.plus(lifetime))
    }
}

fn message(
    settings: &MailSettings,
    mail: &MailRow,
    address: &str,
    links: &[String],
) -> Result<Message, Failure> {
    // Nobody knows the language of who did not ask for a mail.
    let is_asked_for = !matches!(mail.kind, MailKind::Access | MailKind::Export);
    let languages = match is_asked_for {
        true => vec![Language::of_tag(&mail.language)],
        false => Language::ALL.to_vec(),
    };
    let texts: Vec<_> = languages.iter().map(|language| language.mail_text(mail.kind.as_str())).collect();
    let titles: Vec<&str> = texts.iter().map(|text| text.title.as_str()).collect();
    let bodies: Vec<&str> = texts.iter().map(|text| text.description.as_str()).collect();
    let built = Message::builder()
        .from(settings.from.0.clone())
        .to(EmailAddress::read(address)?.mailbox())
        .subject(titles.join(" · "))
        .header(ContentType::TEXT_PLAIN)
        .body(bodies.join("\n\n").replace("{links}", &links.join("\n\n")));
    built.map_err(|error| Failure::Defect(error.to_string()))
}

//! What the operator sets for mail.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use lettre::message::Mailbox;
use lettre::{Address, SmtpTransport};
use thiserror::Error;

use crate::base::failure::Failure;
use crate::base::field_error::FieldCode;

/// How long a command of SMTP may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The longest address, in bytes (RFC 5321).
const LONGEST: usize = 254;

/// A mail server, with the credentials for it. It cannot be printed.
#[derive(Clone)]
pub struct MailServer(pub(super) SmtpTransport);

/// The text is no URL of a mail server. It is not quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected smtps://USER:PASSWORD@HOST, or smtp:// with ?tls=required or for a server on this machine")]
pub struct NotAMailServer;

/// Who a mail is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender(pub(super) Mailbox);

/// The text is no sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected an address, as in Estimation <cards@example.org>")]
pub struct NotASender;

/// How mail is sent.
#[derive(Clone)]
pub struct MailSettings {
    pub server: MailServer,
    pub from: Sender,
    /// Where links lead: the URL of the web app, without a final slash.
    pub public_url: String,
}

impl FromStr for MailServer {
    type Err = NotAMailServer;

    fn from_str(text: &str) -> Result<MailServer, NotAMailServer> {
        let is_local = ["localhost", "127.0.0.1", "[::1]"].iter().any(|host| {
            let rest = text.strip_prefix("smtp://").and_then(|rest| rest.strip_prefix(host));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
        });
        let is_encrypted =
            text.starts_with("smtps://") || (text.starts_with("smtp://") && text.ends_with("?tls=required"));
        if !is_local && !is_encrypted {
            return Err(NotAMailServer);
        }
        let server = SmtpTransport::from_url(text).map_err(|_| NotAMailServer)?;
        Ok(MailServer(server.timeout(Some(TIMEOUT)).build()))
    }
}

impl fmt::Debug for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MailServer")
    }
}

impl FromStr for Sender {
    type Err = NotASender;

    fn from_str(text: &str) -> Result<Sender, NotASender> {
        text.parse().map(Sender).map_err(|_| NotASender)
    }
}

/// An address of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EmailAddress(Address);

impl EmailAddress {
    /// # Errors
    /// The field, if it is no address in ASCII.
    pub(super) fn read(text: &str) -> Result<EmailAddress, Failure> {
        let is_plain = text.len() <= LONGEST && text.bytes().all(|byte| byte.is_ascii_graphic());
        let address = text.parse().ok().filter(|_| is_plain);
        let reason = "must be an email address in ASCII";
        address.map(EmailAddress).ok_or_else(|| Failure::field("/address", FieldCode::WrongFormat, reason))
    }

    pub(super) fn as_text(&self) -> &str {
        self.0.as_ref()
    }

    /// By what it is found: capitals count as small letters.
    pub(super) fn key(&self) -> String {
        self.as_text().to_ascii_lowercase()
    }

    pub(super) fn mailbox(&self) -> Mailbox {
        Mailbox::new(None, self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_goes_encrypted_or_to_this_machine() {
        for good in [
            "smtps://user:word@mail.example.org",
            "smtps://mail.example.org:465",
            "smtp://user:word@mail.example.org:587?tls=required",
            "smtp://localhost:2525",
            "smtp://127.0.0.1:25",
        ] {
            assert!(good.parse::<MailServer>().is_ok(), "{good}");
        }
        for wrong in [
            "",
            "mail.example.org",
            "smtp://mail.example.org",
            "smtp://mail.example.org?tls=opportunistic",
            "smtp://localhost.example.org",
            "https://mail.example.org",
        ] {
            assert!(wrong.parse::<MailServer>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn addresses_are_checked() {
        let read = EmailAddress::read("Noor.Ali+cards@Example.org").unwrap();
        assert_eq!(
            (read.as_text(), read.key().as_str()),
            ("Noor.Ali+cards@Example.org", "noor.ali+cards@example.org")
        );
        let long = format!("{}@example.org", "a".repeat(250));
        for wrong in [
            "",
            "noor",
            "noor@",
            "@example.org",
            "noor@exa mple.org",
            "noor@example.org\r\nBcc: all@example.org",
            "noor@example.org,sami@example.org",
            "Noor <noor@example.org>",
            "n\u{fc}r@example.org",
            &long,
        ] {
            assert!(EmailAddress::read(wrong).is_err(), "{wrong}");
        }
    }
}

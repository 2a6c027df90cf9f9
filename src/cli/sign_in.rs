//! Flags for the ways into accounts besides passwords: issuers of OpenID Connect, and mail.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use super::Failed;
use super::values::public_url;
use estimation_service::identities::{IdentitySettings, IssuersSettings};
use estimation_service::mail::{MailServer, MailSettings, Sender};

/// Flags for the ways into accounts besides passwords.
#[derive(Args, Clone, Debug)]
pub(super) struct SignInFlags {
    /// File with the issuers of OpenID Connect whose identities sign in: TOML, a table for each. None by default.
    #[arg(long, value_name = "FILE", env = "ESTIMATION_OIDC_ISSUERS")]
    oidc_issuers: Option<PathBuf>,

    /// URL of the web app for players, as in https://cards.example.org. Issuers send players back to it, and
    /// links of mails and invitations lead to it. A request's own headers are never used for that.
    #[arg(long, env = "ESTIMATION_PUBLIC_URL", value_parser = public_url)]
    public_url: Option<String>,

    /// Mail server, as in smtps://USER:PASSWORD@mail.example.org, or smtp://localhost for one on this machine. Without it the
    /// server sends no mail.
    #[arg(long, env = "ESTIMATION_SMTP_URL", hide_env_values = true)]
    smtp_url: Option<String>,

    /// Whom mails are from, as in Estimation <cards@example.org>.
    #[arg(long, env = "ESTIMATION_MAIL_FROM")]
    mail_from: Option<Sender>,
}

impl SignInFlags {
    /// The URL of the web app.
    pub(super) fn public_url(&self) -> Option<String> {
        self.public_url.clone()
    }

    /// How mail is sent; none without a mail server. Errors quote no secret.
    pub(super) fn mail(&self) -> Result<Option<MailSettings>, Failed> {
        let Some(url) = &self.smtp_url else { return Ok(None) };
        let server = url.parse::<MailServer>().map_err(|error| format!("smtp-url: {error}"))?;
        let from = self.mail_from.clone().ok_or("smtp-url needs a mail-from")?;
        let public_url = self.public_url.clone().ok_or("smtp-url needs a public-url, to which links lead")?;
        Ok(Some(MailSettings { server, from, public_url }))
    }

    /// The issuers. Errors quote no secret.
    pub(super) fn identities(&self) -> Result<IdentitySettings, Failed> {
        let issuers = match &self.oidc_issuers {
            Some(path) => {
                let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
                let text = fs::read_to_string(path).map_err(|error| told(&error))?;
                IssuersSettings::read(&text).map_err(|error| told(&error))?
            }
            None => IssuersSettings::default(),
        };
        let redirect_uri = self.public_url.as_ref().map(|url| format!("{url}/"));
        Ok(IdentitySettings { issuers, redirect_uri })
    }
}

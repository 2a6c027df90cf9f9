//! Flags for the ways into accounts besides passwords: issuers of OpenID Connect.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use super::Failed;
use super::values::public_url;
use estimation_service::identities::{IdentitySettings, IssuersSettings};

/// Flags for the ways into accounts besides passwords.
#[derive(Args, Clone, Debug)]
pub(super) struct SignInFlags {
    /// File with the issuers of OpenID Connect whose identities sign in: TOML, a table for each. None by default.
    #[arg(long, value_name = "FILE", env = "ESTIMATION_OIDC_ISSUERS")]
    oidc_issuers: Option<PathBuf>,

    /// URL of the web app for players, as in https://cards.example.org. Issuers send players back to it. A request's own
    /// headers are never used for that. Without it, nobody signs in with an issuer in the web app.
    #[arg(long, env = "ESTIMATION_PUBLIC_URL", value_parser = public_url)]
    public_url: Option<String>,
}

impl SignInFlags {
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

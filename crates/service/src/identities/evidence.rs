//! What an issuer gave a player, as a client sends it.

use std::ops::RangeInclusive;

use super::Identities;
use super::issuer::Issuer;
use crate::base::failure::{Failure, Faults, FieldFault};
use crate::base::field_error::FieldCode;

/// The longest authorization code, in bytes.
const LONGEST_CODE: usize = 1_024;

/// The lengths of a code verifier (RFC 7636).
const VERIFIER: RangeInclusive<usize> = 43..=128;

/// What an issuer gave a player. An app sends the ID token, and perhaps an authorization code; a web app sends the code that
/// came through the browser, and its verifier.
pub struct Evidence {
    /// The issuer's name in the settings.
    pub issuer: String,
    /// The nonce of the ID token, as the server issued it.
    pub nonce: String,
    /// The ID token (OpenID Connect Core 1.0).
    pub id_token: Option<String>,
    /// The authorization code.
    pub code: Option<String>,
    /// The verifier of a web app's code (PKCE, RFC 7636).
    pub code_verifier: Option<String>,
}

/// Evidence of a known issuer, with the members of one flow.
pub(super) struct CheckedEvidence<'a> {
    pub(super) issuer: &'a Issuer,
    pub(super) nonce: String,
    pub(super) flow: Flow<'a>,
}

/// How the evidence reached the client.
pub(super) enum Flow<'a> {
    App { id_token: String, code: Option<String> },
    Browser { code: String, verifier: String, client: &'a String, redirect_uri: &'a str },
}

impl Identities {
    /// # Errors
    /// The fields that are wrong.
    pub(super) fn checked(&self, evidence: Evidence) -> Result<CheckedEvidence<'_>, Failure> {
        let Evidence { issuer: name, nonce, id_token, code, code_verifier } = evidence;
        let Some(issuer) = self.issuers.get(&name) else {
            let reason = "must be the name of an issuer of `GET /v1/issuers`";
            return Err(Failure::field("/identity/issuer", FieldCode::NotAChoice, reason));
        };
        let mut faults = Vec::new();
        if code.as_ref().is_some_and(|code| !is_code(code)) {
            let reason = "must be 1 to 1024 printable characters of ASCII";
            faults.push(FieldFault::new("/identity/code", FieldCode::WrongFormat, reason));
        }
        if code_verifier.as_ref().is_some_and(|verifier| !is_verifier(verifier)) {
            let reason = "must be 43 to 128 letters, digits, hyphens, dots, underscores and tildes";
            faults.push(FieldFault::new("/identity/code_verifier", FieldCode::WrongFormat, reason));
        }
        Faults::refuse(faults)?;
        let flow = match (id_token, code, code_verifier) {
            (Some(id_token), code, None) => app(issuer, id_token, code),
            (None, Some(code), Some(verifier)) => self.browser(issuer, code, verifier),
            (Some(_), _, Some(_)) => Err(FieldFault::new(
                "/identity/code_verifier",
                FieldCode::Contradiction,
                "must not be given with `/identity/id_token`",
            )),
            (None, None, _) => Err(FieldFault::new(
                "/identity/id_token",
                FieldCode::Missing,
                "must be given, or `/identity/code` with `/identity/code_verifier`",
            )),
            (None, Some(_), None) => Err(FieldFault::new(
                "/identity/code_verifier",
                FieldCode::Missing,
                "must be given with `/identity/code` without `/identity/id_token`",
            )),
        };
        Ok(CheckedEvidence { issuer, nonce, flow: flow? })
    }

    fn browser<'a>(
        &'a self,
        issuer: &'a Issuer,
        code: String,
        verifier: String,
    ) -> Result<Flow<'a>, FieldFault> {
        match (&issuer.settings.web_client, &self.redirect_uri) {
            (Some(client), Some(redirect_uri)) => Ok(Flow::Browser { code, verifier, client, redirect_uri }),
            _ => {
                let reason = "must be an issuer for web apps";
                Err(FieldFault::new("/identity/issuer", FieldCode::NotAChoice, reason))
            }
        }
    }
}

fn app(issuer: &Issuer, id_token: String, code: Option<String>) -> Result<Flow<'_>, FieldFault> {
    if code.is_some() && issuer.settings.secret.is_none() {
        let reason = "must not be given: this server does not exchange codes of the issuer";
        return Err(FieldFault::new("/identity/code", FieldCode::Contradiction, reason));
    }
    Ok(Flow::App { id_token, code })
}

fn is_code(text: &str) -> bool {
    (1..=LONGEST_CODE).contains(&text.len()) && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

fn is_verifier(text: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    VERIFIER.contains(&text.len()) && text.bytes().all(is_sign)
}

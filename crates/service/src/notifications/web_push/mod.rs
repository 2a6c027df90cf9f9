//! Web Push (RFC 8030, 8291, 8292): messages to browsers through the push service that each names.

mod encryption;

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use ring::rand::SystemRandom;
use serde::Serialize;
use serde_json::json;
use thiserror::Error;

use self::encryption::encrypted;
use super::InvitationNotice;
use super::kind::NoticeKind;
use crate::auth::keys::PushKey;
use crate::base::entropy::{Entropy, draw};
use crate::base::failure::Failure;
use crate::base::field_error::FieldCode;
use crate::base::jws;
use crate::outbound::{HttpsUrl, Post};
use estimation_record::RecordTime;
use estimation_store::push_subscriptions::PushSubscription;
use estimation_store::{GameId, Id};

/// How long a signature for a push service is valid, in seconds. They accept a day.
const SIGNED_FOR: i64 = 12 * 60 * 60;

/// The longest time for which a push service keeps a push, in seconds.
const LONGEST: i64 = 24 * 60 * 60;

/// The most notices in one push.
pub(super) const TOGETHER: usize = 16;

/// What the operator sets for pushes.
#[derive(Clone)]
pub struct PushSettings {
    /// Whom a push service asks about the server: a `mailto:` or `https:` URL.
    pub contact: String,
    /// The hosts of push services.
    pub hosts: Vec<PushHost>,
}

/// The text of a push: what the service worker of a browser gets.
#[derive(Serialize)]
pub(super) struct Message {
    pub(super) notices: Vec<PushedNotice>,
}

/// A notice in a push. It holds nothing that only the player may know, but the link of a friend's invitation.
#[derive(Serialize)]
pub(super) struct PushedNotice {
    pub(super) id: Id,
    pub(super) kind: NoticeKind,
    pub(super) game: Option<GameId>,
    pub(super) version: Option<i64>,
    pub(super) expires_at: Option<RecordTime>,
    #[serde(flatten)]
    pub(super) invitation: Option<InvitationNotice>,
}

#[derive(Serialize)]
struct Claims<'a> {
    aud: String,
    exp: i64,
    sub: &'a str,
}

impl PushSettings {
    /// The URL of a push service that a browser named.
    ///
    /// # Errors
    /// The field, if it is no https URL, or its host is none of the setting.
    pub(super) fn endpoint(&self, text: &str) -> Result<HttpsUrl, Failure> {
        let wrong = |reason: &str| Failure::field("/endpoint", FieldCode::WrongFormat, reason);
        let url: HttpsUrl = text.parse().map_err(|_| wrong("must be an https URL"))?;
        if !self.hosts.iter().any(|host| host.is(url.host())) {
            let reason = "must be of a push service that this server knows";
            return Err(Failure::field("/endpoint", FieldCode::NotAChoice, reason));
        }
        Ok(url)
    }

    /// The request for a push. `until` is when it is of no use any more.
    pub(super) fn request(
        &self,
        subscription: &PushSubscription,
        message: &Message,
        key: &PushKey,
        (now, until): (Timestamp, Option<Timestamp>),
        entropy: &dyn Entropy,
    ) -> Result<Post, Failure> {
        let defect = |what: &str| Failure::Defect(what.to_owned());
        let url = self.endpoint(&subscription.endpoint)?;
        let text = serde_json::to_vec(message).map_err(|error| defect(&error.to_string()))?;
        let PushSubscription { p256dh, auth, .. } = subscription;
        let body = encrypted(&text, p256dh, auth, draw(entropy), &SystemRandom::new())
            .ok_or_else(|| defect("a push cannot be encrypted"))?;
        let claims = Claims { aud: url.origin(), exp: now.as_second() + SIGNED_FOR, sub: &self.contact };
        let header = json!({"typ": "JWT", "alg": "ES256"});
        let token = jws::signed(&header, &claims, |text| key.sign(text))?;
        let left = until.map_or(LONGEST, |until| (until.as_second() - now.as_second()).clamp(0, LONGEST));
        let headers = vec![
            ("content-type", "application/octet-stream".to_owned()),
            ("content-encoding", "aes128gcm".to_owned()),
            ("ttl", left.to_string()),
            ("urgency", "high".to_owned()),
            ("authorization", format!("vapid t={token}, k={}", key.public())),
        ];
        Ok(Post { url, headers, body })
    }
}

/// Whether bytes are a point of P-256, uncompressed. The browser's key agreement needs one.
pub(super) fn is_point(p256dh: &[u8]) -> bool {
    encrypted(b"", p256dh, &[0; 16], [0; 16], &SystemRandom::new()).is_some()
}

/// A host name, or `*.` and the end of some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushHost(String);

/// The text names no host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a host name like push.example.org, or *.example.org")]
pub struct NotAPushHost;

impl FromStr for PushHost {
    type Err = NotAPushHost;

    fn from_str(text: &str) -> Result<PushHost, NotAPushHost> {
        let name = text.strip_prefix("*.").unwrap_or(text);
        let fits = |label: &str| {
            !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        if !name.split('.').all(fits) {
            return Err(NotAPushHost);
        }
        Ok(PushHost(text.to_ascii_lowercase()))
    }
}

impl fmt::Display for PushHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PushHost {
    /// The push services of Chrome, Firefox, Safari and Edge.
    pub const KNOWN: &str =
        "fcm.googleapis.com,updates.push.services.mozilla.com,*.push.apple.com,*.notify.windows.com";

    fn is(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        match self.0.strip_prefix('*') {
            Some(end) => host.len() > end.len() && host.ends_with(end),
            None => host == self.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_hosts_below_a_domain() {
        let is = |pattern: &str, host: &str| pattern.parse::<PushHost>().unwrap().is(host);
        assert!(is("push.example.org", "PUSH.example.org") && !is("push.example.org", "a.push.example.org"));
        assert!(is("*.example.org", "web.example.org") && is("*.example.org", "a.b.example.org"));
        for other in ["example.org", "webexample.org", "example.org.evil.net", ".example.org"] {
            assert!(!is("*.example.org", other), "{other}");
        }
        for wrong in ["", "*", "*.", "a..b", "a/b", "a:443", "https://a", "*.*.org", "a b"] {
            assert!(wrong.parse::<PushHost>().is_err(), "{wrong}");
        }
        assert_eq!(PushHost::KNOWN.split(',').filter(|host| host.parse::<PushHost>().is_ok()).count(), 4);
    }
}

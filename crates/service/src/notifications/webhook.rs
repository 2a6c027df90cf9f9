//! Webhooks in the form of Standard Webhooks (standardwebhooks.com): a JSON body, signed with shared secrets.

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use ring::hmac;
use serde::Serialize;
use thiserror::Error;
use zeroize::Zeroizing;

use super::InvitationNotice;
use super::kind::NoticeKind;
use crate::base::failure::Failure;
use crate::outbound::{HttpsUrl, Post};
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::{GameId, Id};

/// What the text of a secret begins with.
const PREFIX: &str = "whsec_";

/// A secret that the server and the receiver share: 24 to 64 bytes. It cannot be printed.
#[derive(Clone)]
pub struct WebhookSecret(Zeroizing<Vec<u8>>);

/// The text is no secret. It is not quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected whsec_ and 24 to 64 bytes in base64")]
pub struct NotAWebhookSecret;

impl FromStr for WebhookSecret {
    type Err = NotAWebhookSecret;

    fn from_str(text: &str) -> Result<WebhookSecret, NotAWebhookSecret> {
        let encoded = text.strip_prefix(PREFIX).ok_or(NotAWebhookSecret)?;
        let bytes = Zeroizing::new(STANDARD.decode(encoded).map_err(|_| NotAWebhookSecret)?);
        if (24..=64).contains(&bytes.len()) { Ok(WebhookSecret(bytes)) } else { Err(NotAWebhookSecret) }
    }
}

/// Where webhooks go. While secrets rotate, there are several: a receiver accepts a signature of any.
#[derive(Clone)]
pub struct Webhook {
    pub url: HttpsUrl,
    pub secrets: Vec<WebhookSecret>,
}

#[derive(Serialize)]
pub(super) struct Body<'a> {
    #[serde(rename = "type")]
    pub(super) kind: NoticeKind,
    /// When the notice became due.
    pub(super) timestamp: RecordTime,
    pub(super) data: Data<'a>,
}

/// What a notice is about.
#[derive(Serialize)]
pub(super) struct Data<'a> {
    /// Whom to tell.
    pub(super) account: &'a AccountId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) game: Option<GameId>,
    /// The version of the game when the notice became due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<i64>,
    /// When the turn runs out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expires_at: Option<RecordTime>,
    /// The invitation of a friend.
    #[serde(flatten)]
    pub(super) invitation: Option<InvitationNotice>,
}

impl Webhook {
    /// The request for a notice.
    pub(super) fn request(&self, id: Id, now: Timestamp, body: &Body<'_>) -> Result<Post, Failure> {
        let body = serde_json::to_vec(body).map_err(|error| Failure::Defect(error.to_string()))?;
        let (id, timestamp) = (id.to_string(), now.as_second().to_string());
        let signatures: Vec<String> =
            self.secrets.iter().map(|secret| signature(secret, &id, &timestamp, &body)).collect();
        let headers = vec![
            ("content-type", "application/json".to_owned()),
            ("webhook-id", id),
            ("webhook-timestamp", timestamp),
            ("webhook-signature", signatures.join(" ")),
        ];
        Ok(Post { url: self.url.clone(), headers, body })
    }
}

/// The signature of a message, with its version.
fn signature(WebhookSecret(secret): &WebhookSecret, id: &str, timestamp: &str, body: &[u8]) -> String {
    let message = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].concat();
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    format!("v1,{}", STANDARD.encode(hmac::sign(&key, &message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification.
    #[test]
    fn a_message_is_signed_as_the_specification_shows() {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse().unwrap();
        let body = br#"{"test": 2432232314}"#;
        let signed = signature(&secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn secrets_have_a_length() {
        for wrong in [
            "",
            "whsec_",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa",
            "whsec_!",
        ] {
            assert_eq!(wrong.parse::<WebhookSecret>().err(), Some(NotAWebhookSecret), "{wrong}");
        }
        assert!(format!("whsec_{}", STANDARD.encode([0; 65])).parse::<WebhookSecret>().is_err());
    }
}

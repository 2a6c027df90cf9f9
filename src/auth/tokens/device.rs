//! Device tokens: they show that a device has signed in to an account before, and nothing else.
//!
//! With one nobody gets in; a device that shows one when signing in is counted apart from all others that try
//! to. It follows from the account, the session, the time and the server's refresh key, so it is stored nowhere.
//! It ages, and a change of the account's password ends it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::auth::keys::RefreshKey;

const PREFIX: &str = "dt_";
const PURPOSE: &[u8] = b"estimation/device/v2";

/// How long a device is known after it last got a token: with every session, and with every refresh.
const LIFETIME: SignedDuration = SignedDuration::from_hours(180 * 24);

/// Where the parts of a token end: the session, the second it was issued in, the MAC.
const SESSION: usize = 16;
const ISSUED: usize = SESSION + 4;
const LENGTH: usize = ISSUED + 28;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceOwner {
    pub account: Uuid,
    /// How often its password was changed: tokens of before a change are worth nothing.
    pub password_changes: i32,
}

/// The device token of a session, issued now.
pub fn device_token(key: &RefreshKey, owner: DeviceOwner, session: Uuid, now: Timestamp) -> String {
    let mut bytes = [0; LENGTH];
    bytes[..SESSION].copy_from_slice(session.as_bytes());
    bytes[SESSION..ISSUED].copy_from_slice(&u32::try_from(now.as_second()).unwrap_or(0).to_be_bytes());
    let mac = mac(key, owner, &bytes[..ISSUED]);
    bytes[ISSUED..].copy_from_slice(&mac[..LENGTH - ISSUED]);
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes))
}

/// The session of an account with which a device signed in before, if the token shows it and is not too old.
pub fn known_device(key: &RefreshKey, owner: DeviceOwner, token: &str, now: Timestamp) -> Option<Uuid> {
    let mut bytes = [0; LENGTH];
    let length = URL_SAFE_NO_PAD.decode_slice(token.strip_prefix(PREFIX)?, &mut bytes).ok()?;
    let mac = mac(key, owner, &bytes[..ISSUED]);
    let genuine = length == LENGTH && bool::from(bytes[ISSUED..].ct_eq(&mac[..LENGTH - ISSUED]));
    let issued = u32::from_be_bytes(bytes[SESSION..ISSUED].try_into().ok()?);
    let age = now.duration_since(Timestamp::from_second(issued.into()).ok()?);
    let session = Uuid::from_slice(&bytes[..SESSION]).ok()?;
    (genuine && age <= LIFETIME).then_some(session)
}

fn mac(key: &RefreshKey, owner: DeviceOwner, said: &[u8]) -> [u8; 32] {
    let changes = owner.password_changes.to_be_bytes();
    key.mac(&[PURPOSE, owner.account.as_bytes(), &changes, said].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::entropy::SeededEntropy;
    use crate::auth::keys::KeyRing;

    const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);

    fn key(seed: u64) -> std::sync::Arc<RefreshKey> {
        KeyRing::create(&SeededEntropy::new(seed), Timestamp::UNIX_EPOCH).refresh_key()
    }

    fn owner(account: u128) -> DeviceOwner {
        DeviceOwner { account: Uuid::from_u128(account), password_changes: 0 }
    }

    #[test]
    fn a_device_is_known_to_its_own_account_alone() {
        let (noor, omar, session) = (owner(1), owner(2), Uuid::from_u128(3));
        let token = device_token(&key(1), noor, session, NOW);
        assert_eq!(token.len(), 67);
        assert_eq!(known_device(&key(1), noor, &token, NOW), Some(session));
        assert_eq!(known_device(&key(1), omar, &token, NOW), None);
        assert_eq!(known_device(&key(2), noor, &token, NOW), None);
        for wrong in ["", "dt_", &token[3..], &token[..66], &format!("{token}A"), &token.replace('A', "B")] {
            assert_eq!(known_device(&key(1), noor, wrong, NOW), None, "{wrong}");
        }
    }

    #[test]
    fn a_token_ages_and_goes_with_the_password() {
        let (noor, session) = (owner(1), Uuid::from_u128(3));
        let token = device_token(&key(1), noor, session, NOW);
        let later = |seconds| NOW + LIFETIME + SignedDuration::from_secs(seconds);
        assert_eq!(known_device(&key(1), noor, &token, later(0)), Some(session));
        assert_eq!(known_device(&key(1), noor, &token, later(1)), None);
        // Another node's clock may be a little ahead.
        assert_eq!(known_device(&key(1), noor, &token, NOW - SignedDuration::from_secs(2)), Some(session));
        let changed = DeviceOwner { password_changes: 1, ..noor };
        assert_eq!(known_device(&key(1), changed, &token, NOW), None);
        // Nobody can make it younger.
        let mut bytes = URL_SAFE_NO_PAD.decode(&token[3..]).unwrap();
        bytes[SESSION + 3] += 1;
        let younger = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes));
        assert_eq!(known_device(&key(1), noor, &younger, NOW), None);
    }
}

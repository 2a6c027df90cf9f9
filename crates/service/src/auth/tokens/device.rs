//! Device tokens show that a device has signed in to an account before.
//!
//! A device token grants no access; it only gives the device its own login rate limit. It is a MAC under the
//! refresh key over the account, the session and the time. So it is not stored. It expires, and a password
//! change invalidates it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::auth::keys::RefreshKey;

const PREFIX: &str = "dt_";
const PURPOSE: &[u8] = b"estimation/device/v2";

/// How long a device token is valid; every login and refresh issues a new one.
const LIFETIME: SignedDuration = SignedDuration::from_hours(180 * 24);

/// End offsets of the token's parts: the session, the issue time in seconds, the MAC.
const SESSION: usize = 16;
const ISSUED: usize = SESSION + 4;
const LENGTH: usize = ISSUED + 28;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceOwner {
    pub account: Uuid,
    /// The number of password changes; tokens from before a change are invalid.
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

/// The earlier session that a device token shows, if the token is valid for the account.
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
    use crate::auth::keys::KeyRing;
    use crate::base::entropy::SeededEntropy;

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
        // Another node's clock may be slightly ahead.
        assert_eq!(known_device(&key(1), noor, &token, NOW - SignedDuration::from_secs(2)), Some(session));
        let changed = DeviceOwner { password_changes: 1, ..noor };
        assert_eq!(known_device(&key(1), changed, &token, NOW), None);
        // A forged later time is refused.
        let mut bytes = URL_SAFE_NO_PAD.decode(&token[3..]).unwrap();
        bytes[SESSION + 3] += 1;
        let younger = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes));
        assert_eq!(known_device(&key(1), noor, &younger, NOW), None);
    }
}

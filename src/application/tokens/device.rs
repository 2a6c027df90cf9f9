//! Device tokens: they show that a device has signed in to an account before, and nothing else.
//!
//! With one nobody gets in; whoever shows one when signing in is counted apart from everybody else who tries
//! to. It follows from the account, the session and the server's refresh key, so nothing is stored.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::application::keys::RefreshKey;

const PREFIX: &str = "dt_";
const PURPOSE: &[u8] = b"estimation/device/v1";

/// The device token of a session.
pub fn device_token(key: &RefreshKey, account: Uuid, session: Uuid) -> String {
    let bytes = [&session.as_bytes()[..], &mac(key, account, session)].concat();
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes))
}

/// The session of an account with which a device signed in before, if the token shows it.
pub fn known_device(key: &RefreshKey, account: Uuid, token: &str) -> Option<Uuid> {
    let mut bytes = [0; 48];
    let length = URL_SAFE_NO_PAD.decode_slice(token.strip_prefix(PREFIX)?, &mut bytes).ok()?;
    let session = Uuid::from_slice(bytes.get(..16)?).ok()?;
    let genuine = length == bytes.len() && bool::from(bytes[16..].ct_eq(&mac(key, account, session)));
    genuine.then_some(session)
}

fn mac(key: &RefreshKey, account: Uuid, session: Uuid) -> [u8; 32] {
    key.mac(&[PURPOSE, account.as_bytes(), session.as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::application::entropy::SeededEntropy;
    use crate::application::keys::KeyRing;

    #[test]
    fn a_device_is_known_to_its_own_account_alone() {
        let key = |seed| KeyRing::create(&SeededEntropy::new(seed), Timestamp::UNIX_EPOCH).refresh_key();
        let (noor, omar, session) = (Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3));
        let token = device_token(&key(1), noor, session);
        assert_eq!(token.len(), 67);
        assert_eq!(known_device(&key(1), noor, &token), Some(session));
        assert_eq!(known_device(&key(1), omar, &token), None);
        assert_eq!(known_device(&key(2), noor, &token), None);
        for wrong in ["", "dt_", &token[3..], &token[..66], &format!("{token}A"), &token.replace('A', "B")] {
            assert_eq!(known_device(&key(1), noor, wrong), None, "{wrong}");
        }
    }
}

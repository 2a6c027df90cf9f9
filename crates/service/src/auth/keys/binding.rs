//! State keys bind snapshots of games to their logs. Each is derived from a record key: all nodes have it without
//! another secret, it changes when the record key is rotated, and its id is that key's id.

use jiff::Timestamp;

use super::pair::Pair;
use super::{Kid, RecordKey, RecordKeys};
use estimation_record::hmac::hmac_sha256;

/// The label from which a state key is derived; its last part is the version.
const LABEL: &[u8] = b"estimation/state-key/v1";

/// A keyed hash (HMAC-SHA256) over a state, with the id of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateBinding {
    pub kid: Kid,
    pub mac: [u8; 32],
}

impl RecordKeys {
    /// Binds a state. `None` if every record key is retired.
    pub fn bind_state(&self, state: &[u8], now: Timestamp) -> Option<StateBinding> {
        let RecordKey(pair) = self.0.iter().rfind(|key| key.0.is_active(now))?;
        Some(StateBinding { kid: pair.kid.clone(), mac: mac(pair, state) })
    }

    /// Whether a binding is that of the state, under a retired key as well. `None` for an unknown key.
    pub fn is_bound(&self, state: &[u8], kid: &str, found: &[u8]) -> Option<bool> {
        let RecordKey(pair) = self.0.iter().find(|key| key.kid().as_str() == kid)?;
        Some(mac(pair, state) == found)
    }
}

fn mac(pair: &Pair, state: &[u8]) -> [u8; 32] {
    let key = hmac_sha256(pair.seed.expose(), LABEL);
    hmac_sha256(&key, state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::entropy::SeededEntropy;

    #[test]
    fn a_retired_key_still_checks_and_another_key_does_not() {
        let entropy = SeededEntropy::new(1);
        let [start, later] = [0, 1_000_000].map(|second| Timestamp::from_second(second).unwrap());
        let keys = RecordKeys::first(&entropy, start);
        let old = keys.bind_state(b"state", start).unwrap();
        let keys = keys.rotated(&entropy, later);
        let new = keys.bind_state(b"state", later).unwrap();
        assert_ne!((&old.kid, old.mac), (&new.kid, new.mac));
        let check = |state: &[u8], kid: &Kid, mac| keys.is_bound(state, kid.as_str(), mac);
        assert_eq!(check(b"state", &old.kid, &old.mac), Some(true));
        assert_eq!(check(b"state", &new.kid, &new.mac), Some(true));
        assert_eq!(check(b"state", &new.kid, &old.mac), Some(false));
        assert_eq!(check(b"stat", &new.kid, &new.mac), Some(false));
        assert_eq!(keys.is_bound(b"state", "unknown", &new.mac), None);
    }
}

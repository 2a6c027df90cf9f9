//! The keys of the public log: one signs its checkpoints, the other cosigns them with a time. Both are derived from a
//! record key and the log's origin, so all nodes have them without another secret, and a new origin has new keys.

use ed25519_dalek::{Signer, SigningKey};
use jiff::Timestamp;

use super::{Kid, RecordKey, RecordKeys};
use estimation_record::hmac::hmac_sha256;

/// The labels from which the keys are derived; their last parts are the versions.
const LOG: &str = "estimation/log-key/v1";
const COSIGNER: &str = "estimation/log-cosigner/v1";

/// An Ed25519 key of the public log.
pub struct LogKey(SigningKey);

/// The keys of one public log.
pub struct LogKeys {
    /// Signs checkpoints.
    pub log: LogKey,
    /// Cosigns checkpoints with their time.
    pub cosigner: LogKey,
}

impl LogKey {
    pub fn public(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    /// Signs a message (RFC 8032).
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl RecordKeys {
    /// The key that signs now. `None` if every key is retired.
    pub fn active_kid(&self, now: Timestamp) -> Option<&Kid> {
        self.signing(now).map(RecordKey::kid)
    }

    /// The newest key, which may not sign yet.
    pub fn newest_kid(&self) -> Option<&Kid> {
        self.iter().last().map(RecordKey::kid)
    }

    /// The keys of the log with this origin, derived from a record key, retired or not. `None` for an unknown key.
    pub fn log_keys(&self, kid: &str, origin: &str) -> Option<LogKeys> {
        let RecordKey { pair, .. } = self.find(kid)?;
        let derived = |label: &str| {
            let seed = hmac_sha256(pair.seed.expose(), format!("{label}\n{origin}").as_bytes());
            LogKey(SigningKey::from_bytes(&seed))
        };
        Some(LogKeys { log: derived(LOG), cosigner: derived(COSIGNER) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::entropy::SeededEntropy;

    #[test]
    fn every_log_has_its_own_two_keys() {
        let now = Timestamp::from_second(0).unwrap();
        let keys = RecordKeys::first(&SeededEntropy::new(1), now);
        let kid = keys.active_kid(now).unwrap().clone();
        let publics = |keys: &RecordKeys, origin| {
            let LogKeys { log, cosigner } = keys.log_keys(kid.as_str(), origin).unwrap();
            [log.public(), cosigner.public()]
        };
        let all = [publics(&keys, "a/log"), publics(&keys, "b/log")].concat();
        let distinct: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), 4);
        let rotated = keys.rotated(&SeededEntropy::new(2), now);
        assert_eq!(publics(&rotated, "a/log"), publics(&keys, "a/log"));
        assert!(keys.log_keys("unknown", "a/log").is_none());
    }
}

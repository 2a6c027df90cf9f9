//! Ids of rows and of requests.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use uuid::{Builder, Uuid};

use super::entropy::{Entropy, draw};

/// A new id, a UUIDv7 (RFC 9562) from the application's own clock and entropy: milliseconds first, so that ids sort by age, then
/// 74 random bits. Times before 1970 count as 1970.
pub fn new_id(now: Timestamp, entropy: &dyn Entropy) -> Uuid {
    let milliseconds = now.as_millisecond().try_into().unwrap_or(0);
    Builder::from_unix_timestamp_millis(milliseconds, &draw(entropy)).into_uuid()
}

/// The smallest id for a time; ids made earlier are smaller.
pub(crate) fn first_id(at: Timestamp) -> Uuid {
    let milliseconds = at.as_millisecond().try_into().unwrap_or(0);
    Builder::from_unix_timestamp_millis(milliseconds, &[0; 10]).into_uuid()
}

/// Ids for the log lines of requests that bring none.
#[derive(Default)]
pub struct RequestIds {
    named: AtomicU64,
    key: RandomState,
}

impl RequestIds {
    /// 16 hexadecimal digits: the request's number under a keyed hash, so that ids do not reveal the number
    /// of requests.
    pub fn next(&self) -> String {
        let number = self.named.fetch_add(1, Ordering::Relaxed);
        format!("{:016x}", self.key.hash_one(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::entropy::SeededEntropy;

    #[test]
    fn ids_are_of_version_7_and_sort_by_time() {
        let entropy = SeededEntropy::new(1);
        let at = |millisecond| Timestamp::from_millisecond(millisecond).unwrap();
        let ids = [at(1_767_225_600_000), at(1_767_225_600_001), at(1_900_000_000_000)]
            .map(|now| new_id(now, &entropy));
        assert!(ids.is_sorted());
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
        assert!(ids[0].to_string().starts_with("019b7"), "{}", ids[0]);
        assert_ne!(new_id(at(0), &entropy), new_id(at(0), &entropy));
        assert!(first_id(at(1_767_225_600_001)) <= ids[1] && first_id(at(1_767_225_600_001)) > ids[0]);
        assert_eq!(new_id(at(-5), &entropy).get_timestamp().unwrap().to_unix(), (0, 0));
    }
}

//! Request ids for logs, for requests without one.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

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

//! A cache of verified tokens, which saves repeated signature checks.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::Claims;

/// The SHA-256 of a token. The token itself is not stored.
type Digested = [u8; 32];

/// A bounded cache of verified tokens that evicts the oldest entry.
pub(super) struct VerifiedTokens {
    capacity: usize,
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    claims: HashMap<Digested, Claims>,
    /// In insertion order. A dropped token stays listed until its turn.
    order: VecDeque<Digested>,
}

impl VerifiedTokens {
    pub(super) fn new(capacity: usize) -> VerifiedTokens {
        VerifiedTokens { capacity, entries: Mutex::default() }
    }

    pub(super) fn digest(token: &str) -> Digested {
        Sha256::digest(token).into()
    }

    /// The cached claims. The caller must check their times every time.
    pub(super) fn get(&self, token: &Digested) -> Option<Claims> {
        self.entries().claims.get(token).copied()
    }

    pub(super) fn insert(&self, token: Digested, claims: Claims) {
        let mut entries = self.entries();
        if entries.claims.insert(token, claims).is_none() {
            entries.order.push_back(token);
        }
        while entries.order.len() > self.capacity
            && let Some(oldest) = entries.order.pop_front()
        {
            entries.claims.remove(&oldest);
        }
    }

    pub(super) fn forget(&self, token: &Digested) {
        self.entries().claims.remove(token);
    }

    pub(super) fn forget_session(&self, session: Uuid) {
        self.entries().claims.retain(|_, claims| claims.session != session);
    }

    pub(super) fn clear(&self) {
        *self.entries() = Entries::default();
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::auth::tokens::Role;

    fn claims(session: u128) -> Claims {
        Claims {
            account: Uuid::nil(),
            session: Uuid::from_u128(session),
            role: Role::Player,
            generation: 0,
            signed_in_at: Timestamp::UNIX_EPOCH,
            token: Uuid::nil(),
            issued_at: Timestamp::UNIX_EPOCH,
            not_before: None,
            expires_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn the_oldest_goes_when_it_is_full() {
        let verified = VerifiedTokens::new(3);
        for token in 0..5 {
            verified.insert([token; 32], claims(1));
            verified.insert([token; 32], claims(1));
        }
        let known: Vec<u8> = (0..5).filter(|&token| verified.get(&[token; 32]).is_some()).collect();
        assert_eq!(known, [2, 3, 4]);
        assert!(verified.entries().order.len() <= 3);
    }

    #[test]
    fn a_session_is_forgotten_with_all_its_tokens() {
        let verified = VerifiedTokens::new(10);
        (0..6).for_each(|token| verified.insert([token; 32], claims(u128::from(token % 2))));
        verified.forget_session(Uuid::from_u128(1));
        let known: Vec<u8> = (0..6).filter(|&token| verified.get(&[token; 32]).is_some()).collect();
        assert_eq!(known, [0, 2, 4]);
        verified.clear();
        assert_eq!(verified.get(&[0; 32]), None);
    }

    #[test]
    fn forgetting_and_entering_again_keeps_it_bounded() {
        let verified = VerifiedTokens::new(4);
        for round in 0..100 {
            verified.insert([round % 2; 32], claims(1));
            verified.forget(&[round % 2; 32]);
        }
        let entries = verified.entries();
        assert!(entries.order.len() <= 4 && entries.claims.len() <= 4);
    }
}

//! The keyed hash of an act and its number. The audit with the keys of a node checks it: only nodes, and the command line
//! with their keys, can have written the act.

use std::sync::Arc;

use jiff::Timestamp;

use super::Moderation;
use crate::auth::keys::{BindingCheck, Bound, RecordKeys};
use estimation_store::moderation::{ModerationAct, Seal, SealedAct};
use estimation_store::{Binding, StoreError};

impl Moderation {
    /// Binds acts under the key that signs now.
    pub(crate) fn seal(&self) -> Seal {
        let (keys, now) = (self.keys.ring().record_keys(), self.clock.now());
        Arc::new(move |act, number| bind(&keys, act, number, now))
    }
}

fn bind(keys: &RecordKeys, act: &ModerationAct, number: i64, now: Timestamp) -> Result<Binding, StoreError> {
    let bound = keys.bind(Bound::Act, &statement(act, number)?, now);
    bound.ok_or_else(|| StoreError::Defect { detail: "every record key is retired".to_owned() })
}

/// What the binding of an act is worth.
pub(crate) fn check(sealed: &SealedAct, keys: &RecordKeys) -> Result<BindingCheck, StoreError> {
    let statement = statement(&sealed.act, sealed.number)?;
    let check = |binding| keys.check(Bound::Act, &statement, binding);
    Ok(sealed.binding.as_ref().map_or(BindingCheck::Forged, check))
}

/// The bytes that a binding covers: every column but itself, as a list in JSON.
fn statement(act: &ModerationAct, number: i64) -> Result<Vec<u8>, StoreError> {
    let ModerationAct {
        id,
        account_id,
        game_id,
        act,
        until_at,
        reason,
        appeal,
        changes,
        report_id,
        acted_by,
        untold,
        created_at,
    } = act;
    let about = (account_id, game_id.map(|game| game.0));
    let words = (reason, appeal, changes, untold);
    let columns = (number, id, about, act, until_at, words, report_id, acted_by, created_at.milliseconds());
    serde_json::to_vec(&columns).map_err(|error| StoreError::Defect { detail: error.to_string() })
}

//! The promise, given with the start of a game, that the log will have the start within a minute.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::keys::RecordKeys;
use crate::base::failure::{Failure, milliseconds};
use crate::public_log::failure::LogFailure;
use estimation_engine::hex::Hex;
use estimation_record::verify::SignatureLine;
use estimation_record::{LogPromise, RecordTime};
use estimation_store::public_log::games::Promise;
use estimation_tlog::Hash;
use jiff::SignedDuration;

/// The time from a start until the first checkpoint that must have it.
pub(super) const WITHIN: SignedDuration = SignedDuration::from_secs(60);

/// The signed promise that the start of the game is in the public log. Keep it: it proves that the server dropped the
/// game if the log lacks it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LogPromise)]
pub struct PromiseView {
    /// The origin of the log.
    #[schema(value_type = String, min_length = 1, max_length = 255)]
    pub origin: Arc<str>,
    /// The hash of the leaf in the log.
    pub leaf: Hex<32>,
    /// The latest time of the first checkpoint with the leaf.
    pub by: RecordTime,
    /// The signature, with a record key.
    pub signature: SignatureLine,
}

/// Promises that the log will have an entry.
pub(super) fn signed(
    keys: &RecordKeys,
    origin: Arc<str>,
    logged: &str,
    at: RecordTime,
) -> Result<(Promise, PromiseView), LogFailure> {
    let Hash(leaf) = Hash::leaf(logged.as_bytes());
    let due = at.timestamp().saturating_add(WITHIN).map_err(|error| Failure::Defect(error.to_string()))?;
    let by = RecordTime::of(due, None);
    let statement = LogPromise { origin: &origin, leaf: Hex(leaf), by }.statement()?;
    let signed = keys.sign(&statement, at.timestamp());
    let signed = signed.ok_or_else(|| Failure::Defect("every record key is retired".to_owned()))?;
    let kid = signed.kid.to_string();
    let promise = Promise { leaf, by: milliseconds(due), kid, signature: signed.signature };
    let view = PromiseView::of(&promise, origin)?;
    Ok((promise, view))
}

/// What the promise for a game that started at a time says about the log with an origin; none if its time is wrong.
///
/// # Errors
/// For a number above 2⁵³ − 1.
pub(crate) fn promise_statement(
    origin: &str,
    promise: &Promise,
    started_at: RecordTime,
) -> Result<Option<Vec<u8>>, LogFailure> {
    let &Promise { leaf, by: due, .. } = promise;
    let by = started_at.plus(WITHIN);
    if due != milliseconds(by.timestamp()) {
        return Ok(None);
    }
    Ok(Some(LogPromise { origin, leaf: Hex(leaf), by }.statement()?))
}

/// The log that a promise is about: the one of these origins for which a record key signed it. The first where none did.
///
/// # Errors
/// For a number above 2⁵³ − 1.
pub(crate) fn promised_log(
    promise: &Promise,
    origins: Vec<String>,
    keys: &RecordKeys,
) -> Result<Option<Arc<str>>, LogFailure> {
    let &Promise { leaf, by, ref kid, signature } = promise;
    let by = RecordTime::from_milliseconds(by)?;
    let key = keys.find(kid);
    for origin in origins.iter().filter(|_| origins.len() > 1) {
        let statement = LogPromise { origin, leaf: Hex(leaf), by }.statement()?;
        if key.is_some_and(|key| key.verify(&statement, &signature)) {
            return Ok(Some(origin.as_str().into()));
        }
    }
    Ok(origins.into_iter().next().map(Arc::from))
}

impl PromiseView {
    pub(crate) fn of(promise: &Promise, origin: Arc<str>) -> Result<PromiseView, LogFailure> {
        let &Promise { leaf, by, ref kid, signature } = promise;
        let signature = SignatureLine { kid: kid.clone(), value: Hex(signature) };
        Ok(PromiseView { origin, leaf: Hex(leaf), by: RecordTime::from_milliseconds(by)?, signature })
    }
}

//! The promise, given with the start of a game, that the log will have the start within a minute.

use serde::Serialize;
use utoipa::ToSchema;

use crate::app::failure::{Failure, milliseconds};
use crate::auth::keys::RecordKeys;
use crate::engine::chance::Hex;
use crate::store::public_log::games::Promise;
use estimation_record::verify::SignatureLine;
use estimation_record::{LogPromise, RecordTime};
use estimation_tlog::Hash;
use jiff::SignedDuration;

/// The time until the first checkpoint with an entry.
const WITHIN: SignedDuration = SignedDuration::from_secs(60);

/// The signed promise that the start of the game is in the public log. Keep it: it proves that the server dropped the
/// game if the log lacks it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LogPromise)]
pub struct PromiseView {
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
    origin: &str,
    logged: &str,
    at: RecordTime,
) -> Result<(Promise, PromiseView), Failure> {
    let Hash(leaf) = Hash::leaf(logged.as_bytes());
    let due = at.timestamp().saturating_add(WITHIN).map_err(|error| Failure::Defect(error.to_string()))?;
    let by = RecordTime::of(due, None);
    let statement = LogPromise { origin, leaf: Hex(leaf), by }.statement()?;
    let signed = keys.sign(&statement, at.timestamp());
    let signed = signed.ok_or_else(|| Failure::Defect("every record key is retired".to_owned()))?;
    let kid = signed.kid.to_string();
    let promise = Promise { leaf, by: milliseconds(due), kid, signature: signed.signature };
    let view = PromiseView::of(&promise)?;
    Ok((promise, view))
}

/// What the promise for a game that started at a time says about the log with an origin; none if its time is wrong.
///
/// # Errors
/// For a number above 2⁵³ − 1.
pub(in crate::app) fn promise_statement(
    origin: &str,
    promise: &Promise,
    started_at: RecordTime,
) -> Result<Option<Vec<u8>>, Failure> {
    let &Promise { leaf, by: due, .. } = promise;
    let by = started_at.plus(WITHIN);
    if due != milliseconds(by.timestamp()) {
        return Ok(None);
    }
    Ok(Some(LogPromise { origin, leaf: Hex(leaf), by }.statement()?))
}

impl PromiseView {
    pub(in crate::app) fn of(promise: &Promise) -> Result<PromiseView, Failure> {
        let &Promise { leaf, by, ref kid, signature } = promise;
        let signature = SignatureLine { kid: kid.clone(), value: Hex(signature) };
        Ok(PromiseView { leaf: Hex(leaf), by: RecordTime::from_milliseconds(by)?, signature })
    }
}

//! `GET /readyz`.

use actix_web::http::header::RETRY_AFTER;
use actix_web::{get, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::Answer;
use crate::http::problem::{Problem, ProblemCode};
use crate::http::refusals::ReadRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// The readiness of the node.
#[derive(Serialize, ToSchema)]
pub(super) struct Ready {
    /// Always `ok`.
    #[schema(example = "ok", pattern = "^ok$", min_length = 2, max_length = 2)]
    status: &'static str,
    /// Whether the database accepts changes.
    writes: Writes,
    /// Why the database refuses changes: `disk-full`, `read-only`, `locked` or `unavailable`.
    #[schema(example = "disk-full", min_length = 1, max_length = 32, nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// Why this node does not sign the public log: `rolled-back`, `unconfirmed`, `time-ahead`, `start-overdue` or `failed`.
    #[schema(example = "rolled-back", min_length = 1, max_length = 32, nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    log_refusal: Option<&'static str>,
}

/// Whether the database accepts changes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Writes {
    Accepted,
    Refused,
}

/// Readiness probe
///
/// Answers 503 when the node cannot handle requests. While the database refuses changes, reads continue: the node
/// answers 200 with `writes: refused`, or 503 if it is set so. The member `reason` gives the cause:
///
/// - `stopping`: the node is stopping.
/// - `database-silent`: the database does not answer.
/// - `writes-waiting`: a change has waited 5 seconds to be written.
/// - `clock-skewed`: the node's clock is wrong.
/// - `database-replaced`: the SQLite file was deleted or replaced while it was open. Restart the node.
/// - `disk-full`, `read-only`, `locked`, `unavailable`: the database refuses changes.
///
/// A node that does not sign the public log is ready, because games continue. Its 200 has the cause in `log_refusal`:
///
/// - `rolled-back`: the log does not continue a checkpoint that was signed, or a witness contradicts it.
/// - `unconfirmed`: neither the state file nor a witness says that the log was not rolled back.
/// - `time-ahead`: a stored time is more than 60 seconds ahead of the node's clock.
/// - `start-overdue`: a start that the log must have still waits.
/// - `failed`: the node cannot sign, as without the log's key. The log of the node has the details.
#[utoipa::path(
    operation_id = "getReadiness",
    tag = "service",
    responses((status = 200, description = "The node is ready."), ReadRefusals),
    security(())
)]
#[get("/readyz")]
pub(super) async fn get_readiness(app: web::Data<App>) -> Result<Answer<Ready>, Problem> {
    let log_refusal = app.public_log.refusal().map(|refusal| refusal.reason);
    match app.readiness.check().await {
        Ok(None) => {
            Ok(Answer::json(&Ready { status: "ok", writes: Writes::Accepted, reason: None, log_refusal }))
        }
        Ok(Some(refusal)) => {
            let reason = Some(refusal.as_str());
            Ok(Answer::json(&Ready { status: "ok", writes: Writes::Refused, reason, log_refusal }))
        }
        Err(reason) => {
            Err(Problem::new(ProblemCode::Unavailable { reason: Some(reason.as_str()) }, reason.describe())
                .header(RETRY_AFTER, "1"))
        }
    }
}

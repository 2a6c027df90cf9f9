//! `GET /healthz`.

use actix_web::get;
use serde::Serialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::Answer;
use crate::http::refusals::ReadRefusals;

pub(super) const ACCESS: Access = Access::Public;

/// The status of the service.
#[derive(Serialize, ToSchema)]
pub(super) struct Health {
    /// Always `ok`.
    #[schema(example = "ok", pattern = "^ok$", min_length = 2, max_length = 2)]
    status: &'static str,
}

/// Liveness probe
///
/// Answers 200 as long as the process runs.
#[utoipa::path(
    operation_id = "getHealth",
    tag = "service",
    responses((status = 200, description = "The process runs."), ReadRefusals),
    security(())
)]
#[get("/healthz")]
pub(super) async fn get_health() -> Answer<Health> {
    Answer::json(&Health { status: "ok" })
}

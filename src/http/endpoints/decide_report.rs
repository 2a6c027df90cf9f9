//! `POST /v1/admin/reports/{id}/decision`.

use actix_web::{post, web};
use uuid::Uuid;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::refusals::WriteRefusals;
use estimation_service::desk::DecisionRequest;
use estimation_service::moderation::QueuedReport;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

impl Body for DecisionRequest {}

/// Decide a report
///
/// Decides a report or an appeal. Its author and the player are told. Nobody decides a report of their own or about themselves
/// (`account-protected`). For moderators and admins. The second step must have been passed within the last 15 minutes.
#[utoipa::path(
    operation_id = "decideReport",
    tag = "admin",
    params(("id" = Uuid, Path, description = "The report's id.")),
    responses((status = 200, description = "The report."), WriteRefusals)
)]
#[post("/v1/admin/reports/{id}/decision")]
pub(super) async fn decide_report(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
    Json(decision): Json<DecisionRequest>,
) -> Result<Answer<QueuedReport>, Problem> {
    Ok(Answer::json(&app.desk.decide_report(&caller, *id, &decision).await?))
}

//! `POST /v1/reports`.

use actix_web::{HttpRequest, post, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::answer::Created;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::WriteRefusals;
use estimation_service::moderation::{Report, ReportRequest};
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

impl Body for ReportRequest {}

/// Report a player
///
/// Reports a name, conduct or a way of playing to the moderators. With a game, the server attaches the names of its players, what
/// they said, and the finished rounds, as you can see them now. You can report a player once for each game, and once for none.
/// `GET /v1/me/reports` has the state, and you get a notice of the decision. The player is not told who reported.
#[utoipa::path(
    operation_id = "createReport",
    tag = "people",
    responses((status = 201, description = "The report is with the moderators."), WriteRefusals)
)]
#[post("/v1/reports")]
pub(super) async fn create_report(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Json(report): Json<ReportRequest>,
) -> Result<Created<Report>, Problem> {
    announce(&request, &app.throttle.policies("reports"));
    Ok(Answer::json(&app.moderation.report(&caller, report).await?))
}

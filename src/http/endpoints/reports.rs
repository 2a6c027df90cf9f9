//! Reports, appeals, and what moderators did to the caller's account.

use actix_web::web::Data;
use actix_web::{HttpRequest, get, post};
use garde::Validate;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::answer::{Answer, Created, Reply};
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::rate::announce;
use estimation_service::moderation::{Report, ReportList, ReportRequest, StandingView};
use estimation_service::services::App;

/// Report a player
///
/// Reports a name, conduct or a way of playing to the moderators. With a game, the server attaches the names of its players, what
/// they said, and the finished rounds, as you can see them now. You can report a player once for each game, and once for none.
/// `GET /v1/me/reports` has the state, and you get a notice of the decision. The player is not told who reported.
#[utoipa::path]
#[post("/v1/reports")]
pub(super) async fn create_report(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    Json(report): Json<ReportRequest>,
) -> Reply<Report, Created> {
    announce(&request, &app.throttle.policies("reports"));
    Ok(Answer::json(&app.moderation.report(&caller, report).await?))
}

/// List your reports
///
/// Returns your reports and appeals with their state, newest first, at most 100.
#[utoipa::path]
#[get("/v1/me/reports")]
pub(super) async fn list_reports(app: Data<App>, Bearer(caller): Bearer) -> Reply<ReportList> {
    Ok(Answer::json(&app.moderation.own_reports(&caller).await?))
}

/// Show your standing
///
/// Returns whether you may talk and play, until when not, and what moderators did to the account, with their reasons.
#[utoipa::path]
#[get("/v1/me/standing")]
pub(super) async fn get_standing(app: Data<App>, Bearer(caller): Bearer) -> Reply<StandingView> {
    Ok(Answer::json(&app.moderation.standing(&caller).await?))
}

/// An appeal.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct CreateAppealRequest {
    /// Why a moderator should look again.
    #[schema(min_length = 1, max_length = 500)]
    #[garde(length(chars, min = 1, max = 500))]
    text: String,
}

/// Appeal
///
/// Asks the moderators to look again at what is in effect against your account. One appeal waits at a time. It is listed with your
/// reports.
#[utoipa::path]
#[post("/v1/appeals")]
pub(super) async fn create_appeal(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    Json(CreateAppealRequest { text }): Json<CreateAppealRequest>,
) -> Reply<Report, Created> {
    announce(&request, &app.throttle.policies("reports"));
    Ok(Answer::json(&app.moderation.appeal(&caller, text).await?))
}

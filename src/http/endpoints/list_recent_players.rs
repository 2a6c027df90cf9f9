//! `GET /v1/me/recent-players`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::people::FoundPlayers;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// List the people of your last games
///
/// Returns the people of your last ten games that are over, those of the latest game first.
#[utoipa::path(
    operation_id = "listRecentPlayers",
    tag = "people",
    responses((status = 200, description = "The players."), CallerRefusals)
)]
#[get("/v1/me/recent-players")]
pub(super) async fn list_recent_players(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<FoundPlayers>, Problem> {
    Ok(Answer::json(&app.people.recent(&caller).await?))
}

//! `PUT /v1/me/friends/{id}`.

use actix_web::{HttpRequest, put, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::parameters::{Query, ShortText};
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::CallerRefusals;
use estimation_engine::player::AccountId;
use estimation_service::people::Friendship;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Others;

/// How the player was found.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct BefriendQuery {
    /// The player's friend code, in upper or lower case.
    #[param(value_type = Option<String>, min_length = 1, max_length = 12)]
    code: Option<ShortText<12>>,
}

/// Ask for friendship
///
/// Asks a player for friendship, or accepts the request of that player. A player who takes no requests can be asked with the
/// friend code. Without it, and after a block, the answer is that of a player who does not exist.
#[utoipa::path(
    operation_id = "befriendPlayer",
    tag = "people",
    params(("id" = Uuid, Path, description = "The id of the player's account."), BefriendQuery),
    responses((status = 200, description = "You asked, or you are friends."), CallerRefusals)
)]
#[put("/v1/me/friends/{id}")]
pub(super) async fn befriend_player(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
    Query(BefriendQuery { code }): Query<BefriendQuery>,
) -> Result<Answer<Friendship>, Problem> {
    announce(&request, &app.throttle.policies("people"));
    let code = code.map(|code| code.0);
    Ok(Answer::json(&app.people.befriend(&caller, &AccountId::new(*id), code.as_deref()).await?))
}

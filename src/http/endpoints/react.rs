//! `POST /v1/games/{id}/reactions`.

use actix_web::{post, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::refusals::WriteRefusals;
use estimation_service::services::App;
use estimation_service::talk::Reaction;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Others;

/// What to say.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReactRequest {
    /// The reaction.
    reaction: Reaction,
}

impl Body for ReactRequest {}

/// Say something at the table
///
/// Says one thing of a fixed set (`GET /v1/reactions`). The streams of the game send it as `event: reaction`, to players and
/// spectators, but not to those who mute or block the player. A player reacts once in three seconds, and 20 times in a round. The
/// record of the game does not have it; the server keeps it for 30 days, for reports. A table can be silent (`talk` of the
/// view).
#[utoipa::path(
    operation_id = "react",
    tag = "play",
    params(("id" = Uuid, Path, description = "The game's id.")),
    responses((status = 204, description = "It was said."), WriteRefusals)
)]
#[post("/v1/games/{id}/reactions")]
pub(super) async fn react(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(ReactRequest { reaction }): Json<ReactRequest>,
) -> Result<NoContent, Problem> {
    app.talk.react(&caller, *id, reaction).await?;
    Ok(NoContent)
}

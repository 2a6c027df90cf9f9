//! `POST /v1/games/{id}/invitations`.

use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Access;
use crate::http::answer::Answer;
use crate::http::answer::Created;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::WriteRefusals;
use estimation_engine::player::AccountId;
use estimation_service::people::SentInvitation;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Others;

/// Whom to invite.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InvitePlayerRequest {
    /// The friend.
    player: Uuid,
}

impl Body for InvitePlayerRequest {}

/// Invite a friend to a table
///
/// Invites a friend to a table in the lobby at which you have a seat. The friend gets `invited` on the account's stream and a
/// notice with the invitation's id. A second invitation of the same friend has the id of the first, and sends
/// nothing. A table has at most 20 invitations.
#[utoipa::path(
    operation_id = "invitePlayer",
    tag = "people",
    params(("id" = Uuid, Path, description = "The game's id.")),
    responses((status = 201, description = "The friend is invited."), WriteRefusals)
)]
#[post("/v1/games/{id}/invitations")]
pub(super) async fn invite_player(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(InvitePlayerRequest { player }): Json<InvitePlayerRequest>,
) -> Result<Created<SentInvitation>, Problem> {
    announce(&request, &app.throttle.policies("people"));
    Ok(Answer::json(&app.people.invite(&caller, *id, &AccountId::new(player)).await?))
}

//! `GET /v1/join/{code}`.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::language::{Preferred, Translate};
use crate::http::problem::Problem;
use crate::http::refusals::InvitationRefusals;
use estimation_service::games::Invitation;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// Look at an invitation
///
/// Shows the table to which a code invites, without a token: what its holder sees after `joinByCode`. An unknown code and
/// one of a game that has started are refused as there.
#[utoipa::path(
    operation_id = "getInvitation",
    tag = "games",
    params(
        ("code" = String, Path, min_length = 8, max_length = 8, pattern = "^[0-9A-Z]{8}$", description = "The invitation code.")
    ),
    responses((status = 200, description = "The table."), InvitationRefusals),
    security(())
)]
#[get("/v1/join/{code}")]
pub(super) async fn get_invitation(
    app: web::Data<App>,
    Preferred(language): Preferred,
    code: web::Path<String>,
) -> Result<Answer<Invitation>, Problem> {
    let mut invitation = app.games.invitation(&code).await?;
    language.invitation(&mut invitation);
    // It has names, though the request has no token.
    Ok(Answer::json(&invitation).header((CACHE_CONTROL, "no-store")).in_language(language))
}

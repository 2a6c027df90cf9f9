//! `POST /v1/games/{id}/commands/check`.

use actix_web::{HttpRequest, post, web};

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::etag::expected_version;
use crate::http::problem::Problem;
use crate::http::refusals::WriteRefusals;
use estimation_service::services::App;
use estimation_service::vocabulary::{Command, GameId};

pub(super) const ACCESS: Access = Access::Others;

/// Check a command
///
/// Says whether a command is in `legal`, and if not, why. Nothing is executed, also where a table would accept
/// and penalise the command. The refusals are those of `postCommand`. With `If-Match` the answer is about that
/// version only.
#[utoipa::path(
    operation_id = "checkCommand",
    tag = "play",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("If-Match" = Option<String>, Header, max_length = 52,
            pattern = r#"^(\*|"[0-9]{1,16}\.[0-9a-f]{16}\.[0-9a-f]{16}")$"#,
            description = "The `ETag` of the view that the command is for.")
    ),
    request_body = Command,
    responses(
        (status = 204, description = "The command is in `legal`."),
        (status = 412, description = "The game has advanced.",
            content_type = "application/problem+json", body = Problem),
        WriteRefusals
    )
)]
#[post("/v1/games/{id}/commands/check")]
pub(super) async fn check_command(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(command): Json<Command>,
) -> Result<NoContent, Problem> {
    let expected = expected_version(&request)?;
    app.games.check(&caller, *id, expected, &command).await?;
    Ok(NoContent)
}

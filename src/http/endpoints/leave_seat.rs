//! `DELETE /v1/games/{id}/seats/{seat}`.

use actix_web::{HttpRequest, delete, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::common::tables::table_command;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::games::view::GameView;
use estimation_service::services::App;
use estimation_service::vocabulary::{GameId, TableCommand};

pub(super) const ACCESS: Access = Access::Others;

/// Leave a seat
///
/// Frees a seat before the start: your own, or as the host any seat, also a bot's. A host who leaves hands the
/// table to the next person; the last person who leaves cancels it. A private table from which the host removes a
/// person gets a new invitation code. During play you give up your own seat for
/// good, and a bot plays on; when the last person leaves, the game is abandoned.
#[utoipa::path(
    operation_id = "leaveSeat",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("seat" = u8, Path, description = "The seat.", minimum = 0, maximum = 4)
    ),
    responses((status = 200, description = "The seat is free."), CallerRefusals)
)]
#[delete("/v1/games/{id}/seats/{seat}")]
pub(super) async fn leave_seat(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    path: web::Path<(GameId, u8)>,
) -> Result<Answer<GameView>, Problem> {
    let (id, place) = path.into_inner();
    table_command(&request, &app, &caller, id, &TableCommand::Leave { place }, None).await
}

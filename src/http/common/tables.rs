//! Commands at a table before the start.

use std::sync::Arc;

use actix_web::HttpRequest;

use crate::http::answer::Answer;
use crate::http::etag::view_answer;
use crate::http::idempotency::once_key;
use crate::http::problem::Problem;
use estimation_service::auth::caller::Caller;
use estimation_service::games::idempotency::Done;
use estimation_service::games::view::GameView;
use estimation_service::services::App;
use estimation_service::vocabulary::{GameId, TableCommand};

/// Carries out a table command and answers with the view. `exchange` has refused keys where the operation takes none.
pub(in crate::http) async fn table_command(
    request: &HttpRequest,
    app: &Arc<App>,
    caller: &Caller,
    id: GameId,
    command: &TableCommand,
    join_code: Option<&str>,
) -> Result<Answer<GameView>, Problem> {
    let once = once_key(request)?;
    seated(request, app.games.at_table(caller, id, command, join_code, once.as_ref()).await?)
}

/// The answer to a table command.
pub(in crate::http) fn seated(
    request: &HttpRequest,
    done: Done<GameView>,
) -> Result<Answer<GameView>, Problem> {
    let replayed = done.replayed;
    Ok(view_answer(request, done.value)?.replayed(replayed))
}

//! Commands at a table before the start, and errors of the rules that a table is opened with.

use std::sync::Arc;

use actix_web::HttpRequest;
use serde_json::{Map, Value};

use crate::http::answer::Answer;
use crate::http::etag::view_answer;
use crate::http::field_errors::{errors_of, text};
use crate::http::idempotency::once_key;
use crate::http::problem::Problem;
use estimation_service::auth::caller::Caller;
use estimation_service::base::field_error::FieldError;
use estimation_service::games::idempotency::Done;
use estimation_service::games::view::GameView;
use estimation_service::rulesets::agreement;
use estimation_service::services::App;
use estimation_service::vocabulary::{GameId, TableCommand};

/// The faults of the ruleset, players and options that a body has.
pub(in crate::http) fn table_faults(fields: &Map<String, Value>) -> Vec<FieldError> {
    let none = Map::new();
    let options = fields.get("options").and_then(Value::as_object).unwrap_or(&none);
    let players = fields.get("players").and_then(Value::as_u64).map(|players| players.min(255) as u8);
    let ruleset = text(fields, "ruleset");
    let faults = ruleset.and_then(|ruleset| agreement(ruleset, players, options).err());
    errors_of(&faults.unwrap_or_default())
}

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

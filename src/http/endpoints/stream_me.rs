//! `GET /v1/me/stream`.

use actix_web::{get, web};
use futures_util::stream::{Stream, unfold};

use super::Access;
use crate::http::answer::{Answer, EventStream};
use crate::http::bearer::Bearer;
use crate::http::common::event_streams::{QUIET, RECONNECT, frame, streaming};
use crate::http::common::frame_encoding::FrameEncoder;
use crate::http::contract::AccountFrames;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::games::failure::GameFailure;
use estimation_service::games::viewer_text::Frame;
use estimation_service::services::App;
use estimation_service::watch::{AccountNews, AccountStream};

pub(super) const ACCESS: Access = Access::Own;

/// Stream your games
///
/// Sends server-sent events about all of your games: `your_turn`, `invited`, `started` and `finished`. Each has the
/// game, its version and its status. The stream starts with the games in which it is your turn. `your_turn` with the
/// status `lobby` means that you must open your client seed.
#[utoipa::path(
    operation_id = "streamMe",
    tag = "accounts",
    responses((status = 200, description = "The stream."), CallerRefusals)
)]
#[get("/v1/me/stream")]
pub(super) async fn stream_me(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<AccountFrames, EventStream>, Problem> {
    let stream = app.streams.stream_account(&caller).await?;
    Ok(streaming(account_frames(stream), FrameEncoder::Plain))
}

fn account_frames(stream: AccountStream) -> impl Stream<Item = Result<Vec<Frame>, GameFailure>> {
    unfold(Some(stream), |stream| async {
        let mut stream = stream?;
        let (name, matter) = match stream.next().await {
            Ok(AccountNews::YourTurn(matter)) => ("your_turn", matter),
            Ok(AccountNews::Invited(matter)) => ("invited", matter),
            Ok(AccountNews::Started(matter)) => ("started", matter),
            Ok(AccountNews::Finished(matter)) => ("finished", matter),
            Ok(AccountNews::Quiet) => return Some((Ok(vec![QUIET.into()]), Some(stream))),
            Ok(AccountNews::Reconnect) => return Some((Ok(vec![RECONNECT.into()]), None)),
            Ok(AccountNews::SessionEnded) => return None,
            Err(failure) => return Some((Err(failure), None)),
        };
        Some((frame(&format!("event: {name}"), &matter).map(|frame| vec![frame]), Some(stream)))
    })
}

//! Accounts, with credentials or as a guest: registration, profile, password, export, deletion.

use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, delete, get, patch, post, put};
use futures_util::stream::{Stream, unfold};
use garde::Validate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::address::ClientAddress;
use crate::http::answer::{Answer, Created, EmptyReply, EventStream, NoContent, Reply};
use crate::http::bearer::{Bearer, PendingBearer};
use crate::http::body::Json;
use crate::http::contract::{self, AccountFrames};
use crate::http::event_streams::{QUIET, RECONNECT, frame, streaming};
use crate::http::rate::announce;
use estimation_service::accounts::Account;
use estimation_service::accounts::changes::AccountChangeList;
use estimation_service::accounts::recovery::{RecoveryCodeText, RecoveryCodes};
use estimation_service::auth::sessions::Session;
use estimation_service::base::failure::Failure;
use estimation_service::exports::document::Export;
use estimation_service::services::App;
use estimation_service::watch::{AccountNews, AccountStream};

/// A request to create an account.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct RegisterRequest {
    /// The username for signing in.
    #[schema(value_type = contract::Username)]
    username: String,
    /// The password: 8–128 characters, not one of the most common ones.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    password: String,
    /// The name that other players see. If absent, the server chooses a neutral name such as `Player 4821`. Other
    /// players never see the username.
    #[schema(value_type = contract::DisplayName, required = false)]
    display_name: Option<String>,
}

/// An account and its new session.
#[derive(Serialize, ToSchema)]
pub(super) struct Registration {
    /// The account.
    pub(super) account: Account,
    /// The session.
    pub(super) session: Session,
    /// The recovery codes of a new account, which are shown only now: each signs in once, without the password. Empty for a
    /// guest, who gets some with `POST /v1/me/recovery-codes`.
    #[schema(value_type = Vec<RecoveryCodeText>, max_items = 10)]
    pub(super) recovery_codes: Vec<String>,
}

/// Create an account
///
/// Creates an account with a username and a password, and signs it in.
#[utoipa::path]
#[post("/v1/accounts")]
pub(super) async fn register_account(
    request: HttpRequest,
    app: Data<App>,
    ClientAddress(address): ClientAddress,
    Json(new): Json<RegisterRequest>,
) -> Reply<Registration, Created> {
    announce(&request, &app.throttle.policies("account"));
    let name = new.display_name.as_deref();
    let (account, session, recovery_codes) =
        app.accounts.register(&new.username, &new.password, name, address).await?;
    Ok(Answer::json(&Registration { account, session, recovery_codes }).uncompressed())
}

/// A request to create a guest account.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct RegisterGuestRequest {
    /// The name that other players see. If absent, the server chooses a neutral name such as `Guest 4821`.
    #[schema(value_type = contract::DisplayName, required = false)]
    display_name: Option<String>,
}

/// Create a guest account
///
/// Creates an account without username and password, and signs it in. The server deletes the account when its
/// session has been unused for 90 days. `PUT /v1/me/credentials` makes it a full account.
#[utoipa::path]
#[post("/v1/accounts/guest")]
pub(super) async fn register_guest(
    request: HttpRequest,
    app: Data<App>,
    ClientAddress(address): ClientAddress,
    Json(new): Json<RegisterGuestRequest>,
) -> Reply<Registration, Created> {
    announce(&request, &app.throttle.policies("account"));
    let (account, session) = app.accounts.register_guest(new.display_name.as_deref(), address).await?;
    Ok(Answer::json(&Registration { account, session, recovery_codes: Vec::new() }).uncompressed())
}

/// Show your account
///
/// Returns the account of the access token. A session that waits for its second step may ask too.
#[utoipa::path]
#[get("/v1/me")]
pub(super) async fn get_me(app: Data<App>, PendingBearer(caller): PendingBearer) -> Reply<Account> {
    Ok(Answer::json(&app.accounts.me(&caller).await?))
}

/// A request to change the account's profile. Absent fields stay unchanged.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct UpdateProfileRequest {
    /// The name that other players see.
    #[schema(value_type = contract::DisplayName, required = false)]
    display_name: Option<String>,
}

/// Change your account
///
/// Changes the given fields and leaves the rest unchanged. A new name may take five seconds to appear everywhere.
#[utoipa::path]
#[patch("/v1/me")]
pub(super) async fn update_me(
    app: Data<App>,
    Bearer(caller): Bearer,
    Json(change): Json<UpdateProfileRequest>,
) -> Reply<Account> {
    Ok(Answer::json(&app.accounts.rename(&caller, change.display_name.as_deref()).await?))
}

/// Stream your games
///
/// Sends server-sent events about all of your games: `your_turn`, `invited`, `started` and `finished`. Each has the
/// game, its version and its status. The stream starts with the games in which it is your turn. `your_turn` with the
/// status `lobby` means that you must open your client seed.
#[utoipa::path]
#[get("/v1/me/stream")]
pub(super) async fn stream_me(app: Data<App>, Bearer(caller): Bearer) -> Reply<AccountFrames, EventStream> {
    let stream = app.streams.stream_account(&caller).await?;
    Ok(streaming(account_frames(stream)))
}

fn account_frames(stream: AccountStream) -> impl Stream<Item = Result<Vec<Bytes>, Failure>> {
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

/// A request to change the password.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct ChangePasswordRequest {
    /// The current password.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    #[garde(length(chars, min = 8, max = 128))]
    current_password: String,
    /// The new password: 8–128 characters, not one of the most common ones.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "kettle-orbit-quince")]
    new_password: String,
}

/// Change your password
///
/// Requires the current password. Signs out all other devices.
#[utoipa::path]
#[put("/v1/me/password")]
pub(super) async fn change_password(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    ClientAddress(address): ClientAddress,
    Json(change): Json<ChangePasswordRequest>,
) -> EmptyReply {
    announce(&request, &app.throttle.policies("confirmation"));
    app.accounts.change_password(&caller, &change.current_password, &change.new_password, address).await?;
    Ok(NoContent)
}

/// A request to set a username and a password.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct SetCredentialsRequest {
    /// The username for signing in.
    #[schema(value_type = contract::Username)]
    username: String,
    /// The password: 8–128 characters, not one of the most common ones.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    password: String,
}

/// Set a username and a password
///
/// Sets a username and a password for an account without them. A guest account becomes a full account, and keeps its games and
/// sessions. A full account must have signed in within the last five minutes.
#[utoipa::path]
#[put("/v1/me/credentials")]
pub(super) async fn set_credentials(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    ClientAddress(address): ClientAddress,
    Json(new): Json<SetCredentialsRequest>,
) -> Reply<Account> {
    announce(&request, &app.throttle.policies("credentials"));
    let account = app.accounts.give_credentials(&caller, &new.username, &new.password, address).await?;
    Ok(Answer::json(&account))
}

/// Create recovery codes
///
/// Returns ten new codes in place of all former ones. They are shown only now: ask the player to keep them. A full account
/// must have signed in within the last five minutes.
#[utoipa::path]
#[post("/v1/me/recovery-codes")]
pub(super) async fn create_recovery_codes(app: Data<App>, Bearer(caller): Bearer) -> Reply<RecoveryCodes> {
    Ok(Answer::json(&app.accounts.new_recovery_codes(&caller).await?).uncompressed())
}

/// List changes of the ways into your account
///
/// Returns who changed identities, recovery codes and credentials, newest first. Show a player those of other sessions.
#[utoipa::path]
#[get("/v1/me/changes")]
pub(super) async fn list_account_changes(app: Data<App>, Bearer(caller): Bearer) -> Reply<AccountChangeList> {
    Ok(Answer::json(&app.accounts.changes(&caller).await?))
}

/// Export your account
///
/// Returns all data that the server stores about the account. The server stores passwords and tokens only as
/// hashes; the export does not include them. The moves of each game are in its record, which names accounts by
/// their ids.
#[utoipa::path]
#[get("/v1/me/export")]
pub(super) async fn export_me(app: Data<App>, Bearer(caller): Bearer) -> Reply<Export> {
    Ok(Answer::json(&app.accounts.export(&caller).await?))
}

/// A request to delete the account.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct DeleteAccountRequest {
    /// The account's password. Accounts without one omit it.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    #[garde(length(chars, min = 8, max = 128))]
    password: Option<String>,
}

/// Delete your account
///
/// The server deletes personal data and all sessions at once. The account can no longer take a seat. Then the
/// server frees the account's seats in lobbies, and bots replace it in running games. Past games stay unchanged,
/// under a pseudonym. An account must send its password; without one, it sends `{}`, and a
/// full account must have signed in within the last five minutes. The last admin cannot delete its
/// account (`last-admin`).
#[utoipa::path]
#[delete("/v1/me")]
pub(super) async fn delete_me(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    ClientAddress(address): ClientAddress,
    Json(farewell): Json<DeleteAccountRequest>,
) -> EmptyReply {
    announce(&request, &app.throttle.policies("confirmation"));
    app.accounts.erase_me(&caller, farewell.password.as_deref(), address).await?;
    Ok(NoContent)
}

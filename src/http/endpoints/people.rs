//! Friends, invitations, blocks and mutes.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, delete, get, post, put};
use garde::Validate;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::http::answer::{Answer, Created, EmptyReply, NoContent, Reply};
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::parameters::{Query, ShortText};
use crate::http::rate::announce;
use estimation_engine::player::AccountId;
use estimation_service::people::{
    FoundPlayers, Friendship, InvitationList, PeopleSettings, PeopleView, SentInvitation,
};
use estimation_service::services::App;
use estimation_service::vocabulary::{GameId, Relation};

/// List your people
///
/// Returns your friends and their presence, received and sent requests for friendship, blocked and muted players, and how others
/// may find you. It does not tell which players block you.
#[utoipa::path]
#[get("/v1/me/people")]
pub(super) async fn list_people(app: Data<App>, Bearer(caller): Bearer) -> Reply<PeopleView> {
    Ok(Answer::json(&app.people.list(&caller).await?))
}

/// Choose how others find you
///
/// Replaces all three choices.
#[utoipa::path]
#[put("/v1/me/people/settings")]
pub(super) async fn set_people_settings(
    app: Data<App>,
    Bearer(caller): Bearer,
    Json(settings): Json<PeopleSettings>,
) -> EmptyReply {
    app.people.choose(&caller, settings).await?;
    Ok(NoContent)
}

/// A friend code.
#[derive(Serialize, ToSchema)]
pub(super) struct FriendCode {
    /// The code. It has no look-alike signs.
    #[schema(min_length = 12, max_length = 12, pattern = "^[0-9A-Z]{12}$", example = "7KQ2MX9RWBTA")]
    friend_code: String,
}

/// Draw a friend code
///
/// Returns a new code with which others find you and ask for friendship. It replaces the former one.
#[utoipa::path]
#[post("/v1/me/friend-code")]
pub(super) async fn create_friend_code(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
) -> Reply<FriendCode> {
    announce(&request, &app.throttle.policies("people"));
    let friend_code = app.people.draw_code(&caller).await?;
    Ok(Answer::json(&FriendCode { friend_code }))
}

/// Remove your friend code
///
/// The code stops working.
#[utoipa::path]
#[delete("/v1/me/friend-code")]
pub(super) async fn remove_friend_code(app: Data<App>, Bearer(caller): Bearer) -> EmptyReply {
    app.people.remove_code(&caller).await?;
    Ok(NoContent)
}

/// Whom to find.
#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
pub(super) struct FindPeopleQuery {
    /// A display name.
    #[param(value_type = Option<String>, min_length = 1, max_length = 40)]
    #[garde(dive)]
    name: Option<ShortText<40>>,
    /// A friend code, in upper or lower case.
    #[param(value_type = Option<String>, min_length = 1, max_length = 12)]
    #[garde(dive)]
    code: Option<ShortText<12>>,
}

/// Find players
///
/// Finds players by their exact display name, if they chose to be found by it, or one by the friend code. Upper and lower case
/// of a name differ. Without a name and a code the list is empty. With both, only the name counts. Usernames find no player.
#[utoipa::path(params(FindPeopleQuery))]
#[get("/v1/people")]
pub(super) async fn find_people(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    Query(FindPeopleQuery { name, code }): Query<FindPeopleQuery>,
) -> Reply<FoundPlayers> {
    announce(&request, &app.throttle.policies("people"));
    let (name, code) = (name.map(|name| name.0), code.map(|code| code.0));
    Ok(Answer::json(&app.people.find(&caller, name.as_deref(), code.as_deref()).await?))
}

/// List the people of your last games
///
/// Returns the people of your last ten games that are over, those of the latest game first.
#[utoipa::path]
#[get("/v1/me/recent-players")]
pub(super) async fn list_recent_players(app: Data<App>, Bearer(caller): Bearer) -> Reply<FoundPlayers> {
    Ok(Answer::json(&app.people.recent(&caller).await?))
}

/// How the player was found.
#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
pub(super) struct BefriendQuery {
    /// The player's friend code, in upper or lower case.
    #[param(value_type = Option<String>, min_length = 1, max_length = 12)]
    #[garde(dive)]
    code: Option<ShortText<12>>,
}

/// Ask for friendship
///
/// Asks a player for friendship, or accepts the request of that player. A player who takes no requests can be asked with the
/// friend code. Without it, and after a block, the answer is that of a player who does not exist.
#[utoipa::path(params(BefriendQuery))]
#[put("/v1/me/friends/{id}")]
pub(super) async fn befriend_player(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<Uuid>,
    Query(BefriendQuery { code }): Query<BefriendQuery>,
) -> Reply<Friendship> {
    announce(&request, &app.throttle.policies("people"));
    let code = code.map(|code| code.0);
    Ok(Answer::json(&app.people.befriend(&caller, &AccountId::new(*id), code.as_deref()).await?))
}

/// End a friendship
///
/// Ends a friendship, withdraws your request, or declines the request of the player. The player is not told.
#[utoipa::path]
#[delete("/v1/me/friends/{id}")]
pub(super) async fn remove_friend(app: Data<App>, Bearer(caller): Bearer, id: Path<Uuid>) -> EmptyReply {
    app.people.end_friendship(&caller, &AccountId::new(*id)).await?;
    Ok(NoContent)
}

/// Block a player
///
/// From now on neither of you sees, meets, invites or is matched with the other: the API answers each as if the other player, and
/// that player's games, did not exist. A game that both play goes on, without each other's reactions. At a table in the lobby,
/// the player loses the seat if you are the host; otherwise you lose yours. Friendship, requests and invitations between you
/// end. The server does not tell the player. You can block 200 players.
#[utoipa::path]
#[put("/v1/me/blocks/{id}")]
pub(super) async fn block_player(app: Data<App>, Bearer(caller): Bearer, id: Path<Uuid>) -> EmptyReply {
    app.people.block(&caller, &AccountId::new(*id)).await?;
    Ok(NoContent)
}

/// End a block
///
/// Does nothing if you do not block the player.
#[utoipa::path]
#[delete("/v1/me/blocks/{id}")]
pub(super) async fn unblock_player(app: Data<App>, Bearer(caller): Bearer, id: Path<Uuid>) -> EmptyReply {
    app.people.end_relation(&caller, &AccountId::new(*id), Relation::Block).await?;
    Ok(NoContent)
}

/// Mute a player
///
/// What the player says at tables does not reach you. The player is not told. You can mute 200 players.
#[utoipa::path]
#[put("/v1/me/mutes/{id}")]
pub(super) async fn mute_player(app: Data<App>, Bearer(caller): Bearer, id: Path<Uuid>) -> EmptyReply {
    app.people.mute(&caller, &AccountId::new(*id)).await?;
    Ok(NoContent)
}

/// End a mute
///
/// Does nothing if you do not mute the player.
#[utoipa::path]
#[delete("/v1/me/mutes/{id}")]
pub(super) async fn unmute_player(app: Data<App>, Bearer(caller): Bearer, id: Path<Uuid>) -> EmptyReply {
    app.people.end_relation(&caller, &AccountId::new(*id), Relation::Mute).await?;
    Ok(NoContent)
}

/// Whom to invite.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct InvitePlayerRequest {
    /// The friend.
    player: Uuid,
}

/// Invite a friend to a table
///
/// Invites a friend to a table in the lobby at which you have a seat. The friend gets `invited` on the account's stream and a
/// notice with the invitation's id. A second invitation of the same friend has the id of the first, and sends
/// nothing. A table has at most 20 invitations.
#[utoipa::path]
#[post("/v1/games/{id}/invitations")]
pub(super) async fn invite_player(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
    Json(InvitePlayerRequest { player }): Json<InvitePlayerRequest>,
) -> Reply<SentInvitation, Created> {
    announce(&request, &app.throttle.policies("people"));
    Ok(Answer::json(&app.people.invite(&caller, *id, &AccountId::new(player)).await?))
}

/// List invitations to you
///
/// Returns the invitations of friends to tables that wait for players, newest first. Join a private table with `joinByCode`,
/// and a public one with `joinGame`.
#[utoipa::path]
#[get("/v1/me/invitations")]
pub(super) async fn list_invitations(app: Data<App>, Bearer(caller): Bearer) -> Reply<InvitationList> {
    Ok(Answer::json(&app.people.invitations(&caller).await?))
}

/// Decline an invitation
///
/// The friend is not told.
#[utoipa::path]
#[delete("/v1/me/invitations/{id}")]
pub(super) async fn decline_invitation(app: Data<App>, Bearer(caller): Bearer, id: Path<Uuid>) -> EmptyReply {
    app.people.decline(&caller, *id).await?;
    Ok(NoContent)
}

//! Opening, finding, joining and starting tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, delete, get, post, put};
use garde::Validate;
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::http::answer::{Answer, Created, Reply};
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::caching::{IfNoneMatchHeader, tagged_page, view_answer};
use crate::http::idempotency::{OnceHeader, once_key};
use crate::http::language::{PreferredLanguage, Translate};
use crate::http::parameters::{PageSize, Query};
use crate::http::problem::Problem;
use estimation_service::auth::caller::Caller;
use estimation_service::games::idempotency::IdempotentResult;
use estimation_service::games::view::GameView;
use estimation_service::games::{GameList, GamesPage, Invitation, NewTable};
use estimation_service::rulesets::option_schemas::{self, RequestedOptions};
use estimation_service::services::App;
use estimation_service::vocabulary::{
    BotLevel, ClientSeed, GameId, GameStatus, Hex, RulesetId, TableCommand, Visibility,
};

/// Show a game
///
/// The game as the caller may see it, with everything needed to draw the table and, in `legal`, the exact
/// commands the caller may post now.
#[utoipa::path(
    params(IfNoneMatchHeader),
    responses((status = 304, description = "You have this view already."))
)]
#[get("/v1/games/{id}")]
pub(super) async fn get_game(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
) -> Reply<GameView> {
    let game = app.games.view(&caller, *id).await?;
    view_answer(&request, game)
}

/// A request to open a table.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct CreateGameRequest {
    /// The ruleset's id.
    #[schema(value_type = RulesetId)]
    ruleset: String,
    /// The options that differ from the ruleset's defaults, by name.
    #[serde(default, deserialize_with = "option_schemas::requested")]
    #[schema(value_type = RequestedOptions)]
    options: BTreeMap<String, Value>,
    /// The number of players: 2–5 in `nineteen`, else 4. The default is 4.
    #[schema(minimum = 2, maximum = 5)]
    players: Option<u8>,
    /// Whether the lobby lists the table, or only its invitation code leads to it.
    #[serde(default = "public")]
    #[schema(default = "public")]
    visibility: Visibility,
    /// Whether accounts without a seat may watch a public game.
    #[serde(default = "yes")]
    #[schema(default = true)]
    spectators: bool,
    /// Whether the seated players may react (`react`).
    #[serde(default = "yes")]
    #[schema(default = true)]
    talk: bool,
    /// Seconds per turn; no clock if absent.
    #[schema(minimum = 10, maximum = 604800)]
    turn_seconds: Option<u32>,
    /// Seconds for opening the client seeds to which players committed: 15 up to `turn_seconds` if that is more, without
    /// a turn clock up to 86400. The default is the service's, usually 15.
    #[schema(minimum = 15, maximum = 604800)]
    opening_seconds: Option<u32>,
    /// Your commitment to a client seed: SHA-256 of its text. See `commitSeed`.
    seed_commitment: Option<Hex<32>>,
    /// Bots that take all other seats. The game then starts at once. With `seed_commitment`, the opening of your seed
    /// begins at once, and the game starts with `openSeed`.
    bots: Option<Bots>,
}

/// Bots at a new table.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Bots {
    /// Their level.
    level: BotLevel,
}

/// Open a table
///
/// Opens a table with the caller as host in place 0, which is seat 0 unless the ruleset draws for seats.
/// The rules cannot be changed later. With `bots`, one request opens, fills and starts a table. A host may have 20
/// tables in the lobby, or as many as the service allows: one more is refused with `too-many-tables`, whose `limit` is
/// the number. Games that have started and matchmade tables do not count.
#[utoipa::path(params(OnceHeader))]
#[post("/v1/games")]
pub(super) async fn create_game(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    Json(new): Json<CreateGameRequest>,
) -> Reply<GameView, Created> {
    let table = NewTable {
        ruleset: new.ruleset,
        options: new.options,
        players: new.players,
        visibility: new.visibility,
        spectators: new.spectators,
        talk: new.talk,
        turn_seconds: new.turn_seconds,
        opening_seconds: new.opening_seconds,
        seed_commitment: new.seed_commitment,
        bots: new.bots.map(|bots| bots.level),
    };
    let done = app.games.create(&caller, table, once_key(&request)?.as_ref()).await?;
    let location = format!("/v1/games/{}", done.value.id);
    let location = HeaderValue::from_str(&location).map_err(Problem::defect)?;
    Ok(seated(&request, done)?.created(location))
}

fn public() -> Visibility {
    Visibility::Public
}

fn yes() -> bool {
    true
}

/// Which games to list.
#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
pub(super) struct GamesQuery {
    /// Only games in this status. Default: `lobby` for public games, all for your own.
    status: Option<GameStatus>,
    /// Only games of this ruleset.
    ruleset: Option<RulesetId>,
    /// Your own games, public and private, instead of the public ones.
    #[serde(default)]
    mine: bool,
    /// The `next_cursor` of the page before.
    #[param(min_length = 1, max_length = 512)]
    cursor: Option<String>,
    /// The maximum number of games.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    #[garde(dive)]
    limit: PageSize,
}

/// List games
///
/// Public games, newest first, or your own. Items of your own games have what a home screen shows (`own`). The list shows at most 4 lobby tables of each host, the newest that
/// match.
#[utoipa::path(
    params(GamesQuery, IfNoneMatchHeader),
    responses((status = 304, description = "You have this page already."))
)]
#[get("/v1/games")]
pub(super) async fn list_games(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    PreferredLanguage(language): PreferredLanguage,
    Query(query): Query<GamesQuery>,
) -> Reply<GamesPage> {
    let GamesQuery { status, ruleset, mine, cursor, limit } = query;
    let list = GameList { status, ruleset, mine, cursor, limit: limit.0 };
    let mut page = app.games.list(&caller, list).await?;
    language.games(&mut page);
    let has_code = page.items.iter().any(|game| game.own.as_ref().is_some_and(|own| own.join_code.is_some()));
    let answer = tagged_page(&request, language, &page)?;
    // The page also has names that others have chosen.
    Ok(if has_code { answer.uncompressed() } else { answer })
}

/// A request to join a table.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct JoinRequest {
    /// The seat; the first free one if absent. If the ruleset draws for seats, this is a place in the lobby.
    #[schema(minimum = 0, maximum = 4)]
    #[garde(range(max = 4))]
    seat: Option<u8>,
    /// The invitation code of a private table.
    #[schema(min_length = 8, max_length = 8)]
    #[garde(length(chars, equal = 8))]
    join_code: Option<String>,
    /// Your commitment to a client seed: SHA-256 of its text. See `commitSeed`.
    seed_commitment: Option<Hex<32>>,
}

/// Join a table
///
/// Takes a seat at a table in the lobby.
#[utoipa::path(params(OnceHeader))]
#[post("/v1/games/{id}/seats")]
pub(super) async fn join_game(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
    Json(sitting): Json<JoinRequest>,
) -> Reply<GameView> {
    let JoinRequest { seat: place, join_code, seed_commitment: commitment } = sitting;
    let command = TableCommand::Join { place, commitment };
    table_command(&request, &app, &caller, *id, &command, join_code.as_deref()).await
}

/// Leave a seat
///
/// Frees a seat before the start: your own, or as the host any seat, also a bot's. A host who leaves hands the
/// table to the next person; the last person who leaves cancels it. A private table from which the host removes a
/// person gets a new invitation code. During play you give up your own seat for
/// good, and a bot plays on; when the last person leaves, the game is abandoned.
#[utoipa::path(params(("id" = Uuid, Path), ("seat" = u8, Path)))]
#[delete("/v1/games/{id}/seats/{seat}")]
pub(super) async fn leave_seat(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    path: Path<(GameId, u8)>,
) -> Reply<GameView> {
    let (id, place) = path.into_inner();
    table_command(&request, &app, &caller, id, &TableCommand::Leave { place }, None).await
}

/// A request to commit to a client seed.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct CommitSeedRequest {
    /// SHA-256 of the seed's text; null to go without a seed.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required)]
    commitment: Option<Hex<32>>,
}

/// Commit to a client seed
///
/// Commits you to a secret random seed before the start, in place of your former seed. Do not commit if your app may not
/// be awake at the start: a game never starts without a seed that a player committed to.
#[utoipa::path(params(OnceHeader))]
#[post("/v1/games/{id}/seed-commitment")]
pub(super) async fn commit_seed(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
    Json(CommitSeedRequest { commitment }): Json<CommitSeedRequest>,
) -> Reply<GameView> {
    table_command(&request, &app, &caller, *id, &TableCommand::CommitSeed { commitment }, None).await
}

/// A request to open a client seed.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct OpenSeedRequest {
    /// The seed to which you committed.
    client_seed: ClientSeed,
}

/// Open your client seed
///
/// Opens your seed when the start was requested (event `opening_began`). The game starts with the last seed. If one stays
/// closed until `fairness.opening_until`, all commitments are void (`opening_failed`): commit to a new seed.
#[utoipa::path(params(OnceHeader))]
#[post("/v1/games/{id}/seed")]
pub(super) async fn open_seed(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
    Json(OpenSeedRequest { client_seed }): Json<OpenSeedRequest>,
) -> Reply<GameView> {
    table_command(&request, &app, &caller, *id, &TableCommand::OpenSeed { client_seed }, None).await
}

/// Start the game
///
/// The host starts the game; every seat must be taken. Players and client seeds are frozen with it. If players have
/// committed to seeds, the status stays `lobby` until they have opened them (`openSeed`).
#[utoipa::path(params(OnceHeader))]
#[post("/v1/games/{id}/start")]
pub(super) async fn start_game(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
) -> Reply<GameView> {
    table_command(&request, &app, &caller, *id, &TableCommand::Start, None).await
}

/// Cancel the game
///
/// The host cancels the game before its start.
#[utoipa::path(params(OnceHeader))]
#[post("/v1/games/{id}/cancel")]
pub(super) async fn cancel_game(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
) -> Reply<GameView> {
    table_command(&request, &app, &caller, *id, &TableCommand::Cancel, None).await
}

/// Look at an invitation
///
/// Shows the table to which a code invites, without a token: what its holder sees after `joinByCode`. An unknown code and
/// one of a game that has started are refused as there.
#[utoipa::path(responses((status = 409)))]
#[get("/v1/join/{code}")]
pub(super) async fn get_invitation(
    app: Data<App>,
    PreferredLanguage(language): PreferredLanguage,
    code: Path<String>,
) -> Reply<Invitation> {
    let mut invitation = app.games.invitation(&code).await?;
    language.invitation(&mut invitation);
    // It has names, though the request has no token.
    Ok(Answer::json(&invitation).header((CACHE_CONTROL, "no-store")).in_language(language))
}

/// A request to join by invitation.
#[derive(Default, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct JoinByCodeRequest {
    /// The seat; the first free one if absent.
    #[schema(minimum = 0, maximum = 4)]
    #[garde(range(max = 4))]
    seat: Option<u8>,
    /// Your commitment to a client seed: SHA-256 of its text. See `commitSeed`.
    seed_commitment: Option<Hex<32>>,
}

/// Join by invitation
///
/// Takes a seat at the table whose invitation code this is.
#[utoipa::path(params(OnceHeader))]
#[post("/v1/join/{code}")]
pub(super) async fn join_by_code(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    code: Path<String>,
    Json(joining): Json<JoinByCodeRequest>,
) -> Reply<GameView> {
    let JoinByCodeRequest { seat: place, seed_commitment: commitment } = joining;
    let command = TableCommand::Join { place, commitment };
    let done = app.games.join_by_code(&caller, &code, &command, once_key(&request)?.as_ref()).await?;
    seated(&request, done)
}

/// A request to seat a bot.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct SeatBotRequest {
    /// The bot's level.
    level: BotLevel,
}

/// Seat a bot
///
/// The host puts a bot at an empty seat before the start, or replaces a bot. `DELETE` of its seat removes a bot.
#[utoipa::path(params(("id" = Uuid, Path), ("seat" = u8, Path)))]
#[put("/v1/games/{id}/seats/{seat}/bot")]
pub(super) async fn seat_bot(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    path: Path<(GameId, u8)>,
    Json(bot): Json<SeatBotRequest>,
) -> Reply<GameView> {
    let (id, place) = path.into_inner();
    let command = TableCommand::SeatBot { place, level: bot.level };
    table_command(&request, &app, &caller, id, &command, None).await
}

/// A request to make another player the host.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct HandOverRequest {
    /// The seat of the new host, who must be a person.
    #[schema(minimum = 0, maximum = 4)]
    #[garde(range(max = 4))]
    seat: u8,
}

/// Hand the table over
///
/// The host makes another person at the table the host, before the start. A player who already hosts the
/// maximum of lobby tables is refused with `too-many-tables`.
#[utoipa::path]
#[put("/v1/games/{id}/host")]
pub(super) async fn change_host(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
    Json(heir): Json<HandOverRequest>,
) -> Reply<GameView> {
    let command = TableCommand::HandOver { place: heir.seat };
    table_command(&request, &app, &caller, *id, &command, None).await
}

/// A request to play again.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct RematchRequest {
    /// Your commitment to a client seed: SHA-256 of its text. See `commitSeed`.
    seed_commitment: Option<Hex<32>>,
}

/// Play again
///
/// After a game, the first player who asks opens a new table with the same rules and bots, and becomes its
/// host. The other players of the game are invited on their account streams, and join with the same request.
#[utoipa::path(params(("id" = Uuid, Path, description = "The id of the game that is over."), OnceHeader))]
#[post("/v1/games/{id}/rematch")]
pub(super) async fn create_rematch(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
    Json(RematchRequest { seed_commitment }): Json<RematchRequest>,
) -> Reply<GameView> {
    let once = once_key(&request)?;
    seated(&request, app.games.rematch(&caller, *id, seed_commitment, once.as_ref()).await?)
}

/// Carries out a table command and answers with the view. `exchange` has refused keys where the operation takes none.
pub(super) async fn table_command(
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
pub(super) fn seated(
    request: &HttpRequest,
    done: IdempotentResult<GameView>,
) -> Result<Answer<GameView>, Problem> {
    let replayed = done.replayed;
    Ok(view_answer(request, done.value)?.replayed(replayed))
}

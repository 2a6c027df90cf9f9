//! What admins, moderators and auditors see, and what moderators do.

use actix_web::web::{Data, Path};
use actix_web::{get, post, put};
use garde::Validate;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::http::answer::{Answer, Reply};
use crate::http::bearer::Permitted;
use crate::http::body::Json;
use crate::http::parameters::{PageSize, Query};
use estimation_engine::player::AccountId;
use estimation_service::accounts::Account;
use estimation_service::auth::permission::{ActingAdmin, ActingModerator, Admin, Moderator, Staff};
use estimation_service::auth::tokens::Role;
use estimation_service::moderation::server::{
    BackupList, LogReport, NodeList, Overview, Queues, SettingList,
};
use estimation_service::moderation::{
    ActDone, ActRequest, DecisionRequest, EndRequest, FoundAccounts, InspectedAccount, InspectedGame,
    InspectedReport, ModeratorAct, ModeratorActPage, QueuedReport, ReportQueue,
};
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

/// Show the overview
///
/// Returns what an operator looks at first: reports, games, the public log, nodes and backups as numbers. For moderators, admins and
/// auditors.
#[utoipa::path]
#[get("/v1/admin/overview")]
pub(super) async fn get_overview(app: Data<App>, Permitted(by): Permitted<Staff>) -> Reply<Overview> {
    Ok(Answer::json(&app.moderation.overview(&by).await?))
}

/// The search.
#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
pub(super) struct FindQuery {
    /// An id, username, friend code, display name, or the id of a game.
    #[param(min_length = 1, max_length = 160, example = "noor")]
    #[garde(length(chars, min = 1, max = 160))]
    q: String,
}

/// Find accounts
///
/// Returns the accounts with exactly this id, username, friend code or display name, or the players of the game with this id.
/// For moderators and admins.
#[utoipa::path(params(FindQuery))]
#[get("/v1/admin/accounts")]
pub(super) async fn find_accounts(
    app: Data<App>,
    Permitted(by): Permitted<Moderator>,
    Query(FindQuery { q }): Query<FindQuery>,
) -> Reply<FoundAccounts> {
    Ok(Answer::json(&app.moderation.find_accounts(&by, &q).await?))
}

/// Show an account
///
/// Returns what the desk knows of an account: sessions, roles, standing, what moderators did with their notes, the newest games, and
/// reports about it. For moderators and admins.
#[utoipa::path]
#[get("/v1/admin/accounts/{id}")]
pub(super) async fn inspect_account(
    app: Data<App>,
    Permitted(by): Permitted<Moderator>,
    id: Path<Uuid>,
) -> Reply<InspectedAccount> {
    Ok(Answer::json(&app.moderation.inspect_account(&by, &AccountId::new(*id)).await?))
}

/// Act on an account
///
/// Notes something, ends sessions, renames, mutes, suspends, bans, lifts all measures, gives a link into the account, mails its export,
/// removes its second step, or deletes it. The act is recorded with its reason and what it changed, and nobody can change the record.
/// The player is told, unless `untold` says why not; never of a note. For moderators, on players, and for admins, who alone act on
/// accounts with a role and remove a second step; nobody on their own account (`account-protected`). The second step must have been passed within the last 15 minutes.
#[utoipa::path]
#[post("/v1/admin/accounts/{id}/acts")]
pub(super) async fn act_on_account(
    app: Data<App>,
    Permitted(by): Permitted<ActingModerator>,
    id: Path<Uuid>,
    Json(act): Json<ActRequest>,
) -> Reply<ActDone> {
    let done = app.moderation.act(&by, &AccountId::new(*id), &act).await?;
    Ok(Answer::json(&done).uncompressed())
}

/// A request to change the role of an account.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct GrantRoleRequest {
    /// The new role.
    role: Role,
}

/// Grant a role to an account
///
/// For admins who signed in within the last 5 minutes; otherwise the answer is 401 `recent-sign-in-required`. Nobody
/// changes their own role (`own-role`), and the last admin keeps the role (`last-admin`). The server records every
/// grant. Access tokens with the former role stop working at once on the
/// node that handles the request, and within two seconds on all other nodes. Refreshing the session returns tokens
/// with the new role.
#[utoipa::path]
#[put("/v1/admin/accounts/{id}/role")]
pub(super) async fn grant_role(
    app: Data<App>,
    Permitted(by): Permitted<ActingAdmin>,
    id: Path<Uuid>,
    Json(grant): Json<GrantRoleRequest>,
) -> Reply<Account> {
    Ok(Answer::json(&app.roles.grant(&by, AccountId::new(*id), grant.role).await?))
}

/// Which acts to show.
#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
pub(super) struct ActsQuery {
    /// The `next_cursor` of the previous page.
    #[param(min_length = 1, max_length = 512)]
    cursor: Option<String>,
    /// The maximum number of acts per page.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    #[garde(dive)]
    limit: PageSize,
}

/// List what moderators did
///
/// Returns the acts of moderators and of the command line, newest first, with reasons and what they changed. For moderators, admins
/// and auditors.
#[utoipa::path(params(ActsQuery))]
#[get("/v1/admin/acts")]
pub(super) async fn list_acts(
    app: Data<App>,
    Permitted(by): Permitted<Staff>,
    Query(ActsQuery { cursor, limit }): Query<ActsQuery>,
) -> Reply<ModeratorActPage> {
    Ok(Answer::json(&app.moderation.acts(&by, cursor.as_deref(), limit.0).await?))
}

/// Which reports to show.
#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
pub(super) struct ReportsQuery {
    /// Whether to show decided ones too, newest first.
    #[serde(default)]
    #[param(value_type = Option<bool>, default = false)]
    all: bool,
}

/// List reports of players
///
/// Returns the reports and appeals that wait for a decision, oldest first, or the newest of all. For moderators and admins.
#[utoipa::path(params(ReportsQuery))]
#[get("/v1/admin/reports")]
pub(super) async fn list_report_queue(
    app: Data<App>,
    Permitted(by): Permitted<Moderator>,
    Query(ReportsQuery { all }): Query<ReportsQuery>,
) -> Reply<ReportQueue> {
    Ok(Answer::json(&app.moderation.reports(&by, all).await?))
}

/// Show a report of a player
///
/// Returns a report with what its author could see when writing it. For moderators and admins.
#[utoipa::path]
#[get("/v1/admin/reports/{id}")]
pub(super) async fn inspect_report(
    app: Data<App>,
    Permitted(by): Permitted<Moderator>,
    id: Path<Uuid>,
) -> Reply<InspectedReport> {
    Ok(Answer::json(&app.moderation.inspect_report(&by, *id).await?))
}

/// Take a report
///
/// Assigns the report to you, in place of another moderator. For moderators and admins.
/// The second step must have been passed within the last 15 minutes.
#[utoipa::path]
#[post("/v1/admin/reports/{id}/take")]
pub(super) async fn take_report(
    app: Data<App>,
    Permitted(by): Permitted<ActingModerator>,
    id: Path<Uuid>,
) -> Reply<QueuedReport> {
    Ok(Answer::json(&app.moderation.take_report(&by, *id).await?))
}

/// Decide a report
///
/// Decides a report or an appeal. Its author and the player are told. Nobody decides a report of their own or about themselves
/// (`account-protected`). For moderators and admins. The second step must have been passed within the last 15 minutes.
#[utoipa::path]
#[post("/v1/admin/reports/{id}/decision")]
pub(super) async fn decide_report(
    app: Data<App>,
    Permitted(by): Permitted<ActingModerator>,
    id: Path<Uuid>,
    Json(decision): Json<DecisionRequest>,
) -> Reply<QueuedReport> {
    Ok(Answer::json(&app.moderation.decide_report(&by, *id, &decision).await?))
}

/// Show a game to operators
///
/// Returns the public facts of a game, private ones too, where it stands in the public log, and what moderators did. No cards. For
/// moderators, admins and auditors.
#[utoipa::path]
#[get("/v1/admin/games/{id}")]
pub(super) async fn inspect_game(
    app: Data<App>,
    Permitted(by): Permitted<Staff>,
    id: Path<GameId>,
) -> Reply<InspectedGame> {
    Ok(Answer::json(&app.moderation.inspect_game(&by, *id).await?))
}

/// End a game
///
/// Ends a game that is not over, as abandoned. It counts for nobody, and its history says that the operator ended it. Nobody ends a
/// game in which they play (`account-protected`). For moderators and admins. The second step must have been passed within the last 15 minutes.
#[utoipa::path]
#[post("/v1/admin/games/{id}/end")]
pub(super) async fn end_game(
    app: Data<App>,
    Permitted(by): Permitted<ActingModerator>,
    id: Path<GameId>,
    Json(end): Json<EndRequest>,
) -> Reply<ModeratorAct> {
    Ok(Answer::json(&app.moderation.end_game(&by, *id, &end).await?))
}

/// Show who waits
///
/// Returns the players in the matchmaking queue and the tables in the lobby, the longest waiting first. For moderators and admins.
#[utoipa::path]
#[get("/v1/admin/queues")]
pub(super) async fn get_queues(app: Data<App>, Permitted(by): Permitted<Moderator>) -> Reply<Queues> {
    Ok(Answer::json(&app.moderation.queues(&by).await?))
}

/// Show the state of the public log
///
/// Returns the state of the public log and its witnesses, and how many games wait for their end to be signed and packed. For
/// moderators, admins and auditors.
#[utoipa::path]
#[get("/v1/admin/log")]
pub(super) async fn get_log_report(app: Data<App>, Permitted(by): Permitted<Staff>) -> Reply<LogReport> {
    Ok(Answer::json(&app.moderation.log(&by).await?))
}

/// List the nodes
///
/// Returns the running nodes with their versions and what they say of themselves. For admins.
#[utoipa::path]
#[get("/v1/admin/nodes")]
pub(super) async fn list_nodes(app: Data<App>, Permitted(by): Permitted<Admin>) -> Reply<NodeList> {
    Ok(Answer::json(&app.moderation.nodes(&by).await?))
}

/// List the checked backups
///
/// Returns the backups that `estimation backup check --record` or `estimation audit --record-in` found sound. For admins.
#[utoipa::path]
#[get("/v1/admin/backups")]
pub(super) async fn list_backups(app: Data<App>, Permitted(by): Permitted<Admin>) -> Reply<BackupList> {
    Ok(Answer::json(&app.moderation.backups(&by).await?))
}

/// List the settings
///
/// Returns the settings of the node that answers, without secrets. For admins.
#[utoipa::path]
#[get("/v1/admin/settings")]
pub(super) async fn list_settings(app: Data<App>, Permitted(by): Permitted<Admin>) -> Reply<SettingList> {
    Ok(Answer::json(&app.moderation.settings(&by)))
}

//! The operations of the API, one file for each. The file and the handler have the name of the operation: `get_scores`
//! for `getScores`.

use actix_web::web;
use utoipa_actix_web::service_config::ServiceConfig;

mod act_on_account;
mod befriend_player;
mod block_player;
mod cancel_game;
mod change_host;
mod change_password;
mod check_command;
mod commit_seed;
mod confirm_second_step;
mod create_appeal;
mod create_friend_code;
mod create_game;
mod create_nonce;
mod create_oidc_session;
mod create_recovery_codes;
mod create_rematch;
mod create_report;
mod create_session;
mod decide_report;
mod decline_invitation;
mod delete_me;
mod end_game;
mod end_session;
mod end_sessions;
mod export_by_link;
mod export_me;
mod find_accounts;
mod find_people;
mod get_access_link;
mod get_bundle;
mod get_email;
mod get_game;
mod get_health;
mod get_history;
mod get_invitation;
mod get_jwks;
mod get_leaderboard;
mod get_log_report;
mod get_me;
mod get_notifications;
mod get_overview;
mod get_player;
mod get_player_statistics;
mod get_problem;
mod get_proof;
mod get_queue_entry;
mod get_queues;
mod get_readiness;
mod get_ruleset;
mod get_scores;
mod get_second_step;
mod get_standing;
mod get_state;
mod grant_role;
mod inspect_account;
mod inspect_game;
mod inspect_report;
mod invite_player;
mod join_by_code;
mod join_game;
mod join_queue;
mod leave_queue;
mod leave_seat;
mod link_identity;
mod list_account_changes;
mod list_acts;
mod list_audit_accesses;
mod list_audited_games;
mod list_auditor_accesses;
mod list_backups;
mod list_events;
mod list_games;
mod list_identities;
mod list_invitations;
mod list_issuers;
mod list_nodes;
mod list_people;
mod list_player_games;
mod list_reactions;
mod list_recent_players;
mod list_report_queue;
mod list_reports;
mod list_rulesets;
mod list_sessions;
mod list_settings;
mod mute_player;
mod open_seed;
mod pass_second_step;
mod post_command;
mod react;
mod recover_session;
mod refresh_session;
mod register_account;
mod register_guest;
mod remove_email;
mod remove_friend;
mod remove_friend_code;
mod remove_identity;
mod remove_second_step;
mod request_password_reset;
mod score_round;
mod seat_bot;
mod set_credentials;
mod set_email;
mod set_notifications;
mod set_people_settings;
mod start_game;
mod start_second_step;
mod stop_access;
mod stop_access_by_link;
mod stream_game;
mod stream_me;
mod subscribe_to_push;
mod take_hint;
mod take_report;
mod unblock_player;
mod unmute_player;
mod unsubscribe_from_push;
mod update_me;
mod verify_email;

/// How an operation answers the valid token of another account. Tests call every operation with such a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Needs no token.
    Public,
    /// Needs a token. The answer is the same for every account, except after a block.
    Anyone,
    /// Concerns the caller only. The request cannot name another account's data.
    Own,
    /// Names another account's data. Refused with 403 or 404.
    Others,
    /// Needs a role. Refused with 403.
    Admin,
}

/// Declares the routes, the document and the access of the operations.
macro_rules! endpoints {
    ($($name:ident),+ $(,)?) => {
        /// Adds every operation, for the document.
        pub(super) fn operations(config: &mut ServiceConfig<'_>) {
            config$(.service($name::$name))+;
        }

        /// Adds every operation, for a worker. Workers do not generate the document: it takes ten times the memory of
        /// everything else.
        pub(super) fn routes(config: &mut web::ServiceConfig) {
            config$(.service($name::$name))+;
        }

        /// The access of every operation, by the name of its file.
        pub const ACCESS: &[(&str, Access)] = &[$((stringify!($name), $name::ACCESS)),+];
    };
}

// The most frequent operations come first, because the router tries them in order.
endpoints! {
    post_command,
    get_game,
    list_events,
    stream_game,
    check_command,
    take_hint,
    react,
    register_account,
    register_guest,
    get_me,
    update_me,
    change_password,
    set_credentials,
    export_me,
    get_notifications,
    set_notifications,
    subscribe_to_push,
    unsubscribe_from_push,
    delete_me,
    grant_role,
    create_session,
    recover_session,
    create_recovery_codes,
    create_nonce,
    list_issuers,
    create_oidc_session,
    list_identities,
    link_identity,
    remove_identity,
    list_account_changes,
    get_email,
    set_email,
    remove_email,
    verify_email,
    request_password_reset,
    refresh_session,
    list_sessions,
    end_sessions,
    end_session,
    list_rulesets,
    get_ruleset,
    score_round,
    create_game,
    list_games,
    join_game,
    leave_seat,
    commit_seed,
    open_seed,
    start_game,
    cancel_game,
    get_invitation,
    join_by_code,
    seat_bot,
    change_host,
    create_rematch,
    get_scores,
    get_history,
    get_bundle,
    get_proof,
    get_state,
    list_audited_games,
    list_auditor_accesses,
    list_audit_accesses,
    join_queue,
    get_queue_entry,
    leave_queue,
    get_player,
    list_player_games,
    get_player_statistics,
    get_leaderboard,
    stream_me,
    list_people,
    set_people_settings,
    create_friend_code,
    remove_friend_code,
    find_people,
    list_recent_players,
    befriend_player,
    remove_friend,
    block_player,
    unblock_player,
    mute_player,
    unmute_player,
    invite_player,
    list_invitations,
    decline_invitation,
    list_reactions,
    create_report,
    list_reports,
    get_standing,
    create_appeal,
    get_second_step,
    start_second_step,
    confirm_second_step,
    remove_second_step,
    pass_second_step,
    get_access_link,
    stop_access,
    stop_access_by_link,
    export_by_link,
    get_overview,
    find_accounts,
    inspect_account,
    act_on_account,
    list_acts,
    list_report_queue,
    inspect_report,
    take_report,
    decide_report,
    inspect_game,
    end_game,
    get_queues,
    get_log_report,
    list_nodes,
    list_backups,
    list_settings,
    get_health,
    get_readiness,
    get_jwks,
    get_problem,
}

//! The operations of the API, in a file for each topic. The handler has the name of the operation: `get_scores` for
//! `getScores`.

use actix_web::web;
use utoipa_actix_web::service_config::ServiceConfig;

mod access_links;
mod accounts;
mod audit;
mod desk;
mod email;
mod games;
mod identities;
mod matchmaking;
mod notifications;
mod people;
mod play;
mod players;
mod reports;
mod rulesets;
mod second_step;
mod service;
mod sessions;

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

/// An operation of the API.
pub struct Operation {
    /// The name of its handler: the operation's in snake case.
    pub handler: &'static str,
    /// Its tag in the document.
    pub tag: &'static str,
    /// How it answers other accounts.
    pub access: Access,
}

/// Declares the routes and the document of the operations, by the file that has them and its tag.
macro_rules! endpoints {
    ($($topic:ident: $tag:literal { $($name:ident: $access:ident),+ $(,)? })+) => {
        /// Adds every operation, for the document.
        pub(super) fn declare(config: &mut ServiceConfig<'_>) {
            config$($(.service($topic::$name))+)+;
        }

        /// Adds every operation, for a worker. Workers do not generate the document: it takes ten times the memory of
        /// everything else.
        pub(super) fn routes(config: &mut web::ServiceConfig) {
            config$($(.service($topic::$name))+)+;
        }

        /// Every operation.
        pub const OPERATIONS: &[Operation] = &[$($(
            Operation { handler: stringify!($name), tag: $tag, access: Access::$access }
        ),+),+];
    };
}

// The most frequent operations come first, because the router tries them in order, each with a regular expression.
endpoints! {
    games: "games" {
        get_game: Others,
    }
    play: "play" {
        post_command: Others,
        list_events: Others,
        stream_game: Others,
        check_command: Others,
        take_hint: Others,
        react: Others,
        list_reactions: Public,
        get_scores: Others,
    }
    games: "games" {
        create_game: Own,
        list_games: Own,
        join_game: Others,
        leave_seat: Others,
        commit_seed: Others,
        open_seed: Others,
        start_game: Others,
        cancel_game: Others,
        get_invitation: Public,
        join_by_code: Others,
        seat_bot: Others,
        change_host: Others,
        create_rematch: Others,
    }
    accounts: "accounts" {
        register_account: Public,
        register_guest: Public,
        get_me: Own,
        update_me: Own,
        stream_me: Own,
        change_password: Own,
        set_credentials: Own,
        create_recovery_codes: Own,
        list_account_changes: Own,
        export_me: Own,
        delete_me: Own,
    }
    notifications: "accounts" {
        get_notifications: Own,
        set_notifications: Own,
        subscribe_to_push: Own,
        unsubscribe_from_push: Own,
    }
    sessions: "sessions" {
        create_session: Public,
        recover_session: Public,
        create_nonce: Public,
        list_issuers: Public,
        create_oidc_session: Public,
        pass_second_step: Own,
        refresh_session: Public,
        list_sessions: Own,
        end_sessions: Own,
        end_session: Others,
        request_password_reset: Public,
    }
    identities: "accounts" {
        list_identities: Own,
        link_identity: Own,
        remove_identity: Others,
    }
    email: "accounts" {
        get_email: Own,
        set_email: Own,
        remove_email: Own,
        verify_email: Public,
    }
    second_step: "accounts" {
        get_second_step: Own,
        start_second_step: Own,
        confirm_second_step: Own,
        remove_second_step: Own,
    }
    access_links: "accounts" {
        get_access_link: Own,
        stop_access: Own,
        stop_access_by_link: Public,
        export_by_link: Public,
    }
    rulesets: "rulesets" {
        list_rulesets: Public,
        get_ruleset: Public,
        score_round: Public,
    }
    audit: "audit" {
        get_history: Others,
        get_bundle: Others,
        get_proof: Others,
        get_state: Others,
        list_audited_games: Admin,
        list_auditor_accesses: Admin,
        list_audit_accesses: Others,
    }
    matchmaking: "matchmaking" {
        join_queue: Own,
        get_queue_entry: Own,
        leave_queue: Own,
    }
    players: "players" {
        get_player: Anyone,
        list_player_games: Anyone,
        get_player_statistics: Anyone,
        get_leaderboard: Anyone,
    }
    people: "people" {
        list_people: Own,
        set_people_settings: Own,
        create_friend_code: Own,
        remove_friend_code: Own,
        find_people: Own,
        list_recent_players: Own,
        befriend_player: Others,
        remove_friend: Own,
        block_player: Own,
        unblock_player: Own,
        mute_player: Own,
        unmute_player: Own,
        invite_player: Others,
        list_invitations: Own,
        decline_invitation: Others,
    }
    reports: "people" {
        create_report: Own,
        list_reports: Own,
        get_standing: Own,
        create_appeal: Own,
    }
    desk: "admin" {
        get_overview: Admin,
        find_accounts: Admin,
        inspect_account: Admin,
        act_on_account: Admin,
        grant_role: Admin,
        list_acts: Admin,
        list_report_queue: Admin,
        inspect_report: Admin,
        take_report: Admin,
        decide_report: Admin,
        inspect_game: Admin,
        end_game: Admin,
        get_queues: Admin,
        get_log_report: Admin,
        list_nodes: Admin,
        list_backups: Admin,
        list_settings: Admin,
    }
    service: "service" {
        get_health: Public,
        get_readiness: Public,
        get_jwks: Public,
        get_problem: Public,
    }
}

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
    /// What its success means. The return type of the handler gives the status and the body.
    pub success: &'static str,
}

/// Declares the routes and the document of the operations, by the file that has them and its tag: each with its access, and
/// what its success means.
macro_rules! endpoints {
    ($($topic:ident: $tag:literal { $($name:ident: $access:ident $success:literal),+ $(,)? })+) => {
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
            Operation { handler: stringify!($name), tag: $tag, access: Access::$access, success: $success }
        ),+),+];
    };
}

// The most frequent operations come first, because the router tries them in order, each with a regular expression.
endpoints! {
    games: "games" {
        get_game: Others "The view.",
    }
    play: "play" {
        post_command: Others "The command was executed.",
        list_events: Others "A page of events.",
        stream_game: Others "The stream.",
        check_command: Others "The command is in `legal`.",
        take_hint: Others "The hint.",
        react: Others "It was said.",
        list_reactions: Public "The reactions.",
        get_scores: Others "The score sheet.",
    }
    games: "games" {
        create_game: Own "The table is open, or the game has started.",
        list_games: Own "A page of games.",
        join_game: Others "You have a seat.",
        leave_seat: Others "The seat is free.",
        commit_seed: Others "You have committed.",
        open_seed: Others "Your seed is open.",
        start_game: Others "The game has started.",
        cancel_game: Others "The game is cancelled.",
        get_invitation: Public "The table.",
        join_by_code: Others "You have a seat.",
        seat_bot: Others "The bot has the seat.",
        change_host: Others "The table has another host.",
        create_rematch: Others "You sit at the table of the rematch.",
    }
    accounts: "accounts" {
        register_account: Public "The account was created.",
        register_guest: Public "The guest account was created.",
        get_me: Own "The account.",
        update_me: Own "The updated account.",
        stream_me: Own "The stream.",
        change_password: Own "The password was changed.",
        set_credentials: Own "The updated account.",
        create_recovery_codes: Own "The codes.",
        list_account_changes: Own "The changes.",
        export_me: Own "All data about the account.",
        delete_me: Own "The account is deleted.",
    }
    notifications: "accounts" {
        get_notifications: Own "The choices, and what this server can do.",
        set_notifications: Own "The new choices.",
        subscribe_to_push: Own "Pushes go to the browser.",
        unsubscribe_from_push: Own "No pushes go to the browser any more.",
    }
    sessions: "sessions" {
        create_session: Public "The session was created.",
        recover_session: Public "The session was created.",
        create_nonce: Public "The nonce.",
        list_issuers: Public "The issuers.",
        create_oidc_session: Public "The session was created.",
        pass_second_step: Own "The session has passed it.",
        refresh_session: Public "The session with its new tokens.",
        list_sessions: Own "The devices.",
        end_sessions: Own "All sessions have ended.",
        end_session: Others "The session has ended.",
        request_password_reset: Public "If an account has the address, a mail is on its way.",
    }
    identities: "accounts" {
        list_identities: Own "The identities.",
        link_identity: Own "The identities of the account.",
        remove_identity: Others "The identity was removed.",
    }
    email: "accounts" {
        get_email: Own "The address.",
        set_email: Own "The link is on its way.",
        remove_email: Own "The account has no address.",
        verify_email: Public "The address is verified.",
    }
    second_step: "accounts" {
        get_second_step: Own "The second step.",
        start_second_step: Own "The secret.",
        confirm_second_step: Own "The codes.",
        remove_second_step: Own "The account has no second step.",
    }
    access_links: "accounts" {
        get_access_link: Own "The link, or nulls.",
        stop_access: Own "There is no access link.",
        stop_access_by_link: Public "The access link is stopped.",
        export_by_link: Public "All data about the account.",
    }
    rulesets: "rulesets" {
        list_rulesets: Public "The rulesets.",
        get_ruleset: Public "The ruleset.",
        score_round: Public "The score.",
    }
    audit: "audit" {
        get_history: Others "The history.",
        get_bundle: Others "The bundle.",
        get_proof: Others "The proof.",
        get_state: Others "The view at that version.",
        list_audited_games: Admin "A page of entries.",
        list_auditor_accesses: Admin "A page of accesses.",
        list_audit_accesses: Others "A page of accesses.",
    }
    matchmaking: "matchmaking" {
        join_queue: Own "You have a seat.",
        get_queue_entry: Own "Your queue entry.",
        leave_queue: Own "You are not in the queue.",
    }
    players: "players" {
        get_player: Anyone "The player.",
        list_player_games: Anyone "A page of games.",
        get_player_statistics: Anyone "The statistics.",
        get_leaderboard: Anyone "A page of players.",
    }
    people: "people" {
        list_people: Own "The people.",
        set_people_settings: Own "The choices are stored.",
        create_friend_code: Own "The code.",
        remove_friend_code: Own "There is no code.",
        find_people: Own "The players.",
        list_recent_players: Own "The players.",
        befriend_player: Others "You asked, or you are friends.",
        remove_friend: Own "Done.",
        block_player: Own "Done.",
        unblock_player: Own "Done.",
        mute_player: Own "Done.",
        unmute_player: Own "Done.",
        invite_player: Others "The friend is invited.",
        list_invitations: Own "The invitations.",
        decline_invitation: Others "The invitation is gone.",
    }
    reports: "people" {
        create_report: Own "The report is with the moderators.",
        list_reports: Own "The reports.",
        get_standing: Own "The standing.",
        create_appeal: Own "The appeal is with the moderators.",
    }
    desk: "admin" {
        get_overview: Admin "The overview.",
        find_accounts: Admin "The accounts.",
        inspect_account: Admin "The account.",
        act_on_account: Admin "The act.",
        grant_role: Admin "The updated account.",
        list_acts: Admin "A page of acts.",
        list_report_queue: Admin "The reports.",
        inspect_report: Admin "The report.",
        take_report: Admin "The report.",
        decide_report: Admin "The report.",
        inspect_game: Admin "The game.",
        end_game: Admin "The act.",
        get_queues: Admin "The queues.",
        get_log_report: Admin "The state.",
        list_nodes: Admin "The nodes.",
        list_backups: Admin "The backups.",
        list_settings: Admin "The settings.",
    }
    service: "service" {
        get_health: Public "The process runs.",
        get_readiness: Public "The node is ready.",
        get_jwks: Public "The public keys.",
        get_problem: Public "The kind of problem: as JSON, or as an HTML page if `Accept` prefers HTML.",
    }
}

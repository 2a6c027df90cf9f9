//! The table of problems: each code with its status, its members and what to do about it.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::http::field_errors::FieldErrors;
use estimation_engine::player::AccountId;
use estimation_service::auth::tokens::Role;
use estimation_service::games::events::PublishedEvent;
use estimation_service::identities::TokenFault;
use estimation_service::vocabulary::{
    Card, GameStatus, Hex, ImpossibleRound, PhaseKind, Place, Position, RecordTime, RulesetId, Suit, Trump,
};

/// A kind of problem, as it is published.
#[derive(Debug, PartialEq, Eq)]
pub struct ProblemType {
    pub code: &'static str,
    pub status: u16,
    /// What it means and what to do about it, in English.
    pub about: &'static str,
    /// The members it always has beside the standard ones.
    pub members: &'static [&'static str],
    /// The members it may have as well.
    pub perhaps: &'static [&'static str],
}

/// The number of tricks and the trump that a change of trump must beat.
#[derive(Debug, Serialize)]
pub struct TrumpBid {
    pub tricks: u8,
    pub trump: Trump,
}

/// A line is the status, the variant with its members, the published code, and what to do about it. Members behind
/// `;` are optional. What stands behind `|` is serialised into the members that its list names.
macro_rules! problems {
    ($(
        $status:literal $variant:ident
        $({
            $($member:ident: $type:ty),*
            $(; $($maybe:ident: $maybe_type:ty),+)?
            $(| $flat:ident: $flat_type:ty [$($always:ident),+; $($at_times:ident),+])?
        })?
        $code:literal $about:literal;
    )+) => {
        /// The code of a problem, with the members that a client needs to act on it.
        #[derive(Debug)]
        pub enum ProblemCode {
            $($variant $({
                $($member: $type,)*
                $($($maybe: Option<$maybe_type>,)+)?
                $($flat: $flat_type,)?
            })?,)+
        }

        /// Every kind of problem, in order of status.
        pub const PROBLEMS: &[ProblemType] = &[$(ProblemType {
            code: $code,
            status: $status,
            about: $about,
            members: &[$($(stringify!($member),)* $($(stringify!($always),)+)?)?],
            perhaps: &[$($($(stringify!($maybe),)+)? $($(stringify!($at_times),)+)?)?],
        }),+];

        /// The variants of [`ProblemCode`] without their members: the positions in [`PROBLEMS`].
        enum Row {
            $($variant,)+
        }

        impl ProblemCode {
            /// The row of the table.
            pub fn kind(&self) -> &'static ProblemType {
                match self {
                    $(ProblemCode::$variant { .. } => &PROBLEMS[Row::$variant as usize],)+
                }
            }

            /// The members as JSON.
            pub fn members(&self) -> Map<String, Value> {
                #[allow(unused_mut, reason = "most problems have no members")]
                let mut members = Map::new();
                match self {
                    $(ProblemCode::$variant $({ $($member,)* $($($maybe,)+)? $($flat,)? })? => {$(
                        $(members.insert(stringify!($member).to_owned(), json!($member));)*
                        $($(if let Some(value) = $maybe {
                            members.insert(stringify!($maybe).to_owned(), json!(value));
                        })+)?
                        $(if let Value::Object(own) = json!($flat) {
                            members.extend(own);
                        })?
                    )?})+
                }
                members
            }
        }
    };
}

problems! {
    400 MalformedJson { ; line: usize, column: usize } "malformed-json" "The body is not JSON. Send one JSON object, in UTF-8.";
    400 MalformedPath { ; errors: FieldErrors } "malformed-path" "A part of the path has the wrong form. Ids are UUIDs. The member `errors` names each faulty part.";
    400 MalformedQuery { ; parameter: String, errors: FieldErrors } "malformed-query" "The query has an unknown parameter, an invalid value, or a cursor of another list. The member `errors` names the first parameter that cannot be read, or each that is out of its range.";
    400 MalformedHeader { header: &'static str } "malformed-header" "A header has an invalid value. The member `header` names it.";
    400 NotSupported { header: &'static str } "not-supported" "The service does not support something that the request asks for. The member `header` names the header.";
    400 MalformedRequest "malformed-request" "The request is not an HTTP/1.1 request that the service can read. The server closes the connection after this answer.";
    401 TokenMissing "token-missing" "The request needs an access token: `Authorization: Bearer …`. Sign in first.";
    401 TokenInvalid "token-invalid" "The access token is not valid for this service. Sign in again.";
    401 TokenExpired "token-expired" "The access token has expired. Refresh the session.";
    401 SessionEnded "session-ended" "The session of the access token has ended, or the account's role has changed. Refresh the session. If the server refuses that, sign in again.";
    401 WrongCredentials "wrong-credentials" "The username and the password do not match.";
    401 RecoveryCodeInvalid "recovery-code-invalid" "No account has the recovery code or the link: it was used, has expired, newer ones have replaced it, or it is mistyped.";
    401 LinkInvalid "link-invalid" "The link of the mail is unknown, has expired or was used, or a newer one has replaced it. Ask for another one.";
    401 RefreshTokenInvalid "refresh-token-invalid" "The refresh token is unknown or has expired, or its session has ended. Sign in again.";
    401 RefreshTokenReused "refresh-token-reused" "The refresh token was used before, and so was a token that replaced it. The server ended the session, because another client may have the token. Sign in again.";
    401 RecentSignInRequired { max_age: u64 } "recent-sign-in-required" "The operation requires that the player signed in at most `max_age` seconds ago. Ask for the password, sign in with `POST /v1/sessions` or with the issuer, and send the request again with the new access token. A refresh does not help. The present session goes on.";
    403 NotSeated "not-seated" "Only a seated player can do that. Take a seat first.";
    403 NotHost "not-host" "Only the host of the table can do that.";
    403 SpectatorsBarred "spectators-barred" "This table does not allow spectators during the game.";
    403 WrongPassword "wrong-password" "The password in the request is not the account's password.";
    403 IdTokenInvalid { reason: TokenFault } "id-token-invalid" "The server does not accept the ID token. The member `reason` says why: `malformed`, `algorithm`, `unknown-key`, `signature`, `issuer`, `audience`, `nonce`, `expired`, `not-yet-valid` or `subject`. Get a nonce with `POST /v1/nonces`, and a new token from the issuer.";
    403 NonceInvalid "nonce-invalid" "The nonce is not of this server, has expired or was used. Get one with `POST /v1/nonces`, and a new ID token for it.";
    403 AuthorizationCodeInvalid "authorization-code-invalid" "The issuer refuses the authorization code: it was used, has expired, or does not belong to the `code_verifier`. Send the player to the issuer again.";
    403 RoleRequired { role: Role } "role-required" "The operation requires another role. The member `role` names it.";
    403 OwnRole "own-role" "Nobody changes their own role. Ask another admin.";
    403 SecondStepRequired { set_up: bool; max_age: u64 } "second-step-required" "The account or its role has a second step. If `set_up` is true, ask for a code of the authenticator app, or one on paper, and send it to `POST /v1/sessions/current/second-step`; then send the request again. Where `max_age` is present, the session must have passed it within that many seconds. If `set_up` is false, set one up with `POST /v1/me/second-step`.";
    403 WrongSecondStep "wrong-second-step" "The code is wrong, or was used before. A code of the app works for a minute and a half, and once.";
    403 LinkTooEarly { works_at: RecordTime } "link-too-early" "A moderator gave this link, and it does not work yet. The member `works_at` says from when on.";
    403 AccountProtected "account-protected" "Only admins act on accounts with a role. Nobody acts on their own account, decides reports of their own or about themselves, an appeal against their own measure, or the end of a game in which they sat.";
    403 AuditorBarred "auditor-barred" "You have read the record of this game as an auditor, so you cannot play in it.";
    403 Suspended { ; until: RecordTime } "suspended" "A moderator suspended or banned the account, so it takes no seats. The member `until` says until when; without it there is no end. `GET /v1/me/standing` has the reason, and `POST /v1/appeals` asks the moderators to look again.";
    403 Muted { ; until: RecordTime } "muted" "A moderator muted the account, so it does not react, invite, or ask for friendship. The member `until` says until when; without it there is no end. `GET /v1/me/standing` has the reason.";
    403 Banned { ; until: RecordTime } "banned" "An account with this identity or address was banned and then deleted. The member `until` says until when; without it there is no end.";
    404 NotFound { what: &'static str } "not-found" "The resource does not exist, or you may not know of it. The member `what` names its kind.";
    405 MethodNotAllowed "method-not-allowed" "The path exists, but does not support the method. The header `Allow` lists the supported methods.";
    408 RequestTimeout "request-timeout" "The head or the body of the request took too long to arrive. Send the request without pauses. The server closes the connection after this answer.";
    409 RequestInProgress "request-in-progress" "The server is still handling a request with the same idempotency key. Try again after `Retry-After` seconds.";
    409 UsernameTaken "username-taken" "Another account has that username. Upper and lower case count as equal. Choose another.";
    409 NotAGuest "not-a-guest" "The account already has a username and a password.";
    409 GuestAccount "guest-account" "The account has no password. Set its credentials first.";
    409 LastAdmin "last-admin" "No other account is an admin, so this account stays one. Make another account an admin first.";
    409 IdentityTaken "identity-taken" "An account has the identity already. Sign in with `POST /v1/sessions/oidc` to use that account.";
    409 TooManyIdentities "too-many-identities" "The account has 16 identities, which is the maximum. Remove one first.";
    409 SecondStepSetUp "second-step-set-up" "The account has a second step already. Remove it first.";
    409 NoSecondStep "no-second-step" "The account has no second step. Begin with `POST /v1/me/second-step`.";
    409 NoEmailAddress "no-email-address" "The account has no verified email address, or the server sends no mail.";
    409 ReportDecided "report-decided" "A moderator has decided the report before.";
    409 TableSilent "table-silent" "At this table nobody reacts. `talk` of the view is false.";
    409 TooManyPeople { limit: i64, what: &'static str } "too-many-people" "There is no room for more. The member `what` names of what, and `limit` is the number.";
    409 ReportedAlready "reported-already" "You have reported this player for this game, or for none. A moderator has that report.";
    409 AppealPending "appeal-pending" "Your appeal waits for a decision. `GET /v1/me/reports` has its state.";
    409 NothingToAppeal "nothing-to-appeal" "The account is in good standing: no measure of a moderator is in effect.";
    409 LastWayIn "last-way-in" "Nobody could sign in to the account without this identity. Link another one or set a password first. Recovery codes are no way in.";
    409 MailOff "mail-off" "This server sends no mail. `available` of `GET /v1/me/email` is false then.";
    409 PushOff "push-off" "This server sends no pushes to browsers. `push_key` of `GET /v1/me/notifications` is null then.";
    409 GameNotPlaying { game_status: GameStatus } "game-not-playing" "The game has not started or is over. The member `game_status` is the game's status.";
    409 GameNotInLobby { game_status: GameStatus } "game-not-in-lobby" "The game has started or is over. The member `game_status` is the game's status.";
    409 GameNotOver "game-not-over" "The history of a game is available when the game is over.";
    409 NotLogged "not-logged" "No checkpoint of the public log has this entry of the game yet. Ask again in some seconds; a table that never started has no start.";
    409 AlreadyWaiting { game: String } "already-waiting" "You are already in the matchmaking queue. The member `game` is the id of your table. Leave it before you join the queue again.";
    409 StrangersTable "strangers-table" "The service seats the players of this matchmade table and starts it. Join with `POST /v1/matchmaking`. To leave, stand up.";
    409 TooManyChanges { limit: u64 } "too-many-changes" "Before its start, the table has changed too often, or you have joined it or committed to a seed there too often. The member `limit` is the maximum. You can still stand up, start the game or cancel it.";
    409 TooManyTables { host: AccountId, limit: u32 } "too-many-tables" "The host already has the maximum number of tables in the lobby. The member `limit` is that maximum, and `host` is the host's account. Start, leave or cancel one of them first. Started games and matchmade tables do not count.";
    409 AlreadySeated { place: Place } "already-seated" "You already have a seat at this table. The member `place` is your place.";
    409 SeatTaken { seat: u8 } "seat-taken" "Another player has that seat. Choose another.";
    409 GameFull { players: u8 } "game-full" "Every seat is taken.";
    409 EmptySeats { places: Vec<Place> } "empty-seats" "The game can start only when every seat is taken. The member `places` lists the empty places.";
    409 SeedsVoid { places: Vec<Place> } "seeds-void" "A client seed stayed closed at the last start, so all commitments are void. The players in `places` must commit to a new seed or go without one, or leave.";
    409 SeedsOpening { places: Vec<Place> } "seeds-opening" "The start was requested, and the players in `places` must open their client seeds first. Try again when the game has started or the opening has failed.";
    409 SeedCommitmentKnown "seed-commitment-known" "Another player at the table has this commitment to a client seed, or the table had it before an opening that failed. Draw a new random seed and commit to that.";
    409 NoSeedToOpen "no-seed-to-open" "You have no commitment, your seed is open, or the start has not been requested.";
    409 NotStoodIn "not-stood-in" "No bot plays for you, so there is nothing to resume.";
    409 NoPersonThere { place: Place } "no-person-there" "Only a person can be the host. The place in the member `place` is empty or has a bot.";
    409 SeveralPeople "several-people" "Hints are only for games that started with one person. Other people played in this one.";
    409 NotYourTurn { to_act: Option<Position> } "not-your-turn" "Another player must act first. The member `to_act` names the player.";
    409 WrongPhase { phase: PhaseKind } "wrong-phase" "The game does not accept this command in its current phase. The member `phase` is that phase.";
    409 CutOutOfRange "cut-out-of-range" "A cut is a position in the pack from 1 to 51.";
    409 DashLimit { limit: u8 } "dash-limit" "The maximum number of players have already declared zero in this round. The member `limit` is that maximum.";
    409 DashCallNotNow "dash-call-not-now" "A dash call replaces your first call. You cannot make one now.";
    409 ThirteenUnavoidable "thirteen-unavoidable" "After this bid, the calls could only add up to 13, which is not allowed.";
    409 NoPassing "no-passing" "You cannot pass in this auction.";
    409 BidOutOfRange { min: u8, max: u8 } "bid-out-of-range" "A bid is a number from `min` to `max`.";
    409 BidTooLow { tricks: u8, trump: Trump } "bid-too-low" "A bid must beat the current bid, by number and then by suit. The members `tricks` and `trump` are the current bid.";
    409 NoTrumpBarred "no-trump-barred" "Bids without trump are not allowed at this table.";
    409 EstimateOutOfRange { min: u8, max: u8 } "estimate-out-of-range" "An estimate is a number from `min` to `max`.";
    409 ZeroLimit { limit: u8 } "zero-limit" "The round already has the maximum number of zeros. The member `limit` is that maximum.";
    409 TotalBarred { barred: u8, total: u8 } "total-barred" "The last estimate may not bring the total to `total`. The member `barred` is the number that is not allowed.";
    409 TrumpChangeBarred { changed: Option<TrumpBid> } "trump-change-barred" "You cannot change trump with this estimate. The member `changed` is the bid that a change must beat.";
    409 CardNotHeld { card: Card } "card-not-held" "The card is not in your hand.";
    409 MustFollowSuit { led: Suit } "must-follow-suit" "You hold the led suit and must play it. The member `led` names it.";
    409 LogReplaced { current_version: u64 } "log-replaced" "The game's log does not have the event that the request names: the database was restored from an earlier state. Load the game again and continue from there. The member `current_version` is the end of the log.";
    412 StaleVersion { current_version: u64, events: Vec<Arc<PublishedEvent>> } "stale-version" "The game has a newer version than `If-Match`. The member `current_version` is the current version, and `events` has the events since yours.";
    413 BodyTooLarge { limit: usize } "body-too-large" "The body is too large. The member `limit` is the maximum size in bytes.";
    415 UnsupportedMediaType { header: &'static str } "unsupported-media-type" "Send the body as `application/json`, without a `Content-Encoding`. The member `header` names the header that is wrong. The answer has `Accept` or `Accept-Encoding`, which names the accepted value.";
    422 IdempotencyKeyReused "idempotency-key-reused" "You used the idempotency key before with another body. Use a new key for a new request.";
    422 InvalidBody { errors: FieldErrors; field: String } "invalid-body" "The body is JSON, but does not fit the operation: a field is missing, unknown or repeated, or has another type or form. The member `errors` names the first such field and the reason; of a command, every field that its kind lacks or does not have.";
    422 InvalidField { errors: FieldErrors, field: String, reason: String } "invalid-field" "A field is out of its range. The member `errors` names every faulty field and the reason. `field` and `reason` are those of the first.";
    422 CharacterNotAllowed { errors: FieldErrors, field: &'static str, character: String, reason: &'static str } "character-not-allowed" "A name has a character that is not allowed in names. The member `character` names it. `reason` is its kind: `control`, `bidi-control`, `invisible`, `private-use`, `unassigned`, `noncharacter`, `bare-mark` (a combining mark without a letter) or `not-for-usernames`. Remove the character.";
    422 TooManyMarks { errors: FieldErrors, field: &'static str, character: String } "too-many-marks" "A letter of the name has too many combining marks. A letter can have 2 marks in addition to those of a composed letter, or up to 5 different vowel signs. The member `character` names the first mark over the limit.";
    422 MixedScripts { errors: FieldErrors, field: &'static str, character: String } "mixed-scripts" "The letters of a name must be from one script. Digits, punctuation and emoji are always allowed. The member `character` names the first letter of another script.";
    422 NameReserved { errors: FieldErrors, field: &'static str } "name-reserved" "The service reserves this name, or one that looks like it. Choose another.";
    422 NameForbidden { errors: FieldErrors, field: &'static str } "name-forbidden" "The name has a word that is not allowed on this server. Choose another.";
    422 PasswordTooShort { errors: FieldErrors, field: &'static str } "password-too-short" "A password has at least 8 characters.";
    422 PasswordTooLong { errors: FieldErrors, field: &'static str } "password-too-long" "A password has at most 128 characters.";
    422 PasswordCommon { errors: FieldErrors, field: &'static str } "password-common" "The password is one of the most common ones. Choose another.";
    422 PasswordIsUsername { errors: FieldErrors, field: &'static str } "password-is-username" "The password must differ from the username.";
    422 UnknownRuleset { errors: FieldErrors, rulesets: &'static [RulesetId] } "unknown-ruleset" "There is no such ruleset. The member `rulesets` lists the existing ones.";
    422 UnknownOption { errors: FieldErrors, ruleset: RulesetId, option: String } "unknown-option" "The ruleset has no such option. The member `option` names it.";
    422 InvalidOption { allowed: Value, errors: FieldErrors, option: &'static str } "invalid-option" "The option cannot have that value. The member `option` names the option, and `allowed` gives its valid values.";
    422 PlayersOutOfRange { errors: FieldErrors, min: u8, max: u8 } "players-out-of-range" "The ruleset does not allow that number of players. The members `min` and `max` are its limits.";
    422 NoSuchSeat { seat: u8, players: u8 } "no-such-seat" "The table has no seat with that number. The member `players` is the number of seats.";
    422 SeedDoesNotMatch { commitment: Hex<32> } "seed-does-not-match" "The SHA-256 of the seed's text is not your commitment, which is the member `commitment`.";
    422 ImpossibleRound { errors: FieldErrors | round: ImpossibleRound [reason; bid, bidder, carry, hand_size, last, limit, max, min, players, rounds, seat, sum, total] } "impossible-round" "The rules do not allow such a round. The member `reason` gives the cause.";
    429 TooManyRequests { policy: &'static str } "too-many-requests" "You sent more requests than the limits allow. The member `policy` names the limit, and `RateLimit-Policy` describes it. Try again after `Retry-After` seconds.";
    429 TooManyAttempts { policy: &'static str } "too-many-attempts" "There were too many attempts. The member `policy` names the limit. Try again after `Retry-After` seconds.";
    429 OpeningsMissed { until: RecordTime } "openings-missed" "You missed several openings of client seeds, so you cannot join the matchmaking queue for a while. The member `until` says when you can, and so does `Retry-After`. Open your seed when the start is requested, or wait without a commitment.";
    429 TooManyStreams "too-many-streams" "The account has the maximum number of open streams and polls on this node. Close one first.";
    431 HeadTooLarge "head-too-large" "The head of the request has more than 96 fields or more than 128 KiB. The server closes the connection after this answer.";
    500 InternalError "internal-error" "The server failed. Find the request in the server's log with the member `request_id`.";
    503 Unavailable { ; reason: &'static str } "unavailable" "The service cannot handle the request at the moment. Nothing was changed. Try again after `Retry-After` seconds.";
    503 OutcomeUnknown "outcome-unknown" "The database did not confirm the change in time. The change may have happened, or may still happen. Repeat the request with the same `Idempotency-Key` or `If-Match`, or read the state first.";
    503 TooManyConnections "too-many-connections" "Your address, or all clients together, have the maximum number of open connections. The server closes the connection after this answer. Reuse one connection instead of opening many, and try again after `Retry-After` seconds.";
    503 IssuerUnavailable "issuer-unavailable" "The issuer does not answer, or not as it should. Nothing was changed. Try again after `Retry-After` seconds.";
    503 GameBusy "game-busy" "Other commands changed the game while the server handled yours, several times in a row. Try again after `Retry-After` seconds.";
}

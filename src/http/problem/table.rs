//! The table of problems: each code with its status, its members and what to do about it.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::app::games::events::PublishedEvent;
use crate::app::vocabulary::{
    Card, ImpossibleRound, LobbySlot, PhaseKind, Position, RulesetId, Status, Suit, Trump,
};
use crate::auth::tokens::Role;
use crate::http::field_errors::FieldErrors;

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
        enum Line {
            $($variant,)+
        }

        impl ProblemCode {
            /// The line of the table.
            pub fn kind(&self) -> &'static ProblemType {
                match self {
                    $(ProblemCode::$variant { .. } => &PROBLEMS[Line::$variant as usize],)+
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
    400 MalformedPath { ; errors: FieldErrors } "malformed-path" "A part of the path is not what it stands for. Ids are UUIDs. The member `errors` names each part.";
    400 MalformedQuery { ; parameter: String, errors: FieldErrors } "malformed-query" "The query has an unknown parameter, a value that cannot be read, or a cursor of another list. The member `errors` names each parameter that is wrong.";
    400 MalformedHeader { header: &'static str } "malformed-header" "A header has a value that cannot be read. The member `header` names it.";
    400 NotSupported { header: &'static str } "not-supported" "The request asks for something this service does not do. The member `header` names it.";
    400 MalformedRequest "malformed-request" "The request is not HTTP/1.1 that this service can read. The connection ends with this answer.";
    401 TokenMissing "token-missing" "The request needs an access token: `Authorization: Bearer …`. Sign in first.";
    401 TokenInvalid "token-invalid" "The access token is not one of this service's. Sign in again.";
    401 TokenExpired "token-expired" "The access token's time is over. Refresh it.";
    401 SessionEnded "session-ended" "The access token's session has ended, or its account has another role by now. Refresh the session; if that is refused, sign in again.";
    401 WrongCredentials "wrong-credentials" "Username and password do not belong together.";
    401 RefreshTokenInvalid "refresh-token-invalid" "The refresh token is unknown, its time is over, or its session has ended. Sign in again.";
    401 RefreshTokenReused "refresh-token-reused" "The refresh token had been used before, so its session has been ended. Sign in again.";
    403 NotSeated "not-seated" "Only a seated player may do that. Sit down first.";
    403 NotHost "not-host" "Only the host of the table may do that.";
    403 SpectatorsBarred "spectators-barred" "This table does not let people watch while it plays.";
    403 WrongPassword "wrong-password" "The password that confirms the request is not the account's.";
    403 RoleRequired { role: Role } "role-required" "That takes another role. The member `role` names it.";
    403 AuditorBarred "auditor-barred" "You have looked at this game as an auditor, so you cannot play in it.";
    404 NotFound { what: &'static str } "not-found" "There is no such thing, or it is not yours to know of. The member `what` says what was looked for.";
    405 MethodNotAllowed "method-not-allowed" "The path exists, the method does not. The header `Allow` lists those that do.";
    408 RequestTimeout "request-timeout" "The head or the body of the request took too long to arrive. Send it at once. The connection ends with this answer.";
    409 RequestInProgress "request-in-progress" "A request with the same idempotency key is still being done. Try again after `Retry-After` seconds.";
    409 UsernameTaken "username-taken" "Another account has that username; upper and lower case count as equal. Choose another.";
    409 NotAGuest "not-a-guest" "Only a guest can be given credentials, and this account has some.";
    409 GuestAccount "guest-account" "A guest has no password. Give the account credentials first.";
    409 GameNotPlaying { game_status: Status } "game-not-playing" "The game has not started or is over. The member `game_status` says which.";
    409 GameNotInLobby { game_status: Status } "game-not-in-lobby" "The game has started or is over. The member `game_status` says which.";
    409 GameNotOver "game-not-over" "The history of a game is handed out when the game is over.";
    409 AlreadyWaiting { game: String } "already-waiting" "You wait to be seated with strangers already. The member `game` is the table where. Leave it before you ask for another.";
    409 StrangersTable "strangers-table" "The service seats strangers at this table and starts it. Sit down there with `POST /v1/matchmaking`; leave it by standing up yourself.";
    409 TooManyChanges { limit: u64 } "too-many-changes" "Before its start the table, or you at the table, have changed too often. The member `limit` says how often is possible. Standing up, starting and calling off still are.";
    409 TooManyTables { host: String, limit: u32 } "too-many-tables" "The host has as many tables in the lobby as one may have. The member `limit` says how many that is, `host` whose tables they are. Start one of them, leave it or call it off first. Games that have begun and tables of strangers do not count.";
    409 AlreadySeated { place: LobbySlot } "already-seated" "You sit at this table already. The member `place` says where.";
    409 SeatTaken { seat: u8 } "seat-taken" "Another player has that seat. Choose another.";
    409 GameFull { players: u8 } "game-full" "Every seat is taken.";
    409 EmptySeats { places: Vec<LobbySlot> } "empty-seats" "The game cannot start before every seat is taken. The member `places` lists the empty ones.";
    409 NotStoodIn "not-stood-in" "No bot stands in for you, so there is nothing to resume.";
    409 NoPersonThere { place: LobbySlot } "no-person-there" "Only a person can be the host. The member `place` says where nobody, or a bot, sits.";
    409 NotYourTurn { to_act: Option<Position> } "not-your-turn" "Another player must act first. The member `to_act` says who.";
    409 WrongPhase { phase: PhaseKind } "wrong-phase" "The game waits for something else. The member `phase` says for what.";
    409 CutOutOfRange "cut-out-of-range" "The pack is cut at a position from 1 to 51.";
    409 DashLimit { limit: u8 } "dash-limit" "As many as may have declared zero in this round. The member `limit` says how many.";
    409 DashCallNotNow "dash-call-not-now" "A dash call is made instead of one's first call, at its time.";
    409 ThirteenUnavoidable "thirteen-unavoidable" "With that the total of the calls could only become 13, which is barred.";
    409 NoPassing "no-passing" "There is no passing in this auction.";
    409 BidOutOfRange { min: u8, max: u8 } "bid-out-of-range" "A bid is a number from `min` to `max`.";
    409 BidTooLow { tricks: u8, trump: Trump } "bid-too-low" "A bid must beat the standing one, by number and then by suit. The members `tricks` and `trump` tell it.";
    409 NoTrumpBarred "no-trump-barred" "No trump may not be bid at this table.";
    409 EstimateOutOfRange { min: u8, max: u8 } "estimate-out-of-range" "An estimate is a number from `min` to `max`.";
    409 ZeroLimit { limit: u8 } "zero-limit" "As many zeros as a round may hold have been said. The member `limit` says how many.";
    409 TotalBarred { barred: u8, total: u8 } "total-barred" "The last to estimate may not bring the total to `total`. The member `barred` is the number that may not be said.";
    409 TrumpChangeBarred { changed: Option<TrumpBid> } "trump-change-barred" "Trump cannot be changed with this estimate. The member `changed` is what a change must beat.";
    409 CardNotHeld { card: Card } "card-not-held" "The card is not in your hand.";
    409 MustFollowSuit { led: Suit } "must-follow-suit" "You hold the led suit and must play it. The member `led` names it.";
    409 LogReplaced { current_version: u64 } "log-replaced" "The game's log does not have the event that the request names: the database was restored from an earlier state. Load the game again and go on from there. The member `current_version` tells where the log ends.";
    412 StaleVersion { current_version: u64, events: Vec<PublishedEvent> } "stale-version" "The game has moved on from the version in `If-Match`. The members `current_version` and `events` tell how.";
    413 BodyTooLarge { limit: usize } "body-too-large" "The body is larger than this service takes. The member `limit` is the most, in bytes.";
    415 UnsupportedMediaType "unsupported-media-type" "Send the body as `application/json`.";
    422 IdempotencyKeyReused "idempotency-key-reused" "The idempotency key was used before with another body. Use a new key for a new request.";
    422 InvalidBody { errors: FieldErrors; field: String } "invalid-body" "The body is JSON, but not what this operation takes. The member `errors` names every field that is wrong, and why.";
    422 InvalidField { errors: FieldErrors, field: String, reason: String } "invalid-field" "A field is out of its range. The member `errors` names every field that is wrong, and why; `field` and `reason` are those of the first.";
    422 CharacterNotAllowed { errors: FieldErrors, field: &'static str, character: String, reason: &'static str } "character-not-allowed" "A name has a character that names cannot have. The member `character` names it, and `reason` says of what kind it is: `control`, `bidi-control`, `invisible`, `private-use`, `unassigned`, `noncharacter`, `bare-mark` (a combining mark without a letter) or `not-for-usernames`. Take it out.";
    422 TooManyMarks { errors: FieldErrors, field: &'static str, character: String } "too-many-marks" "A letter of the name has more combining marks than names can have: 2 beside those that are part of a composed letter, or up to 5 different vowel signs. The member `character` names the first one too many.";
    422 MixedScripts { errors: FieldErrors, field: &'static str, character: String } "mixed-scripts" "The letters of a name are of one script, with digits, punctuation and emoji as you like. The member `character` names the first letter of another.";
    422 NameReserved { errors: FieldErrors, field: &'static str } "name-reserved" "The service keeps this name, or one that looks like it, for itself. Choose another.";
    422 PasswordTooShort { errors: FieldErrors, field: &'static str } "password-too-short" "A password has at least 8 characters.";
    422 PasswordTooLong { errors: FieldErrors, field: &'static str } "password-too-long" "A password has at most 128 characters.";
    422 PasswordCommon { errors: FieldErrors, field: &'static str } "password-common" "That password is among the first that anybody would try. Choose another.";
    422 PasswordIsUsername { errors: FieldErrors, field: &'static str } "password-is-username" "A password must be more than the username.";
    422 UnknownRuleset { errors: FieldErrors, rulesets: &'static [RulesetId] } "unknown-ruleset" "There is no such ruleset. The member `rulesets` lists those there are.";
    422 UnknownOption { errors: FieldErrors, ruleset: RulesetId, option: String } "unknown-option" "The ruleset has no such option. The member `option` names it.";
    422 InvalidOption { allowed: Value, errors: FieldErrors, option: &'static str } "invalid-option" "The option cannot have that value. The members `option` and `allowed` tell what it can be.";
    422 PlayersOutOfRange { errors: FieldErrors, min: u8, max: u8 } "players-out-of-range" "The ruleset does not seat that many. The members `min` and `max` tell how many it seats.";
    422 NoSuchSeat { seat: u8, players: u8 } "no-such-seat" "The table has no seat of that number. The member `players` says how many it has.";
    422 ImpossibleRound { errors: FieldErrors | round: ImpossibleRound [reason; bid, bidder, carry, hand_size, last, limit, maximum, minimum, players, rounds, seat, sum, total] } "impossible-round" "A round like that cannot have happened. The member `reason` says why.";
    429 TooManyRequests { policy: &'static str } "too-many-requests" "More was asked than the limits allow. The member `policy` names the limit; `RateLimit-Policy` says what it is. Try again after `Retry-After` seconds.";
    429 TooManyAttempts { policy: &'static str } "too-many-attempts" "That was attempted too often. The member `policy` says what. Try again after `Retry-After` seconds.";
    429 TooManyStreams "too-many-streams" "The account has as many streams and polls open on this node as it may. Close one first.";
    431 HeadTooLarge "head-too-large" "The head of the request has more than 96 fields or more than 128 KiB. The connection ends with this answer.";
    500 InternalError "internal-error" "Something went wrong here. The member `request_id` finds it in the service's log.";
    503 Unavailable { ; reason: &'static str } "unavailable" "The service cannot do that at the moment. Nothing was changed. Try again after `Retry-After` seconds.";
    503 OutcomeUnknown "outcome-unknown" "The database did not confirm the change in time. It may have been made, or may be made yet. Repeat the request with the same `Idempotency-Key` or `If-Match`, or read the state first.";
    503 TooManyConnections "too-many-connections" "Your address, or all clients together, have as many connections open as they may. The connection ends with this answer. Keep one connection open instead of opening many, and try again after `Retry-After` seconds.";
    503 GameBusy "game-busy" "The game changed under the command again and again. Try again after `Retry-After` seconds.";
}

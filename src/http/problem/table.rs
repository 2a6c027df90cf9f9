//! The table of problems: each code with its status, its title and what to do about it.

use actix_web::http::StatusCode;

/// A kind of problem.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Its stable name.
    pub code: &'static str,
    /// The HTTP status it comes with.
    pub status: u16,
    /// Its title.
    pub title: &'static str,
    /// What it means and what to do about it.
    pub about: &'static str,
    /// The members it always has beside the standard ones.
    pub members: &'static [&'static str],
    /// The members it may have as well.
    pub perhaps: &'static [&'static str],
}

impl Code {
    /// The status for actix.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

macro_rules! problems {
    ($(
        $status:literal $code:literal $title:literal $about:literal
        $(with $($member:ident),+)? $(perhaps $($maybe:ident),+)?;
    )+) => {
        /// Every kind of problem, in order of status.
        pub const PROBLEMS: &[Code] = &[$(Code {
            code: $code,
            status: $status,
            title: $title,
            about: $about,
            members: &[$($(stringify!($member)),+)?],
            perhaps: &[$($(stringify!($maybe)),+)?],
        }),+];
    };
}

problems! {
    400 "malformed-json" "Malformed JSON" "The body is not JSON. Send one JSON object, in UTF-8." perhaps line, column;
    400 "malformed-path" "Malformed path" "A part of the path is not what it stands for. Ids are UUIDs. The member `errors` names each part." perhaps errors;
    400 "malformed-query" "Malformed query" "The query has an unknown parameter, a value that cannot be read, or a cursor of another list. The member `errors` names each parameter that is wrong." perhaps parameter, errors;
    400 "malformed-header" "Malformed header" "A header has a value that cannot be read. The member `header` names it." with header;
    400 "not-supported" "Not supported" "The request asks for something this service does not do. The member `header` names it." with header;
    400 "malformed-request" "Malformed request" "The request is not HTTP/1.1 that this service can read. The connection ends with this answer.";
    401 "token-missing" "Token missing" "The request needs an access token: `Authorization: Bearer …`. Sign in first.";
    401 "token-invalid" "Token invalid" "The access token is not one of this service's. Sign in again.";
    401 "token-expired" "Token expired" "The access token's time is over. Refresh it.";
    401 "session-ended" "Session ended" "The access token's session has ended, or its account has another role by now. Refresh the session; if that is refused, sign in again.";
    401 "wrong-credentials" "Wrong credentials" "Username and password do not belong together.";
    401 "refresh-token-invalid" "Refresh token invalid" "The refresh token is unknown, its time is over, or its session has ended. Sign in again.";
    401 "refresh-token-reused" "Refresh token reused" "The refresh token had been used before, so its session has been ended. Sign in again.";
    403 "not-seated" "Not seated" "Only somebody who sits at the table may do that. Sit down first.";
    403 "not-host" "Not the host" "Only the host of the table may do that.";
    403 "spectators-barred" "No spectators" "This table does not let people watch while it plays.";
    403 "wrong-password" "Wrong password" "The password that confirms the request is not the account's.";
    403 "role-required" "Role required" "That takes another role. The member `role` names it." with role;
    403 "auditor-barred" "Auditor barred" "You have looked at this game as an auditor, so you cannot play in it.";
    404 "not-found" "Not found" "There is no such thing, or it is not yours to know of. The member `what` says what was looked for." with what;
    405 "method-not-allowed" "Method not allowed" "The path exists, the method does not. The header `Allow` lists those that do.";
    408 "request-timeout" "Request timeout" "The head or the body of the request took too long to arrive. Send it at once. The connection ends with this answer.";
    409 "request-in-progress" "Request in progress" "A request with the same idempotency key is still being done. Try again after `Retry-After` seconds.";
    409 "username-taken" "Username taken" "Somebody else has that username, in some spelling of upper and lower case. Choose another.";
    409 "not-a-guest" "Not a guest" "Only a guest can be given credentials, and this account has some.";
    409 "guest-account" "Guest account" "A guest has no password. Give the account credentials first.";
    409 "game-not-playing" "Game not being played" "The game has not started or is over. The member `game_status` says which." with game_status;
    409 "game-not-in-lobby" "Game not in the lobby" "The game has started or is over. The member `game_status` says which." with game_status;
    409 "game-not-over" "Game not over" "The history of a game is handed out when the game is over.";
    409 "already-waiting" "Already waiting" "You wait to be seated with strangers already. The member `game` is the table where. Leave it before you ask for another." with game;
    409 "strangers-table" "Table of strangers" "The service seats strangers at this table and starts it. Sit down there with `POST /v1/matchmaking`; leave it by standing up yourself.";
    409 "too-many-changes" "Too many changes" "Before its start the table, or you at the table, have changed too often. The member `limit` says how often is possible. Standing up, starting and calling off still are." with limit;
    409 "too-many-tables" "Too many tables" "The host has as many tables in the lobby as one may have. The member `limit` says how many that is, `host` whose tables they are. Start one of them, leave it or call it off first. Games that have begun and tables of strangers do not count." with host, limit;
    409 "already-seated" "Already seated" "You sit at this table already. The member `place` says where." with place;
    409 "seat-taken" "Seat taken" "Somebody else has that seat. Choose another." with seat;
    409 "game-full" "Game full" "Every seat is taken." with players;
    409 "empty-seats" "Empty seats" "The game cannot start before every seat is taken. The member `places` lists the empty ones." with places;
    409 "not-stood-in" "Nobody stands in" "No bot stands in for you, so there is nothing to resume.";
    409 "no-person-there" "No person there" "Only a person can be the host. The member `place` says where nobody, or a bot, sits." with place;
    409 "not-your-turn" "Not your turn" "Somebody else must act first. The member `to_act` says who." with to_act;
    409 "wrong-phase" "Wrong phase" "The game waits for something else. The member `phase` says for what." with phase;
    409 "cut-out-of-range" "Cut out of range" "The pack is cut at a position from 1 to 51.";
    409 "dash-limit" "Too many dashes" "As many as may have declared zero in this round. The member `limit` says how many." with limit;
    409 "dash-call-not-now" "No dash call now" "A dash call is made instead of one's first call, at its time.";
    409 "thirteen-unavoidable" "Thirteen unavoidable" "With that the total of the calls could only become 13, which is barred.";
    409 "no-passing" "No passing" "There is no passing in this auction.";
    409 "bid-out-of-range" "Bid out of range" "A bid is a number from `min` to `max`." with min, max;
    409 "bid-too-low" "Bid too low" "A bid must beat the standing one, by number and then by suit. The members `tricks` and `trump` tell it." with tricks, trump;
    409 "no-trump-barred" "No trump barred" "No trump may not be bid at this table.";
    409 "estimate-out-of-range" "Estimate out of range" "An estimate is a number from `min` to `max`." with min, max;
    409 "zero-limit" "Too many zeros" "As many zeros as a round may hold have been said. The member `limit` says how many." with limit;
    409 "total-barred" "Total barred" "The last to estimate may not bring the total to `total`. The member `barred` is the number that may not be said." with barred, total;
    409 "trump-change-barred" "Trump change barred" "Trump cannot be changed with this estimate. The member `changed` is what a change must beat." with changed;
    409 "card-not-held" "Card not held" "The card is not in your hand." with card;
    409 "must-follow-suit" "Must follow suit" "You hold the led suit and must play it. The member `led` names it." with led;
    409 "log-replaced" "Log replaced" "The game's log does not have the event that the request names: the database was restored from an earlier state. Load the game again and go on from there. The member `current_version` tells where the log ends." with current_version;
    412 "stale-version" "Stale version" "The game has moved on from the version in `If-Match`. The members `current_version` and `events` tell how." with current_version, events;
    413 "body-too-large" "Body too large" "The body is larger than this service takes. The member `limit` is the most, in bytes." with limit;
    415 "unsupported-media-type" "Unsupported media type" "Send the body as `application/json`.";
    422 "idempotency-key-reused" "Idempotency key reused" "The idempotency key was used before with another body. Use a new key for a new request.";
    422 "invalid-body" "Invalid body" "The body is JSON, but not what this operation takes. The member `errors` names every field that is wrong, and why." with errors perhaps field;
    422 "invalid-field" "Invalid field" "A field is out of its range. The member `errors` names every field that is wrong, and why; `field` and `reason` are those of the first." with errors, field, reason;
    422 "character-not-allowed" "Character not allowed" "A name has a character that names cannot have. The member `character` names it, and `reason` says of what kind it is: `control`, `bidi-control`, `invisible`, `private-use`, `unassigned`, `noncharacter`, `bare-mark` (a combining mark without a letter) or `not-for-usernames`. Take it out." with errors, field, character, reason;
    422 "too-many-marks" "Too many marks on a letter" "A letter of the name has more combining marks than names can have: 2 beside those that are part of a composed letter, or up to 5 different vowel signs. The member `character` names the first one too many." with errors, field, character;
    422 "mixed-scripts" "Mixed scripts" "The letters of a name are of one script, with digits, punctuation and emoji as you like. The member `character` names the first letter of another." with errors, field, character;
    422 "name-reserved" "Name reserved" "The service keeps this name, or one that looks like it, for itself. Choose another." with errors, field;
    422 "password-too-short" "Password too short" "A password has at least 8 characters." with errors, field;
    422 "password-too-long" "Password too long" "A password has at most 128 characters." with errors, field;
    422 "password-common" "Password too common" "That password is among the first that anybody would try. Choose another." with errors, field;
    422 "password-is-username" "Password is the username" "A password must be more than the username." with errors, field;
    422 "unknown-ruleset" "Unknown ruleset" "There is no such ruleset. The member `rulesets` lists those there are." with errors, rulesets;
    422 "unknown-option" "Unknown option" "The ruleset has no such option. The member `option` names it." with errors, ruleset, option;
    422 "invalid-option" "Invalid option" "The option cannot have that value. The members `option` and `allowed` tell what it can be." with allowed, errors, option;
    422 "players-out-of-range" "Players out of range" "The ruleset does not seat that many. The members `min` and `max` tell how many it seats." with errors, min, max;
    422 "no-such-seat" "No such seat" "The table has no seat of that number. The member `players` says how many it has." with seat, players;
    422 "impossible-round" "Impossible round" "A round like that cannot have happened. The member `reason` says why." with errors, reason perhaps bid, bidder, carry, hand_size, last, limit, maximum, minimum, players, rounds, seat, sum, total;
    429 "too-many-requests" "Too many requests" "More was asked than the limits allow. The member `policy` names the limit; `RateLimit-Policy` says what it is. Try again after `Retry-After` seconds." with policy;
    429 "too-many-attempts" "Too many attempts" "That was attempted too often. The member `policy` says what. Try again after `Retry-After` seconds." with policy;
    429 "too-many-streams" "Too many streams" "The account has as many streams and polls open on this node as it may. Close one first.";
    431 "head-too-large" "Request head too large" "The head of the request has more than 96 fields or more than 128 KiB. The connection ends with this answer.";
    500 "internal-error" "Internal error" "Something went wrong here. The member `request_id` finds it in the service's log.";
    503 "unavailable" "Unavailable" "The service cannot do that at the moment. Nothing was changed. Try again after `Retry-After` seconds." perhaps reason;
    503 "outcome-unknown" "Outcome not known" "The database did not confirm the change in time. It may have been made, or may be made yet. Repeat the request with the same `Idempotency-Key` or `If-Match`, or read the state first.";
    503 "too-many-connections" "Too many connections" "Your address, or all clients together, have as many connections open as they may. The connection ends with this answer. Keep one connection open instead of opening many, and try again after `Retry-After` seconds.";
    503 "game-busy" "Game busy" "The game changed under the command again and again. Try again after `Retry-After` seconds.";
}

/// The entry of a code. A code that is not in the table is a defect and stands as `internal-error`; a test
/// looks for such.
pub fn described(code: &str) -> &'static Code {
    const FALLBACK: Code = Code {
        code: "internal-error",
        status: 500,
        title: "Internal error",
        about: "A problem of a kind that is not in the table.",
        members: &[],
        perhaps: &[],
    };
    PROBLEMS.iter().find(|entry| entry.code == code).unwrap_or(&FALLBACK)
}

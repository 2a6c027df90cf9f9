//! The small values of which bodies are made: ids, times, cards, seats and hexadecimal texts.
//!
//! They say in the schema what form they have. Whether a value makes sense is for the rules to judge.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Declares newtypes that are on the wire what they hold.
macro_rules! values {
    ($($(#[$meta:meta])* pub struct $name:ident($inner:ident);)+) => {$(
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        $(#[$meta])*
        #[serde(transparent)]
        pub struct $name(pub $inner);
    )+};
}

values! {
    /// The id of a game: a UUID of version 7.
    #[schema(min_length = 36, max_length = 36, examples("019b7a00-0000-7000-8000-000000000001"))]
    pub struct GameId(Uuid);

    /// The id of an account: a UUID of version 7.
    #[schema(min_length = 36, max_length = 36, examples("019b7a00-0000-7000-8000-0000000000a1"))]
    pub struct AccountId(Uuid);

    /// A time: RFC 3339 in UTC, with milliseconds.
    #[schema(
        format = DateTime, min_length = 24, max_length = 24,
        pattern = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$", examples("2026-01-01T00:00:00.000Z")
    )]
    pub struct Time(String);

    /// A card: its rank and the letter of its suit, or `RJ` and `BJ` for the red and the black joker.
    #[schema(
        min_length = 2, max_length = 3, pattern = "^((10|[2-9JQKA])[CDHS]|RJ|BJ)$", examples("10S", "QH", "RJ")
    )]
    pub struct Card(String);

    /// The hash of an event: SHA-256 over the hash before it and the event's canonical JSON.
    #[schema(min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")]
    pub struct EventHash(String);

    /// What the server commits to before the first deal: the SHA-256 of its seed.
    #[schema(min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")]
    pub struct Commitment(String);

    /// The server's 256-bit seed, published once the game is over.
    #[schema(min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")]
    pub struct ServerSeed(String);

    /// 128 random bits that keep the hash of a hidden deal from being guessed back to the cards.
    #[schema(min_length = 32, max_length = 32, pattern = "^[0-9a-f]{32}$")]
    pub struct Salt(String);

    /// A player's own part in the shuffles: 32 to 64 lower-case hexadecimal digits.
    #[schema(min_length = 32, max_length = 64, pattern = "^[0-9a-f]{32,64}$")]
    pub struct ClientSeed(String);

    /// The code by which people are invited to a table: eight characters without look-alikes.
    #[schema(min_length = 8, max_length = 8, pattern = "^[0-9A-Z]{8}$")]
    pub struct JoinCode(String);

    /// The name of a member of a problem.
    #[schema(min_length = 1, max_length = 40, pattern = "^[a-z_]+$")]
    pub struct MemberName(String);

    /// Where the next page begins. Opaque: hand it back as it came.
    #[schema(min_length = 1, max_length = 512)]
    pub struct Cursor(String);

    /// A seat, from 0 in order of play; or a place, from 0 in order of sitting down.
    #[schema(minimum = 0, maximum = 4)]
    pub struct SeatNumber(u8);

    /// A number of events: a game's version is the number of its last event.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub struct Sequence(u64);
}

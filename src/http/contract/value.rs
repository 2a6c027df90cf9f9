//! The small values of which bodies are made: ids, times, cards, seats and hexadecimal texts.
//!
//! They say in the schema what form they have. Whether a value makes sense is for the rules to judge.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Declares newtypes that are on the wire what they hold.
macro_rules! values {
    ($($(#[$meta:meta])* pub struct $name:ident($inner:ty);)+) => {$(
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

    /// A username: 3 to 32 ASCII letters, digits, `-`, `_` and `.`, unique without case, and not a name of the
    /// service such as `admin`. Only its owner sees it.
    #[schema(min_length = 3, max_length = 32, pattern = "^[A-Za-z0-9._-]{3,32}$", examples("noor"))]
    pub struct Username(String);

    /// A name for others to see. It need not be unique. It is stored in NFC, with each run of spaces as one
    /// U+0020 and none at the ends, and then has 1 to 40 characters. These are refused, with the first character
    /// that breaks the rule in the member `character` of the problem:
    ///
    /// - `character-not-allowed`: control characters, bidirectional controls (U+202E), invisible characters
    ///   (U+200B, U+3164, tags), private use (U+E000), unassigned characters and noncharacters (U+FFFF), combining
    ///   marks without a letter. Joiners and variation selectors pass in emoji and between letters whose form
    ///   they change.
    /// - `too-many-marks`: more than 2 combining marks on a letter beside those that are part of a composed
    ///   letter; up to 5 where all are different vowel signs or points of a script, as in `ٱللَّٰه`.
    /// - `mixed-scripts`: letters of more than one script, as in `Nооr` with two Cyrillic letters, or `نور Noor`.
    ///   Digits, punctuation and emoji go with every script: `محمد 2026` passes. So does Japanese, where kanji and
    ///   kana are one script.
    /// - `name-reserved`: names of the service and what looks like them, such as `Admin`, `Adm1n`, `Steady bot`,
    ///   `(deleted 2e3f01)`, `المشرف`.
    #[schema(min_length = 1, max_length = 40, examples("Noor", "مُحَمَّد", "محمد 2026", "さくら桜", "⭐ Noor ⭐"))]
    pub struct NewDisplayName(Option<String>);

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

//! Texts with a form of their own.

use utoipa::ToSchema;

/// A username: 3 to 32 ASCII letters, digits, `-`, `_` and `.`, unique without case, and not a name of the service
/// such as `admin`. Only its owner sees it.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 3, max_length = 32, pattern = "^[A-Za-z0-9._-]{3,32}$", examples("noor"))]
pub struct Username(pub String);

/// A name that other players see. It need not be unique: accounts are told apart by their ids. The service stores it in NFKC,
/// with one U+0020 for each run of spaces and none at the ends (RFC 8266); it then has 1 to 40 characters and takes at most 40
/// columns: most characters take one, Han characters and emoji two. The following is refused, and the member
/// `character` of the problem is the first character that breaks a rule:
///
/// - `character-not-allowed`: control characters, bidirectional controls (U+202E), invisible characters
///   (U+200B, U+3164, tags), private use (U+E000), unassigned characters and noncharacters (U+FFFF), a combining
///   mark before the first letter, letters of excluded scripts such as hieroglyphs, and symbols of one script such as `﷽`.
///   Joiners and variation selectors pass in emoji and between letters whose form they change.
/// - `too-many-marks`: more than 4 nonspacing marks in a row, or the same one twice. `ٱللَّٰه` passes.
/// - `mixed-scripts`: letters of more than one script, as in `Nооr` with two Cyrillic letters, or `نور Noor`.
///   Digits, punctuation and emoji go with every script: `محمد 2026` passes. So does Japanese, where kanji and
///   kana are one script.
/// - `name-reserved`: names of the service and what looks like them, such as `Admin`, `Adm1n`, `Steady bot`,
///   `(deleted 2e3f01)`, `المشرف`.
#[derive(ToSchema)]
#[schema(value_type = Option<String>, min_length = 1, max_length = 40, examples("Noor", "مُحَمَّد", "محمد 2026", "さくら桜", "⭐ Noor ⭐"))]
pub struct DisplayName(pub Option<String>);

/// A problem page for people.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 1, max_length = 10000)]
pub struct ProblemPage(pub String);

/// Server-sent events. Each has an `id` line with the event's sequence number, a hyphen and the first 16 digits of its
/// hash, and a `data` line with a `GameMessage`. Control frames have an `event` line: `turn` with a `Turn` as `data`,
/// `end`, `reconnect`, and `reset` with an `id`, and `data` with `version` and `head` as in a view.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 0, max_length = 2147483647)]
pub struct EventFrames(pub String);

/// Server-sent events. Each has an `event` line (`your_turn`, `invited`, `started`, `finished`) and a `data` line with
/// `game`, `version` and `status`.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 0, max_length = 2147483647)]
pub struct AccountFrames(pub String);

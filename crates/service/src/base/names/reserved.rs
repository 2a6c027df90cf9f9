//! Reserved names, compared by confusable skeleton (UTS #39, 4), so that look-alikes are reserved too.
//!
//! The key of a text is its skeleton, normalised for case, spaces, punctuation, marks and symbols. Lower case
//! is applied first, because the skeleton maps `m` to `rn` but keeps `M`. Upper case is applied later,
//! because the skeleton maps `I`, `1` and `|` to `l` but keeps `i`.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_security::confusable_detection::skeleton;

use super::marks::is_mark;

/// Titles of operators and actors of the service. Refused as any word of a display name.
const OFFICES: [&str; 11] = [
    "admin",
    "administrator",
    "moderator",
    "auditor",
    "sysadmin",
    // As in `(deleted 2e3f01)`.
    "deleted",
    "المشرف",
    "المدقق",
    "الإدارة",
    "الأدمن",
    "محذوف",
];

/// Refused as a whole name.
#[rustfmt::skip]
const WHOLE: [&str; 40] = [
    "estimation", "estimation team", "estimation support", "estimation bot", "system", "server", "service", "support",
    "staff", "official", "operator", "owner", "root", "mod", "mods", "admins", "moderators", "security", "clock",
    "bot", "bot easy", "bot steady", "bot sharp", "easy bot", "steady bot", "sharp bot", "stand-in", "null",
    "استميشن", "إستيميشن", "مدير النظام", "النظام", "الخدمة", "الدعم", "مشرف", "مدقق", "بوت",
    "بوت سهل", "بوت متزن", "بوت ماهر",
];

static OFFICE_KEYS: LazyLock<HashSet<String>> =
    LazyLock::new(|| OFFICES.iter().flat_map(|name| keys(name)).collect());

static WHOLE_KEYS: LazyLock<HashSet<String>> =
    LazyLock::new(|| OFFICES.iter().chain(&WHOLE).copied().flat_map(keys).collect());

/// Whether the whole name looks like a reserved name.
pub(super) fn is_whole(name: &str) -> bool {
    looks_like_one_of(name, &WHOLE_KEYS)
}

/// Whether a word of the name looks like a reserved title.
pub(super) fn has_word(name: &str) -> bool {
    words_of(name).any(|word| looks_like_one_of(word, &OFFICE_KEYS))
}

pub(super) fn words_of(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphanumeric() && !is_mark(c))
}

/// Whether a text has one of these keys, with or without a trailing number.
pub(super) fn looks_like_one_of(text: &str, reserved: &HashSet<String>) -> bool {
    let unnumbered = text.trim_end_matches(|c: char| c.is_numeric() || !c.is_alphanumeric());
    [text, unnumbered].into_iter().flat_map(keys).any(|key| reserved.contains(&key))
}

/// The keys of a text as written and in lower case: Greek `ΒΟΤ` looks like `BOT`, but not in lower case.
/// Empty for a text without letters and digits.
fn keys(text: &str) -> Vec<String> {
    let written: String = skeleton(text).collect();
    let mut keys = vec![key(text), key(&written)];
    keys.retain(|key| !key.is_empty());
    keys.dedup();
    keys
}

/// What look-alikes of a text have in common: its skeleton without case, spaces and punctuation.
pub(super) fn key(text: &str) -> String {
    let lower: String = skeleton(&text.to_lowercase()).collect();
    let upper: String = skeleton(&lower.to_uppercase()).collect();
    upper.to_lowercase().chars().filter(|c| c.is_alphanumeric() && !is_mark(*c)).collect()
}

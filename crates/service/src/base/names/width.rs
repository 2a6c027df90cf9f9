//! The displayed width of a name, in columns of half an em.
//!
//! `unicode-width` has the East Asian width (UAX #11) and the width of emoji sequences. UAX #11 knows no character
//! wider than an em. The widest ones are listed here, with their advance in the Noto fonts.

use unicode_width::UnicodeWidthStr;

use super::WIDEST;
use super::refusal::Refusal;

/// Ranges of characters that are much wider than an em, and their width in columns. The first match counts.
const WIDE: [(char, char, usize); 20] = [
    // ﷽, and other Arabic ligatures of words.
    ('\u{fdfd}', '\u{fdfd}', 15),
    ('\u{fc20}', '\u{fdfc}', 5),
    // Dashes of two and three ems.
    ('\u{2e3a}', '\u{2e3a}', 4),
    ('\u{2e3b}', '\u{2e3b}', 6),
    ('\u{12030}', '\u{12030}', 9),
    ('\u{12219}', '\u{12219}', 9),
    ('\u{12429}', '\u{1242b}', 10),
    ('\u{12484}', '\u{12486}', 7),
    // Cuneiform, Egyptian hieroglyphs, Meroitic and Siyaq numbers.
    ('\u{12000}', '\u{1254f}', 5),
    ('\u{13000}', '\u{1345f}', 5),
    ('\u{10980}', '\u{109ff}', 4),
    ('\u{1ec70}', '\u{1ecbf}', 5),
    // Tamil, Malayalam, Burmese, Khmer and Javanese letters and signs.
    ('\u{b94}', '\u{b94}', 5),
    ('\u{bca}', '\u{bcc}', 5),
    ('\u{bf5}', '\u{bfa}', 5),
    ('\u{d10}', '\u{d10}', 4),
    ('\u{d78}', '\u{d78}', 5),
    ('\u{102a}', '\u{102a}', 5),
    ('\u{17d8}', '\u{17da}', 5),
    ('\u{a9c1}', '\u{a9c5}', 4),
];

/// Refuses a name that is wider than [`WIDEST`].
pub(super) fn check(name: &str) -> Result<(), Refusal> {
    let columns = columns(name);
    if columns > WIDEST { Err(Refusal::TooWide { columns }) } else { Ok(()) }
}

fn columns(name: &str) -> usize {
    let more = |c: char| {
        let found = WIDE.iter().find(|(first, last, _)| (*first..=*last).contains(&c));
        found.map_or(0, |(_, _, columns)| columns - 1)
    };
    name.width() + name.chars().map(more).sum::<usize>()
}

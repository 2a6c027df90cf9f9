//! Accepted and refused names by rule, and properties of arbitrary texts.

use icu_properties::props::{BidiClass, EastAsianWidth, EnumeratedProperty, GeneralCategory};
use proptest::prelude::*;
use unicode_bidi::BidiInfo;
use unicode_width::UnicodeWidthStr;

use super::refusal::{Kind, Refusal};
use super::{
    DISPLAY_NAME_LENGTH, NameFault, WIDEST, check_display_name, check_username, choose_display_name,
    choose_username, normal,
};
use estimation_engine::player::BotLevel;

fn refusal(name: &str) -> Option<Refusal> {
    match choose_display_name(name) {
        Ok(_) => None,
        Err(NameFault { field: "/display_name", refusal }) => Some(refusal),
        Err(other) => panic!("{name:?}: {other}"),
    }
}

fn kind(name: &str) -> Option<Kind> {
    match refusal(name) {
        Some(Refusal::Character { kind, .. }) => Some(kind),
        _ => None,
    }
}

/// The index of the character at fault.
fn at(refusal: &Refusal) -> Option<usize> {
    match refusal {
        Refusal::Character { at, .. } | Refusal::Marks { at, .. } | Refusal::Scripts { at, .. } => Some(*at),
        Refusal::DisplayNameLength { .. }
        | Refusal::TooWide { .. }
        | Refusal::UsernameLength { .. }
        | Refusal::Reserved
        | Refusal::Forbidden => None,
    }
}

/// All three libraries have the same Unicode version, and one that has U+20C1, the riyal of Unicode 17.
#[test]
fn the_tables_are_of_one_version_of_unicode() {
    let (major, minor, update) = unicode_normalization::UNICODE_VERSION;
    assert_eq!((major.into(), minor.into(), update.into()), unicode_security::UNICODE_VERSION);
    assert!(major >= 18, "Unicode {major}");
    assert_eq!(refusal("\u{20c1}"), None);
}

#[test]
fn a_name_is_at_most_forty_columns_wide() {
    let wide = |name: &str| match refusal(name) {
        Some(Refusal::TooWide { columns }) => Some(columns),
        None => None,
        other => panic!("{name}: {other:?}"),
    };
    let times = |name: &str, count: usize| wide(&name.repeat(count));
    assert_eq!(
        [times("a", 40), times("ش", 40), times("漢", 20), times("한", 20), times("👩\u{200d}🚀", 10)],
        [None; 5]
    );
    assert_eq!((times("漢", 21), times("한", 40)), (Some(42), Some(80)));
}

/// What holds for every assigned character: a name of it is at most 40 columns wide by the East Asian width of another
/// library, and no name has a control or a character that UAX #9 gives power over the text around it. Without the rules for
/// scripts and reserved names, which would only refuse more.
#[test]
fn no_character_makes_a_name_wide_or_lets_it_spill() {
    let passes = |name: &str| {
        let name = normal(name);
        let characters: Vec<char> = name.chars().collect();
        let passes = (1..=DISPLAY_NAME_LENGTH).contains(&characters.len())
            && super::characters::check(&characters).is_ok()
            && super::marks::check(&characters).is_ok()
            && name.width() <= WIDEST;
        passes.then_some(characters)
    };
    let mut passed = 0;
    for character in '\0'..=char::MAX {
        let alone = character.to_string();
        if matches!(
            GeneralCategory::for_char(character),
            GeneralCategory::Unassigned | GeneralCategory::PrivateUse | GeneralCategory::Control
        ) {
            assert_eq!(passes(&alone), None, "{character:?}");
            continue;
        }
        // Marks and selectors need a base. Of wide characters, 21 are too wide.
        let names = [format!("❤{alone}"), alone.repeat(21)];
        for name in names.iter().filter_map(|name| passes(name)) {
            passed += 1;
            let columns: usize = name.iter().copied().map(columns).sum();
            assert!(columns <= WIDEST, "{name:?}: {columns} columns");
            assert!(!name.iter().any(|&c| c.is_control() || reorders(c)), "{name:?}");
        }
    }
    assert!(passed > 100_000, "{passed} names passed");
}

/// Whether UAX #9 gives a character power over the text around it.
fn reorders(character: char) -> bool {
    matches!(
        BidiClass::for_char(character),
        BidiClass::ParagraphSeparator
            | BidiClass::SegmentSeparator
            | BidiClass::LeftToRightEmbedding
            | BidiClass::LeftToRightOverride
            | BidiClass::RightToLeftEmbedding
            | BidiClass::RightToLeftOverride
            | BidiClass::PopDirectionalFormat
            | BidiClass::LeftToRightIsolate
            | BidiClass::RightToLeftIsolate
            | BidiClass::FirstStrongIsolate
            | BidiClass::PopDirectionalIsolate
    )
}

/// The columns of a character by UAX #11.
fn columns(character: char) -> usize {
    match EastAsianWidth::for_char(character) {
        EastAsianWidth::Wide | EastAsianWidth::Fullwidth => 2,
        _ => 1,
    }
}

#[test]
fn characters_are_refused_by_kind() {
    for (name, expected) in [
        ("a\u{7}", Kind::Control),
        ("a\u{85}", Kind::Control),
        ("a\u{2028}", Kind::Control),
        ("a\u{202e}", Kind::BidiControl),
        ("a\u{2066}b\u{2069}", Kind::BidiControl),
        ("\u{61c}a", Kind::BidiControl),
        ("a\u{200e}", Kind::BidiControl),
        ("a\u{ad}b", Kind::Invisible),
        ("a\u{feff}", Kind::Invisible),
        ("a\u{34f}", Kind::Invisible),
        ("a\u{180e}", Kind::Invisible),
        ("\u{115f}", Kind::Invisible),
        ("a\u{e0100}", Kind::Invisible),
        ("\u{1f3f4}\u{e0067}\u{e007f}", Kind::Invisible),
        ("\u{1d159}", Kind::Invisible),
        ("a\u{e000}", Kind::PrivateUse),
        ("a\u{10fffd}", Kind::PrivateUse),
        ("a\u{378}", Kind::Unassigned),
        ("a\u{e0fff}", Kind::Invisible),
        ("a\u{fdd0}", Kind::Noncharacter),
        ("a\u{1fffe}", Kind::Noncharacter),
        (" \u{301}a", Kind::BareMark),
        ("\u{20dd}", Kind::BareMark),
        ("\u{93f}क", Kind::BareMark),
        ("\u{12000}", Kind::Restricted),
        ("\u{13000}", Kind::Restricted),
        ("ᚠᚢ", Kind::Restricted),
        ("\u{16fe4}", Kind::Restricted),
        ("\u{2800}", Kind::Restricted),
        ("\u{fdfd}", Kind::Restricted),
    ] {
        assert_eq!(kind(name), Some(expected), "{name:?}");
    }
}

/// Joiners and selectors pass only where they have a visible effect.
#[test]
fn joiners_and_selectors_pass_where_they_show() {
    for name in [
        "❤\u{fe0f}",
        "1\u{fe0f}\u{20e3}",
        "👩🏽\u{200d}🚀",
        "👩\u{200d}❤\u{fe0f}\u{200d}👨",
        "علی\u{200c}رضا",
        "क्\u{200d}ष",
        "ශ්\u{200d}රී",
    ] {
        assert_eq!(refusal(name), None, "{name:?}");
    }
    for name in [
        "a\u{fe0f}",
        "1\u{fe0f}",
        "\u{fe0f}",
        "a\u{200d}b",
        "a\u{200c}b",
        "\u{200c}ع",
        "ع\u{200c}",
        "ع\u{200d}ع",
        "👩\u{200d}",
        "\u{200d}🚀",
        "👩\u{200d}\u{200d}🚀",
        "ع\u{200c}\u{200c}ع",
    ] {
        assert_eq!(kind(name), Some(Kind::Invisible), "{name:?}");
    }
}

#[test]
fn four_different_marks_in_a_row_pass() {
    for name in [
        "x\u{301}\u{323}",
        "x\u{301}\u{302}\u{303}\u{304}",
        "O´Brien",
        "Nguyễn",
        "مُحَمَّد",
        "عَبْدُ ٱللَّٰهِ",
        "بِسْمِ ٱللَّٰهِ ٱلرَّحْمَٰنِ",
        "שָׁלוֹם",
        "יִשְׂרָאֵל",
        "ज़िंदगी",
        "လျှော့",
        "ผู้",
        "བསྒྲུབས",
    ] {
        assert_eq!(refusal(name), None, "{name}");
    }
    for (name, expected) in [
        ("x\u{301}\u{302}\u{303}\u{304}\u{306}", '\u{306}'),
        ("e\u{301}\u{301}\u{301}", '\u{301}'),
        ("م\u{64e}\u{64e}", '\u{64e}'),
        ("م\u{64b}\u{64c}\u{64d}\u{64e}\u{64f}\u{650}", '\u{64f}'),
        ("ع\u{64e}\u{200c}\u{64e}ع", '\u{64e}'),
        ("क\u{94d}\u{200d}\u{94d}\u{200d}", '\u{94d}'),
        ("x\u{488}\u{489}\u{20dd}\u{488}", '\u{488}'),
    ] {
        let Some(Refusal::Marks { character, .. }) = refusal(name) else {
            panic!("{name:?}: {:?}", refusal(name))
        };
        assert_eq!(character, expected, "{name:?}");
    }
}

#[test]
fn one_script_passes_with_what_all_scripts_share() {
    for name in [
        "محمد 2026",
        "محمد ٢٠٢٦",
        "محـــمد!",
        "桜さくらサクラー",
        "김金",
        "ㄅㄆ漢",
        "Ольга-2",
        "Noor ★ 7",
        "ⵜⵉⴼⵉⵏⴰⵖ",
        "Ναι",
    ] {
        assert_eq!(refusal(name), None, "{name}");
    }
    for (name, expected) in [
        ("Nооr", 'о'),
        ("نور Noor", 'N'),
        ("Noor نور", 'ن'),
        ("さくらTaro", 'T'),
        ("김Kim", 'K'),
        ("Noor ٢", '٢'),
        ("ΑБ", 'Б'),
    ] {
        let Some(Refusal::Scripts { character, .. }) = refusal(name) else { panic!("{name:?} passes") };
        assert_eq!(character, expected, "{name:?}");
    }
}

#[test]
fn look_alikes_of_the_services_names_are_reserved() {
    for name in [
        "admin",
        "ADMIN",
        "AdMiN",
        "admlN",
        "aDM1N",
        "4 admin",
        "adm|n",
        "ạdmin",
        "𝐀𝐝𝐦𝐢𝐧",
        "ａｄｍｉｎ",
        "ADMINISTRATOR",
        "M0derator",
        "the moderator",
        "ΒΟΤ",
        "ВОТ",
        "Sharp-Bot",
        "bot steady 12",
        "deleted",
        "(deleted 2e3f01)",
        "[deleted]",
        "ESTlMATION",
        "Es.timation",
        "المُشرِف",
        "المدقق 2",
        "system.",
        "s y s t e m",
    ] {
        assert_eq!(refusal(name), Some(Refusal::Reserved), "{name}");
    }
    for name in
        ["Noor", "Botan", "Abbott", "System of a Up", "Deletedly", "Badminton", "Sharp", "7", "!!!", "مشرفة"]
    {
        assert_eq!(refusal(name), None, "{name}");
    }
    for level in [BotLevel::Easy, BotLevel::Steady, BotLevel::Sharp] {
        let level = serde_json::to_value(level).unwrap();
        assert_eq!(refusal(&format!("{} Bot", level.as_str().unwrap())), Some(Refusal::Reserved));
    }
    for name in ["بوت سهل", "بوت متزن", "بوت ماهر 2"] {
        assert_eq!(refusal(name), Some(Refusal::Reserved), "{name}");
    }
    for role in ["auditor", "admin"] {
        assert_eq!(refusal(&format!("Noor, {role}7")), Some(Refusal::Reserved));
    }
    for username in ["admin", "Adm1n", "ad.min", "moderator-2", "steady_bot"] {
        let refused = choose_username(username);
        assert!(matches!(refused, Err(NameFault { refusal: Refusal::Reserved, .. })), "{username}");
        // Existing accounts with a reserved name can sign in.
        assert_eq!(check_username(username), Ok(()));
    }
    // Only its owner sees a username, so its words may be reserved ones.
    assert!(choose_username("noor-admin-x").is_ok());
}

#[test]
fn lengths_are_those_of_the_normal_form() {
    assert_eq!(choose_display_name(&"e\u{301}".repeat(40)).unwrap(), "é".repeat(40));
    assert_eq!(choose_display_name(" \u{3000}Noor\u{a0}\u{2009}Ali ").unwrap(), "Noor Ali");
    // Compatibility characters, as in RFC 8266.
    assert_eq!(choose_display_name("Ｎｏｏｒ ①").unwrap(), "Noor 1");
    assert_eq!(choose_display_name("\u{fdfa}").unwrap(), "صلى الله عليه وسلم");
    for name in ["", "  \u{2003}", "x".repeat(41).as_str(), "x".repeat(1_000_000).as_str()] {
        assert!(matches!(refusal(name), Some(Refusal::DisplayNameLength { .. })), "{name}");
    }
}

/// Texts of misleading characters mixed with ordinary ones.
fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => any::<char>(),
        4 => prop::sample::select("Noor نور علی 27 ٢٧ Адмін さ桜 e\u{301}\u{302}\u{64e}\u{651}\u{20dd}".chars().collect::<Vec<_>>()),
        2 => prop::sample::select(vec!['\u{200c}', '\u{200d}', '\u{fe0f}', '\u{202e}', '\u{3164}', '\u{20e3}', '👩', '🚀', '1', 'ज', '\u{94d}', ' ', '\u{a0}']),
    ];
    prop_oneof![
        prop::collection::vec(character, 0..60).prop_map(|all| all.into_iter().collect()),
        prop::sample::select(vec!["admin", "Steady bot", "(deleted 2e3f01)", "Noor", "مُحَمَّد"])
            .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// An accepted name is in normal form and follows the rule.
    #[test]
    fn a_chosen_name_is_final(text in text()) {
        if let Ok(name) = choose_display_name(&text) {
            prop_assert_eq!(check_display_name(&name), Ok(()));
            prop_assert_eq!(&choose_display_name(&name).unwrap(), &name);
        }
    }

    /// A refusal names the character at its index, and that character is refused in any name.
    #[test]
    fn a_refusal_names_its_character(text in text()) {
        let name = normal(&text);
        if let Err(refusal) = check_display_name(&name)
            && let Some(place) = at(&refusal)
        {
            let character = name.chars().nth(place).expect("a character");
            prop_assert_eq!(refusal.character(), Some(format!("U+{:04X}", u32::from(character))));
            // The part before that character has no refused character.
            let before: String = name.chars().take(place).collect();
            let before = check_display_name(&before).err().and_then(|refusal| at(&refusal));
            prop_assert!(before.is_none_or(|before| before < place));
        }
    }

    /// No accepted name has a lone invisible, a bidirectional control, a tag, a private or an unassigned
    /// character.
    #[test]
    fn no_name_has_a_character_of_these(prefix in "[a-z]{0,5}", character in any::<char>(), suffix in "[a-z]{0,5}") {
        let never = |c: char| matches!(u32::from(c),
            0..0x20 | 0x7f..0xa0 | 0xad | 0x61c | 0x180e | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164
            | 0xe000..=0xf8ff | 0xfdd0..=0xfdef | 0xfe00..=0xfe0f | 0xfeff | 0xfff0..=0xfffc | 0xe0000..=0x10_ffff)
            || u32::from(c) & 0xfffe == 0xfffe;
        let name = format!("{prefix}{character}{suffix}");
        if never(character) {
            prop_assert!(refusal(&name).is_some(), "{:?}", name);
        }
    }

    /// No name has more than four nonspacing marks in a row, or one of them twice.
    #[test]
    fn marks_do_not_pile_up(base in prop::sample::select(vec!['x', 'م', 'ש', 'ज', 'မ']), marks in prop::collection::vec(prop::sample::select(marks()), 3..12)) {
        let name: String = std::iter::once(base).chain(marks).collect();
        if let Ok(name) = choose_display_name(&name) {
            let mut row = Vec::new();
            for character in name.chars() {
                match GeneralCategory::for_char(character) {
                    GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark => row.push(character),
                    _ => row.clear(),
                }
                prop_assert!(row.len() <= 4, "{:?}", name);
                prop_assert!((1..row.len()).all(|at| !row[..at].contains(&row[at])), "{:?}", name);
            }
        }
        let long = name.repeat(DISPLAY_NAME_LENGTH);
        prop_assert!(choose_display_name(&long).is_err());
    }

    /// A name in an isolate does not change the order of the text around it, from right to left or from left to right.
    #[test]
    fn a_name_does_not_spill_from_its_isolate(name in text(), before in "[a-zع 1(]{0,5}", after in "[a-zع 1)]{0,5}") {
        let around = |name: &str| {
            let text = format!("{before}\u{2068}{name}\u{2069}{after}");
            let info = BidiInfo::new(&text, None);
            let levels = |from: usize, to: usize| info.levels[from..to].to_vec();
            (info.paragraphs.len(), levels(0, before.len()), levels(text.len() - after.len(), text.len()))
        };
        if let Ok(name) = choose_display_name(&name) {
            prop_assert_eq!(around(&name), around("x"), "{:?}", name);
        }
    }

    /// Whatever surrounds a reserved title, and however its letters are marked and spaced, no name passes for it.
    #[test]
    fn no_name_looks_like_a_title(
        title in prop::sample::select(vec!["admin", "moderator", "auditor", "المشرف"]),
        cases in prop::collection::vec(any::<bool>(), 9),
        accents in prop::collection::vec(prop::sample::select(vec!["", "\u{301}", "\u{323}", "\u{64e}"]), 9),
        suffix in "[ .0-9]{0,3}",
    ) {
        let letters = title.chars().zip(cases).zip(accents);
        let name: String = letters
            .map(|((letter, upper), accent)| {
                let letter = if upper { letter.to_uppercase().to_string() } else { letter.to_string() };
                letter + accent
            })
            .collect();
        prop_assert!(choose_display_name(&(name.clone() + &suffix)).is_err(), "{:?}", name);
    }
}

fn marks() -> Vec<char> {
    (0..=0x1_ffff).filter_map(char::from_u32).filter(|&c| super::marks::is_mark(c)).collect()
}

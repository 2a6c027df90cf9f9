//! Accepted and refused names by rule, and properties of arbitrary texts.

use proptest::prelude::*;

use super::refusal::{Kind, Refusal};
use super::{
    DISPLAY_NAME_LENGTH, NameFault, check_display_name, check_username, choose_display_name, choose_username,
    shown,
};
use estimation_engine::player::{AccountId, BotLevel};
use estimation_store::accounts::StoredName;

fn account() -> AccountId {
    AccountId::new("019b7a00-0000-7000-8000-0000000000a1")
}

fn refusal(name: &str) -> Option<Refusal> {
    match choose_display_name(name) {
        Ok(_) => None,
        Err(NameFault { field: "display_name", refusal }) => Some(refusal),
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
fn a_name_is_at_most_twenty_ems_wide() {
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
    assert_eq!((times("\u{fdfd}", 2), times("\u{fdfd}", 40)), (None, Some(600)));
    assert_eq!((times("\u{2e3b}", 7), times("\u{1242b}", 5)), (Some(42), Some(50)));
    // A stored name stays as it is.
    let stored = StoredName::new("\u{fdfd}".repeat(40));
    assert_eq!(shown(&account(), &stored), "\u{fdfd}".repeat(40));
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
        ("a \u{20dd}", Kind::BareMark),
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
fn two_marks_pass_and_vowel_signs_of_a_script() {
    for name in [
        "x\u{301}\u{323}",
        "e\u{301}\u{301}\u{301}",
        "Nguyễn",
        "مُحَمَّد",
        "عَبْدُ ٱللَّٰهِ",
        "بِسْمِ ٱللَّٰهِ ٱلرَّحْمَٰنِ",
        "שָׁלוֹם",
        "יִשְׂרָאֵל",
        "ज़िंदगी",
        "လျှော့",
        "ผู้",
    ] {
        assert_eq!(refusal(name), None, "{name}");
    }
    for (name, expected) in [
        ("x\u{301}\u{302}\u{303}", '\u{303}'),
        ("e\u{301}\u{301}\u{301}\u{301}", '\u{301}'),
        ("م\u{64e}\u{64e}\u{64e}", '\u{64e}'),
        ("م\u{651}\u{64e}\u{653}", '\u{653}'),
        ("م\u{64b}\u{64c}\u{64d}\u{64e}\u{64f}\u{650}", '\u{650}'),
        ("x\u{488}\u{489}\u{20dd}", '\u{20dd}'),
    ] {
        let Some(Refusal::Marks { character, .. }) = refusal(name) else { panic!("{name:?} passes") };
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

    /// An accepted name is in normal form, follows the rule, and is shown unchanged.
    #[test]
    fn a_chosen_name_is_final(text in text()) {
        if let Ok(name) = choose_display_name(&text) {
            prop_assert_eq!(check_display_name(&name), Ok(()));
            prop_assert_eq!(&choose_display_name(&name).unwrap(), &name);
            prop_assert_eq!(shown(&account(), &StoredName::new(name.clone())), name);
        }
    }

    /// Any stored name is shown as one that follows the rule; a valid one is shown unchanged.
    #[test]
    fn whatever_is_stored_is_shown_by_the_rule(text in text()) {
        let name = shown(&account(), &StoredName::new(text.clone()));
        prop_assert_eq!(check_display_name(&name), Ok(()), "{:?} of {:?}", name, text);
        prop_assert_eq!(shown(&account(), &StoredName::new(name.clone())), name);
    }

    /// A refusal names the character at its index, and that character is refused in any name.
    #[test]
    fn a_refusal_names_its_character(text in text()) {
        let name = super::normal(&text);
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

    /// No letter has more than five marks, and no name more than forty characters.
    #[test]
    fn marks_do_not_pile_up(base in prop::sample::select(vec!['x', 'م', 'ש', 'ज', 'မ']), marks in prop::collection::vec(prop::sample::select(marks()), 3..12)) {
        let name: String = std::iter::once(base).chain(marks).collect();
        if let Ok(name) = choose_display_name(&name) {
            prop_assert!(name.chars().count() <= 1 + 5, "{:?}", name);
        }
        let long = name.repeat(DISPLAY_NAME_LENGTH);
        prop_assert!(choose_display_name(&long).is_err());
    }
}

fn marks() -> Vec<char> {
    (0..=0x1_ffff).filter_map(char::from_u32).filter(|&c| super::marks::is_mark(c)).collect()
}

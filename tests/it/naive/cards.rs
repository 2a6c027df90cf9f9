//! Cards as they are written, the packs they come from, and who wins a trick (common C1–C4, C8, nineteen R12).

use super::rules::Rules;

const RANKS: [&str; 13] = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
pub const SUITS: [&str; 4] = ["clubs", "diamonds", "hearts", "spades"];

/// The suit printed on a card; none on a joker.
pub fn printed_suit(card: &str) -> Option<&'static str> {
    match card {
        "RJ" | "BJ" => None,
        _ => SUITS.into_iter().find(|suit| suit[..1].eq_ignore_ascii_case(&card[card.len() - 1..])),
    }
}

/// 2‥14, and above them the jokers, red over black.
pub fn rank(card: &str) -> usize {
    match card {
        "RJ" => 16,
        "BJ" => 15,
        _ => 2 + RANKS.iter().position(|rank| *rank == &card[..card.len() - 1]).unwrap_or(0),
    }
}

/// All cards in play at a table.
pub fn pack(rules: &Rules) -> Vec<String> {
    let letters = ["H", "D", "C", "S"];
    let all = RANKS.iter().rev().flat_map(|rank| letters.map(|suit| format!("{rank}{suit}")));
    if rules.id != "nineteen" {
        return all.collect();
    }
    // The keep order: ranks from the ace down, hearts, diamonds, clubs, spades within a rank.
    let jokers = rules.number("jokers") as usize;
    let mut pack: Vec<String> = all.take(10 * rules.players + 1 - jokers).collect();
    pack.extend(["RJ", "BJ"].into_iter().take(jokers).map(String::from));
    pack
}

/// The suit a card belongs to in play: a joker is a trump; without a trump suit it belongs to none.
fn suit(card: &str, trump: &str) -> Option<&'static str> {
    printed_suit(card).or_else(|| SUITS.into_iter().find(|suit| *suit == trump))
}

/// Whether a held card may be played to a trick that began with `led`.
pub fn lawful(card: &str, hand: &[String], led: Option<&str>, trump: &str) -> bool {
    let Some(led_suit) = led.and_then(|led| suit(led, trump)) else {
        return true;
    };
    suit(card, trump) == Some(led_suit) || hand.iter().all(|held| suit(held, trump) != Some(led_suit))
}

/// Which of the cards, in the order played, wins the trick.
pub fn winning(plays: &[String], trump: &str) -> usize {
    let led = suit(&plays[0], trump);
    let strength = |card: &String| match suit(card, trump) {
        None => 1000,
        Some(suit) if suit == trump => 100 + rank(card),
        of if of == led => rank(card),
        Some(_) => 0,
    };
    let mut best = 0;
    for (index, card) in plays.iter().enumerate() {
        if strength(card) > strength(&plays[best]) {
            best = index;
        }
    }
    best
}

#[test]
fn packs_have_the_right_cards() {
    let low_end = |players, jokers| {
        let rules = Rules::new("nineteen", players, &serde_json::json!({ "jokers": jokers })).expect("rules");
        let pack = pack(&rules);
        assert_eq!(pack.len(), 10 * players + 1);
        pack[pack.len() - 2..].to_vec()
    };
    assert_eq!(low_end(2, 0), ["10S", "9H"]);
    assert_eq!(low_end(3, 0), ["7D", "7C"]);
    assert_eq!(low_end(4, 0), ["5S", "4H"]);
    assert_eq!(low_end(5, 0), ["2D", "2C"]);
    assert_eq!(low_end(4, 1), ["5S", "RJ"]);
    assert_eq!(low_end(4, 2), ["RJ", "BJ"]);
}

#[test]
fn a_joker_is_the_highest_trump() {
    let cards = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    assert_eq!(winning(&cards(&["AS", "BJ", "RJ", "2S"]), "spades"), 2);
    assert_eq!(winning(&cards(&["AS", "2H", "KS"]), "hearts"), 1);
    assert_eq!(winning(&cards(&["AS", "KH", "2S"]), "no_trump"), 0);
    assert!(!lawful("AC", &cards(&["AC", "RJ"]), Some("2S"), "spades"));
    assert!(!lawful("RJ", &cards(&["AC", "RJ"]), Some("2C"), "spades"));
}

#[test]
fn a_joker_without_trumps_belongs_nowhere_and_wins() {
    let cards = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    assert_eq!(winning(&cards(&["AS", "BJ", "2S"]), "no_trump"), 1);
    assert_eq!(winning(&cards(&["BJ", "AS", "2S"]), "no_trump"), 0);
    assert!(!lawful("BJ", &cards(&["BJ", "2S"]), Some("3S"), "no_trump"));
    assert!(lawful("BJ", &cards(&["BJ", "2H"]), Some("3S"), "no_trump"));
    assert!(lawful("2H", &cards(&["AS", "2H"]), Some("BJ"), "no_trump"));
}

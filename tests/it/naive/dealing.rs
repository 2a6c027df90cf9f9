//! The draw for seats, the cut, and what a deal must look like.

use super::cards::{SUITS, pack, printed_suit, rank};
use super::log::{Entry, Log};
use super::rules::{Part, Rules};
use serde_json::Value;

/// What the rules expect of the next deal.
pub struct Due {
    pub number: i64,
    pub attempt: i64,
    pub dealer: usize,
    pub first_speaker: usize,
    pub carry: i64,
}

/// The hands as dealt, and trump as far as the deal fixes it.
pub struct Deal {
    pub hands: Vec<Vec<String>>,
    pub trump: Option<String>,
}

/// A list of cards as text.
fn cards(entry: &Entry, list: &Value) -> Result<Vec<String>, String> {
    let list = list.as_array().ok_or_else(|| entry.wrong("cards are not a list"))?;
    list.iter()
        .map(|card| card.as_str().map(String::from).ok_or_else(|| entry.wrong(format!("{card} is no card"))))
        .collect()
}

/// The draw for seats in `plain`: the highest card chooses first, his seat deals. Returns the first dealer.
pub fn take_draw(log: &mut Log, rules: &Rules) -> Result<usize, String> {
    let drawn = log.take("seats_drawn")?;
    drawn.must_be_servers()?;
    let cards = cards(&drawn, &drawn.body["cards"])?;
    let pack = pack(rules);
    let mut places: Vec<usize> = (0..4).collect();
    let strength = |place: &usize| (rank(&cards[*place]), printed_suit(&cards[*place]));
    if cards.len() != 4 || cards.iter().any(|card| !pack.contains(card)) {
        return Err(drawn.wrong("four cards of the pack are drawn"));
    }
    // The suits' names happen to be in the order of their rank.
    places.sort_by(|a, b| strength(b).cmp(&strength(a)));
    if places.windows(2).any(|two| cards[two[0]] == cards[two[1]]) {
        return Err(drawn.wrong("one card was drawn twice"));
    }
    let mut taken: Vec<usize> = Vec::new();
    for (turn, &place) in places.iter().enumerate() {
        let chosen = log.take("seat_chosen")?;
        if turn < 3 {
            chosen.must_be_by_place(place)?;
        } else {
            chosen.must_be_servers()?;
            chosen.must_say("place", place)?;
        }
        let seat = chosen.number("seat")? as usize;
        if seat > 3 || taken.contains(&seat) {
            return Err(chosen.wrong(format!("seat {seat} is not free")));
        }
        taken.push(seat);
    }
    Ok(taken[0])
}

/// The cut before a deal in `plain`, by the player on the dealer's right.
pub fn take_cut(log: &mut Log, cutter: usize) -> Result<(), String> {
    let cut = log.take("deck_cut")?;
    cut.must_be_by(cutter)?;
    match cut.number("position")? {
        1..=51 => Ok(()),
        position => Err(cut.wrong(format!("cut at {position}"))),
    }
}

/// The deal: who deals and speaks, how many cards, which trump, and every card exactly once.
pub fn take_deal(log: &mut Log, rules: &Rules, due: &Due) -> Result<Deal, String> {
    let dealt = log.take("round_dealt")?;
    dealt.must_be_servers()?;
    let part = rules.part(due.number);
    let hand_size = rules.hand_size(due.number);
    dealt.must_say("round", due.number)?;
    dealt.must_say("attempt", due.attempt)?;
    dealt.must_say("hand_size", hand_size)?;
    dealt.must_say("dealer", due.dealer)?;
    dealt.must_say("first_speaker", due.first_speaker)?;
    dealt.must_say("carry", due.carry)?;
    dealt.must_say(
        "kind",
        match part {
            Part::Indicator => "indicator",
            Part::Auction => "auction",
            Part::Fast => "fast",
        },
    )?;
    if dealt.text("salt")?.is_empty() {
        return Err(dealt.wrong("the salt is empty"));
    }

    let hands: Vec<Vec<String>> =
        dealt.list("hands")?.iter().map(|hand| cards(&dealt, hand)).collect::<Result<_, _>>()?;
    if hands.len() != rules.players || hands.iter().any(|hand| hand.len() as i64 != hand_size) {
        return Err(dealt.wrong(format!("not {} hands of {hand_size}", rules.players)));
    }
    let mut out: Vec<&str> = hands.iter().flatten().map(String::as_str).collect();
    let trump = match part {
        Part::Indicator => {
            let indicator = dealt.text("indicator")?;
            out.push(indicator);
            Some(printed_suit(indicator).unwrap_or("no_trump"))
        }
        Part::Auction => None,
        Part::Fast => Some(rules.fast_trump(due.number)),
    };
    if part != Part::Indicator {
        dealt.must_say("indicator", Value::Null)?;
    }
    dealt.must_say("trump", trump)?;

    let pack = pack(rules);
    for (index, card) in out.iter().enumerate() {
        if !pack.iter().any(|known| known == card) {
            return Err(dealt.wrong(format!("{card} is not in the pack")));
        }
        if out[..index].contains(card) {
            return Err(dealt.wrong(format!("{card} was dealt twice")));
        }
    }
    Ok(Deal { hands, trump: trump.map(String::from) })
}

/// Whether a hand lacks a suit.
pub fn lacks_a_suit(hand: &[String]) -> bool {
    SUITS.iter().any(|suit| hand.iter().all(|card| printed_suit(card) != Some(suit)))
}

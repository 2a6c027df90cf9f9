//! Searches everything that clients received during a game for secrets: unplayed cards of other players, the
//! salts, the server's seed.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use super::playthrough::Heard;
use crate::prelude::*;

/// The secrets of a game, read from its complete record.
pub struct Secrets {
    positions: Vec<Cards>,
    seats: HashMap<usize, usize>,
    /// Salts and the seed in hexadecimal digits.
    texts: Vec<String>,
    /// Finds the first characters of each secret, in every encoding.
    beginnings: AhoCorasick,
    /// The cards of revokes. They stay on the score sheet after their deal.
    revoked: Vec<Value>,
}

#[derive(Clone, Default)]
struct Cards {
    hands: Vec<BTreeSet<String>>,
    public: BTreeSet<String>,
}

impl Secrets {
    pub fn of(events: &[Value]) -> Secrets {
        let mut positions = vec![Cards::default()];
        let (mut seats, mut digits, mut revoked) = (HashMap::new(), Vec::new(), Vec::new());
        let mut cards = Cards::default();
        for body in events.iter().map(|event| &event["event"]) {
            match body["type"].as_str().expect("a type") {
                "game_started" => {
                    let players = body["start"]["players"].as_array().expect("players").len();
                    seats = (0..players).map(|place| (place, place)).collect();
                }
                "seat_chosen" => {
                    let number = |field: &str| body[field].as_u64().expect("a number") as usize;
                    seats.insert(number("place"), number("seat"));
                }
                "seats_drawn" => cards.public.extend(texts(&body["cards"])),
                "round_dealt" => {
                    let deal = &body["deal"];
                    let hands = deal["hands"].as_array().expect("hands");
                    cards.hands = hands.iter().map(|hand| texts(&hand["cards"]).collect()).collect();
                    cards.public = texts(&deal["indicator"]).collect();
                    digits.push(deal["salt"].as_str().expect("a salt"));
                }
                "revoked" => revoked.push(body["card"].clone()),
                "card_played" => cards.public.extend(texts(&body["card"])),
                "game_finished" => digits.push(body["result"]["server_seed"].as_str().expect("a seed")),
                _ => {}
            }
            positions.push(cards.clone());
        }
        let beginnings =
            AhoCorasick::new(digits.iter().flat_map(|digits| beginnings(digits))).expect("a search");
        let texts = digits.into_iter().map(str::to_owned).collect();
        Secrets { positions, seats, texts, beginnings, revoked }
    }

    fn in_text<'a>(&self, text: &'a str) -> Option<&'a str> {
        self.beginnings.find(text).map(|found| &text[found.range()])
    }

    /// How many cards an answer names, or which of them its listener must not know.
    pub fn look_through(&self, heard: &Heard) -> Result<usize, String> {
        let Heard { listener, version, answer } = heard;
        let headers: Vec<&str> = answer.headers.values().filter_map(|value| value.to_str().ok()).collect();
        let said = headers.iter().copied().chain([answer.body.as_str()]);
        if let Some(secret) = said.filter_map(|text| self.in_text(text)).next() {
            return Err(format!("{answer}\nholds the secret {secret}…"));
        }
        let mut look = Look { secrets: self, seat: self.seats.get(listener).copied(), answer, named: 0 };
        look.value(&answer.json(), *version)?;
        for header in headers {
            look.text(header, *version)?;
        }
        Ok(look.named)
    }

    /// The cards that only this seat knows at a version.
    pub fn held_by(&self, seat: usize, version: u64) -> Vec<String> {
        let cards = &self.positions[version as usize];
        cards.hands[seat].difference(&cards.public).cloned().collect()
    }

    pub fn seat_of(&self, place: usize) -> Option<usize> {
        self.seats.get(&place).copied()
    }

    pub fn texts(&self) -> &[String] {
        &self.texts
    }
}

/// How secret bytes might begin in a text: in hexadecimal or base64.
fn beginnings(digits: &str) -> [String; 4] {
    let bytes = hex::decode(digits).expect("hexadecimal digits");
    let spellings =
        [digits.to_owned(), digits.to_uppercase(), STANDARD.encode(&bytes), URL_SAFE.encode(&bytes)];
    spellings.map(|text| text[..BEGINNING].to_owned())
}

struct Look<'a> {
    secrets: &'a Secrets,
    seat: Option<usize>,
    answer: &'a Answer,
    named: usize,
}

impl Look<'_> {
    /// Checks a body. A card in an event is checked at that event, a card in a view at its version, and any
    /// other card at the time of the answer.
    fn value(&mut self, value: &Value, version: u64) -> Result<(), String> {
        match value {
            Value::String(text) => self.text(text, version),
            Value::Number(number) => self.number(number.as_u64().unwrap_or(0), version),
            Value::Array(items) => items.iter().try_for_each(|item| self.value(item, version)),
            Value::Object(fields) => {
                let at = match (fields.get("seq"), fields.get("event"), fields.get("head")) {
                    (Some(seq), Some(_), _) => seq.as_u64(),
                    (_, _, Some(head)) => head["seq"].as_u64(),
                    _ => None,
                };
                let version = at.unwrap_or(version);
                fields.iter().try_for_each(|(name, value)| {
                    self.text(name, version)?;
                    if name == "penalties" { self.penalties(value) } else { self.value(value, version) }
                })
            }
            Value::Null | Value::Bool(_) => Ok(()),
        }
    }

    fn penalties(&self, penalties: &Value) -> Result<(), String> {
        let mut cards = penalties.as_array().into_iter().flatten().map(|penalty| &penalty["card"]);
        match cards.find(|card| !self.secrets.revoked.contains(card)) {
            None => Ok(()),
            Some(card) => Err(format!("{}\nhas a penalty for {card}", self.answer)),
        }
    }

    fn text(&mut self, text: &str, version: u64) -> Result<(), String> {
        let words = text.split(|sign: char| !sign.is_ascii_alphanumeric());
        for card in words.filter(|word| is_card(word)) {
            self.named += 1;
            let cards = &self.secrets.positions[version as usize];
            let own =
                self.seat.is_some_and(|seat| cards.hands.get(seat).is_some_and(|hand| hand.contains(card)));
            // A refusal may name the card of the request.
            let asked = self.answer.status >= 400
                && self.answer.sent.as_ref().is_some_and(|sent| sent["card"] == card);
            if !own && !cards.public.contains(card) && !asked {
                return Err(format!("{}\ntells of {card} at version {version}", self.answer));
            }
        }
        Ok(())
    }

    /// A hand might leak as the bit set that represents it in memory.
    fn number(&self, number: u64, version: u64) -> Result<(), String> {
        if number < SMALL {
            return Ok(());
        }
        let cards = &self.secrets.positions[version as usize];
        for (seat, hand) in cards.hands.iter().enumerate() {
            let held: BTreeSet<String> = hand.difference(&cards.public).cloned().collect();
            let hidden = held.len() > 1 && Some(seat) != self.seat;
            if hidden && [hand, &held].iter().any(|set| bits(*set) == number) {
                return Err(format!("{}\nholds the hand of seat {seat} as {number}", self.answer));
            }
        }
        Ok(())
    }
}

fn texts(value: &Value) -> impl Iterator<Item = String> {
    let items = match value {
        Value::Array(items) => items.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    items.into_iter().map(|card| card.as_str().expect("a card").to_owned())
}

/// The length of a prefix that identifies a secret.
const BEGINNING: usize = 16;

/// Smaller numbers may be anything: a version, a count.
pub const SMALL: u64 = 100_000;

const RANKS: [&str; 13] = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const SUITS: [&str; 4] = ["C", "D", "H", "S"];

fn is_card(word: &str) -> bool {
    let suited = word.len() > 1
        && word.is_char_boundary(word.len() - 1)
        && RANKS.contains(&&word[..word.len() - 1])
        && SUITS.contains(&&word[word.len() - 1..]);
    suited || matches!(word, "RJ" | "BJ")
}

pub fn bits<'a>(cards: impl IntoIterator<Item = &'a String>) -> u64 {
    let index = |card: &String| match card.as_str() {
        "RJ" => 52,
        "BJ" => 53,
        _ => {
            let (rank, suit) = card.split_at(card.len() - 1);
            let rank = RANKS.iter().position(|known| *known == rank).expect("a rank");
            13 * SUITS.iter().position(|known| *known == suit).expect("a suit") + rank
        }
    };
    cards.into_iter().map(|card| 1 << index(card)).sum()
}

//! Golden games: one of each ruleset as readable text, compared on every run.
//!
//! The games are random legal play under a fixed seed. `UPDATE_GOLDEN=1 cargo test golden` writes them
//! anew; the difference is then a matter for review.

use std::fmt::Write;
use std::path::PathBuf;

use estimation::engine::card::Trump;
use estimation::engine::card_set::CardSet;
use estimation::engine::event::{Event, RoundDealt, RoundScored};
use estimation::engine::ruleset::{Ruleset, RulesetId};
use estimation::engine::score::{Call, Line, Lines};
use estimation::engine::seat::BySeat;

use super::{Random, Table};

#[test]
fn nineteen_is_played_as_ever() {
    compare(RulesetId::Nineteen);
}

#[test]
fn squares_is_played_as_ever() {
    compare(RulesetId::Squares);
}

#[test]
fn kabooot_is_played_as_ever() {
    compare(RulesetId::Kabooot);
}

#[test]
fn plain_is_played_as_ever() {
    compare(RulesetId::Plain);
}

#[test]
fn double_risk_is_played_as_ever() {
    compare(RulesetId::DoubleRisk);
}

fn compare(id: RulesetId) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{id}.txt"));
    let mut table = Table::start(Ruleset::preset(id), 1900);
    table.play_until(&mut Random(1900), |_| false);
    let text = written(&table);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for (index, (line, expected)) in text.lines().zip(golden.lines()).enumerate() {
        assert_eq!(line, expected, "{id}, line {}", index + 1);
    }
    assert_eq!(text, golden, "{id}");
}

/// A game as text: the settings, then every deal, call, trick and score.
fn written(table: &Table) -> String {
    let rules = table.game.rules();
    let mut text = format!("{} · {} players\n", rules.id, rules.players);
    for (option, value) in rules.options() {
        writeln!(text, "  {option} {}", serde_json::to_string(&value).unwrap()).unwrap();
    }
    let mut trick = String::new();
    for (_, event) in &table.record {
        match event {
            Event::CardPlayed { seat, card } => write!(trick, " {seat}:{card}").unwrap(),
            Event::TrickTaken { seat } => {
                writeln!(text, "  trick {} -> {seat}", trick.trim_start()).unwrap();
                trick.clear();
            }
            Event::RoundDealt(dealt) => text += &deal(dealt),
            Event::RoundScored(scored) => text += &score(scored),
            event => text += &said(event),
        }
    }
    text
}

fn deal(dealt: &RoundDealt) -> String {
    let mut text = format!("\nround {}", dealt.round);
    if dealt.attempt > 1 {
        write!(text, ", attempt {}", dealt.attempt).unwrap();
    }
    write!(text, ": seat {} deals, seat {} speaks first", dealt.dealer, dealt.first_speaker).unwrap();
    if let Some(trump) = dealt.trump {
        write!(text, ", trump {}", name(trump)).unwrap();
    }
    if let Some(card) = dealt.indicator {
        write!(text, " by {card}").unwrap();
    }
    writeln!(text, ", carry {}", dealt.carry).unwrap();
    for (seat, hand) in dealt.hands.iter() {
        writeln!(text, "  hand {seat} {}", hand_of(*hand)).unwrap();
    }
    text
}

fn said(event: &Event) -> String {
    match event {
        Event::SeatsDrawn { cards } => {
            let drawn: Vec<String> = cards.iter().map(|(place, card)| format!("{place}:{card}")).collect();
            format!("\nplaces draw {}\n", drawn.join(" "))
        }
        Event::SeatChosen { place, seat } => format!("  place {} takes seat {seat}\n", place.index()),
        Event::DeckCut { seat, position } => format!("\nseat {seat} cuts at {position}\n"),
        Event::AvoidDeclared { seat } => format!("  {seat} avoids\n"),
        Event::RedealCalled { seat } => format!("  {seat} calls for a redeal\n"),
        Event::BlindDashed { seat } => format!("  {seat} dashes blind\n"),
        Event::AuctionEntered { seat } => format!("  {seat} enters the auction\n"),
        Event::BidMade { seat, tricks, trump } => format!("  {seat} bids {tricks} {}\n", name(*trump)),
        Event::Passed { seat } => format!("  {seat} passes\n"),
        Event::DashCalled { seat } => format!("  {seat} calls a dash\n"),
        Event::AuctionWon { seat, tricks, trump } => {
            format!("  {seat} wins the auction with {tricks} {}\n", name(*trump))
        }
        Event::AuctionVoid {} => "  nobody bids: dealt again\n".to_owned(),
        Event::RoundFolded {} => "  nobody bids: folded\n".to_owned(),
        Event::EstimateMade { seat, tricks, trump } => {
            let naming = trump.map_or_else(String::new, |trump| format!(" naming {}", name(trump)));
            format!("  {seat} says {tricks}{naming}\n")
        }
        Event::TrumpChanged { seat, trump } => format!("  {seat} makes {} trump\n", name(*trump)),
        Event::PlayBegan { leader } => format!("  {leader} leads\n"),
        Event::GameFinished(finished) => {
            let standing = |(_, standing): (_, &estimation::engine::event::Standing)| {
                format!("  {}. seat {} with {}\n", standing.rank, standing.seat, standing.total)
            };
            finished.standings.iter().map(standing).fold("\nstandings\n".to_owned(), |all, one| all + &one)
        }
        Event::GameCreated(_) | Event::PlayerJoined { .. } | Event::GameStarted(_) => String::new(),
        other => panic!("the golden games have no {other:?}"),
    }
}

fn score(scored: &RoundScored) -> String {
    let mut text = format!("  multiplier {}", scored.multiplier);
    for (role, seat) in [("bidder", scored.bidder), ("risk", scored.risk)] {
        if let Some(seat) = seat {
            write!(text, ", {role} {seat}").unwrap();
        }
    }
    for seat in scored.withs.iter() {
        write!(text, ", with {seat}").unwrap();
    }
    writeln!(text, ", next carry {}", scored.next_carry).unwrap();
    for (seat, lines) in scored.lines.iter() {
        let call = scored.calls[seat].map_or("no call".to_owned(), called);
        let (tricks, points, total) = (scored.tricks[seat], scored.points[seat], scored.totals[seat]);
        writeln!(
            text,
            "  score {seat} {call}, takes {tricks}: {points} = {}; total {total}",
            reckoned(lines)
        )
        .unwrap();
    }
    assert_eq!(scored.points, BySeat::from_fn(scored.points.players(), |seat| scored.lines[seat].worth()));
    text
}

fn called(call: Call) -> String {
    format!("{} {}", serde_json::to_value(call.kind).unwrap().as_str().unwrap(), call.tricks)
}

fn reckoned(lines: &Lines) -> String {
    let reason = |reason| serde_json::to_value(reason).unwrap().as_str().unwrap().to_owned();
    let written = lines.iter().map(|line| match *line {
        Line::Points { reason: why, points } => format!("{} {points:+}", reason(why)),
        Line::Factor { reason: why, factor } => format!("{} x{factor}", reason(why)),
    });
    written.collect::<Vec<_>>().join(", ")
}

fn name(trump: Trump) -> String {
    serde_json::to_value(trump).unwrap().as_str().unwrap().replace('_', " ")
}

fn hand_of(hand: CardSet) -> String {
    hand.iter().map(|card| card.to_string()).collect::<Vec<_>>().join(" ")
}

//! The walk through a whole game: who deals, what follows what, what every round is worth, who won.

use super::bidding::{Calls, take_auction, take_early_dashes, take_estimates, take_void_check};
use super::dealing::{Due, take_cut, take_deal, take_draw};
use super::log::{Entry, Log};
use super::play::{Played, take_play};
use super::rules::{Part, Rules, TRUMPS};
use super::score::{Call, Kind, Round, score};
use serde_json::{Value, json};

/// Recomputes a finished game from its complete record: the envelopes as the history gives them.
///
/// Returns the totals by seat, or what is wrong and at which sequence number.
pub fn referee(events: &[Value]) -> Result<Vec<i64>, String> {
    let mut log = Log::open(events)?;
    let created = log.take("game_created")?;
    let rules = Rules::of_game(&created.body["ruleset"]).map_err(|what| created.wrong(what))?;
    let started = log.take_lobby()?;
    if started.list("players")?.len() != rules.players {
        return Err(started.wrong(format!("not {} players", rules.players)));
    }
    let dealer = match rules.id.as_str() {
        "plain" if rules.is("seating", "draw") => take_draw(&mut log, &rules)?,
        "plain" => 3,
        _ => 0,
    };
    let mut table =
        Table { totals: vec![0; rules.players], rules, carry: 1, plain_dealer: dealer, last_bidder: 0 };
    for number in 1..=table.rules.rounds() {
        let mut attempt = 1;
        while !table.take_attempt(&mut log, number, attempt)? {
            attempt += 1;
        }
    }
    table.take_end(&mut log)?;
    log.close()?;
    Ok(table.totals)
}

/// What is carried from round to round.
struct Table {
    rules: Rules,
    totals: Vec<i64>,
    carry: i64,
    /// The dealer of `plain`, whose deal moves with every deal that is not merely shuffled again.
    plain_dealer: usize,
    /// The seat that was bidder last; seat 0 before there was one.
    last_bidder: usize,
}

impl Table {
    /// Dealer and first speaker of a round.
    fn positions(&self, number: i64) -> (usize, usize) {
        let rules = &self.rules;
        let first = match rules.id.as_str() {
            "plain" => rules.seat(self.plain_dealer, 1),
            "nineteen" => rules.seat(0, number),
            _ if rules.is("starter_rotation", "fixed") => 0,
            _ if rules.is("starter_rotation", "previous_bidder") => self.last_bidder,
            _ => rules.seat(0, number - 1),
        };
        (rules.seat(first, -1), first)
    }

    /// One deal and what comes of it. False when the same round is dealt again.
    fn take_attempt(&mut self, log: &mut Log, number: i64, attempt: i64) -> Result<bool, String> {
        let rules = self.rules.clone();
        let part = rules.part(number);
        let (dealer, first_speaker) = self.positions(number);
        if rules.on("cut") {
            take_cut(log, first_speaker)?;
        }
        let due = Due { number, attempt, dealer, first_speaker, carry: self.carry };
        let deal = take_deal(log, &rules, &due)?;
        if take_void_check(log, &rules, first_speaker, part, &deal)? {
            return Ok(false);
        }

        let mut calls = Calls::none(&rules);
        if part == Part::Auction {
            take_early_dashes(log, &rules, first_speaker, &mut calls)?;
            take_auction(log, &rules, first_speaker, &mut calls)?;
            if calls.won.is_none() && rules.id == "squares" {
                self.take_score(log, number, first_speaker, calls.calls, vec![0; 4], true)?;
                return Ok(true);
            }
            if calls.won.is_none() {
                self.plain_dealer = rules.seat(self.plain_dealer, 1);
                return Ok(false);
            }
        }
        let trump = match calls.won {
            Some((_, (_, suit))) => TRUMPS[suit].to_string(),
            None => deal.trump.unwrap_or_default(),
        };
        let trump = take_estimates(log, &rules, number, first_speaker, &trump, &mut calls)?;

        let leader = self.leader(number, first_speaker, &calls.calls);
        let began = log.take("play_began")?;
        began.must_be_servers()?;
        began.must_say("leader", leader)?;
        match take_play(log, &rules, deal.hands, &trump, leader)? {
            Played::Out(tricks) => {
                self.take_score(log, number, first_speaker, calls.calls, tricks, false)?;
                self.plain_dealer = rules.seat(self.plain_dealer, 1);
                Ok(true)
            }
            Played::Revoked(seat, cost) => {
                self.totals[seat] += cost;
                Ok(false)
            }
        }
    }

    /// Who leads the first trick.
    fn leader(&self, number: i64, first_speaker: usize, calls: &[Option<Call>]) -> usize {
        let rules = &self.rules;
        let declarer = calls.iter().position(|call| call.is_some_and(|call| call.kind == Kind::Bid));
        match rules.id.as_str() {
            "nineteen" => rules.seat(first_speaker, 1),
            "plain" if rules.is("first_lead", "dealers_right") => first_speaker,
            "plain" => declarer.unwrap_or(first_speaker),
            _ => {
                // The bidder; in a fast round the first to reach the highest number, be it 0 for all.
                let said = |seat: &usize| calls[*seat].map_or(0, |call| call.tricks);
                let order = rules.calling_order(first_speaker);
                let highest = order.iter().map(said).max();
                let fast = rules.part(number) == Part::Fast;
                let reached = order.iter().copied().find(|seat| fast && Some(said(seat)) == highest);
                declarer.or(reached).unwrap_or(first_speaker)
            }
        }
    }

    /// The score of a round, compared line by line with ours.
    fn take_score(
        &mut self,
        log: &mut Log,
        number: i64,
        first_speaker: usize,
        calls: Vec<Option<Call>>,
        tricks: Vec<i64>,
        folded: bool,
    ) -> Result<(), String> {
        let entry = log.take("round_scored")?;
        entry.must_be_servers()?;
        let round =
            Round { rules: &self.rules, number, carry: self.carry, first_speaker, calls, tricks, folded };
        let ours = score(&round);
        for (total, points) in self.totals.iter_mut().zip(&ours.points) {
            *total += points;
        }
        let calls: Vec<Value> = round.calls.iter().map(|call| call.map_or(Value::Null, written)).collect();
        entry.must_say("round", number)?;
        entry.must_say("calls", calls)?;
        entry.must_say("tricks", round.tricks.clone())?;
        entry.must_say("bidder", ours.bidder)?;
        entry.must_say("risk", ours.risk)?;
        let mut withs: Vec<Option<u64>> = entry.list("withs")?.iter().map(Value::as_u64).collect();
        withs.sort();
        if withs != ours.withs.iter().map(|&seat| Some(seat as u64)).collect::<Vec<_>>() {
            return Err(entry.wrong(format!("withs are {withs:?}, the rules say {:?}", ours.withs)));
        }
        entry.must_say("multiplier", ours.multiplier)?;
        entry.must_say("next_carry", ours.next_carry)?;
        entry.must_say("points", ours.points.clone())?;
        entry.must_say("totals", self.totals.clone())?;
        check_lines(&entry, &ours.points)?;
        self.carry = ours.next_carry;
        self.last_bidder = ours.bidder.unwrap_or(self.last_bidder);
        Ok(())
    }

    /// The final standings: level players share the place, 1, 1, 3, 4.
    fn take_end(&self, log: &mut Log) -> Result<(), String> {
        let end = log.take("game_finished")?;
        end.must_be_servers()?;
        let standings = end.list("standings")?;
        if standings.len() != self.rules.players {
            return Err(end.wrong("the standings do not name every player once"));
        }
        for (seat, &total) in self.totals.iter().enumerate() {
            let lowest_wins = self.rules.id == "nineteen";
            let better = |&&other: &&i64| if lowest_wins { other < total } else { other > total };
            let rank = 1 + self.totals.iter().filter(better).count();
            let ours = json!({ "seat": seat, "total": total, "rank": rank });
            if !standings.contains(&ours) {
                return Err(end.wrong(format!("the standings lack {ours}")));
            }
        }
        Ok(())
    }
}

/// A call as the score event writes it.
fn written(call: Call) -> Value {
    let kind = match call.kind {
        Kind::Bid => "bid",
        Kind::Estimate => "estimate",
        Kind::DashCall => "dash_call",
        Kind::BlindDash => "blind_dash",
    };
    json!({ "kind": kind, "tricks": call.tricks })
}

/// The printed lines of every seat must add up: the sum of the points times the product of the factors.
fn check_lines(entry: &Entry, points: &[i64]) -> Result<(), String> {
    let seats = entry.list("lines")?;
    if seats.len() != points.len() {
        return Err(entry.wrong("the lines are not one list per seat"));
    }
    for (seat, lines) in seats.iter().enumerate() {
        let lines = lines.as_array().ok_or_else(|| entry.wrong("a seat's lines are not a list"))?;
        let sum: i64 = lines.iter().filter_map(|line| line["points"].as_i64()).sum();
        let product: i64 = lines.iter().filter_map(|line| line["factor"].as_i64()).product();
        if lines.iter().any(|line| line["reason"].as_str().is_none()) {
            return Err(entry.wrong(format!("a line of seat {seat} has no reason")));
        }
        if sum * product != points[seat] {
            return Err(
                entry.wrong(format!("seat {seat}'s lines make {sum} × {product}, not {}", points[seat]))
            );
        }
    }
    Ok(())
}

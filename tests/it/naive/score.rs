//! The price of one round, straight from the score tables of the five rule pages.

use super::rules::{Part, Rules};

/// How a call came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Bid,
    Estimate,
    DashCall,
    BlindDash,
}

/// A number of tricks a player is bound to, and how it was said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    pub kind: Kind,
    pub tricks: i64,
}

/// One round as it ended: who called what, who took what.
pub struct Round<'a> {
    pub rules: &'a Rules,
    pub number: i64,
    /// The multiplier inherited from the void rounds before; 1 where nothing is carried.
    pub carry: i64,
    /// The first to speak; in `nineteen` the dealer's next seat.
    pub first_speaker: usize,
    pub calls: Vec<Option<Call>>,
    pub tricks: Vec<i64>,
    pub folded: bool,
}

/// What the rules make of a round.
#[derive(PartialEq, Eq, Debug)]
pub struct Scored {
    pub points: Vec<i64>,
    pub bidder: Option<usize>,
    pub withs: Vec<usize>,
    pub risk: Option<usize>,
    pub total: i64,
    pub multiplier: i64,
    pub next_carry: i64,
}

/// A player's standing in the round, as the score tables look at it.
struct Player {
    call: i64,
    tricks: i64,
    kind: Kind,
    made: bool,
    bidder: bool,
    with: bool,
    risk: bool,
    only: bool,
}

impl Player {
    fn off(&self) -> i64 {
        (self.call - self.tricks).abs()
    }

    /// `points` with the sign of the outcome.
    fn signed(&self, points: i64) -> i64 {
        if self.made { points } else { -points }
    }
}

/// Prices a round. The round must be [`possible`](super::possible()).
pub fn score(round: &Round) -> Scored {
    let rules = round.rules;
    let roles = Roles::of(round);
    let total: i64 = round.calls.iter().flatten().map(|call| call.tricks).sum();
    let mut multiplier = round.carry;
    if rules.id == "squares" {
        if round.number == 13 && rules.is("length", "full") {
            multiplier *= 2;
        }
        if roles.withs.len() >= 2 {
            multiplier *= 2;
        }
    }
    let made: Vec<bool> = round
        .calls
        .iter()
        .zip(&round.tricks)
        .map(|(call, &tricks)| !round.folded && call.is_some_and(|call| call.tricks == tricks))
        .collect();
    let winners = made.iter().filter(|&&made| made).count();
    let streaks = rules.among(&["squares", "kabooot", "double-risk"]);
    let void = streaks && winners == 0;

    let players: Vec<Player> = (0..rules.players)
        .map(|seat| {
            let call = round.calls[seat].unwrap_or(Call { kind: Kind::Estimate, tricks: 0 });
            Player {
                call: call.tricks,
                tricks: round.tricks[seat],
                kind: call.kind,
                made: made[seat],
                bidder: roles.bidder == Some(seat),
                with: roles.withs.contains(&seat),
                risk: roles.risk == Some(seat),
                only: if made[seat] { winners == 1 } else { winners + 1 == rules.players },
            }
        })
        .collect();
    let kabooot = players.iter().any(|player| player.call == 13 && player.made);
    let points = players
        .iter()
        .map(|player| match rules.id.as_str() {
            _ if void || round.folded => 0,
            "nineteen" => nineteen(player, rules.hand_size(round.number)),
            "squares" => squares(player, rules, total) * multiplier,
            "kabooot" => kabooot_line(player, rules, total, round.number, kabooot) * multiplier,
            "double-risk" => double_risk(player, rules, total) * multiplier,
            _ => plain(player),
        })
        .collect();
    let next_carry = match () {
        () if !void => 1,
        () if rules.is("carry_ladder", "double") => round.carry * 2,
        () if rules.is("carry_ladder", "flat") => 2,
        () => round.carry + 1,
    };
    Scored {
        points,
        bidder: roles.bidder,
        withs: roles.withs,
        risk: roles.risk,
        total,
        multiplier,
        next_carry,
    }
}

/// Who is bidder, With and Risk.
pub struct Roles {
    pub bidder: Option<usize>,
    pub withs: Vec<usize>,
    pub risk: Option<usize>,
}

impl Roles {
    /// Reads the roles off the calls.
    pub fn of(round: &Round) -> Roles {
        let rules = round.rules;
        if rules.id == "nineteen" || round.folded {
            return Roles { bidder: None, withs: Vec::new(), risk: None };
        }
        let fast = rules.part(round.number) == Part::Fast;
        let number = |seat: usize| round.calls[seat].map_or(0, |call| call.tricks);
        let order = rules.calling_order(round.first_speaker);
        let bidder = match fast {
            false => (0..4).find(|&seat| round.calls[seat].is_some_and(|call| call.kind == Kind::Bid)),
            true if rules.id == "plain" => None,
            true => {
                let highest = order.iter().map(|&seat| number(seat)).max().unwrap_or(0);
                order.iter().copied().find(|&seat| highest > 0 && number(seat) == highest)
            }
        };
        let knows_withs = rules.among(&["squares", "double-risk"]) || rules.id == "kabooot" && !fast;
        let withs = match bidder {
            Some(bidder) if knows_withs => {
                (0..4).filter(|&seat| seat != bidder && number(seat) == number(bidder)).collect()
            }
            _ => Vec::new(),
        };
        let dashed: Vec<bool> = round
            .calls
            .iter()
            .map(|call| call.is_some_and(|call| matches!(call.kind, Kind::DashCall | Kind::BlindDash)))
            .collect();
        let last = match bidder {
            _ if fast => order.last().copied(),
            Some(bidder) => rules.estimators(bidder, &dashed).last().copied(),
            None => None,
        };
        Roles { bidder, withs, risk: last.filter(|_| rules.bars_total()) }
    }
}

/// `nineteen`: nothing for a hit, else the hand and the larger of the two numbers.
fn nineteen(player: &Player, hand_size: i64) -> i64 {
    if player.made { 0 } else { hand_size + player.tricks.max(player.call) }
}

/// `plain`: the tricks or minus the difference.
fn plain(player: &Player) -> i64 {
    if player.made { player.tricks } else { -player.off() }
}

/// The level of the Risk in `squares` and `kabooot`.
fn level(rules: &Rules, total: i64) -> i64 {
    let d = (total - 13).abs();
    let steps = if rules.is("risk_ladder", "from_two") { d / 2 } else { (d + 1) / 2 };
    steps.min(4)
}

/// `squares`: base and extras, before the multiplier.
fn squares(player: &Player, rules: &Rules, total: i64) -> i64 {
    let square = player.call * player.call;
    let high = player.call >= 8;
    let half = if rules.is("half_square", "ceil") { (square + 1) / 2 } else { square / 2 };
    let base = match (player.made, player.kind) {
        (true, Kind::DashCall) if total > 13 => 23,
        (true, Kind::DashCall) => 33,
        (true, _) if high => square,
        (true, _) if player.bidder || player.with => player.tricks + 20,
        (true, _) => player.tricks + 10,
        (false, Kind::DashCall) => -23,
        (false, _) if high => -half,
        (false, _) if player.call == 0 => -10,
        (false, _) if player.bidder => -(player.off() + 10),
        (false, _) if player.with && rules.on("with_penalty") => -(player.off() + 10),
        (false, _) => -player.off(),
    };
    let mut extras = 0;
    if player.only && !(high && rules.is("high_call_extras", "none")) {
        extras += player.signed(10);
    }
    if player.risk && (!high || rules.is("high_call_extras", "all")) {
        extras += player.signed(10 * level(rules, total));
    }
    base + extras
}

/// `kabooot`: the sum of the lines, before the multiplier.
fn kabooot_line(player: &Player, rules: &Rules, total: i64, rd: i64, kabooot: bool) -> i64 {
    let over = total > 13;
    let blind = player.kind == Kind::BlindDash;
    let dash = player.call == 0 && !blind;
    let mut points = 0;
    if player.made {
        points += rd;
        if blind {
            points += if over != rules.on("blind_dash_swap") { 20 } else { 10 };
        } else if dash {
            points += if over { 10 } else { 20 };
        } else if player.bidder || player.with {
            points += player.tricks + 10;
        } else {
            points += player.tricks;
        }
        if player.call == 13 {
            points += 50;
        }
    } else {
        points -= rd + player.off();
        if blind {
            points -= if over { 20 } else { 10 };
        } else if dash {
            points -= 20;
        } else if player.bidder || (player.with && rules.on("with_penalty")) {
            points -= 10;
        }
    }
    if player.only {
        points += player.signed(10);
    }
    if player.risk {
        points += player.signed(10 * level(rules, total));
    }
    if kabooot && !(player.made && player.call == 13) {
        points -= 25;
    }
    points
}

/// `double-risk`: (X + Y) × Z, before W.
fn double_risk(player: &Player, rules: &Rules, total: i64) -> i64 {
    let x = if player.made { player.call } else { -player.off() };
    let mut y = 0;
    if player.kind == Kind::DashCall {
        y += player.signed(23);
    } else {
        if player.made {
            y += 10;
        }
        if player.bidder {
            y += player.signed(10);
        }
        if player.with && (player.made || rules.on("with_penalty")) {
            y += player.signed(10);
        }
        if player.risk {
            let from_two = rules.is("risk_ladder", "from_two");
            y += player.signed(match (total - 13).abs() {
                1 if from_two => 0,
                2 | 3 if from_two => 10,
                1 | 2 => 10,
                _ => 20,
            });
        }
    }
    if player.only {
        y += player.signed(10);
    }
    if total < 13 && player.call == 0 {
        y += player.signed(10);
    }
    let z = if player.call >= 8 { 2 } else { 1 };
    (x + y) * z
}

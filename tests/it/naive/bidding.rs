//! Everything said between the deal and the first card: void check, dash calls, auction, estimates.

use super::dealing::{Deal, lacks_a_suit};
use super::log::Log;
use super::rules::{Part, Rules, TRUMPS};
use super::score::{Call, Kind};

/// A bid: number first, then the rank of its suit.
pub type Bid = (i64, usize);

/// The calls of a round while they are being made.
pub struct Calls {
    pub calls: Vec<Option<Call>>,
    /// Who won the auction and with what.
    pub won: Option<(usize, Bid)>,
}

impl Calls {
    pub fn none(rules: &Rules) -> Calls {
        Calls { calls: vec![None; rules.players], won: None }
    }

    /// Who has declared a zero before the estimates.
    pub fn dashed(&self) -> Vec<bool> {
        let early = |call: Call| matches!(call.kind, Kind::DashCall | Kind::BlindDash);
        self.calls.iter().map(|call| call.is_some_and(early)).collect()
    }

    fn dashes(&self) -> usize {
        self.dashed().into_iter().filter(|&dashed| dashed).count()
    }

    fn zeros(&self) -> usize {
        self.calls.iter().flatten().filter(|call| call.tricks == 0).count()
    }
}

/// The void check from `first`. True when somebody had the cards dealt again.
pub fn take_void_check(
    log: &mut Log,
    rules: &Rules,
    first: usize,
    part: Part,
    deal: &Deal,
) -> Result<bool, String> {
    if !rules.among(&["squares", "kabooot", "double-risk"]) {
        return Ok(false);
    }
    let automatic = part == Part::Fast && !rules.on("fast_redeal");
    for seat in rules.calling_order(first) {
        if !lacks_a_suit(&deal.hands[seat]) {
            continue;
        }
        if automatic {
            let avoided = log.take("avoid_declared")?;
            avoided.must_be_servers()?;
            avoided.must_say("seat", seat)?;
            continue;
        }
        let (kind, answer) = log.take_one_of(&["avoid_declared", "redeal_called"])?;
        answer.must_be_by(seat)?;
        if kind == "redeal_called" {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The question put to all four before the auction: blind dashes, or dash calls before the auction.
pub fn take_early_dashes(
    log: &mut Log,
    rules: &Rules,
    first: usize,
    calls: &mut Calls,
) -> Result<(), String> {
    let (declared, kind) = match () {
        () if rules.id == "kabooot" => ("blind_dashed", Kind::BlindDash),
        () if rules.is("dash_call_timing", "before_auction") => ("dash_called", Kind::DashCall),
        () => return Ok(()),
    };
    for seat in rules.calling_order(first) {
        let (said, answer) = log.take_one_of(&["auction_entered", declared])?;
        answer.must_be_by(seat)?;
        if said == declared {
            if calls.dashes() == rules.dash_calls() {
                return Err(answer.wrong("the limit was reached"));
            }
            calls.calls[seat] = Some(Call { kind, tricks: 0 });
        }
    }
    Ok(())
}

/// The auction: every call in turn, then who won it. `calls.won` stays empty when nobody bid.
pub fn take_auction(log: &mut Log, rules: &Rules, first: usize, calls: &mut Calls) -> Result<(), String> {
    let order = rules.calling_order(first);
    let mut live: Vec<bool> = calls.calls.iter().map(Option::is_none).collect();
    let mut spoken = vec![false; rules.players];
    let single = rules.id == "plain" || rules.is("auction", "single_call");
    let mut standing: Option<(usize, Bid)> = None;
    let mut turn = 0;
    loop {
        let left = live.iter().filter(|&&live| live).count();
        if left == 0 || (!single && left == 1 && standing.is_some()) {
            break;
        }
        let seat = order[turn % order.len()];
        turn += 1;
        if !live[seat] {
            continue;
        }
        match take_auction_call(log, rules, seat, calls, standing, spoken[seat])? {
            Some(bid) => {
                if standing.is_none_or(|(_, best)| bid > best) {
                    standing = Some((seat, bid));
                }
                live[seat] = !single;
            }
            None => live[seat] = false,
        }
        spoken[seat] = true;
    }
    let Some((seat, (tricks, suit))) = standing else {
        let nobody = if rules.id == "squares" { "round_folded" } else { "auction_void" };
        return log.take(nobody)?.must_be_servers();
    };
    let won = log.take("auction_won")?;
    won.must_be_servers()?;
    won.must_say("seat", seat)?;
    won.must_say("tricks", tricks)?;
    won.must_say("trump", TRUMPS[suit])?;
    calls.calls[seat] = Some(Call { kind: Kind::Bid, tricks });
    calls.won = standing;
    Ok(())
}

/// One call in the auction: a lawful bid, or none for a pass or a dash call.
fn take_auction_call(
    log: &mut Log,
    rules: &Rules,
    seat: usize,
    calls: &mut Calls,
    standing: Option<(usize, Bid)>,
    spoken: bool,
) -> Result<Option<Bid>, String> {
    let (kind, call) = log.take_one_of(&["bid_made", "passed", "dash_called"])?;
    call.must_be_by(seat)?;
    let ascending = rules.is("auction", "ascending");
    match kind {
        "bid_made" => {
            let tricks = call.number("tricks")?;
            let trump = call.text("trump")?;
            let suit = TRUMPS.iter().position(|known| *known == trump);
            let suit = suit.ok_or_else(|| call.wrong(format!("{trump} is no trump")))?;
            if !(rules.number("minimum_bid")..=13).contains(&tricks) {
                return Err(call.wrong(format!("a bid of {tricks}")));
            }
            if rules.id == "plain" && trump == "no_trump" && !rules.on("no_trump_bids") {
                return Err(call.wrong("no trump may not be bid"));
            }
            if ascending && standing.is_some_and(|(_, best)| (tricks, suit) <= best) {
                return Err(call.wrong("does not beat the standing bid"));
            }
            if rules.bars_total() && calls.dashes() == 3 && tricks == 13 {
                return Err(call.wrong("13 after three dash calls"));
            }
            Ok(Some((tricks, suit)))
        }
        "passed" if rules.id == "plain" && !rules.on("allow_pass") => Err(call.wrong("there is no pass")),
        "passed" => Ok(None),
        _ => {
            if rules.id == "kabooot" || rules.is("dash_call_timing", "before_auction") {
                return Err(call.wrong("the auction has no dash call"));
            }
            if spoken {
                return Err(call.wrong("not the player's first call"));
            }
            if calls.dashes() == rules.dash_calls() {
                return Err(call.wrong("the limit of dash calls was reached"));
            }
            let thirteen = standing.is_some_and(|(_, (tricks, _))| tricks == 13);
            if rules.bars_total() && thirteen && calls.dashes() == 2 {
                return Err(call.wrong("a third dash call against a bid of 13"));
            }
            calls.calls[seat] = Some(Call { kind: Kind::DashCall, tricks: 0 });
            Ok(None)
        }
    }
}

/// The estimates. Returns the trump they leave, which only `squares` can change.
pub fn take_estimates(
    log: &mut Log,
    rules: &Rules,
    number: i64,
    first: usize,
    trump: &str,
    calls: &mut Calls,
) -> Result<String, String> {
    let hand = rules.hand_size(number);
    let (order, most) = match calls.won {
        Some((bidder, (tricks, _))) => (rules.estimators(bidder, &calls.dashed()), tricks),
        None => (rules.calling_order(first), hand),
    };
    let mut trump = trump.to_string();
    let mut change: Option<Bid> = None;
    for (turn, &seat) in order.iter().enumerate() {
        let estimate = log.take("estimate_made")?;
        estimate.must_be_by(seat)?;
        let tricks = estimate.number("tricks")?;
        if !(0..=most).contains(&tricks) {
            return Err(estimate.wrong(format!("{tricks} is not in 0‥{most}")));
        }
        if tricks == 0 && calls.zeros() == rules.zeros() {
            return Err(estimate.wrong("one zero too many"));
        }
        let total: i64 = calls.calls.iter().flatten().map(|call| call.tricks).sum();
        if turn + 1 == order.len() && rules.bars_total() && total + tricks == hand {
            return Err(estimate.wrong(format!("{tricks} completes the total of {hand}")));
        }
        calls.calls[seat] = Some(Call { kind: Kind::Estimate, tricks });
        if estimate.body["trump"].is_null() {
            estimate.must_say("trump", serde_json::Value::Null)?;
            continue;
        }
        let named = estimate.text("trump")?;
        let suit = TRUMPS.iter().position(|known| *known == named);
        let suit = suit.ok_or_else(|| estimate.wrong(format!("{named} is no trump")))?;
        let fast = rules.part(number) == Part::Fast;
        if rules.id != "squares" || !fast || !rules.on("fast_trump_change") || tricks < 8 {
            return Err(estimate.wrong("may not name a trump"));
        }
        if change.is_some_and(|best| (tricks, suit) <= best) {
            return Err(estimate.wrong("does not beat the change before it"));
        }
        change = Some((tricks, suit));
        trump = named.to_string();
        let changed = log.take("trump_changed")?;
        changed.must_be_servers()?;
        changed.must_say("seat", seat)?;
        changed.must_say("trump", named)?;
    }
    Ok(trump)
}

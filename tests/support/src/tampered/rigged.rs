//! Rigged deals: somebody with the key of the service deals other cards than the rules and the seeds give, and ends the
//! game there. Chain, signature and commitment fit, and so do the cards to the numbers that the deal states.

use estimation_engine::card::Pack;
use estimation_engine::chance::Chance;
use estimation_engine::client_seed::ClientSeed;
use estimation_engine::consequence::{deal_round, draw_cards};
use estimation_engine::event::Event;
use estimation_engine::hex::{Hex, Salt};
use estimation_engine::round::{Deal, DealNumber};
use estimation_engine::ruleset::Ruleset;
use estimation_engine::seat::Seat;
use estimation_record::RecordTime;
use estimation_record::fairness::{DealKey, GameSeeds, ServerSeed};
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::change::{Base, Cases};

/// The server's seed that a forger prefers.
const OTHER_SEED: [u8; 32] = [0x5e; 32];

/// A client seed that nobody gave.
const OTHER_CLIENT_SEED: &str = "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2";

/// After this time the service gives a game without a clock up.
const FORSAKEN: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Actor, event, and the seconds since the event before.
type Told = (Value, Value, i64);

pub fn cases(cases: &mut Cases<'_>) {
    let base = cases.base;
    let Some(rig) = Rig::of(base) else { return };
    numbers(cases, &rig);
    reasons(cases, &rig);
    cuts(cases, &rig);
    draws(cases, &rig);
    starts(cases, &rig);
    openings(cases, &rig);
}

/// The history up to a deal, with the end that the cases have, and nothing rigged.
pub fn unrigged(base: &Base) -> Option<String> {
    let rig = Rig::of(base)?;
    let deal = *rig.deals.first()?;
    let mut cases = Cases::of(base);
    Fraud::new(&rig, deal, "deal", vec![server(base.event(deal).clone())]).told(&mut cases, "nothing");
    cases.list.pop().map(super::change::Case::text)
}

/// What a forger of one history knows.
struct Rig<'a> {
    base: &'a Base,
    rules: Ruleset,
    seed: [u8; 32],
    client_seeds: Vec<Option<ClientSeed>>,
    /// The deals of rounds.
    deals: Vec<u64>,
    started: u64,
}

/// A deal to be made, and the number whose shuffle it takes.
#[derive(Clone, Copy)]
struct Wanted {
    round: u8,
    attempt: u32,
    dealer: u8,
    carry: u32,
    cut: Option<u8>,
    shuffle: DealNumber,
}

impl<'a> Rig<'a> {
    fn of(base: &'a Base) -> Option<Rig<'a>> {
        let deals = base.all("round_dealt", true);
        // The service gives a game up only without a clock, and while a person must act.
        let persons = base.event(1)["turn_seconds"].is_null() && base.all("bot_seated", false).is_empty();
        if !persons || !base.is_over() || deals.is_empty() {
            return None;
        }
        let started = (1..=base.last()).find(|seq| base.kind(*seq) == "game_started").expect("a start");
        let seed =
            base.event(base.last())["server_seed"].as_str().and_then(Hex::<32>::parse).expect("a seed");
        Some(Rig {
            base,
            rules: serde_json::from_value(base.rules().clone()).expect("rules"),
            seed: seed.0,
            client_seeds: serde_json::from_value(base.event(started)["client_seeds"].clone()).expect("seeds"),
            deals,
            started,
        })
    }

    /// The forger's choice of another server seed.
    fn with_seed(&self, seed: [u8; 32]) -> Rig<'a> {
        Rig {
            seed,
            rules: self.rules.clone(),
            client_seeds: self.client_seeds.clone(),
            deals: self.deals.clone(),
            ..*self
        }
    }

    /// The forger's choice of other client seeds.
    fn with_client_seeds(&self, client_seeds: Vec<Option<ClientSeed>>) -> Rig<'a> {
        Rig { client_seeds, ..self.with_seed(self.seed) }
    }

    fn players(&self) -> u8 {
        self.rules.players
    }

    fn number(&self, seq: u64, name: &str) -> u8 {
        u8::try_from(self.base.event(seq)[name].as_u64().expect("a number")).expect("a small number")
    }

    /// The deal at a position as it was.
    fn wanted(&self, deal: u64) -> Wanted {
        let (round, attempt) = (self.number(deal, "round"), self.number(deal, "attempt").into());
        let cut = (self.base.kind(deal - 1) == "deck_cut").then(|| self.number(deal - 1, "position"));
        let (dealer, carry) = (self.number(deal, "dealer"), self.number(deal, "carry").into());
        Wanted { round, attempt, dealer, carry, cut, shuffle: DealNumber { round, attempt } }
    }

    /// The cards that the seeds give for a deal, with a salt of its own.
    fn dealt(&self, wanted: Wanted) -> Value {
        let Wanted { round, attempt, dealer, carry, cut, shuffle } = wanted;
        let deal = Deal { number: DealNumber { round, attempt }, dealer: Seat::new(dealer), carry };
        let dealt = deal_round(&self.rules, deal, cut, &mut Stacked { rig: self, shuffle });
        serde_json::to_value(Event::RoundDealt(Box::new(dealt))).expect("an event")
    }

    /// A deal, after a cut if the rules ask for one.
    fn told(&self, wanted: Wanted) -> Vec<Told> {
        let cut = wanted.cut.map(|position| self.cut((wanted.dealer + 1) % self.players(), position));
        cut.into_iter().chain([server(self.dealt(wanted))]).collect()
    }

    fn cut(&self, seat: u8, position: u8) -> Told {
        (json!({"seat": seat}), json!({"type": "deck_cut", "seat": seat, "position": position}), 1)
    }

    /// The deal at a position again, with the next number.
    fn again(&self, deal: u64) -> Wanted {
        let wanted = self.wanted(deal);
        let attempt = wanted.attempt + 1;
        Wanted { attempt, shuffle: DealNumber { attempt, ..wanted.shuffle }, ..wanted }
    }
}

/// Chance with the seeds of a forger, and the shuffle of another deal.
struct Stacked<'a> {
    rig: &'a Rig<'a>,
    shuffle: DealNumber,
}

impl Chance for Stacked<'_> {
    fn shuffle(&mut self, _: DealNumber, pack: &mut Pack) {
        let game = self.rig.base.body(1)["game"].as_str().and_then(|game| game.parse().ok()).expect("a game");
        let client_seeds = self.rig.client_seeds.iter().map(Option::as_ref).collect();
        let seeds = GameSeeds { game, client_seeds };
        DealKey::derive(&ServerSeed::from_bytes(self.rig.seed), &seeds, self.shuffle).shuffle(pack);
    }

    fn salt(&mut self) -> Salt {
        Hex([0xa5; 16])
    }

    fn reveal(&mut self, _: u32) -> Hex<32> {
        Hex(self.rig.seed)
    }

    fn recommit(&mut self, _: u32) -> Hex<32> {
        ServerSeed::from_bytes(self.rig.seed).commitment()
    }
}

fn server(event: Value) -> Told {
    (json!("server"), event, 0)
}

fn led(seat: u8, event: Value) -> Told {
    (json!({"seat": seat}), event, 1)
}

/// The events from a position on, told anew. Then the service gives the game up.
struct Fraud {
    at: u64,
    events: Vec<Told>,
    /// Where and by which rule a verifier finds it.
    found: (u64, &'static str),
    /// The server's seed of the end.
    seed: [u8; 32],
    first_dealer: Option<u8>,
}

impl Fraud {
    /// A fraud that a verifier finds where it begins.
    fn new(rig: &Rig<'_>, at: u64, rule: &'static str, events: Vec<Told>) -> Fraud {
        Fraud { at, events, found: (at, rule), seed: rig.seed, first_dealer: None }
    }

    fn told(self, cases: &mut Cases<'_>, what: &str) {
        let Fraud { at, mut events, found: (seq, rule), seed, first_dealer } = self;
        let base = cases.base;
        let end =
            json!({"type": "game_abandoned", "reason": "expired", "server_seed": Hex(seed).to_string()});
        events.push((json!("server"), end, FORSAKEN.as_secs()));
        let mut now: RecordTime = base.body(at - 1)["at"].as_str().expect("a time").parse().expect("a time");
        let bodies = (at..).zip(events).map(|(seq, (actor, event, seconds))| {
            now = now.plus(SignedDuration::from_secs(seconds));
            json!({"actor": actor, "at": now, "event": event, "game": base.body(1)["game"], "seq": seq})
        });
        let bodies: Vec<Value> = bodies.collect();
        cases.changed("rigged", format!("event {seq}, rigged: {what}"), seq, rule, |change| {
            if let Some(dealer) = first_dealer {
                change.edit(1, |body| body["event"]["ruleset"]["first_dealer"] = json!(dealer));
            }
            change.abandoned_after(at, &bodies);
            change.chain();
        });
    }
}

/// Deals of another attempt, round or dealer, and with other numbers.
fn numbers(cases: &mut Cases<'_>, rig: &Rig<'_>) {
    let base = cases.base;
    let n = rig.players();
    let mut deal = |at: u64, what: &str, wanted: Wanted, edit: &dyn Fn(&mut Value)| {
        let mut event = rig.dealt(wanted);
        edit(&mut event);
        if event != *base.event(at) {
            Fraud::new(rig, at, "deal", vec![server(event)]).told(cases, what);
        }
    };
    let (first, last) = (rig.deals[0], rig.deals[rig.deals.len() - 1]);
    let wanted = rig.wanted(first);
    deal(first, "the first deal is the next attempt", rig.again(first), &|_| {});
    let shuffle = DealNumber { attempt: 2, ..wanted.shuffle };
    deal(first, "the first deal has the cards of the next attempt", Wanted { shuffle, ..wanted }, &|_| {});
    let shuffle = DealNumber { round: 0, ..wanted.shuffle };
    deal(first, "the first deal is of round zero", Wanted { shuffle, ..wanted }, &|event| {
        event["round"] = json!(0)
    });
    let dealer = (wanted.dealer + 1) % n;
    deal(first, "the next seat deals first", Wanted { dealer, ..wanted }, &|_| {});
    deal(
        first,
        "the next seat speaks first, and the dealer is the right one",
        Wanted { dealer, ..wanted },
        &|event| {
            event["dealer"] = json!(wanted.dealer);
        },
    );
    let rotation = base.rules()["starter_rotation"].as_str().expect("a rotation");
    let later = *rig.deals.iter().find(|deal| rig.number(**deal, "round") > 1).unwrap_or(&last);
    if later != first {
        let wanted = rig.wanted(later);
        let what = format!("{rotation}, the next seat deals a later round");
        deal(later, &what, Wanted { dealer: (wanted.dealer + 1) % n, ..wanted }, &|_| {});
        let what = format!("{rotation}, the seat before deals a later round");
        deal(later, &what, Wanted { dealer: (wanted.dealer + n - 1) % n, ..wanted }, &|_| {});
        let again = rig.again(first);
        deal(later, "the round before is dealt again", again, &|_| {});
        let round = wanted.round + 1;
        let next = Wanted { round, shuffle: DealNumber { round, attempt: 1 }, ..wanted };
        deal(later, "a round is left out", next, &|_| {});
        deal(later, "the deal multiplies the round", Wanted { carry: wanted.carry + 1, ..wanted }, &|_| {});
    }
    if let Some(&again) = rig.deals.iter().find(|deal| rig.number(**deal, "attempt") > 1) {
        let wanted = rig.wanted(again);
        let reason = base.kind(if wanted.cut.is_some() { again - 2 } else { again - 1 });
        let attempt = wanted.attempt - 1;
        let shuffle = DealNumber { attempt, ..wanted.shuffle };
        let what = format!("the deal after {reason} is the attempt before it");
        deal(again, &what, Wanted { attempt, shuffle, ..wanted }, &|_| {});
        let what = format!("the deal after {reason} is the attempt after it");
        deal(again, &what, rig.again(again), &|_| {});
        let what = format!("the next seat deals after {reason}");
        deal(again, &what, Wanted { dealer: (wanted.dealer + 1) % n, ..wanted }, &|_| {});
    }
    if base.rules()["plan"] == "turns" {
        // A round of another size, with the number and the shuffle of this one.
        let (size, round) = (wanted.round, wanted.round + 1);
        deal(first, "the hands have another size", Wanted { round, ..wanted }, &|event| {
            event["round"] = json!(size)
        });
    }
    if let Some(&fast) = rig.deals.iter().find(|deal| base.event(**deal)["kind"] == "fast") {
        deal(fast, "another trump in a fast round", rig.wanted(fast), &|event| {
            event["trump"] = json!("hearts")
        });
    }
}

/// Deals that nothing in the game asks for.
fn reasons(cases: &mut Cases<'_>, rig: &Rig<'_>) {
    let base = cases.base;
    let deal = rig.deals[0];
    let wanted = rig.wanted(deal);
    let first_speaker = (wanted.dealer + 1) % rig.players();
    let again = rig.told(rig.again(deal));
    let alone = server(rig.dealt(rig.again(deal)));
    Fraud::new(rig, deal + 1, "derived", vec![alone])
        .told(cases, "the round is dealt again without a reason");
    let mut redealt = |at: u64, what: &str, rule: &'static str, reason: Told| {
        let events = [reason].into_iter().chain(again.clone()).collect();
        Fraud::new(rig, at, rule, events).told(cases, what);
    };
    let suits = |seat: &u8| {
        let hand = base.event(deal)["hands"][usize::from(*seat)].as_array().expect("a hand").iter();
        hand.filter_map(|card| card.as_str()?.chars().last()).collect::<std::collections::BTreeSet<_>>().len()
    };
    let order = (0..rig.players()).map(|steps| (first_speaker + steps) % rig.players());
    if let Some(seat) = order.clone().find(|seat| base.rules()["void_check"] == false || suits(seat) == 4) {
        let redeal = led(seat, json!({"type": "redeal_called", "seat": seat}));
        let what =
            format!("a redeal that the hand cannot ask for, void check {}", base.rules()["void_check"]);
        redealt(deal + 1, &what, "command", redeal);
    }
    let void = || server(json!({"type": "auction_void"}));
    if base.event(deal)["kind"] == "auction" && base.rules()["unbid"] != "fold" {
        redealt(deal + 1, "an auction is void before a call", "derived", void());
        if let Some(won) =
            base.first("auction_won", true).filter(|won| rig.deals.get(1).is_none_or(|next| won < next))
        {
            redealt(won, "an auction with a bid is void", "derived", void());
        }
    }
    let scored = base.first("round_scored", true);
    if let Some((_, began)) = base.first_play().filter(|(played, _)| *played == deal) {
        let (seat, card) = (rig.number(began + 1, "seat"), base.event(began + 1)["card"].clone());
        let points = 2 * u32::from(rig.number(deal, "hand_size"));
        let revoked = json!({"type": "revoked", "seat": seat, "card": card, "points": points});
        redealt(began + 2, "a revoke by the card that leads", "derived", server(revoked));
    }
    let Some(scored) = scored else { return };
    let Some(&next) = rig.deals.iter().find(|next| **next > scored) else { return };
    let mut next_round = |at: u64, what: &str, score: bool| {
        let score = score.then(|| server(base.event(scored).clone()));
        let events = score.into_iter().chain(rig.told(rig.wanted(next))).collect();
        Fraud::new(rig, at, "derived", events).told(cases, what);
    };
    next_round(scored, "the next round is dealt before the score", false);
    next_round(scored - 2, "the round is scored before its last card", true);
}

/// Cuts that were not made, or not so.
fn cuts(cases: &mut Cases<'_>, rig: &Rig<'_>) {
    let deal = rig.deals[0];
    let wanted = rig.wanted(deal);
    let first_speaker = (wanted.dealer + 1) % rig.players();
    let with = |position: u8| server(rig.dealt(Wanted { cut: Some(position), ..wanted }));
    let Some(position) = wanted.cut else {
        let events = vec![rig.cut(first_speaker, 7), with(7)];
        return Fraud::new(rig, deal, "derived", events).told(cases, "a cut that the rules do not have");
    };
    let cut = deal - 1;
    let other = position % 51 + 1;
    let uncut = server(rig.dealt(Wanted { cut: None, ..wanted }));
    let mut told = |at: u64, what: &str, rule: &'static str, events: Vec<Told>| {
        Fraud::new(rig, at, rule, events).told(cases, what);
    };
    told(cut, "the pack is not cut", "derived", vec![uncut.clone()]);
    told(cut, "the dealer cuts", "command", vec![rig.cut(wanted.dealer, position), with(position)]);
    told(cut, "the pack is cut at its top", "command", vec![rig.cut(first_speaker, 0), uncut.clone()]);
    told(cut, "the pack is cut at its end", "command", vec![rig.cut(first_speaker, 52), uncut]);
    let (_, event, _) = rig.cut(first_speaker, position);
    told(cut, "the server cuts", "derived", vec![server(event), with(position)]);
    told(deal, "the pack is cut twice", "derived", vec![rig.cut(first_speaker, other), with(other)]);
    told(deal, "the cards are those of another cut", "deal", vec![with(other)]);
}

/// The draw for seats, which settles who deals first.
fn draws(cases: &mut Cases<'_>, rig: &Rig<'_>) {
    let base = cases.base;
    let Some(drawn) = base.first("seats_drawn", true) else { return };
    let shuffle = DealNumber { round: 0, attempt: 2 };
    let cards = draw_cards(&rig.rules, &mut Stacked { rig, shuffle });
    let event = server(json!({"type": "seats_drawn", "cards": cards}));
    Fraud::new(rig, drawn, "deal", vec![event]).told(cases, "the seats are drawn again");
    let chosen = base.all("seat_chosen", false);
    let (one, other) = (chosen[0], chosen[1]);
    let seat = base.event(one)["seat"].clone();
    let place = base.event(other)["place"].clone();
    let event = (json!({"place": place}), json!({"type": "seat_chosen", "place": place, "seat": seat}), 1);
    Fraud::new(rig, one, "command", vec![event]).told(cases, "the second highest card chooses first");
}

/// Starts with other rules or seeds than those of the table.
fn starts(cases: &mut Cases<'_>, rig: &Rig<'_>) {
    let base = cases.base;
    let (deal, started) = (rig.deals[0], rig.started);
    let wanted = rig.wanted(deal);
    let is_derived = base.body(started)["actor"] == "server";
    let rule = if is_derived { "derived" } else { "actor" };
    let draws = base.first("seats_drawn", true).is_some();
    let other = || ClientSeed::new(OTHER_CLIENT_SEED).expect("a seed");
    let mut start = |what: &str, client_seeds: Vec<Option<ClientSeed>>| {
        if client_seeds == rig.client_seeds {
            return;
        }
        let mut event = base.event(started).clone();
        event["client_seeds"] = json!(client_seeds);
        let rig = rig.with_client_seeds(client_seeds);
        let mut events = vec![(base.body(started)["actor"].clone(), event, 0)];
        if !draws {
            events.extend(rig.told(wanted));
        }
        let what = format!("{what}, {}", if is_derived { "opened" } else { "public" });
        Fraud::new(&rig, started, rule, events).told(cases, &what);
    };
    let replaced = |place: usize, seed: Option<ClientSeed>| {
        let mut seeds = rig.client_seeds.clone();
        seeds[place] = seed;
        seeds
    };
    if let Some(place) = rig.client_seeds.iter().position(Option::is_some) {
        start("another seed than that of the player", replaced(place, Some(other())));
        start("the seed of a player is left out", replaced(place, None));
        let mut seeds = rig.client_seeds.clone();
        seeds.reverse();
        start("the seeds are in another order", seeds);
    }
    if let Some(place) = rig.client_seeds.iter().position(Option::is_none) {
        start("a seed for a player without one", replaced(place, Some(other())));
    }
    if !draws {
        let dealer = (wanted.dealer + 1) % rig.players();
        let dealt = rig.told(Wanted { dealer, ..wanted });
        let fraud = Fraud::new(rig, if wanted.cut.is_some() { deal - 1 } else { deal }, "ruleset", dealt);
        let fraud = Fraud { found: (1, "ruleset"), first_dealer: Some(dealer), ..fraud };
        fraud.told(cases, "the rules name another first dealer");
    }
}

/// Another server seed behind an opening that did not fail, and starts around openings.
fn openings(cases: &mut Cases<'_>, rig: &Rig<'_>) {
    let base = cases.base;
    let (deal, started) = (rig.deals[0], rig.started);
    let other = rig.with_seed(OTHER_SEED);
    let failed = |missing: &[u64], seconds: i64| -> Told {
        let commitment = ServerSeed::from_bytes(OTHER_SEED).commitment();
        (
            json!("server"),
            json!({"type": "opening_failed", "missing": missing, "commitment": commitment}),
            seconds,
        )
    };
    let start = (base.body(started)["actor"].clone(), base.event(started).clone(), 0);
    let draws = base.first("seats_drawn", true).is_some();
    let dealt = if draws { Vec::new() } else { other.told(rig.wanted(deal)) };
    let then = |events: Vec<Told>| -> Vec<Told> { events.into_iter().chain(dealt.clone()).collect() };
    let host = base.all("opening_began", false).last().copied();
    let mut told = |at: u64, what: &str, rule: &'static str, events: Vec<Told>| {
        Fraud::new(&other, at, rule, events).told(cases, what);
    };
    let what = match host {
        Some(_) => "an opening fails when all seeds are open",
        None => "an opening fails that never began",
    };
    told(started, what, "derived", then(vec![failed(&[], 0), start.clone()]));
    told(started + 1, "an opening fails after the start", "derived", then(vec![failed(&[], 0)]));
    let Some(began) = host else {
        let began = (base.body(started)["actor"].clone(), json!({"type": "opening_began"}), 1);
        let events = then(vec![began, failed(&[], 15), start]);
        return told(started, "an opening begins without a commitment", "command", events);
    };
    let opened = (began + 1..started).filter(|seq| base.kind(*seq) == "seed_opened");
    let opened: Vec<u64> = opened.map(|seq| rig.number(seq, "place").into()).collect();
    let mut closed = opened.clone();
    closed.sort_unstable();
    told(began + 1, "an opening fails at once", "time", vec![failed(&closed, 1)]);
    told(began + 2, "an opening fails by a seed that is open", "derived", vec![failed(&closed, 15)]);
    let mut early =
        |at: u64, what: &str, rule: &'static str, actor: Value, seeds: Vec<Option<ClientSeed>>| {
            let mut event = base.event(started).clone();
            event["client_seeds"] = json!(seeds);
            let rig = rig.with_client_seeds(seeds);
            let events = [(actor, event, 1)].into_iter().chain(rig.told(rig.wanted(deal))).collect();
            Fraud::new(&rig, at, rule, events).told(cases, what);
        };
    let mut seeds = rig.client_seeds.clone();
    seeds[*opened.last().expect("a seed") as usize] = None;
    early(started - 1, "the game starts before the last seed is open", "derived", json!("server"), seeds);
    let Some(real) = base.all("opening_failed", true).last().copied() else { return };
    let full = (real + 1..).find(|seq| base.kind(*seq) != "player_joined").expect("an event");
    let none = vec![None; usize::from(rig.players())];
    early(full, "the game starts with void commitments", "command", base.body(began)["actor"].clone(), none);
}

//! Consequences: events that follow from the state by the rules, one at a time.
//!
//! After a leading event the engine asks for consequences until there are none. A verifier replays a record
//! the same way and requires exactly these events.

use arrayvec::ArrayVec;

use super::card::Card;
use super::card_set::CardSet;
use super::chance::Chance;
use super::command::{Actor, By};
use super::event::{
    AbandonReason, Event, GameFinished, GameStarted, OpeningFailed, RoundDealt, RoundScored, Standing,
};
use super::game::{Game, Sitter, Stage};
use super::round::DealNumber;
use super::round::{Auction, Deal, Estimates, Opening, Phase, Round};
use super::ruleset::schedule::RoundPlan;
use super::ruleset::{Revokes, Ruleset, Scoring, Unbid};
use super::score::{Call, Course, Roles, score};
use super::seat::{BySeat, Seat};
use super::seed::MAX_FAILED;
use super::trick::Play;

/// The event that follows from the current state; none when a player must act.
pub fn consequence(game: &Game, chance: &mut dyn Chance) -> Option<Event> {
    if game.is_deserted() {
        return Some(Event::GameAbandoned {
            reason: AbandonReason::Forfeited,
            server_seed: chance.reveal(game.table.openings),
        });
    }
    let rules = game.rules();
    match &game.stage {
        Stage::Drawing => Some(Event::SeatsDrawn { cards: draw_cards(rules, chance) }),
        Stage::Choosing(choice) => {
            let mut free = choice.free();
            match (choice.place(), free.next(), free.next()) {
                (Some(place), Some(seat), None) => Some(Event::SeatChosen { place, seat }),
                _ => None,
            }
        }
        Stage::Dealing { cut: None, .. } if rules.cut => None,
        Stage::Dealing { deal, cut } => {
            Some(Event::RoundDealt(Box::new(deal_round(rules, *deal, *cut, chance))))
        }
        Stage::Round(round) => in_round(game, round),
        Stage::Finishing => Some(Event::GameFinished(Box::new(GameFinished {
            standings: standings(rules, &game.sheet.totals),
            server_seed: chance.reveal(game.table.openings),
        }))),
        Stage::Lobby if game.table.openings >= MAX_FAILED => Some(Event::GameAbandoned {
            reason: AbandonReason::OpeningsFailed,
            server_seed: chance.reveal(game.table.openings),
        }),
        Stage::Opening { opened } if !game.empty_places().is_empty() => {
            // Who leaves after a seed was opened knows it: that counts like a seed that stayed closed.
            Some(Event::OpeningFailed(Box::new(OpeningFailed {
                missing: if *opened { game.empty_places() } else { Vec::new() },
                commitment: chance.recommit(game.table.openings + 1),
            })))
        }
        Stage::Opening { .. } if game.closed_seeds().is_empty() => {
            Some(Event::GameStarted(Box::new(started(game, chance))))
        }
        Stage::Lobby | Stage::Opening { .. } | Stage::Over(_) => None,
    }
}

/// The events that follow from the actor of a command.
pub type Aftermath = ArrayVec<Event, 2>;

/// The events that follow a leading event because of its actor: the clock's action is recorded as a timeout,
/// a second timeout in a row starts a stand-in, and acting in person ends one.
pub fn aftermath(game: &Game, actor: Actor, leading: &Event) -> Aftermath {
    let mut events = Aftermath::new();
    let Some((position, place)) =
        actor.position().and_then(|position| Some((position, game.table.place_of(position)?)))
    else {
        return events;
    };
    let seat = position.number();
    let leaves_or_resumes = matches!(leading, Event::StandInEnded { .. } | Event::PlayerForfeited { .. });
    match actor.by() {
        Some(By::Clock) => {
            events.push(Event::TurnTimedOut { seat });
            if game.attendance.is_late(place) {
                events.push(Event::StandInBegan { seat });
            }
        }
        None if !leaves_or_resumes && game.attendance.is_stood_in(place) => {
            events.push(Event::StandInEnded { seat });
        }
        None | Some(By::Bot) => {}
    }
    events
}

/// What follows from the state after a leading event, as far as it is known without that state.
pub(super) enum Foreseen {
    /// No event.
    Nothing,
    /// This event, and no other.
    Only(Event),
    /// Unknown: the state after the event must be computed.
    Unknown,
}

/// Foresees the consequences of a card that does not end the round, and of a call that is not the last of its phase.
/// Most commands are of this kind, so that the state after them need not be computed.
pub(super) fn foresee(game: &Game, leading: &Event) -> Foreseen {
    let Stage::Round(round) = &game.stage else { return Foreseen::Unknown };
    let rules = game.rules();
    match (&round.phase, leading) {
        (Phase::Play(play), &Event::CardPlayed { seat, card }) if rules.revokes == Revokes::Refuse => {
            if play.trick.plays.len() + 1 < usize::from(rules.players) {
                return Foreseen::Nothing;
            }
            let mut trick = play.trick.clone();
            let _ = trick.plays.try_push(Play { seat, card });
            match trick.winner(play.trump) {
                Some(winner) if round.hands.get(seat).is_some_and(|hand| hand.len() > 1) => {
                    Foreseen::Only(Event::TrickTaken { seat: winner })
                }
                _ => Foreseen::Unknown,
            }
        }
        (Phase::Estimates(estimates), Event::EstimateMade { trump: None, .. })
            if estimates.made.len() + 1 < estimates.order.len() =>
        {
            Foreseen::Nothing
        }
        (
            Phase::Auction(auction),
            Event::BidMade { .. } | Event::Passed { .. } | Event::DashCalled { .. },
        ) => {
            let mut auction = auction.clone();
            auction.hear(rules, leading);
            if auction.seat.is_some() { Foreseen::Nothing } else { Foreseen::Unknown }
        }
        _ => Foreseen::Unknown,
    }
}

/// The start of a game whose places are all taken, with the players and the known client seeds.
pub(super) fn started(game: &Game, chance: &mut dyn Chance) -> GameStarted {
    chance.start(&game.table);
    let players = game.rules().players;
    let sitters: Vec<&Sitter> = game.table.places.values().flatten().collect();
    GameStarted {
        players: BySeat::from_fn(players, |seat| sitters[seat.index()].player.clone()),
        client_seeds: BySeat::from_fn(players, |seat| sitters[seat.index()].seed.known().cloned()),
    }
}

/// Shuffles and draws a card for each place (`plain`).
pub fn draw_cards(rules: &Ruleset, chance: &mut dyn Chance) -> BySeat<Card> {
    let mut pack = rules.pack();
    chance.shuffle(DealNumber::DRAW, &mut pack);
    BySeat::from_fn(rules.players, |place| pack[place.index()])
}

/// Shuffles, cuts and deals (C8).
pub fn deal_round(rules: &Ruleset, deal: Deal, cut: Option<u8>, chance: &mut dyn Chance) -> RoundDealt {
    let DealNumber { round, attempt } = deal.number;
    let mut pack = rules.pack();
    chance.shuffle(deal.number, &mut pack);
    pack.rotate_left(cut.unwrap_or(0).into());
    let players = rules.players;
    let hand_size = rules.hand_size(round);
    let first_speaker = deal.dealer.after(1, players);
    let (dealt, left) = pack.split_at(usize::from(hand_size) * usize::from(players));
    let mut hands = BySeat::splat(players, CardSet::EMPTY);
    let mut seat = first_speaker;
    for &card in dealt {
        hands[seat] = hands[seat].with(card);
        seat = seat.after(1, players);
    }
    let opening = match (rules.round_plan(round), left.first()) {
        (RoundPlan::Indicator, Some(&card)) => Opening::Indicator { card },
        (RoundPlan::Fast(trump), _) => Opening::Fast { trump },
        (RoundPlan::Auction | RoundPlan::Indicator, _) => Opening::Auction,
    };
    RoundDealt {
        round,
        attempt,
        kind: opening.kind(),
        hand_size,
        dealer: deal.dealer,
        first_speaker,
        carry: deal.carry,
        trump: opening.trump(),
        indicator: match opening {
            Opening::Indicator { card } => Some(card),
            Opening::Auction | Opening::Fast { .. } => None,
        },
        hands,
        salt: chance.salt(),
    }
}

fn in_round(game: &Game, round: &Round) -> Option<Event> {
    let rules = game.rules();
    match &round.phase {
        // In fast rounds the server announces the lack of a suit without asking (`squares` R5).
        Phase::VoidCheck { seat } => {
            let asked = round.opening == Opening::Auction || rules.fast_redeal;
            (!asked).then_some(Event::AvoidDeclared { seat: *seat })
        }
        Phase::BlindDash { .. } => None,
        Phase::Auction(auction) => auction_over(rules, auction),
        Phase::Estimates(estimates) => match (estimates.named, estimates.seat()) {
            (Some(trump), _) => {
                let seat = *estimates.order.get(estimates.made.len().checked_sub(1)?)?;
                Some(Event::TrumpChanged { seat, trump })
            }
            (None, Some(_)) => None,
            (None, None) => Some(Event::PlayBegan { leader: first_leader(rules, round, estimates) }),
        },
        Phase::Play(play) => {
            let last = play.trick.plays.last();
            if rules.revokes == Revokes::Penalise
                && let Some(last) = last
                && let Some(foul) = play.trick.last_play_revokes(round.hands[last.seat], play.trump)
            {
                let points = rules.revoke_charge(round.deal.number.round);
                return Some(Event::Revoked { seat: foul.seat, card: foul.card, points });
            }
            if play.trick.plays.len() == usize::from(rules.players) {
                return play.trick.winner(play.trump).map(|seat| Event::TrickTaken { seat });
            }
            let played = last.is_none() && round.hands.values().all(|hand| hand.is_empty());
            played.then(|| scored(game, round))
        }
        Phase::Folded { .. } => Some(scored(game, round)),
    }
}

fn auction_over(rules: &Ruleset, auction: &Auction) -> Option<Event> {
    if auction.seat.is_some() {
        return None;
    }
    Some(match (auction.standing, rules.unbid) {
        (Some(bid), _) => Event::AuctionWon { seat: bid.seat, tricks: bid.tricks, trump: bid.trump },
        (None, Unbid::Fold) => Event::RoundFolded {},
        (None, Unbid::Redeal | Unbid::PassDeal) => Event::AuctionVoid {},
    })
}

/// The leader of the first trick. Without a bidder the first speaker leads.
fn first_leader(rules: &Ruleset, round: &Round, estimates: &Estimates) -> Seat {
    let first_speaker = round.first_speaker();
    let bidder = || {
        let declarer = estimates.declarer.map(|bid| bid.seat);
        let calls = estimates.calls(rules);
        Roles::of(rules, round.deal.number.round, first_speaker, declarer, &calls).bidder
    };
    rules.first_leader(first_speaker, bidder).unwrap_or(first_speaker)
}

fn scored(game: &Game, round: &Round) -> Event {
    let rules = game.rules();
    let result = round.result();
    let score = score(rules, &result);
    let (calls, tricks) = match result.course {
        Course::Played { calls, tricks, .. } => (calls.map(|_, &call| Some(call)), tricks),
        Course::Folded { dashed } => {
            let zero = Call::declared_zero(rules);
            let calls = BySeat::from_fn(rules.players, |seat| dashed.contains(seat).then_some(zero));
            (calls, BySeat::splat(rules.players, 0))
        }
    };
    Event::RoundScored(Box::new(RoundScored {
        round: result.round,
        calls,
        tricks,
        bidder: score.bidder,
        withs: score.withs,
        risk: score.risk,
        multiplier: score.multiplier,
        next_carry: score.next_carry,
        totals: score.points.map(|seat, points| game.sheet.totals[seat] + points),
        points: score.points,
        lines: score.lines,
    }))
}

/// The final standings: highest total first, in `nineteen` lowest first. Equal totals share a rank (C6).
fn standings(rules: &Ruleset, totals: &BySeat<i32>) -> BySeat<Standing> {
    let worth = |total: i32| match rules.scoring {
        Scoring::Penalty => -total,
        _ => total,
    };
    totals.map(|seat, &total| {
        let ahead = totals.values().filter(|&&other| worth(other) > worth(total)).count();
        Standing { seat, total, rank: ahead as u8 + 1 }
    })
}

//! The search for a call: tries every sensible call in sampled worlds, lets the other players answer like
//! `steady`, and plays the round to its end.
//!
//! Only here the bots build a game, from a view and a sampled deal, so that the engine applies the rules of
//! auctions and estimates.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::super::Choice;
use super::super::budget::Budget;
use super::super::caller::Caller;
use super::super::dice::Dice;
use super::super::lanes::{NO_LANE, to_lanes, trump_lane};
use super::super::sight::{Sight, choices};
use super::super::steady;
use super::payoff::Payoff;
use super::race::race;
use super::table::{ANY, Table};
use super::worlds::Worlds;
use estimation_engine::card::Trump;
use estimation_engine::card_set::CardSet;
use estimation_engine::chance::Shuffles;
use estimation_engine::client_seed::PlayerSeed;
use estimation_engine::command::{Actor, Command, Position};
use estimation_engine::consequence::consequence;
use estimation_engine::decide::lead;
use estimation_engine::event::{Event, Visibility};
use estimation_engine::evolve::evolve;
use estimation_engine::game::{self, Game, PhaseKind, Sheet, Sitter, Stage};
use estimation_engine::hex::Hex;
use estimation_engine::legal::legal;
use estimation_engine::player::{AccountId, Player};
use estimation_engine::round::DealNumber;
use estimation_engine::round::{Auction, Bid, CardPlay, Deal, Estimates, Opening, Phase, Round};
use estimation_engine::ruleset::RoundKind;
use estimation_engine::seat::{BySeat, MAX_PLAYERS, Seat, SeatSet};
use estimation_engine::stand_in::Attendance;
use estimation_engine::view::View;

/// How far a tried estimate or bid may be from the judgement of `steady`.
const MAX_DISTANCE: f32 = 2.0;
/// The number of trumps tried in an auction: the best ones.
const TRUMPS: usize = 2;
/// The value of a new deal. For a good player a round to play is worth more.
const REDEAL_VALUE: f32 = 1.0;

/// The call of `sharp`.
pub(super) fn choose(view: &View, sight: &Sight<'_>, dice: &mut Dice, budget: Budget<'_>) -> Option<Choice> {
    let options = options(view, sight);
    if let [only] = options.as_slice() {
        return Some(Choice { command: *only, playouts: 0 });
    }
    let simulation = Simulation::of(sight)?;
    let worlds = Worlds::of(sight);
    let world = |dice: &mut Dice| simulation.dealt(worlds.sample(dice));
    let play = |game: &Game, option: usize| match options[option] {
        Command::Redeal {} => REDEAL_VALUE,
        call => simulation.play(game.clone(), call).unwrap_or(0.0),
    };
    let won = race(options.len(), budget, dice, world, play)?;
    Some(Choice { command: options[won.option], playouts: won.playouts })
}

/// The calls to try.
pub(super) fn options(view: &View, sight: &Sight<'_>) -> Vec<Command> {
    let caller = steady::caller(sight);
    let mut trumps = Trump::ALL.map(|trump| (trump, caller.tricks(trump)));
    trumps.sort_by(|one, other| other.1.total_cmp(&one.1));
    let present = sight.trump();
    let near = |tricks: u8, trump: Trump| {
        let worth = trumps.iter().find(|(named, _)| *named == trump).map_or(0.0, |(_, worth)| *worth);
        (f32::from(tricks) - worth).abs() <= MAX_DISTANCE
    };
    let best = |trump: Trump| trumps.iter().take(TRUMPS).any(|(named, _)| *named == trump);
    let tried = |call: &&Command| match **call {
        Command::Estimate { tricks, trump: None } => tricks == 0 || near(tricks, present),
        Command::Estimate { tricks, trump: Some(trump) } => {
            trump != present && best(trump) && near(tricks, trump)
        }
        Command::Bid { tricks, trump } => best(trump) && near(tricks, trump),
        _ => true,
    };
    let enough = |call: &&Command| caller.missing(call) == 0;
    let tried: Vec<Command> = choices(view).filter(tried).filter(enough).copied().collect();
    if tried.is_empty() {
        return steady::choose(view).into_iter().collect();
    }
    tried
}

/// The round as the seat sees it, without the hidden hands.
pub(super) struct Simulation<'a> {
    sight: &'a Sight<'a>,
    payoff: Payoff<'a>,
    base: Game,
}

impl<'a> Simulation<'a> {
    pub(super) fn of(sight: &'a Sight<'_>) -> Option<Simulation<'a>> {
        let players = sight.rules.players;
        // Bots may not give every command, so all seats have human players.
        let player = Player::Human { account: AccountId::new("") };
        let table = game::Table {
            ruleset: sight.rules.clone(),
            host: AccountId::new(""),
            visibility: Visibility::Private,
            spectators: false,
            turn_seconds: None,
            opening_seconds: 15,
            openings: 0,
            former_commitments: Vec::new(),
            commitments: Vec::new(),
            algorithm: String::new(),
            commitment: Hex([0; 32]),
            places: BySeat::splat(players, Some(Sitter { player, seed: PlayerSeed::Nothing })),
            seats: Some(BySeat::from_fn(players, Seat::as_place)),
        };
        let sheet = Sheet {
            rounds: Vec::new(),
            points: Vec::new(),
            fouls: Vec::new(),
            totals: BySeat::splat(players, 0),
            last_bidder: None,
        };
        let mut base = Game {
            table: Arc::new(table),
            sheet: Arc::new(sheet),
            attendance: Attendance::default(),
            hinted: false,
            stage: Stage::Round(round(sight)?),
        };
        replay_auction(&mut base, sight);
        Some(Simulation { sight, payoff: Payoff::of(sight)?, base })
    }

    /// The game with these hands.
    pub(super) fn dealt(&self, hands: BySeat<CardSet>) -> Game {
        let mut game = self.base.clone();
        if let Stage::Round(round) = &mut game.stage {
            round.hands = hands;
        }
        game
    }

    /// The value of a call: the other players answer, the cards are played, and the round is scored.
    pub(super) fn play(&self, mut game: Game, mut call: Command) -> Option<f32> {
        loop {
            let actor = Actor::at(game.to_act()?);
            let event = lead(&game, actor, &call).ok()?;
            evolve(&mut game, &event);
            while let Stage::Round(round) = &game.stage {
                if matches!(round.phase, Phase::Play(_)) {
                    break;
                }
                // Redeals are not simulated.
                let Some(event) = consequence(&game, &mut Shuffles(|_, _| {})) else { break };
                if let Event::RoundScored(scored) = &event {
                    return Some(self.payoff.worth(&scored.points));
                }
                evolve(&mut game, &event);
            }
            let Stage::Round(round) = &game.stage else { return Some(REDEAL_VALUE) };
            if let Phase::Play(play) = &round.phase {
                let mut table = self.table(round, play);
                table.finish(&self.sight.odds);
                return Some(self.payoff.played(play.declarer, &play.calls, &table.taken));
            }
            call = self.answer(&game, round)?;
        }
    }

    /// The call of the player to act, as `steady` would choose it.
    fn answer(&self, game: &Game, round: &Round) -> Option<Command> {
        let position = game.to_act()?;
        let Position::Seat(seat) = position else { return None };
        let legal = legal(game, position);
        let allowed = |call: &Command| legal.contains(call);
        let rules = self.sight.rules;
        let (said, open, declarer) = match &round.phase {
            Phase::Estimates(estimates) => {
                let open = estimates.order.len() - estimates.made.len() - 1;
                (estimates.total(), open as u8, estimates.declarer.map(|bid| bid.seat))
            }
            _ => (0, rules.players - 1, None),
        };
        let leader = rules.first_leader(round.first_speaker(), || declarer);
        let caller = Caller {
            rules,
            hand: round.hands[seat],
            deck: self.sight.deck(),
            trump: round.trump(),
            said,
            open,
            leads: leader == Some(seat),
            odds: self.sight.odds.at(round.hand_size.into()),
        };
        match &round.phase {
            Phase::VoidCheck { .. } => Some(caller.void_check()),
            Phase::BlindDash { .. } => Some(caller.before_auction(&allowed)),
            Phase::Auction(_) => caller.auction(&allowed),
            Phase::Estimates(_) => caller.estimate(&allowed),
            Phase::Play(_) | Phase::Folded { .. } => None,
        }
    }

    /// The start of play, as a table.
    fn table(&self, round: &Round, play: &CardPlay) -> Table {
        let mut table = Table {
            players: self.sight.rules.players,
            trump: trump_lane(play.trump),
            hands: [0; MAX_PLAYERS],
            left: to_lanes(self.sight.deck(), play.trump),
            may: [ANY; MAX_PLAYERS],
            need: [0; MAX_PLAYERS],
            taken: [0; MAX_PLAYERS],
            turn: play.trick.leader.index() as u8,
            trick_size: 0,
            trick: 0,
            led: NO_LANE,
            best: 0,
            winner: 0,
        };
        for (seat, &hand) in round.hands.iter() {
            table.hands[seat.index()] = to_lanes(hand, play.trump);
            table.need[seat.index()] = play.calls[seat].tricks as i8;
        }
        table
    }
}

/// The round at the seat's turn, without cards and before any call of the auction.
fn round(sight: &Sight<'_>) -> Option<Round> {
    let seen = sight.round;
    let kind = seen.kind?;
    let opening = match (kind, seen.indicator) {
        (RoundKind::Indicator, Some(card)) => Opening::Indicator { card },
        (RoundKind::Fast, _) => Opening::Fast { trump: sight.trump() },
        (RoundKind::Auction | RoundKind::Indicator, _) => Opening::Auction,
    };
    let phase = match seen.phase {
        PhaseKind::VoidCheck => Phase::VoidCheck { seat: sight.seat },
        PhaseKind::BlindDash => Phase::BlindDash { seat: sight.seat, dashed: sight.dashed() },
        PhaseKind::Auction => Phase::Auction(opening_auction(sight)),
        _ => Phase::Estimates(estimates(sight)?),
    };
    Some(Round {
        deal: Deal {
            number: DealNumber { round: seen.number, attempt: seen.attempt },
            dealer: seen.dealer?,
            carry: seen.carry,
        },
        hand_size: seen.hand_size,
        opening,
        hands: BySeat::splat(sight.rules.players, CardSet::EMPTY),
        avoided: seen.avoided,
        spoken: ArrayVec::new(),
        phase,
    })
}

/// The auction at its start.
fn opening_auction(sight: &Sight<'_>) -> Auction {
    let asked = sight.rules.asks_before_auction();
    let zero = |call: &Command| matches!(call, Command::BlindDash {} | Command::DashCall {});
    let dashed: SeatSet =
        sight.round.auction.iter().filter(|said| asked && zero(&said.call)).map(|said| said.seat).collect();
    let seats = sight.held.iter().map(|(seat, _)| seat);
    Auction {
        seat: Some(sight.seat),
        live: seats.filter(|&seat| !dashed.contains(seat)).collect(),
        spoken: SeatSet::EMPTY,
        dashed,
        standing: None,
    }
}

fn replay_auction(game: &mut Game, sight: &Sight<'_>) {
    let asked = sight.rules.asks_before_auction();
    for said in &sight.round.auction {
        let in_auction = match said.call {
            Command::Bid { .. } | Command::Pass {} => true,
            Command::DashCall {} => !asked,
            _ => false,
        };
        let open = matches!(&game.stage, Stage::Round(Round { phase: Phase::Auction(_), .. }));
        if let Some(event) = Event::from_command(Position::Seat(said.seat), &said.call)
            && in_auction
            && open
        {
            evolve(game, &event);
        }
    }
}

/// The estimates so far.
fn estimates(sight: &Sight<'_>) -> Option<Estimates> {
    let trump = sight.trump();
    let first_speaker = sight.round.first_speaker?;
    let bid = sight
        .declarer()
        .and_then(|seat| sight.calls[seat].map(|call| Bid { seat, tricks: call.tricks, trump }));
    let dashed = sight.dashed();
    let order = sight.rules.estimators(first_speaker, bid.map(|bid| bid.seat), dashed);
    let made: ArrayVec<u8, MAX_PLAYERS> =
        order.iter().map_while(|&seat| sight.calls[seat].map(|call| call.tricks)).collect();
    // The view does not show which estimate named the trump. The next must beat the highest one.
    let changed = made.iter().max().filter(|_| sight.rules.fast_trump_change && bid.is_none());
    let changed = changed.filter(|&&tricks| tricks >= 8).map(|&tricks| (tricks, trump));
    Some(Estimates { trump, declarer: bid, dashed, order, made, changed, named: None })
}

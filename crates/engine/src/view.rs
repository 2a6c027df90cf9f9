//! The view of a game for a viewer. Clients see a game only through this and
//! [`redact`](super::redact::redact).

use serde::Serialize;

use super::card::{Card, Trump};
use super::client_seed::SeedCommitment;
use super::command::{Command, Position};
use super::game::{Ending, Foul, Game, GameStatus, PhaseKind, Stage};
use super::hex::Hex;
use super::legal::legal_commands;
use super::listed::{CallView, PlaceSeed, place_seeds, seat_calls};
use super::redact::{Viewer, VisibleHand, visible_hands};
use super::round::{Estimates, Opening, Phase, Round, Seen, Spoken};
use super::ruleset::{RoundKind, Ruleset};
use super::score::{Call, CallKind, Roles, multiplier};
use super::seat::{BySeat, Seat, SeatSet};
use super::trick::Trick;

/// A game for a viewer, without data outside the rules (names, presence, times).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct View {
    /// The game's status.
    pub status: GameStatus,
    /// The viewer's position.
    pub you: Option<Position>,
    /// The current round.
    pub round: Option<RoundView>,
    /// Totals and points so far.
    pub scores: ScoresView,
    /// The data for checking the deals.
    pub fairness: FairnessView,
    /// The commands the viewer may post now.
    pub legal: Vec<Command>,
    /// The rules of the game. Clients get a summary instead.
    #[serde(skip)]
    pub rules: Ruleset,
}

/// The current round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = UntimedRoundView))]
pub struct RoundView {
    /// The round's number, from 1; 0 while players choose seats.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 19))]
    pub number: u8,
    /// The number of rounds in the game.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 19))]
    pub of: u8,
    /// The deal of the round, from 1.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 2_147_483_647))]
    pub attempt: u32,
    /// The number of cards per hand.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 13))]
    pub hand_size: u8,
    /// The round's kind; none while players choose seats.
    pub kind: Option<RoundKind>,
    /// The dealer.
    pub dealer: Option<Seat>,
    /// The first speaker.
    pub first_speaker: Option<Seat>,
    /// Trump, if it is known.
    pub trump: Option<Trump>,
    /// The card turned up (`nineteen`).
    pub indicator: Option<Card>,
    /// The multiplier of the round's points, as far as it is known.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 262_144))]
    pub multiplier: u32,
    /// The multiplier carried over from void rounds.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 131_072))]
    pub carry: u32,
    /// What the round waits for.
    pub phase: PhaseKind,
    /// The position that must act.
    pub to_act: Option<Position>,
    /// The cards drawn for the seats, by place (`plain`).
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<Card>>, min_items = 2, max_items = 5))]
    pub drawn: Option<BySeat<Card>>,
    /// The players who announced the lack of a suit.
    pub avoided: SeatSet,
    /// The calls before and in the auction.
    #[cfg_attr(feature = "schema", schema(max_items = 80))]
    pub auction: Vec<SpokenView>,
    /// The known calls, by seat.
    #[serde(serialize_with = "seat_calls")]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<super::listed::SeatCallView>, max_items = 5))]
    pub calls: BySeat<Option<CallView>>,
    /// The cards of each hand, or their number.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<VisibleHand>, min_items = 2, max_items = 5))]
    pub hands: BySeat<VisibleHand>,
    /// The trick on the table.
    pub trick: Option<Trick>,
    /// The previous trick.
    pub last_trick: Option<Trick>,
    /// The tricks each has taken; none while they are concealed.
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<u8>>, min_items = 2, max_items = 5, minimum = 0, maximum = 13))]
    pub tricks_taken: Option<BySeat<u8>>,
    /// What a player at the table may remember of the play so far; none before play. It is public: clients
    /// have it from the events. A table that conceals tricks leaves it to the players to remember.
    #[serde(skip)]
    pub remembered: Option<Remembered>,
}

/// What a player who watched the whole round may remember.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// The number of tricks each player has taken.
    pub taken: BySeat<u8>,
    /// What play has shown of each hand.
    pub seen: BySeat<Seen>,
}

/// A call before or in the auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SpokenView {
    /// The player's seat.
    pub seat: Seat,
    /// The call.
    #[serde(flatten)]
    pub call: Command,
}

/// Totals and points so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Scores))]
pub struct ScoresView {
    /// The totals, by seat.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<i32>, min_items = 2, max_items = 5))]
    pub totals: BySeat<i32>,
    /// The points of each finished round.
    #[cfg_attr(feature = "schema", schema(max_items = 19))]
    pub rounds: Vec<RoundPoints>,
    /// The revokes that were penalised (`nineteen` R10).
    #[cfg_attr(feature = "schema", schema(max_items = 2_147_483_647))]
    pub penalties: Vec<PenaltyView>,
    /// The rank of each seat, once the game is finished.
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<u8>>, min_items = 2, max_items = 5, minimum = 1, maximum = 5))]
    pub ranks: Option<BySeat<u8>>,
    /// Whether a hint was taken. The game then counts in no statistics.
    pub hinted: bool,
}

/// The points of a finished round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RoundPoints {
    /// The round.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 19))]
    pub round: u8,
    /// The points, by seat.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<i32>, min_items = 2, max_items = 5))]
    pub points: BySeat<i32>,
}

/// A penalised revoke, for the score sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Penalty))]
pub struct PenaltyView {
    /// The round.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 19))]
    pub round: u8,
    /// The deal of the round.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 2_147_483_647))]
    pub attempt: u32,
    /// The player's seat.
    pub seat: Seat,
    /// The card that broke the rule.
    pub card: Card,
    /// The penalty.
    #[cfg_attr(feature = "schema", schema(minimum = 2, maximum = 20))]
    pub points: i32,
}

/// The data for checking the deals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = UntimedFairness))]
pub struct FairnessView {
    /// The algorithm that derives deals from the seeds.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 64))]
    pub algorithm: String,
    /// SHA-256 of the server seed.
    pub commitment: Hex<32>,
    /// The client seeds that are known.
    #[cfg_attr(feature = "schema", schema(max_items = 5))]
    pub client_seeds: Vec<PlaceSeed>,
    /// The commitments to client seeds.
    #[cfg_attr(feature = "schema", schema(max_items = 5))]
    pub seed_commitments: Vec<SeedCommitment>,
    /// The seconds in which players open the seeds to which they committed.
    #[cfg_attr(feature = "schema", schema(minimum = 15, maximum = 604_800))]
    pub opening_seconds: u32,
    /// The server seed, once the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub server_seed: Option<Hex<32>>,
}

/// The view of a game from a position, or for a viewer without one.
pub fn view(game: &Game, you: Option<Position>) -> View {
    let viewer = match you {
        Some(Position::Seat(seat)) => Viewer::Seat(seat),
        Some(Position::Place(_)) | None => Viewer::Stranger,
    };
    View {
        status: game.status(),
        you,
        round: round_view(game, viewer),
        scores: scores_view(game),
        fairness: fairness_view(game),
        legal: you.map_or_else(Vec::new, |position| legal_commands(game, position)),
        rules: game.rules().clone(),
    }
}

/// The view of a former state of a game that is now over: nothing is hidden, and no command is legal.
pub fn view_revealed(game: &Game, you: Option<Position>) -> View {
    let mut view = view(game, you);
    view.legal.clear();
    if let (Some(seen), Stage::Round(round)) = (&mut view.round, &game.stage) {
        seen.hands = visible_hands(&round.hands, Viewer::Stranger, true);
        if let Phase::Play(play) = &round.phase {
            seen.tricks_taken = Some(play.taken.clone());
        }
    }
    view
}

/// The current round as a viewer may see it; none in the lobby, between rounds, and after the end.
pub fn round_view(game: &Game, viewer: Viewer) -> Option<RoundView> {
    let rules = game.rules();
    let players = rules.players;
    let mut view = RoundView {
        number: 0,
        of: rules.rounds(),
        attempt: 1,
        hand_size: 0,
        kind: None,
        dealer: None,
        first_speaker: None,
        trump: None,
        indicator: None,
        multiplier: 1,
        carry: 1,
        phase: game.phase()?,
        to_act: game.to_act(),
        drawn: None,
        avoided: SeatSet::EMPTY,
        auction: Vec::new(),
        calls: BySeat::splat(players, None),
        hands: BySeat::splat(players, VisibleHand::Hidden(0)),
        trick: None,
        last_trick: None,
        tricks_taken: Some(BySeat::splat(players, 0)).filter(|_| !rules.concealed_tricks),
        remembered: None,
    };
    match &game.stage {
        Stage::Lobby | Stage::Opening { .. } | Stage::Drawing | Stage::Finishing | Stage::Over(_) => {
            return None;
        }
        Stage::Choosing(choice) => view.drawn = Some(choice.cards.clone()),
        Stage::Dealing { deal, .. } => {
            view.number = deal.number.round;
            view.attempt = deal.number.attempt;
            view.hand_size = rules.hand_size(deal.number.round);
            view.kind = Some(rules.round_plan(deal.number.round).kind());
            view.dealer = Some(deal.dealer);
            view.first_speaker = Some(deal.dealer.after(1, players));
            view.carry = deal.carry;
            view.multiplier = deal.carry;
        }
        Stage::Round(round) => fill(&mut view, rules, round, viewer),
    }
    Some(view)
}

fn fill(view: &mut RoundView, rules: &Ruleset, round: &Round, viewer: Viewer) {
    let number = round.deal.number;
    let calls = calls_view(rules, round);
    let withs = calls.iter().filter(|(_, call)| call.is_some_and(|call| call.with)).map(|(seat, _)| seat);
    view.multiplier = multiplier(rules, number.round, round.deal.carry, withs.collect());
    view.number = number.round;
    view.attempt = number.attempt;
    view.hand_size = round.hand_size;
    view.kind = Some(round.opening.kind());
    view.dealer = Some(round.deal.dealer);
    view.first_speaker = Some(round.first_speaker());
    view.trump = round.trump();
    view.indicator = match round.opening {
        Opening::Indicator { card } => Some(card),
        Opening::Auction | Opening::Fast { .. } => None,
    };
    view.carry = round.deal.carry;
    view.avoided = round.avoided;
    view.auction = round.spoken.iter().map(|&Spoken { seat, call }| SpokenView { seat, call }).collect();
    view.calls = calls;
    view.hands = visible_hands(&round.hands, viewer, false);
    if let Phase::Play(play) = &round.phase {
        view.trick = Some(play.trick.clone());
        view.last_trick = play.last_trick.clone();
        view.tricks_taken = Some(play.taken.clone()).filter(|_| !rules.concealed_tricks);
        view.remembered = Some(Remembered { taken: play.taken.clone(), seen: play.seen.clone() });
    }
}

/// The calls so far, with the roles known so far.
fn calls_view(rules: &Ruleset, round: &Round) -> BySeat<Option<CallView>> {
    let plain = |call: Call| CallView { kind: call.kind, tricks: call.tricks, with: false, risk: false };
    let zero = plain(Call::declared_zero(rules));
    match &round.phase {
        Phase::VoidCheck { .. } => BySeat::splat(rules.players, None),
        Phase::BlindDash { dashed, .. } | Phase::Folded { dashed } => {
            BySeat::from_fn(rules.players, |seat| dashed.contains(seat).then_some(zero))
        }
        Phase::Auction(auction) => {
            BySeat::from_fn(rules.players, |seat| auction.dashed.contains(seat).then_some(zero))
        }
        Phase::Estimates(estimates) => {
            let risk = estimates.order.last().copied().filter(|_| rules.names_risk());
            let known = estimates.calls(rules);
            known.map(|seat, &call| {
                is_known(estimates, seat).then(|| CallView {
                    with: rules.withs
                        && call.kind == CallKind::Estimate
                        && estimates.declarer.is_some_and(|bid| bid.tricks == call.tricks),
                    risk: risk == Some(seat),
                    ..plain(call)
                })
            })
        }
        Phase::Play(play) => {
            let first_speaker = round.first_speaker();
            let roles = Roles::of(rules, round.deal.number.round, first_speaker, play.declarer, &play.calls);
            play.calls.map(|seat, &call| {
                let (with, risk) = (roles.withs.contains(seat), roles.risk == Some(seat));
                Some(CallView { with, risk, ..plain(call) })
            })
        }
    }
}

/// Whether a seat's call is known during the estimates.
fn is_known(estimates: &Estimates, seat: Seat) -> bool {
    !estimates.order.contains(&seat) || estimates.of(seat).is_some()
}

/// Totals and points so far, which all viewers may see.
pub fn scores_view(game: &Game) -> ScoresView {
    let penalty = |foul: &Foul| PenaltyView {
        round: foul.deal.round,
        attempt: foul.deal.attempt,
        seat: foul.seat,
        card: foul.card,
        points: foul.points,
    };
    ScoresView {
        totals: game.sheet.totals.clone(),
        rounds: game
            .sheet
            .rounds
            .iter()
            .zip(&game.sheet.points)
            .map(|(result, points)| RoundPoints { round: result.round, points: points.clone() })
            .collect(),
        penalties: game.sheet.fouls.iter().map(penalty).collect(),
        ranks: match &game.stage {
            Stage::Over(Ending::Finished { standings, .. }) => {
                Some(standings.map(|_, standing| standing.rank))
            }
            _ => None,
        },
        hinted: game.hinted,
    }
}

/// The data for checking the deals, which all viewers may see.
pub fn fairness_view(game: &Game) -> FairnessView {
    let table = &game.table;
    let seeds = table.places.values().map(|sitter| sitter.as_ref()?.seed.known());
    FairnessView {
        algorithm: table.algorithm.clone(),
        commitment: table.commitment,
        client_seeds: place_seeds(seeds),
        seed_commitments: game.seed_commitments(),
        opening_seconds: table.opening_seconds,
        server_seed: match &game.stage {
            Stage::Over(Ending::Finished { server_seed, .. } | Ending::Abandoned { server_seed, .. }) => {
                Some(*server_seed)
            }
            _ => None,
        },
    }
}

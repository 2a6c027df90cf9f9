//! Evolves the state by events. Total: an event that does not fit the state changes nothing.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::card::{Card, Trump};
use super::card_set::CardSet;
use super::client_seed::PlayerSeed;
use super::command::Position;
use super::event::{Event, GameStarted, RoundDealt, RoundScored};
use super::game::{Ending, Foul, Game, SeatChoice, Sitter, Stage};
use super::player::Player;
use super::round::DealNumber;
use super::round::{Auction, Bid, CardPlay, Deal, Estimates, Opening, Phase, Round, Seen, Spoken};
use super::ruleset::{AuctionKind, Ruleset, Unbid};
use super::seat::{BySeat, Place, Seat, SeatSet};
use super::seed;
use super::stand_in::Attendance;
use super::trick::{Play, Trick};

/// Applies an event to a game.
pub fn evolve(game: &mut Game, event: &Event) {
    if !event.fits_table(game.rules().players) {
        return;
    }
    if let Some(place) = acting(game, event) {
        game.attendance.acted(place);
    }
    match event {
        Event::GameCreated(created) => *game = Game::open(created),
        Event::PlayerJoined { place, account } => {
            let sitter =
                Sitter { player: Player::Human { account: account.clone() }, seed: PlayerSeed::Nothing };
            Arc::make_mut(&mut game.table).places[place.as_seat()] = Some(sitter);
        }
        Event::PlayerLeft { place, .. } => Arc::make_mut(&mut game.table).places[place.as_seat()] = None,
        Event::BotSeated { place, level } => {
            let sitter = Sitter { player: Player::Bot { level: *level }, seed: PlayerSeed::Nothing };
            Arc::make_mut(&mut game.table).places[place.as_seat()] = Some(sitter);
        }
        Event::SeedCommitted { place, commitment } => {
            let seed = commitment.map_or(PlayerSeed::Nothing, PlayerSeed::Committed);
            set_seed(game, *place, seed);
            let known = &game.table.commitments;
            if let Some(commitment) = commitment.filter(|commitment| !known.contains(commitment)) {
                Arc::make_mut(&mut game.table).commitments.push(commitment);
            }
        }
        Event::OpeningBegan {} => game.stage = Stage::Opening { opened: false },
        Event::SeedOpened { place, client_seed } => {
            let seed = PlayerSeed::Opened { commitment: client_seed.commitment(), seed: client_seed.clone() };
            set_seed(game, *place, seed);
            game.stage = Stage::Opening { opened: true };
        }
        Event::OpeningFailed(failed) => seed::fail(game, failed),
        Event::TurnTimedOut { seat } => update_attendance(game, *seat, Attendance::timed_out),
        Event::StandInBegan { seat } => update_attendance(game, *seat, Attendance::stand_in_began),
        Event::StandInEnded { seat } => update_attendance(game, *seat, Attendance::stand_in_ended),
        Event::PlayerForfeited { seat } => update_attendance(game, *seat, Attendance::forfeited),
        Event::HintTaken { .. } => game.hinted = true,
        Event::HostChanged { account, .. } => Arc::make_mut(&mut game.table).host = account.clone(),
        Event::GameStarted(started) => start(game, started),
        Event::SeatsDrawn { cards } => {
            let taken = BySeat::splat(game.rules().players, None);
            game.stage = Stage::Choosing(SeatChoice { cards: cards.clone(), taken });
        }
        Event::SeatChosen { place, seat } => choose_seat(game, *place, *seat),
        Event::DeckCut { position, .. } => {
            if let Stage::Dealing { cut, .. } = &mut game.stage {
                *cut = Some(*position);
            }
        }
        Event::RoundDealt(dealt) => game.stage = Stage::Round(deal(game.rules(), dealt)),
        Event::RedealCalled { .. } => deal_again(game, |_, dealer| dealer),
        Event::AuctionVoid {} => deal_again(game, |rules, dealer| match rules.unbid {
            Unbid::PassDeal => dealer.after(1, rules.players),
            Unbid::Fold | Unbid::Redeal => dealer,
        }),
        Event::Revoked { seat, card, points } => {
            if let Stage::Round(Round { deal, .. }) = game.stage {
                let sheet = Arc::make_mut(&mut game.sheet);
                sheet.fouls.push(Foul { deal: deal.number, seat: *seat, card: *card, points: *points });
                sheet.totals[*seat] += points;
                deal_again(game, |_, dealer| dealer);
            }
        }
        Event::RoundScored(scored) => close_round(game, scored),
        Event::GameFinished(finished) => {
            game.stage = Stage::Over(Ending::Finished {
                standings: finished.standings.clone(),
                server_seed: finished.server_seed,
            });
        }
        Event::GameAbandoned { reason, server_seed } => {
            game.stage = Stage::Over(Ending::Abandoned { reason: *reason, server_seed: *server_seed });
        }
        _ => {
            let Game { table, stage: Stage::Round(round), .. } = game else { return };
            in_round(&table.ruleset, round, event);
        }
    }
}

impl Game {
    /// Replays a log; none if it does not begin with `game_created`.
    pub fn replay<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<Game> {
        let mut events = events.into_iter();
        let Some(Event::GameCreated(created)) = events.next() else { return None };
        let mut game = Game::open(created);
        events.for_each(|event| evolve(&mut game, event));
        Some(game)
    }
}

/// The place of the player whose action the event records, whether it leads a command or is derived.
fn acting(game: &Game, event: &Event) -> Option<Place> {
    match *event {
        Event::SeatChosen { place, .. } => Some(place),
        Event::DeckCut { seat, .. }
        | Event::AvoidDeclared { seat }
        | Event::RedealCalled { seat }
        | Event::BlindDashed { seat }
        | Event::AuctionEntered { seat }
        | Event::BidMade { seat, .. }
        | Event::Passed { seat }
        | Event::DashCalled { seat }
        | Event::EstimateMade { seat, .. }
        | Event::CardPlayed { seat, .. } => game.table.place_of(Position::Seat(seat)),
        _ => None,
    }
}

fn update_attendance(game: &mut Game, seat: Seat, change: impl FnOnce(&mut Attendance, Place)) {
    if let Some(place) = game.table.place_of(game.table.position(seat)) {
        change(&mut game.attendance, place);
    }
}

fn set_seed(game: &mut Game, place: Place, seed: PlayerSeed) {
    if let Some(sitter) = &mut Arc::make_mut(&mut game.table).places[place.as_seat()] {
        sitter.seed = seed;
    }
}

fn start(game: &mut Game, started: &GameStarted) {
    let table = Arc::make_mut(&mut game.table);
    table.former_commitments = Vec::new();
    table.commitments = Vec::new();
    table.places = started.players.map(|place, player| {
        let seed = table.places[place].as_ref().map(|sitter| sitter.seed.clone());
        Some(Sitter { player: player.clone(), seed: seed.unwrap_or_default() })
    });
    if table.draws_seats() {
        game.stage = Stage::Drawing;
    } else {
        table.seats = Some(table.seats_as_placed());
        game.stage = first_deal(table.ruleset.opening_dealer());
    }
}

fn first_deal(dealer: Seat) -> Stage {
    Stage::Dealing { deal: Deal { number: DealNumber { round: 1, attempt: 1 }, dealer, carry: 1 }, cut: None }
}

fn choose_seat(game: &mut Game, place: Place, seat: Seat) {
    let Stage::Choosing(choice) = &mut game.stage else { return };
    choice.taken[seat] = Some(place);
    // The player with the highest card deals the first hand (`plain`).
    let dealer = choice.order().next().and_then(|highest| {
        choice.taken.iter().find(|&(_, &holder)| holder == Some(highest)).map(|(seat, _)| seat)
    });
    let seats: ArrayVec<Place, 5> = choice.taken.values().copied().flatten().collect();
    if let (true, Some(dealer)) = (seats.len() == usize::from(choice.taken.players()), dealer) {
        let table = Arc::make_mut(&mut game.table);
        table.seats = Some(BySeat::from_fn(table.ruleset.players, |seat| seats[seat.index()]));
        game.stage = first_deal(dealer);
    }
}

fn deal(rules: &Ruleset, dealt: &RoundDealt) -> Round {
    let mut round = Round {
        deal: Deal {
            number: DealNumber { round: dealt.round, attempt: dealt.attempt },
            dealer: dealt.dealer,
            carry: dealt.carry,
        },
        hand_size: dealt.hand_size,
        opening: match (dealt.indicator, dealt.trump) {
            (Some(card), _) => Opening::Indicator { card },
            (None, Some(trump)) => Opening::Fast { trump },
            (None, None) => Opening::Auction,
        },
        hands: dealt.hands.clone(),
        avoided: SeatSet::EMPTY,
        spoken: ArrayVec::new(),
        phase: Phase::Folded { dashed: SeatSet::EMPTY },
    };
    round.phase = match round.next_void(None).filter(|_| rules.void_check) {
        Some(seat) => Phase::VoidCheck { seat },
        None => after_void_check(rules, &round),
    };
    round
}

/// The phase after the last hand without a suit was settled.
fn after_void_check(rules: &Ruleset, round: &Round) -> Phase {
    match round.opening {
        Opening::Auction if rules.asks_before_auction() => {
            Phase::BlindDash { seat: round.first_speaker(), dashed: SeatSet::EMPTY }
        }
        Opening::Auction => auction(rules, round, SeatSet::EMPTY),
        Opening::Indicator { .. } | Opening::Fast { .. } => {
            let trump = round.opening.trump().unwrap_or(Trump::NoTrump);
            estimates(rules, round, None, trump, SeatSet::EMPTY)
        }
    }
}

fn auction(rules: &Ruleset, round: &Round, dashed: SeatSet) -> Phase {
    let live: SeatSet =
        round.hands.iter().map(|(seat, _)| seat).filter(|&seat| !dashed.contains(seat)).collect();
    let mut auction = Auction { seat: None, live, spoken: SeatSet::EMPTY, dashed, standing: None };
    auction.seat = auction.first_live(rules, round.first_speaker());
    Phase::Auction(auction)
}

fn estimates(rules: &Ruleset, round: &Round, declarer: Option<Bid>, trump: Trump, dashed: SeatSet) -> Phase {
    Phase::Estimates(Estimates {
        trump,
        declarer,
        dashed,
        order: rules.estimators(round.first_speaker(), declarer.map(|bid| bid.seat), dashed),
        made: ArrayVec::new(),
        changed: None,
        named: None,
    })
}

impl Auction {
    /// The first live seat from `from` on, in the direction of bidding.
    fn first_live(&self, rules: &Ruleset, from: Seat) -> Option<Seat> {
        std::iter::successors(Some(from), |&seat| Some(rules.next_speaker(seat)))
            .take(rules.players.into())
            .find(|&seat| self.live.contains(seat))
    }

    /// Records a call and passes the turn on.
    pub(super) fn hear(&mut self, rules: &Ruleset, call: &Event) {
        match *call {
            Event::BidMade { seat, tricks, trump } => {
                let bid = Bid { seat, tricks, trump };
                if self.standing.is_none_or(|standing| bid.height() > standing.height()) {
                    self.standing = Some(bid);
                }
                self.pass_turn(rules, seat);
            }
            Event::Passed { seat } => {
                self.live = self.live.without(seat);
                self.pass_turn(rules, seat);
            }
            Event::DashCalled { seat } => {
                self.live = self.live.without(seat);
                self.dashed = self.dashed.with(seat);
                self.pass_turn(rules, seat);
            }
            _ => {}
        }
    }

    /// Passes the turn on. Closes the auction when only the bidder is left, or no player at all.
    fn pass_turn(&mut self, rules: &Ruleset, seat: Seat) {
        self.spoken = self.spoken.with(seat);
        if rules.auction == AuctionKind::SingleCall {
            self.live = self.live.without(seat);
        }
        let next = self.first_live(rules, rules.next_speaker(seat));
        self.seat = next.filter(|&next| self.standing.is_none_or(|bid| bid.seat != next));
    }
}

/// The events of a round between its deal and its score.
fn in_round(rules: &Ruleset, round: &mut Round, event: &Event) {
    match *event {
        Event::AvoidDeclared { seat } => {
            round.avoided = round.avoided.with(seat);
            round.phase = match round.next_void(Some(seat)) {
                Some(seat) => Phase::VoidCheck { seat },
                None => after_void_check(rules, round),
            };
        }
        Event::AuctionEntered { seat } => answered(rules, round, seat, event),
        Event::BlindDashed { seat } => answered(rules, round, seat, event),
        Event::DashCalled { seat } if matches!(round.phase, Phase::BlindDash { .. }) => {
            answered(rules, round, seat, event);
        }
        Event::BidMade { seat, .. } | Event::Passed { seat } | Event::DashCalled { seat } => {
            round.record_call(seat, event);
            let Phase::Auction(auction) = &mut round.phase else { return };
            auction.hear(rules, event);
        }
        Event::AuctionWon { seat, tricks, trump } => {
            let Phase::Auction(auction) = &round.phase else { return };
            let dashed = auction.dashed;
            round.phase = estimates(rules, round, Some(Bid { seat, tricks, trump }), trump, dashed);
        }
        Event::RoundFolded {} => {
            let Phase::Auction(auction) = &round.phase else { return };
            round.phase = Phase::Folded { dashed: auction.dashed };
        }
        Event::EstimateMade { tricks, trump, .. } => {
            let Phase::Estimates(estimates) = &mut round.phase else { return };
            // An invalid log must not overflow the list.
            if estimates.made.try_push(tricks).is_ok() && trump.is_some() {
                estimates.changed = trump.map(|trump| (tricks, trump));
                estimates.named = trump;
            }
        }
        Event::TrumpChanged { trump, .. } => {
            let Phase::Estimates(estimates) = &mut round.phase else { return };
            estimates.trump = trump;
            estimates.named = None;
        }
        Event::PlayBegan { leader } => {
            let Phase::Estimates(estimates) = &round.phase else { return };
            round.phase = Phase::Play(CardPlay {
                trump: estimates.trump,
                declarer: estimates.declarer.map(|bid| bid.seat),
                calls: estimates.calls(rules),
                trick: Trick::led_by(leader),
                last_trick: None,
                taken: BySeat::splat(rules.players, 0),
                seen: BySeat::splat(rules.players, Seen::default()),
            });
        }
        Event::CardPlayed { seat, card } => {
            let Phase::Play(play) = &mut round.phase else { return };
            if play.trick.plays.try_push(Play { seat, card }).is_ok() {
                round.hands[seat] = round.hands[seat].without(card);
                let led = play.trick.led_suit(play.trump).map(|led| CardSet::counting_as(led, play.trump));
                play.seen[seat].note(card, led);
            }
        }
        Event::TrickTaken { seat } => {
            let Phase::Play(play) = &mut round.phase else { return };
            play.taken[seat] += 1;
            play.last_trick = Some(std::mem::replace(&mut play.trick, Trick::led_by(seat)));
        }
        _ => {}
    }
}

/// A player answered the question before the auction.
fn answered(rules: &Ruleset, round: &mut Round, seat: Seat, answer: &Event) {
    round.record_call(seat, answer);
    let Phase::BlindDash { dashed, .. } = round.phase else { return };
    let dashed = if matches!(answer, Event::AuctionEntered { .. }) { dashed } else { dashed.with(seat) };
    let next = seat.after(1, rules.players);
    round.phase = if next == round.first_speaker() {
        auction(rules, round, dashed)
    } else {
        Phase::BlindDash { seat: next, dashed }
    };
}

fn deal_again(game: &mut Game, dealer: impl FnOnce(&Ruleset, Seat) -> Seat) {
    let Game { table, stage, .. } = game;
    let Stage::Round(round) = stage else { return };
    let dealer = dealer(&table.ruleset, round.deal.dealer);
    *stage = Stage::Dealing { deal: round.deal.again(dealer), cut: None };
}

fn close_round(game: &mut Game, scored: &RoundScored) {
    let Game { table, stage, sheet, .. } = game;
    let Stage::Round(round) = stage else { return };
    let rules = &table.ruleset;
    let sheet = Arc::make_mut(sheet);
    sheet.rounds.push(round.result());
    sheet.points.push(scored.points.clone());
    sheet.totals = scored.totals.clone();
    sheet.last_bidder = scored.bidder.or(sheet.last_bidder);
    let next = scored.round + 1;
    *stage = if next > rules.rounds() {
        Stage::Finishing
    } else {
        let deal = Deal {
            number: DealNumber { round: next, attempt: 1 },
            dealer: rules.next_dealer(round.deal.dealer, sheet.last_bidder),
            carry: scored.next_carry,
        };
        Stage::Dealing { deal, cut: None }
    };
}

impl Seen {
    /// Records a played card. A player who does not follow holds no card of the led suit.
    fn note(&mut self, card: Card, led: Option<CardSet>) {
        self.played = self.played.with(card);
        if let Some(led) = led.filter(|led| !led.contains(card)) {
            self.lacks = self.lacks | led;
        }
    }
}

impl Round {
    /// Records a call. An invalid log must not overflow the list.
    fn record_call(&mut self, seat: Seat, event: &Event) {
        if let Some(call) = event.command() {
            let _ = self.spoken.try_push(Spoken { seat, call });
        }
    }
}

//! A seat's knowledge of a round, prepared from its view.

use super::odds::RoundOdds;
use estimation_engine::card::Trump;
use estimation_engine::card_set::CardSet;
use estimation_engine::command::{Command, Position};
use estimation_engine::redact::VisibleHand;
use estimation_engine::round::Seen;
use estimation_engine::ruleset::Ruleset;
use estimation_engine::score::{Call, CallKind};
use estimation_engine::seat::{BySeat, Seat, SeatSet};
use estimation_engine::trick::Trick;
use estimation_engine::view::{RoundView, View};

/// The first legal command other than `resume`, which shows what the bot must decide.
pub(super) fn asked(view: &View) -> Option<&Command> {
    choices(view).next()
}

/// The commands a bot may choose from.
pub(super) fn choices(view: &View) -> impl Iterator<Item = &Command> {
    view.legal.iter().filter(|command| !matches!(command, Command::Resume {}))
}

/// A seat's knowledge of the round in which it must act.
pub(super) struct Sight<'a> {
    pub rules: &'a Ruleset,
    /// The viewer's seat.
    pub seat: Seat,
    /// The cards the seat holds.
    pub hand: CardSet,
    pub round: &'a RoundView,
    /// The number of cards in each hand.
    pub held: BySeat<u8>,
    /// The cards in other hands or undealt.
    pub unseen: CardSet,
    /// What play has shown of each hand.
    pub seen: BySeat<Seen>,
    /// The tricks of each player.
    pub taken: BySeat<u8>,
    /// The known calls.
    pub calls: BySeat<Option<Call>>,
    pub odds: RoundOdds,
}

impl<'a> Sight<'a> {
    /// The knowledge of a view's viewer; none without a seat, a round or a hand.
    pub(super) fn of(view: &'a View) -> Option<Sight<'a>> {
        let (Some(Position::Seat(seat)), Some(round)) = (view.you, &view.round) else { return None };
        let VisibleHand::Cards(hand) = *round.hands.get(seat)? else { return None };
        let players = view.rules.players;
        let (taken, seen) = match &round.remembered {
            Some(remembered) => (remembered.taken.clone(), remembered.seen.clone()),
            None => (BySeat::splat(players, 0), BySeat::splat(players, Seen::default())),
        };
        let gone: CardSet = seen.values().fold(hand, |gone, seen| gone | seen.played);
        let gone = round.indicator.map_or(gone, |card| gone.with(card));
        let deck = view.rules.deck().len() - u8::from(round.indicator.is_some());
        let undealt = deck.saturating_sub(players * round.hand_size);
        Some(Sight {
            odds: RoundOdds::new(players - 1, round.hand_size, undealt),
            rules: &view.rules,
            seat,
            hand,
            round,
            held: round.hands.map(|_, hand| match hand {
                VisibleHand::Cards(cards) => cards.len(),
                VisibleHand::Hidden(count) => *count,
            }),
            unseen: view.rules.deck() & !gone,
            seen,
            taken,
            calls: round.calls.map(|_, call| call.map(|call| Call { kind: call.kind, tricks: call.tricks })),
        })
    }

    /// Trump, or no trump while it is unknown.
    pub(super) fn trump(&self) -> Trump {
        self.round.trump.unwrap_or(Trump::NoTrump)
    }

    /// The cards a hand may hold by the play so far.
    pub(super) fn possible(&self, seat: Seat) -> CardSet {
        self.unseen & !self.seen[seat].lacks
    }

    /// The winner of the auction.
    pub(super) fn declarer(&self) -> Option<Seat> {
        let bid = |call: &Call| call.kind == CallKind::Bid;
        self.calls.iter().find(|(_, call)| call.as_ref().is_some_and(bid)).map(|(seat, _)| seat)
    }

    /// The trick on the table; an empty one before the play.
    pub(super) fn trick(&self) -> Trick {
        self.round.trick.clone().unwrap_or_else(|| Trick::led_by(self.seat))
    }

    /// The cards in play, without the indicator.
    pub(super) fn deck(&self) -> CardSet {
        let deck = self.rules.deck();
        self.round.indicator.map_or(deck, |card| deck.without(card))
    }

    /// The players who declared a zero before trump was known.
    pub(super) fn dashed(&self) -> SeatSet {
        let zero = |call: &Call| call.is_declared_zero();
        self.calls.iter().filter(|(_, call)| call.as_ref().is_some_and(zero)).map(|(seat, _)| seat).collect()
    }
}

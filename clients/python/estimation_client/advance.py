"""Keeps a view current from the stream of its game, without another request."""

from collections.abc import Sequence
from copy import copy
from uuid import UUID

from .generated.models import EventEnvelope, GameView, Position, RoundView, SeatView, Trick, TrickCard, Turn
from .generated.types import Unset
from .stream import End, Item, Reset


def advance(view: GameView, account: UUID, item: Item) -> GameView | None:
    """The view after an item of its game's stream. Only an item with a turn changes it.

    `account` is the id of the viewer's account, also without a seat. None if the view must be loaded: after a reset, if
    events are missing or others, or if no turn tells their effect.
    """
    turn = item.turn
    if isinstance(item.content, Reset):
        return None
    if isinstance(item.content, End):
        return None if any(event.seq > view.version for event in item.events) else view
    if turn is None or turn.version < view.version:
        return view
    events = [event for event in item.events if event.seq > view.version]
    is_other = any(event.seq == view.head.seq and event.hash_ != view.head.hash_ for event in item.events)
    if is_other or len(events) != turn.version - view.version or _needs_view(view, events):
        return None
    is_brief = isinstance(turn.status, Unset)
    after = copy(view)
    after.seats = []
    for number, seat in enumerate(view.seats if isinstance(turn.seats, Unset) else turn.seats):
        after.seats.append(copy(seat))
        after.seats[number].stand_in = number in turn.stand_ins
        after.seats[number].connected = number in turn.connected
    if not is_brief:
        after.you = _position(view, account, turn, after.seats, events)
    try:
        after.round_ = _played(view.round_, turn, events) if is_brief else _with_cards(view, turn, after.you, events)
    except LookupError:
        return None
    if not isinstance(turn.status, Unset):
        after.status = turn.status
    if not isinstance(turn.host, Unset):
        after.host = turn.host
    if not isinstance(turn.scores, Unset):
        after.scores = turn.scores
    if not isinstance(turn.fairness, Unset):
        after.fairness = turn.fairness
    if not isinstance(turn.log, Unset):
        after.log = turn.log
    after.legal = [] if isinstance(turn.legal, Unset) else turn.legal
    after.remaining_ms = turn.remaining_ms
    after.version = turn.version
    if events:
        after.head = copy(view.head)
        after.head.seq, after.head.hash_ = events[-1].seq, events[-1].hash_
        after.updated_at = events[-1].at
    return after


def resume_id(view: GameView) -> str:
    """The `after` with which `follow` begins behind a view."""
    return f"{view.head.seq}-{view.head.hash_[:16]}"


def _needs_view(view: GameView, events: Sequence[EventEnvelope]) -> bool:
    """Whether events change what neither they nor the turn say.

    The host can remove a player from a table with an invitation code, which then gets a new one. A player who forfeits
    before the seats are settled is named by the place.
    """
    types = {event.event.type_ for event in events}
    has_code = not isinstance(view.join_code, Unset)
    has_place = view.you is not None and not isinstance(view.you.place, Unset)
    return (has_code and "player_left" in types) or (has_place and "player_forfeited" in types)


def _number_of(account: UUID, seats: Sequence[SeatView]) -> int | None:
    return next((number for number, seat in enumerate(seats) if seat.player and seat.player.id == account), None)


def _position(
    view: GameView, account: UUID, turn: Turn, seats: Sequence[SeatView], events: Sequence[EventEnvelope]
) -> Position | None:
    """The viewer's position. A player who has forfeited is still listed in the seat, and has no position."""
    number = _number_of(account, seats)
    if number is None or (view.you is None and _number_of(account, view.seats) is not None):
        return None
    if any(event.event.type_ == "player_forfeited" and event.event.seat == number for event in events):
        return None
    if isinstance(turn.round_, RoundView):
        is_seated = turn.round_.phase != "choosing_seats"
    else:
        is_seated = view.you is not None and not isinstance(view.you.seat, Unset)
    return Position(seat=number) if is_seated else Position(place=number)


def _played(before: RoundView | None, turn: Turn, events: Sequence[EventEnvelope]) -> RoundView:
    """The round after cards were played and tricks taken. Raises a `LookupError` after other events."""
    if before is None:
        raise LookupError("the view has no round")
    after = copy(before)
    after.hands = [copy(hand) for hand in before.hands]
    for event in (envelope.event for envelope in events):
        seat, card, trick = event.seat, event.card, after.trick
        if isinstance(seat, Unset) or trick is None:
            raise LookupError(event.type_)
        if event.type_ == "card_played" and not isinstance(card, Unset):
            hand = after.hands[seat]
            hand.count -= 1
            hand.cards = None if hand.cards is None else [held for held in hand.cards if held != card]
            after.trick = Trick(leader=trick.leader, plays=[*trick.plays, TrickCard(seat=seat, card=card)])
        elif event.type_ == "trick_taken":
            after.last_trick, after.trick = trick, Trick(leader=seat, plays=[])
            if after.tricks_taken is not None:
                after.tricks_taken = [taken + (taker == seat) for taker, taken in enumerate(after.tricks_taken)]
        else:
            raise LookupError(event.type_)
    after.to_act = turn.awaited[0] if turn.awaited else None
    after.deadline = turn.deadline
    return after


def _with_cards(view: GameView, turn: Turn, you: Position | None, events: Sequence[EventEnvelope]) -> RoundView | None:
    """The round of a turn, which shows the number of the viewer's cards, with these cards.

    Raises a `LookupError` if they are not known.
    """
    if not isinstance(turn.round_, RoundView):
        return None
    if you is None or isinstance(you.seat, Unset):
        return turn.round_
    after, cards = copy(turn.round_), None
    if view.round_ and (view.round_.number, view.round_.attempt) == (after.number, after.attempt):
        cards = view.round_.hands[you.seat].cards
    for event in (envelope.event for envelope in events):
        if not isinstance(event.deal, Unset):
            is_same = (event.deal.round_, event.deal.attempt) == (after.number, after.attempt)
            cards = event.deal.hands[you.seat].cards if is_same else None
        if event.type_ == "card_played" and event.seat == you.seat and cards is not None:
            cards = [held for held in cards if held != event.card]
    if after.hands[you.seat].count != len(cards or ()):
        raise LookupError("the cards of the viewer are not known")
    after.hands = [copy(hand) for hand in after.hands]
    after.hands[you.seat].cards = cards
    return after

"""Keeps a view current from the stream of its game, without another request."""

from collections.abc import Sequence
from copy import copy
from typing import Any
from uuid import UUID

from .generated.models import EventEnvelope, GameView, Position, RoundChanges, RoundView, Scores, SeatView, Turn
from .generated.types import Unset
from .stream import End, Item, Reset


def advance(view: GameView, account: UUID, item: Item) -> GameView | None:
    """The view after an item of its game's stream. Only an item with a turn changes it.

    `account` is the id of the viewer's account, also without a seat. None if the view must be loaded: after a reset, if
    events are missing or others, or if no turn tells their effect. The `head` has the first 16 digits of a hash where the
    stream has no more.
    """
    turn = item.turn
    if isinstance(item.content, Reset):
        return None
    if isinstance(item.content, End):
        return None if any(event.seq > view.version for event in item.events) else view
    if turn is None or isinstance(turn.version, Unset) or turn.version < view.version:
        return view
    events = [event for event in item.events if event.seq > view.version]
    is_other = any(event.seq == view.head.seq and event.hash_[:16] != view.head.hash_[:16] for event in item.events)
    if is_other or len(events) != turn.version - view.version or _needs_view(view, events):
        return None
    after = copy(view)
    after.seats = []
    for number, seat in enumerate(view.seats if isinstance(turn.seats, Unset) else turn.seats):
        after.seats.append(copy(seat))
        if not isinstance(turn.stand_ins, Unset):
            after.seats[number].stand_in = number in turn.stand_ins
        if not isinstance(turn.connected, Unset):
            after.seats[number].connected = number in turn.connected
    before = view.round_.to_dict() if view.round_ else None
    for event in events:
        before = _played(before, event.event.to_dict())
    merged = before
    if turn.round_ is None:
        merged = None
    elif not isinstance(turn.round_, Unset):
        merged = {**(before or {}), **turn.round_.to_dict()}
    after.you = _position(view, account, merged, after.seats, events)
    try:
        after.round_ = _with_cards(_without_former_hand(merged, view.you, after.you), before, turn, after.you)
    except LookupError:
        return None
    scores = view.scores.to_dict()
    for event in events:
        if not isinstance(event.event.score, Unset):
            score = event.event.score
            points = {"round": score.round_, "points": score.points}
            scores = {**scores, "totals": score.totals, "rounds": [*scores["rounds"], points]}
    after.scores = Scores.from_dict(scores)
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
    view: GameView,
    account: UUID,
    round_: dict[str, Any] | None,
    seats: Sequence[SeatView],
    events: Sequence[EventEnvelope],
) -> Position | None:
    """The viewer's position. A player who has forfeited is still listed in the seat, and has no position."""
    number = _number_of(account, seats)
    if number is None or (view.you is None and _number_of(account, view.seats) is not None):
        return None
    if any(event.event.type_ == "player_forfeited" and event.event.seat == number for event in events):
        return None
    if round_:
        is_seated = round_["phase"] != "choosing_seats"
    else:
        is_seated = view.you is not None and not isinstance(view.you.seat, Unset)
    return Position(seat=number) if is_seated else Position(place=number)


def _played(before: dict[str, Any] | None, event: dict[str, Any]) -> dict[str, Any] | None:
    """The round after what an event says of it. Everything else is in the turn."""
    if "deal" in event:
        deal = event["deal"]
        dealt = {name: value for name, value in deal.items() if name not in ("round", "salt")}
        return {**(before or {}), **dealt, "number": deal["round"]}
    if before is None:
        return None
    seat, type_ = event.get("seat", 0), event["type"]
    if type_ == "estimate_made":
        call = {"seat": seat, "kind": "estimate", "tricks": event["tricks"], "with": False, "risk": False}
        calls = [call, *(other for other in before["calls"] if other["seat"] != seat)]
        return {**before, "calls": sorted(calls, key=lambda other: int(other["seat"]))}
    if type_ == "card_played":
        card, hands = event["card"], [dict(hand) for hand in before["hands"]]
        # The turn that began the play can have been missed.
        trick = before["trick"] or {"leader": seat, "plays": []}
        hand = hands[seat]
        hand["count"] -= 1
        hand["cards"] = None if hand["cards"] is None else [held for held in hand["cards"] if held != card]
        plays = [*trick["plays"], {"seat": seat, "card": card}]
        return {**before, "hands": hands, "trick": {**trick, "plays": plays}}
    if type_ == "trick_taken":
        taken = before["tricks_taken"]
        if taken is not None:
            taken = [tricks + (taker == seat) for taker, tricks in enumerate(taken)]
        trick = {"leader": seat, "plays": []}
        return {**before, "last_trick": before["trick"], "trick": trick, "tricks_taken": taken}
    return before


def _without_former_hand(
    merged: dict[str, Any] | None, before: Position | None, you: Position | None
) -> dict[str, Any] | None:
    """The round without the cards of a seat that the viewer has left."""
    if merged is None or before is None or you is not None or isinstance(before.seat, Unset):
        return merged
    hands = [{**hand, "cards": None} if seat == before.seat else hand for seat, hand in enumerate(merged["hands"])]
    return {**merged, "hands": hands}


def _with_cards(
    merged: dict[str, Any] | None, before: dict[str, Any] | None, turn: Turn, you: Position | None
) -> RoundView | None:
    """The round with the deadline of its turn. Where the turn shows the number of the viewer's cards, with the cards.

    Raises a `LookupError` if they are not known.
    """
    if merged is None:
        return None
    members = {**merged, "to_act": None}
    members.pop("deadline", None)
    after = RoundView.from_dict(members)
    after.to_act = turn.awaited[0] if turn.awaited else None
    after.deadline = turn.deadline
    shows_hands = isinstance(turn.round_, RoundChanges) and not isinstance(turn.round_.hands, Unset)
    if you is None or isinstance(you.seat, Unset) or not shows_hands:
        return after
    cards = None
    if before and (before.get("number"), before.get("attempt")) == (after.number, after.attempt):
        cards = before["hands"][you.seat]["cards"]
    if after.hands[you.seat].count != len(cards or ()):
        raise LookupError("the cards of the viewer are not known")
    after.hands[you.seat].cards = cards
    return after

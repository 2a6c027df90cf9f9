"""Tests of the package's view and player that need no server: `python -m unittest advance`."""

import json
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
from estimation_client import End, Item, Player, Reset, advance, resume_id
from estimation_client.generated import Client
from estimation_client.generated.models import Command, EventEnvelope, GameView, Turn

Members = dict[str, Any]

GAME = UUID("019b796d-d600-7c37-8924-211db32f70a5")
ME, OTHER = (UUID(f"019b7a00-0000-7000-8000-0000000000a{number}") for number in (1, 2))
DOCUMENT = json.loads((Path(__file__).parents[3] / "openapi" / "openapi.json").read_text())
RECORDED = DOCUMENT["components"]["examples"]["GameView"]["value"]


def hash_(seq: int) -> str:
    return f"{seq:064x}"[::-1]


def at(second: int) -> str:
    return f"2026-01-01T00:00:{second:02}.000Z"


def seat(account: UUID | None, **members: Any) -> Members:
    player = account and {"id": str(account), "name": "Sami", "kind": "human"}
    return {"player": player, "stand_in": False, "connected": True, **members}


def hands(count: int, cards: list[str] | None, other: int = 2) -> list[Members]:
    return [{"count": count, "cards": cards}, {"count": other, "cards": None}]


SEATS = [seat(ME), seat(OTHER)]
ROUND: Members = {
    **dict.fromkeys(DOCUMENT["components"]["schemas"]["RoundView"]["required"]),
    "number": 1,
    "of": 5,
    "attempt": 1,
    "hand_size": 2,
    "multiplier": 1,
    "carry": 1,
    "phase": "play",
    "avoided": [],
    "auction": [],
    "calls": [],
    "hands": hands(2, ["AS", "KS"]),
    "trick": {"leader": 1, "plays": [{"seat": 1, "card": "2S"}]},
    "last_trick": None,
    "tricks_taken": [0, 0],
    "to_act": {"seat": 0},
    "deadline": at(50),
}
HIDDEN = ROUND | {"hands": hands(2, None)}
DEAL = dict.fromkeys(DOCUMENT["components"]["schemas"]["Deal"]["required"], 1) | {"kind": "normal"}
ACE, KING = {"type": "play", "card": "AS"}, {"type": "play", "card": "KS"}
ME_JSON: Members = DOCUMENT["components"]["examples"]["Account"]["value"] | {"id": str(ME)}


def view_at(version: int, **members: Any) -> GameView:
    table = {
        "id": str(GAME),
        "version": version,
        "head": {"seq": version, "hash": hash_(version)},
        "status": "playing",
        "seats": SEATS,
        "you": {"seat": 0},
        "round": ROUND,
        "updated_at": at(version),
        "legal": [ACE],
        "remaining_ms": 9,
    }
    return GameView.from_dict(RECORDED | table | members)


def envelope(seq: int, type_: str = "passed", **members: Any) -> Members:
    content = {"type": type_, **members}
    return {"seq": seq, "at": at(seq), "actor": {"kind": "server"}, "hash": hash_(seq), "event": content}


def brief(version: int, **members: Any) -> Members:
    """A turn in which nothing has changed but its version."""
    return {"version": version, "awaited": [], **members}


def whole(version: int, **members: Any) -> Members:
    """A turn with all members."""
    clock = {"awaited": [{"seat": 0}], "deadline": at(50)}
    table = {"status": "playing", "seats": SEATS, "stand_ins": [], "connected": [0, 1], "round": HIDDEN}
    return brief(version, **(clock | table | members))


def item(turn: Members, *events: Members) -> Item:
    return Item("", None, Turn.from_dict(turn), [EventEnvelope.from_dict(event) for event in events])


PLAYED = envelope(6, "card_played", seat=0, card="AS")
TAKEN = envelope(7, "trick_taken", seat=0)


class Advanced(unittest.TestCase):
    def advanced(self, view: GameView, turn: Members, *events: Members) -> GameView:
        before = view.to_dict()
        after = advance(view, ME, item(turn, *events))
        assert after
        self.assertEqual(view.to_dict(), before, "the view before has changed")
        return after

    def test_a_card_and_a_trick_change_the_round_as_their_events_say(self) -> None:
        turn = brief(7, awaited=[{"seat": 0}], deadline=at(59), remaining_ms=7, legal=[KING])
        tricks: Members = {
            "hands": hands(1, ["KS"]),
            "trick": {"leader": 0, "plays": []},
            "last_trick": {"leader": 1, "plays": [{"seat": 1, "card": "2S"}, {"seat": 0, "card": "AS"}]},
            "tricks_taken": [1, 0],
            "deadline": at(59),
        }
        expected = view_at(7, legal=[KING], remaining_ms=7, round=ROUND | tricks)
        self.assertEqual(self.advanced(view_at(5), turn, PLAYED, TAKEN), expected)
        concealed = view_at(5, round=ROUND | {"tricks_taken": None})
        shown = self.advanced(concealed, brief(7), PLAYED, TAKEN).to_dict()
        self.assertEqual((shown["legal"], shown["round"]["tricks_taken"], shown["round"]["to_act"]), ([], None, None))
        self.assertNotIn("remaining_ms", shown)
        self.assertNotIn("deadline", shown["round"])

    def test_an_estimate_and_a_score_change_the_view_as_their_events_say_and_the_turn_has_the_rest(self) -> None:
        bid = {"seat": 1, "kind": "bid", "tricks": 1, "with": False, "risk": False}
        own = {"seat": 0, "kind": "estimate", "tricks": 2, "with": False, "risk": False}
        asked = view_at(5, round=ROUND | {"phase": "estimates", "calls": [bid]})
        estimated = envelope(6, "estimate_made", seat=0, tricks=2)
        for turn, call in [(brief(6), own), (brief(6, round={"calls": [own | {"risk": True}, bid]}), own | {"risk": True})]:
            self.assertEqual(self.advanced(asked, turn, estimated).to_dict()["round"]["calls"], [call, bid])
        score = dict.fromkeys(DOCUMENT["components"]["schemas"]["ScoredRound"]["required"]) | {
            "round": 1, "calls": [], "tricks": [1, 1], "withs": [], "multiplier": 1, "next_carry": 1, "lines": [],
            "points": [2, -1], "totals": [3, 0],
        }
        scored = self.advanced(view_at(5), brief(6), envelope(6, "round_scored", score=score)).scores.to_dict()
        self.assertEqual((scored["totals"], scored["rounds"][-1]), ([3, 0], {"round": 1, "points": [2, -1]}))

    def test_a_turn_with_all_members_keeps_the_cards_of_the_same_deal_and_takes_those_of_a_new_one(self) -> None:
        turn = whole(5, stand_ins=[0], connected=[1], remaining_ms=9)
        seats = [seat(ME, stand_in=True, connected=False), seat(OTHER)]
        self.assertEqual(self.advanced(view_at(5), turn), view_at(5, seats=seats, legal=[]))
        played = whole(7, round=HIDDEN | {"hands": hands(1, None)})
        shown = self.advanced(view_at(5), played, PLAYED, TAKEN)
        assert shown.round_
        self.assertEqual(shown.round_.hands[0].cards, ["KS"])
        deal = DEAL | {"round": 2, "attempt": 1, "hands": hands(3, ["2C", "3C", "4C"], 3)}
        dealt, call = envelope(8, "round_dealt", deal=deal), envelope(9, "estimate_made", seat=0, tricks=1)
        next_ = whole(9, round=HIDDEN | {"number": 2, "hands": hands(3, None, 3)})
        later = self.advanced(view_at(5), next_, PLAYED, TAKEN, dealt, call)
        assert later.round_
        self.assertEqual(later.round_.hands[0].cards, ["2C", "3C", "4C"])
        self.assertEqual((later.head.seq, later.head.hash_), (9, hash_(9)))
        # Before the deal nobody has cards.
        cutting = HIDDEN | {"number": 2, "hands": hands(0, None, 0)}
        self.assertEqual(
            self.advanced(view_at(5), whole(5, round=cutting)).to_dict()["round"]["hands"], cutting["hands"]
        )
        self.assertIsNone(self.advanced(view_at(5), whole(5, round=None, status="finished")).round_)

    def test_a_spectator_sees_no_cards(self) -> None:
        view = view_at(5, you=None, seats=[seat(OTHER), seat(None)], round=HIDDEN)
        after = self.advanced(view, whole(5, seats=[seat(OTHER), seat(None)]))
        self.assertEqual((after.you, after.round_), (None, view.round_))

    def test_an_older_turn_and_an_event_without_one_change_nothing(self) -> None:
        view = view_at(7)
        self.assertIs(advance(view, ME, item(whole(5))), view)
        self.assertIs(advance(view, ME, Item("", EventEnvelope.from_dict(envelope(8)))), view)
        events = [EventEnvelope.from_dict(event) for event in (PLAYED, TAKEN)]
        self.assertIs(advance(view, ME, Item("", End(), events=events)), view)
        # The events up to the version of the view are in it already.
        after = self.advanced(view, brief(7), PLAYED, TAKEN)
        self.assertEqual(after.to_dict()["round"]["hands"], ROUND["hands"])

    def test_the_view_must_be_loaded_after_a_reset_and_when_the_stream_does_not_tell_all(self) -> None:
        view = view_at(5)
        self.assertIsNone(advance(view, ME, Item("", Reset(3))))
        self.assertIsNone(advance(view, ME, Item("", End(), events=[EventEnvelope.from_dict(PLAYED)])))
        self.assertIsNone(advance(view, ME, item(whole(7), TAKEN)), "an event is missing")
        unknown = item(whole(6, round=HIDDEN | {"number": 2}), PLAYED)
        self.assertIsNone(advance(view, ME, unknown), "the cards are not known")
        left = item(whole(6, status="lobby", round=None), envelope(6, "player_left", place=1))
        lobby = {"status": "lobby", "round": None, "you": {"place": 0}}
        self.assertIsNone(advance(view_at(5, **lobby, join_code="ABCD1234"), ME, left))
        self.assertIsNotNone(advance(view_at(5, **lobby), ME, left))

    def test_the_position_is_a_place_until_the_seats_are_settled_and_none_after_a_forfeit(self) -> None:
        def you(view: GameView) -> Members | None:
            return view.you.to_dict() if view.you else None

        lobby = view_at(5, status="lobby", round=None, you=None, seats=[seat(OTHER), seat(None)])
        seats = [seat(OTHER), seat(ME)]
        joined = self.advanced(lobby, whole(6, status="lobby", round=None, seats=seats), envelope(6))
        self.assertEqual(you(joined), {"place": 1})
        choosing = HIDDEN | {"number": 0, "phase": "choosing_seats", "hands": hands(0, None, 0)}
        drawn = self.advanced(joined, whole(7, seats=seats, round=choosing), envelope(7))
        self.assertEqual(you(drawn), {"place": 1})
        cut = self.advanced(drawn, whole(8, round=choosing | {"phase": "cutting"}), envelope(8))
        self.assertEqual(you(cut), {"seat": 0})
        over = whole(8, seats=seats, status="abandoned", round=None)
        self.assertEqual(you(self.advanced(drawn, over, envelope(8))), {"place": 1})
        over = whole(9, status="abandoned", round=None)
        self.assertEqual(you(self.advanced(cut, over, envelope(9))), {"seat": 0})
        forfeit = self.advanced(
            cut, whole(9, round=choosing | {"phase": "cutting"}), envelope(9, "player_forfeited", seat=0)
        )
        self.assertIsNone(forfeit.you)
        self.assertIsNone(self.advanced(forfeit, whole(10), envelope(10)).you)


def frame(event: Members, turn: Members | None = None) -> str:
    # The id has the number and the tag, and only a player is named as actor.
    turn = turn and {name: member for name, member in turn.items() if name != "version"}
    message = {"at": event["at"], "event": event["event"]} | ({"turn": turn} if turn else {})
    return f"id: {event['seq']}-{event['hash'][:16]}\ndata: {json.dumps(message)}\n\n"


def catch_up(turn: Members) -> str:
    return f"event: turn\ndata: {json.dumps(turn)}\n\n"


END = "event: end\ndata: {}\n\n"


def finished(version: int) -> str:
    return frame(envelope(version, "game_finished"), whole(version, status="finished", round=None))


def commands(version: int) -> str:
    return f'commands "{version}.{hash_(version)[:16]}.{"0" * 16}"'


def stream(version: int) -> str:
    return f"stream {resume_id(view_at(version))}"


class Scripted:
    """A player whose server returns these views, streams and answers to commands, each once, and what it was asked."""

    def __init__(
        self,
        views: list[GameView],
        streams: list[str],
        answers: list[tuple[int, int]],
        choice: Callable[[GameView], Command | None] = lambda view: next(iter(view.legal), None),
    ) -> None:
        self.views, self.streams, self.answers = views, streams, answers
        self.asked: list[str] = []
        client = Client("http://localhost")
        transport = httpx.MockTransport(self.answer)
        self.player = Player(
            client.set_httpx_client(httpx.Client(base_url="http://localhost", transport=transport)), choice
        )

    def answer(self, request: httpx.Request) -> httpx.Response:
        name = request.url.path.split("/")[-1]
        if name == "me":
            return httpx.Response(200, json=ME_JSON)
        detail = request.headers.get("If-Match") or request.headers.get("Last-Event-ID")
        self.asked.append(f"{name} {detail}" if detail else "view")
        if name == str(GAME):
            return httpx.Response(200, json=self.views.pop(0).to_dict())
        if name == "stream":
            return httpx.Response(200, text=self.streams.pop(0), headers={"Content-Type": "text/event-stream"})
        assert request.headers["Prefer"] == "return=minimal"
        status, version = self.answers.pop(0)
        if status != 200:
            problem = {"type": "/", "title": "t", "detail": "d", "instance": "/", "status": status, "code": "c"}
            return httpx.Response(status, json=problem, headers={"Content-Type": "application/problem+json"})
        return httpx.Response(200, json={"version": version, "head": {"seq": version, "hash": hash_(version)}})


class Playing(unittest.TestCase):
    def test_a_player_loads_the_view_once_and_acts_once_on_each_state(self) -> None:
        first = catch_up(whole(5, legal=[ACE])) + frame(PLAYED) + frame(TAKEN, brief(7, legal=[KING]))
        repeated = catch_up(whole(7, legal=[KING], round=HIDDEN | {"hands": hands(1, None)}))
        scripted = Scripted([view_at(5)], [first + repeated + finished(8) + END], [(200, 7), (200, 8)])
        view = scripted.player.play(GAME)
        self.assertEqual(scripted.asked, ["view", commands(5), stream(5), commands(7)])
        self.assertEqual((view.status, view.version, scripted.player.played), ("finished", 8, 2))

    def test_a_broken_stream_is_resumed_after_its_last_event_and_the_turn_needs_no_other_request(self) -> None:
        turn = catch_up(whole(7, legal=[KING], round=HIDDEN | {"hands": hands(1, None)}))
        cards: list[list[str] | None] = []

        def choose(view: GameView) -> Command | None:
            if view.legal and view.round_:
                cards.append(view.round_.hands[0].cards)
            return next(iter(view.legal), None)

        streams = [frame(PLAYED), frame(TAKEN) + turn + finished(8) + END]
        scripted = Scripted([view_at(5, legal=[])], streams, [(200, 8)], choose)
        scripted.player.play(GAME)
        self.assertEqual(scripted.asked, ["view", stream(5), stream(6), commands(7)])
        self.assertEqual(cards, [["KS"]])

    def test_after_a_412_a_lost_answer_and_a_reset_the_player_loads_the_view(self) -> None:
        reset = f'event: reset\nid: {resume_id(view_at(4))}\ndata: {{"version":4}}\n\n'
        over = whole(5, status="finished", round=None)
        streams = [reset + catch_up(whole(4)) + frame(envelope(5), over) + END]
        views = [view_at(5), view_at(6), view_at(7, legal=[]), view_at(4, legal=[])]
        scripted = Scripted(views, streams, [(412, 0), (503, 0)])
        scripted.player.play(GAME)
        expected = ["view", commands(5), "view", commands(6), "view", stream(7), "view"]
        self.assertEqual(scripted.asked, expected)
        self.assertEqual(scripted.player.played, 0)

    def test_the_stream_of_a_game_that_ended_meanwhile_has_no_turn_so_the_player_loads_the_view(self) -> None:
        views = [view_at(5, legal=[]), view_at(6, status="finished", legal=[])]
        scripted = Scripted(views, [frame(envelope(6, "game_finished")) + END], [])
        self.assertEqual(scripted.player.play(GAME).status, "finished")
        self.assertEqual(scripted.asked, ["view", stream(5), "view"])

    def test_a_stream_can_begin_at_an_item_from_before(self) -> None:
        messages = frame(envelope(5)) + frame(PLAYED) + catch_up(whole(6)) + finished(7) + END
        scripted = Scripted([view_at(6, legal=[])], [messages], [])
        heard: list[int | None] = []

        def hear(item: Item) -> None:
            heard.append(item.content.seq if isinstance(item.content, EventEnvelope) else None)

        scripted.player.play(GAME, hear, resume_id(view_at(4)))
        self.assertEqual(scripted.asked, ["view", stream(4)])
        self.assertEqual(heard, [5, 6, None, 7, None])


if __name__ == "__main__":
    unittest.main()

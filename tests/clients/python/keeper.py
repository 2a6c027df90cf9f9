"""Tests of the package's keeper, stores and comparison that need no server: `python -m unittest keeper`."""

import base64
import json
import stat
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock
from uuid import UUID

import httpx
from estimation_client import FileStore, Keeper, Kept, MemoryStore, OwnSeed, ProblemError, Store, compare
from estimation_client.generated import Client
from estimation_client.generated.models import GameView, Head, LogPromise

Event = dict[str, Any]
Answer = tuple[int, Event | str | bytes]

GAME = UUID("019b796d-d600-7c37-8924-211db32f70a5")
SEED, OTHER = "5eed" * 16, "0" * 64
COMMITMENT, OTHER_COMMITMENT = (sha256(seed.encode()).hexdigest() for seed in (SEED, OTHER))

# How many seconds a proof may take that is asked for in a thread.
PATIENCE = 20

COMMITTED = {"type": "seed_committed", "place": 1, "commitment": COMMITMENT}
REPLACED = {"type": "seed_committed", "place": 1, "commitment": OTHER_COMMITMENT}
OPENED = {"type": "seed_opened", "place": 1, "client_seed": SEED}
FAILED = {"type": "opening_failed"}
BEGAN = {"type": "opening_began"}
TIME = "2026-01-01T00:00:00.000Z"
SIGNATURE = {"kid": "k", "value": "0" * 128}


def started(seed: str | None) -> Event:
    return {"type": "game_started", "client_seeds": [None, seed]}


EVENTS: list[Event] = [{"type": "game_created"}, COMMITTED, BEGAN, OPENED, started(SEED), {"type": "round_dealt"}]


class Made:
    """A bundle, and what a player kept of the game."""

    def __init__(self, events: list[Event] = EVENTS, salt: str | None = None) -> None:
        last, lines = bytes(32), []
        for seq, event in enumerate(events, 1):
            body = json.dumps({"event": event, "game": str(GAME), "seq": seq})
            last = sha256(last + body.encode()).digest()
            lines.append({"seq": seq, "hash": last.hex(), "body": body})
        start = next((line["hash"] for line in lines if "game_started" in str(line["body"])), None)
        entry = json.dumps({"game": str(GAME), "started": start, "type": "start"})
        logged = entry
        if salt is not None:
            sealed = sha256(bytes.fromhex(salt) + entry.encode()).hexdigest()
            logged = f'{{"hash":"{sealed}","type":"sealed"}}'
        extra = base64.b64encode(json.dumps({"entry": entry, "salt": salt}).encode()).decode()
        leaf = sha256(b"\0" + logged.encode()).hexdigest()
        self.head = Head(seq=len(events), hash_=last.hex())
        self.log = {"origin": "o", "leaf": leaf, "by": TIME, "signature": SIGNATURE}
        self.promise = LogPromise.from_dict(self.log)
        proof = f"c2sp.org/tlog-proof@v1\nextra {extra}\nindex 3\n"
        # The bundle's proof has another checkpoint than the kept one.
        proofs = {"start": f"{proof}later\n" if start else None}
        self.bundle = {"header": {"game": str(GAME)}, "events": lines, "end": {}, "proofs": proofs}
        self.text = json.dumps(self.bundle)
        self.heads = [Head(seq=int(str(line["seq"])), hash_=str(line["hash"])) for line in lines]
        opening_head = self.heads[2] if len(lines) > 2 else None
        own = OwnSeed(1, COMMITMENT, is_opened=True)
        self.kept = Kept(self.head, opening_head, self.promise, proof, own)


def wrong(kept: Kept, text: str) -> list[str]:
    return [one.check for one in compare(GAME, kept, text).contradictions]


class Compared(unittest.TestCase):
    def test_nothing_contradicts_and_the_files_are_what_was_compared(self) -> None:
        for salt in (None, "5a" * 32):
            made = Made(salt=salt)
            comparison = compare(GAME, made.kept, made.text)
            self.assertEqual(comparison.compared, ["bundle", "head", "opening", "seed", "promise", "start"])
            self.assertEqual(comparison.contradictions, [])
            self.assertRegex(str(comparison), r"nothing contradicts \(this does not verify the game\)$")
            files = {
                f"{GAME}.bundle.json": made.text,
                f"{GAME}.start.tlog-proof": made.kept.start_proof,
                f"{GAME}.head": f"6-{made.head.hash_}\n",
                f"{GAME}.opening-head": f"3-{made.heads[2].hash_}\n",
            }
            with tempfile.TemporaryDirectory() as folder:
                comparison.save(Path(folder) / "proof")
                saved = {path.name: path.read_text() for path in (Path(folder) / "proof").iterdir()}
            self.assertEqual(saved, comparison.files)
            # As the server signed it.
            self.assertEqual(json.loads(saved.pop(f"{GAME}.promise.json")), made.log)
            self.assertEqual(saved, files)

    def test_only_what_was_kept_is_compared(self) -> None:
        comparison = compare(GAME, Kept(), Made().text)
        self.assertEqual(comparison.compared, ["bundle"])
        self.assertEqual(list(comparison.files), [f"{GAME}.bundle.json"])

    def test_the_promise_is_compared_with_the_bundles_start_if_its_proof_was_not_kept(self) -> None:
        made = Made()
        comparison = compare(GAME, Kept(promise=made.promise), made.text)
        self.assertEqual(comparison.compared, ["bundle", "promise", "start"])
        self.assertEqual(comparison.contradictions, [])
        other = LogPromise.from_dict({**made.log, "leaf": OTHER})
        self.assertEqual(wrong(Kept(promise=other), made.text), ["promise"])
        for start in ("", "c2sp.org/tlog-proof@v1\nextra *\n"):
            malformed = json.dumps({**made.bundle, "proofs": {"start": start}})
            self.assertEqual(wrong(Kept(promise=made.promise), malformed), ["promise", "start"], start)

    def test_a_text_that_is_no_bundle_of_the_game_contradicts(self) -> None:
        made = Made()
        nothing: Event = {"header": {"game": str(GAME)}, "proofs": {"start": None}}
        bodies = [5, None, "", "{}", '{"event":5}', '{"event":{}}']
        broken = [json.dumps({**nothing, "events": [{"body": body}]}) for body in bodies]
        # A start without its proof, and a proof without a start.
        for proofs in (None, 5, {}, {"start": None}, {"start": 5}):
            broken.append(json.dumps({**made.bundle, "proofs": proofs}))
        broken.append(json.dumps({name: value for name, value in made.bundle.items() if name != "proofs"}))
        broken.append(json.dumps({**nothing, "events": [], "proofs": made.bundle["proofs"]}))
        for nested in ("[" * 200_000, '{"event":' * 200_000):
            broken += [nested, json.dumps({**nothing, "events": [{"body": nested}]})]
        another = made.text.replace(str(GAME), str(UUID(int=1)))
        for other in ("", "[]", "null", "{}", json.dumps(nothing), another, *broken):
            self.assertEqual(wrong(made.kept, other), ["bundle"], other[:200])

    def test_a_changed_event_contradicts_the_heads_and_the_start_whatever_hash_it_has(self) -> None:
        made = Made()
        changed = made.text.replace("game_created", "game_changed")
        self.assertEqual(wrong(made.kept, changed), ["head", "opening", "start"])

    def test_a_history_that_was_begun_anew_after_the_server_knew_the_seed_contradicts_the_head_before(self) -> None:
        # Since then, the server showed heads of the other history.
        anew = Made([{"type": "game_created", "commitment": "chosen later"}, *EVENTS[1:]])
        self.assertEqual(wrong(replace(anew.kept, opening_head=Made().kept.opening_head), anew.text), ["opening"])

    def test_a_commitment_of_the_server_that_is_later_than_the_head_before_the_opening_contradicts(self) -> None:
        made = Made([EVENTS[0], REPLACED, BEGAN, FAILED, *EVENTS[1:]])
        for seq, contradicting in ((3, ["opening"]), (4, []), (6, [])):
            self.assertEqual(wrong(replace(made.kept, opening_head=made.heads[seq - 1]), made.text), contradicting)
        # The seed of an opening that failed does not count.
        other = Made([EVENTS[0], COMMITTED, BEGAN, OPENED, FAILED, REPLACED, BEGAN, started(OTHER)])
        comparison = compare(GAME, other.kept, other.text)
        self.assertEqual(comparison.compared, ["bundle", "head", "opening", "promise", "start"])
        self.assertEqual(comparison.contradictions, [])

    def test_what_a_hostile_server_showed_as_a_head_can_be_compared_and_saved(self) -> None:
        made = Made()
        for seq in (-1, 0, 7, 6.0):
            head = Head.from_dict({"seq": seq, "hash": "\ud800"})
            comparison = compare(GAME, Kept(head=head, opening_head=head), made.text)
            self.assertEqual([one.check for one in comparison.contradictions], ["head", "opening"])
            with tempfile.TemporaryDirectory() as folder:
                comparison.save(folder)
                self.assertEqual((Path(folder) / f"{GAME}.head").read_text(), f"{seq}-?\n")

    def test_a_history_that_was_cut_and_another_head_contradict(self) -> None:
        made = Made()
        self.assertEqual(wrong(made.kept, Made(EVENTS[:-1]).text), ["head"])
        self.assertEqual(wrong(replace(made.kept, head=Head(seq=6, hash_=OTHER)), made.text), ["head"])

    def test_another_start_than_the_promised_one_contradicts(self) -> None:
        made, other = Made(), Made([*EVENTS[:4], {**started(SEED), "players": []}])
        self.assertEqual(wrong(replace(made.kept, promise=other.promise), made.text), ["promise"])
        self.assertEqual(wrong(replace(made.kept, head=other.head), other.text), ["start"])
        self.assertEqual(wrong(Kept(promise=made.promise), Made(EVENTS[:4]).text), ["promise"])
        never = Made(EVENTS[:4])
        self.assertEqual(wrong(Kept(start_proof=never.kept.start_proof), never.text), ["start"])
        values = [
            json.dumps(value).encode() for value in (5, {}, {"entry": 5, "salt": None}, {"entry": "5", "salt": 5})
        ]
        values.append(b"[" * 200_000)
        for extra in ("", "*", *(base64.b64encode(value).decode() for value in values)):
            proof = f"c2sp.org/tlog-proof@v1\nextra {extra}\n"
            self.assertEqual(wrong(replace(made.kept, start_proof=proof), made.text), ["promise", "start"], extra[:200])

    def test_a_game_that_started_without_the_players_seed_contradicts(self) -> None:
        opened, closed = (Kept(seed=OwnSeed(1, COMMITMENT, is_opened)) for is_opened in (True, False))
        for other in (None, OTHER):
            self.assertEqual(wrong(opened, Made([*EVENTS[:4], started(other)]).text), ["seed"])
            self.assertEqual(wrong(closed, Made([COMMITTED, started(other)]).text), ["seed"])
            self.assertEqual(wrong(closed, Made([started(other)]).text), ["seed"])
        for seeds in (None, 5, [], [None, 5], [None, "\ud800"]):
            self.assertEqual(wrong(opened, Made([{"type": "game_started", "client_seeds": seeds}]).text), ["seed"])
        self.assertEqual(wrong(opened, Made([{"type": "game_started"}]).text), ["seed"])

    def test_only_before_the_player_opened_a_seed_can_another_device_replace_it(self) -> None:
        opened, closed = (Kept(seed=OwnSeed(1, COMMITMENT, is_opened)) for is_opened in (True, False))
        replaced = Made([COMMITTED, REPLACED, OPENED, started(OTHER)]).text
        self.assertEqual(compare(GAME, closed, replaced).compared, ["bundle"])
        self.assertEqual(wrong(closed, Made([REPLACED, COMMITTED, started(OTHER)]).text), ["seed"])
        self.assertEqual(wrong(opened, Made([COMMITTED, OPENED, REPLACED, started(OTHER)]).text), ["seed"])
        failed = Made([COMMITTED, OPENED, FAILED, REPLACED, started(OTHER)]).text
        self.assertEqual(compare(GAME, opened, failed).compared, ["bundle"])


def view(seeds: list[Event], fairness: Event | None = None, **others: Any) -> GameView:
    """The recorded view of the OpenAPI document, with other members."""
    document = json.loads((Path(__file__).parents[3] / "openapi" / "openapi.json").read_text())
    recorded = document["components"]["examples"]["GameView"]["value"]
    fairness = {**recorded["fairness"], "seed_commitments": seeds, **(fairness or {})}
    return GameView.from_dict({**recorded, "id": str(GAME), "you": {"place": 1}, "fairness": fairness, **others})


def committed(commitment: str, seq: int, fairness: Event | None = None) -> GameView:
    """The view of a table with the player's commitment."""
    own = {"place": 1, "status": "committed", "commitment": commitment}
    return view([own], fairness, head={"seq": seq, "hash": str(seq) * 64})


OPENING = {"opening_until": TIME}
TABLE: Answer = (200, view([]).to_dict())


def problem(status: int, code: str) -> Answer:
    return status, {
        "type": f"/problems/{code}",
        "title": "t",
        "detail": "d",
        "instance": "/",
        "status": status,
        "code": code,
    }


class Watched:
    """A keeper, and the requests that it sends. Each gets the next answer, or the last one again."""

    def __init__(self, *answers: Answer, store: Store | None = None) -> None:
        self.answers = list(answers)
        self.requests: list[tuple[str, Event]] = []
        self.errors: list[Exception] = []
        client = Client("http://localhost")
        transport = httpx.MockTransport(self.answer)
        client.set_httpx_client(httpx.Client(base_url="http://localhost", transport=transport))
        self.keeper = Keeper(client, store, self.errors.append)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append((request.url.path, json.loads(request.content or "{}")))
        status, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(body, str | bytes):
            return httpx.Response(status, content=body)
        kind = "application/json" if status < 400 else "application/problem+json"
        return httpx.Response(status, content=json.dumps(body), headers={"Content-Type": kind})


class Keeping(unittest.TestCase):
    def test_a_commitment_that_the_table_knows_is_drawn_anew(self) -> None:
        watched = Watched(problem(409, "seed-commitment-known"), TABLE)
        self.assertTrue(watched.keeper.see(view([])))
        first, second = (body["commitment"] for _, body in watched.requests)
        self.assertNotEqual(first, second)
        # The seed of the second one is kept, and opens it.
        own = {"place": 1, "status": "committed", "commitment": second}
        self.assertFalse(watched.keeper.see(view([own])))
        self.assertTrue(watched.keeper.see(view([own], OPENING)))
        path, body = watched.requests[2]
        self.assertEqual(path, f"/v1/games/{GAME}/seed")
        self.assertEqual(sha256(body["client_seed"].encode()).hexdigest(), second)
        kept = watched.keeper.kept(GAME)
        self.assertEqual(kept and kept.seed, OwnSeed(1, second, is_opened=True))

    def test_the_head_before_the_seed_is_sent_is_kept_the_first_one_of_each_seed(self) -> None:
        watched = Watched(TABLE, problem(503, "unavailable"), TABLE)

        def head() -> Head | None:
            kept = watched.keeper.kept(GAME)
            return kept.opening_head if kept else None

        watched.keeper.see(view([]))
        first = watched.requests[0][1]["commitment"]
        watched.keeper.see(committed(first, 3))
        self.assertIsNone(head())
        with self.assertRaisesRegex(ProblemError, "503"):
            watched.keeper.see(committed(first, 4, OPENING))
        # The server can have read it, and have begun anew.
        self.assertTrue(watched.keeper.see(committed(first, 5, OPENING)))
        self.assertEqual(head(), Head(seq=4, hash_="4" * 64))
        self.assertTrue(watched.keeper.see(view([{"place": 1, "status": "void", "commitment": None}])))
        second = watched.requests[3][1]["commitment"]
        watched.keeper.see(committed(second, 8, OPENING))
        self.assertEqual(head(), Head(seq=8, hash_="8" * 64))
        watched.keeper.see(committed(first, 9, OPENING))
        self.assertEqual(head(), Head(seq=4, hash_="4" * 64))

    def test_the_head_is_in_the_store_before_the_seed_is_sent(self) -> None:
        store, kept = MemoryStore(), []

        class Looking(Watched):
            def answer(self, request: httpx.Request) -> httpx.Response:
                kept.append(json.loads(store.load("estimation.games") or "{}")[str(GAME)])
                return super().answer(request)

        watched = Looking(TABLE, store=store)
        watched.keeper.see(committed(watched.keeper.new_commitment() or "", 4, OPENING))
        self.assertEqual([one["opening_head"]["seq"] for one in kept], [4])

    def test_a_commitment_whose_seed_is_missing_is_replaced_once_before_the_opening(self) -> None:
        watched = Watched(TABLE)
        foreign = {"place": 1, "status": "committed", "commitment": "f" * 64}
        self.assertFalse(watched.keeper.see(view([foreign], OPENING)))
        self.assertEqual(watched.requests, [])
        self.assertTrue(watched.keeper.see(view([foreign])))
        self.assertFalse(watched.keeper.see(view([foreign])))
        self.assertEqual([path for path, _ in watched.requests], [f"/v1/games/{GAME}/seed-commitment"])

    def test_a_status_of_a_later_version_changes_nothing(self) -> None:
        watched = Watched(TABLE)
        self.assertFalse(watched.keeper.see(view([{"place": 1, "status": "later", "commitment": "f" * 64}])))
        self.assertEqual(watched.requests, [])

    def test_a_refusal_waits_for_the_next_view_and_a_failure_is_raised(self) -> None:
        self.assertFalse(Watched(problem(409, "opening-began")).keeper.see(view([])))
        with self.assertRaisesRegex(ProblemError, "503 unavailable"):
            Watched(problem(503, "unavailable")).keeper.see(view([]))

    def test_a_commitment_is_the_same_until_the_table_shows_it(self) -> None:
        store, unavailable = MemoryStore(), problem(503, "unavailable")
        watched = Watched(unavailable, unavailable, TABLE, store=store)
        for _ in range(2):
            with self.assertRaisesRegex(ProblemError, "503"):
                watched.keeper.see(view([]))
        for _ in range(2):
            self.assertTrue(watched.keeper.see(view([])))
        commitment, *repeated = (body["commitment"] for _, body in watched.requests)
        self.assertEqual(repeated, [commitment] * 3)
        self.assertEqual(list(json.loads(store.load("estimation.seeds") or "")), [commitment])
        # The table had it, so it takes another one after a failed opening.
        self.assertFalse(watched.keeper.see(view([{"place": 1, "status": "committed", "commitment": commitment}])))
        self.assertTrue(watched.keeper.see(view([{"place": 1, "status": "void", "commitment": None}])))
        self.assertNotEqual(watched.requests[4][1]["commitment"], commitment)

    def test_a_commitment_whose_seed_was_forgotten_is_not_repeated(self) -> None:
        watched = Watched(problem(503, "unavailable"))
        with self.assertRaisesRegex(ProblemError, "503"):
            watched.keeper.see(view([]))
        for _ in range(200):
            watched.keeper.new_commitment()
        with self.assertRaisesRegex(ProblemError, "503"):
            watched.keeper.see(view([]))
        self.assertNotEqual(watched.requests[1][1]["commitment"], watched.requests[0][1]["commitment"])

    def test_without_a_store_the_player_goes_without_a_seed(self) -> None:
        class Failing(MemoryStore):
            def save(self, key: str, text: str) -> None:
                raise OSError("full")

        watched = Watched(TABLE, store=Failing())
        self.assertIsNone(watched.keeper.new_commitment())
        self.assertFalse(watched.keeper.see(view([])))
        self.assertTrue(watched.keeper.see(view([{"place": 1, "status": "void", "commitment": None}])))
        self.assertEqual([body for _, body in watched.requests], [{"commitment": None}])
        self.assertEqual(str(watched.errors[0]), "full")

    def test_spectators_keep_nothing(self) -> None:
        watched = Watched(TABLE)
        self.assertFalse(watched.keeper.see(view([], you=None)))
        self.assertIsNone(watched.keeper.kept(GAME))
        self.assertEqual(watched.requests, [])

    def test_the_last_head_the_first_promise_and_the_proof_of_the_start_are_kept(self) -> None:
        watched, promise = Watched(problem(409, "not-logged"), (200, "the proof")), Made().log
        for seq, year in ((7, 2026), (9, 2027), (8, 2028)):
            log = promise | {"by": TIME.replace("2026", str(year))}
            watched.keeper.see(view([], status="playing", head={"seq": seq, "hash": str(seq) * 64}, log=log))
        until = time.monotonic() + PATIENCE
        while not ((kept := watched.keeper.kept(GAME)) and kept.start_proof) and time.monotonic() < until:
            time.sleep(0.02)
        last = Head(seq=9, hash_="9" * 64)
        self.assertEqual(kept, Kept(head=last, promise=Made().promise, start_proof="the proof"))
        watched.keeper.forget(GAME)
        self.assertIsNone(watched.keeper.kept(GAME))

    def test_a_bundle_is_loaded_once_the_public_log_has_the_end(self) -> None:
        made = Made()
        watched = Watched(problem(409, "not-logged"), problem(503, "unavailable"), (200, made.text))
        watched.keeper.see(view([], status="finished", head=made.head.to_dict()))
        comparison = watched.keeper.compare(GAME)
        self.assertEqual(comparison.compared, ["bundle", "head"])
        self.assertEqual(comparison.contradictions, [])
        self.assertEqual(comparison.files[f"{GAME}.bundle.json"], made.text)
        self.assertEqual([path for path, _ in watched.requests], [f"/v1/games/{GAME}/bundle"] * 3)

    def test_a_bundle_that_is_no_text_contradicts(self) -> None:
        comparison = Watched((200, b"\xff")).keeper.compare(GAME)
        self.assertEqual([one.check for one in comparison.contradictions], ["bundle"])

    def test_a_refusal_of_the_bundle_is_raised(self) -> None:
        watched = Watched(problem(409, "game-not-over"))
        with self.assertRaisesRegex(ProblemError, "409 game-not-over"):
            watched.keeper.compare(GAME)
        self.assertEqual(len(watched.requests), 1)

    def test_an_end_that_is_never_logged_is_asked_for_with_growing_pauses_for_about_a_minute(self) -> None:
        watched = Watched(problem(409, "not-logged"))
        with mock.patch("time.sleep") as pause, self.assertRaisesRegex(ProblemError, "409 not-logged"):
            watched.keeper.compare(GAME)
        pauses = [call.args[0] for call in pause.call_args_list]
        self.assertEqual(len(watched.requests), len(pauses) + 1)
        self.assertEqual(pauses, sorted(pauses))
        self.assertTrue(45 < sum(pauses) < 75, pauses)

    def test_the_games_that_changed_last_are_kept_also_of_two_keepers_at_once(self) -> None:
        class Slow(MemoryStore):
            def load(self, key: str) -> str | None:
                text = super().load(key)
                time.sleep(0.001)
                return text

        store = Slow()
        keepers = [Watched(TABLE, store=store).keeper for _ in range(2)]

        def see(keeper: Keeper, game: int, seq: int = 1) -> None:
            keeper.see(view([], id=str(UUID(int=game)), status="playing", head={"seq": seq, "hash": OTHER}))

        with ThreadPoolExecutor() as pool:
            for done in [pool.submit(see, keepers[game % 2], game) for game in range(50)]:
                done.result()
        self.assertTrue(all(keepers[0].kept(UUID(int=game)) for game in range(50)))
        first, second = list(json.loads(store.load("estimation.games") or ""))[:2]
        see(keepers[0], UUID(first).int, 2)
        see(keepers[1], 50)
        kept = keepers[1].kept(UUID(first))
        self.assertEqual(kept and kept.head and kept.head.seq, 2)
        self.assertIsNone(keepers[1].kept(UUID(second)))


class Stored(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "kept"

    def test_a_file_is_private_and_is_there_after_a_restart(self) -> None:
        self.assertIsNone(FileStore(self.folder).load("seeds"))
        FileStore(self.folder).save("seeds", "سر")
        FileStore(self.folder).save("seeds", "سر ثان")
        self.assertEqual(FileStore(self.folder).load("seeds"), "سر ثان")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["seeds.json"])
        self.assertEqual(stat.S_IMODE((self.folder / "seeds.json").stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.folder.stat().st_mode), 0o700)

    def test_an_interrupted_write_leaves_the_text_before(self) -> None:
        store = FileStore(self.folder)
        store.save("seeds", "before")
        for step in ("os.fsync", "os.replace"):
            with mock.patch(step, side_effect=OSError("full")), self.assertRaises(OSError):
                store.save("seeds", "after")
            self.assertEqual(store.load("seeds"), "before")
            self.assertEqual([path.name for path in self.folder.iterdir()], ["seeds.json"])


if __name__ == "__main__":
    unittest.main()

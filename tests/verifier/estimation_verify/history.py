"""One history, and an audit of any number of histories."""

import hashlib
import json
import re

from .game import BODY, DAY, POINTS, RULESETS, SEAT, SHORTEST_OPENING, SMALL, Wrong, fits_table, led, opened
from .keys import WRONG
from .values import (
    HEX, NUMBERS, SAFE, SAFE_COUNT, UUID, Twice, canonical, check_text, each, instant, none_or, one_of, parse, record,
    same, text, unique,
)

SPACE = re.compile(r"[ \t\r\n]*")
RULES = {"round_scored": "score", "game_finished": "standings", "round_dealt": "deal", "seats_drawn": "deal"}


def chained(previous, text):
    return hashlib.sha256(previous + text.encode()).digest()


class History:
    """One history under verification."""

    def __init__(self, header, trust):
        self.header, self.trust, self.lines, self.findings = header, trust, [], []
        # Whether a finding proves a change; the last hash, the latest time, and what the start states.
        self.is_tampered, self.head, self.at, self.start = False, bytes(32), None, None
        # For each place at the start whether a person sits there; what the end states, and its signature.
        self.people, self.signed = [], None

    def find(self, seq, rule, detail, proves=True):
        self.is_tampered |= proves
        self.findings.append({"game": self.header["game"], "seq": seq, "rule": rule, "detail": str(detail)})

    def first_findings(self):
        """Up to 50 findings, those of the earliest events."""
        place = lambda found: SAFE if found["seq"] is None else found["seq"]
        return sorted(self.findings, key=place)[:50]

    def finish(self, end):
        bodies, previous, due, count = [], bytes(32), 1, len(self.lines)
        broken_at, last_at, hashes = count, "", []
        for index, line in enumerate(self.lines):
            seq, text = line["seq"], line["body"]
            if seq != due:
                self.find(due, "order", f"event {seq} is there")
                broken_at = min(broken_at, index)
            due = seq + 1
            computed = chained(previous, text)
            if HEX[64].match(line["hash"]):
                if line["hash"] != computed.hex():
                    self.find(seq, "chain", "the hash is not that of the text")
                previous = bytes.fromhex(line["hash"])
            else:
                self.find(seq, "form", "no hash")
                previous = computed
            hashes.append(previous.hex())
            body = self.body(seq, text)
            if body is None:
                broken_at = min(broken_at, index)
            if body is not None:
                if body["game"] != self.header["game"] or body["seq"] != seq:
                    self.find(seq, "order", "the event belongs elsewhere")
                if body["at"] < last_at:
                    self.find(seq, "time", "time goes back")
                last_at = max(last_at, body["at"])
            bodies.append((seq, body))
        revealed, standings = self.reveal(bodies)
        self.head, self.at = previous, last_at or None
        game = self.replay(bodies, hashes, broken_at, revealed)
        self.conclude(end, count, previous, due - 1, standings, game)

    def body(self, seq, text):
        """The content of a stored text, if it has the published form."""
        rule, detail, body = None, None, None
        try:
            body = parse(text)
            if canonical(body) != text:
                rule, detail = "canonical", "the text is not canonical"
        except Twice as error:
            rule, detail = "canonical", error
        except (ValueError, RecursionError) as error:
            rule, detail = "form" if body is None else "canonical", error
        sound = BODY(body)
        if rule or not sound:
            self.find(seq, rule or "form", detail or "the event does not have the published form")
        return body if sound else None

    def reveal(self, bodies):
        """The seed, if it is revealed and the one committed to; and the standings."""
        commitment = seed = standings = None
        for seq, body in bodies:
            event = body["event"] if body else {}
            if event.get("type") == "opening_failed" or seq == 1 and event.get("type") == "game_created":
                commitment = event["commitment"]
            if event.get("type") in ("game_finished", "game_abandoned"):
                seed = bytes.fromhex(event["server_seed"])
                standings = event.get("standings", standings)
        if seed is None or commitment is None:
            return None, standings
        if commitment == hashlib.sha256(seed).hexdigest():
            return seed, standings
        self.find(bodies[-1][0], "commitment", "the seed is not the one committed to")
        return None, standings

    def replay(self, bodies, hashes, broken_at, seed):
        game, salts, ruleset, commitment = None, set(), None, None
        for index, (seq, body) in enumerate(bodies):
            if index >= broken_at:
                return None
            actor, event = body["actor"], body["event"]
            try:
                if event["type"] == "game_created":
                    turn = event["turn_seconds"]
                    if event["opening_seconds"] > max(SHORTEST_OPENING, DAY if turn is None else turn):
                        raise Wrong("form", "the time for opening seeds is too long")
                    ruleset = hashlib.sha256(canonical(event["ruleset"]).encode()).hexdigest()
                if event["type"] in ("game_created", "opening_failed"):
                    commitment = event["commitment"]
                if game is None:
                    game = opened(self.header["game"], actor, event)
                    game.seed = seed
                    game.passed(event, instant(body["at"]))
                    if game.rules["id"] != self.header["ruleset"]:
                        self.find(seq, "ruleset", "the header has another")
                    continue
                if not fits_table(event, game.n):
                    raise Wrong("form", "a seat or a list is too large for the table")
                follows, at = game.follows(event), instant(body["at"])
                if follows is None:
                    led(game, actor, event, at)
                else:
                    self.derived(game, seq, actor, event, follows)
                if event["type"] == "round_dealt":
                    if event["salt"] in salts:
                        raise Wrong("salt", "no salt of its own")
                    salts.add(event["salt"])
                game.apply(event)
                game.passed(event, at)
                if event["type"] == "game_started":
                    self.start = {
                        "type": "start", "game": self.header["game"], "at": body["at"], "started": hashes[index],
                        "commitment": commitment, "ruleset": ruleset,
                    }
                    self.people = [player["kind"] == "human" for player in event["players"]]
            except Wrong as wrong:
                self.find(seq, wrong.rule, wrong)
                return None
            except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
                self.find(seq, "form", f"{type(error).__name__}: {error}")
                return None
        return game

    def derived(self, game, seq, actor, event, follows):
        if not same(event, follows):
            rule = RULES.get(follows["type"], "derived") if follows["type"] == event["type"] else "derived"
            if rule != "deal" or not self.is_lawful_deal(game, event):
                raise Wrong(rule, f"the rules make {canonical(follows)[:300]}")
            # Other cards than the seeds give: the rules go on with what was dealt.
            self.find(seq, rule, "the seeds give other cards")
        if event["type"] == "round_dealt" and not game.is_dealable(event):
            raise Wrong("deal", "the cards are not those of the deck")
        if actor != "server":
            raise Wrong("actor", "what the rules derive is the server's")

    def is_lawful_deal(self, game, event):
        """Whether other seeds could give this deal."""
        seed, game.seed = game.seed, None
        try:
            if event["type"] == "round_dealt":
                return game.is_dealable(event) and same(event, game.dealt(event))
            return len(set(event["cards"])) == game.n and set(event["cards"]) <= set(game.deck())
        finally:
            game.seed = seed

    def conclude(self, end, count, head, last, standings, game):
        status = self.header["status"]
        if end is None:
            return self.find(last + 1, "unfinished", "the history breaks off", proves=False)
        if end["events"] != count:
            self.find(last + 1, "head", "another number of events")
        if end["head"] != head.hex():
            self.find(last, "head", "another head")
        if not same(end["standings"], standings):
            self.find(last, "standings", "other standings")
        if game is not None or count == 0:
            over = game is not None and game.stage == "over"
            if over != (status != "running") or over and (standings is None) != (status == "abandoned"):
                self.find(last + 1, "unfinished", f"the header says {status}", proves=False)
            elif not over and not self.trust.running:
                self.find(last + 1, "unfinished", "the game still runs", proves=False)
        statement = {
            "game": self.header["game"], "ruleset": self.header["ruleset"], "head": head.hex(), "events": count,
            "standings": standings,
        }
        self.signed = statement, end["signature"]
        problem = None if status == "running" else self.trust.problem("estimation/game-end/v1", *self.signed)
        if problem:
            self.find(None, "signature", problem, proves=problem == WRONG)


class Reader:
    """Reads the pieces of a file one after the other, those of an object before its end."""

    decoder = json.JSONDecoder(object_pairs_hook=unique, **NUMBERS)

    def __init__(self, text):
        self.text, self.at = text, 0

    def pieces(self):
        while self.next():
            is_empty = True
            for _ in self.items("{", "}"):
                if self.next() != '"':
                    raise ValueError("a member has no name")
                is_empty, name = False, self.value()
                self.take(":")
                if name == "events":
                    yield name, None
                    for _ in self.items("[", "]"):
                        yield "event", self.value()
                else:
                    yield name, self.value()
            if is_empty:
                raise ValueError("an object without members")

    def items(self, opening, closing):
        """Stops before each item of a list or an object."""
        self.take(opening)
        if self.next() != closing:
            yield
            while self.next() == ",":
                self.take(",")
                yield
        self.take(closing)

    def next(self):
        """The next character that is no white space; nothing at the end."""
        self.at = SPACE.match(self.text, self.at).end()
        return self.text[self.at : self.at + 1]

    def take(self, mark):
        if self.next() != mark:
            raise ValueError(f"expected {mark!r} at character {self.at}")
        self.at += 1

    def value(self):
        self.next()
        value, self.at = self.decoder.raw_decode(self.text, self.at)
        check_text(value)
        return value


class Audit:
    def __init__(self, trust):
        self.trust, self.findings, self.games, self.current = trust, [], set(), None
        self.is_tampered = False
        # The history directly before the next piece, if it is complete, and the one that was verified last.
        self.complete, self.last = None, None
        # Whether the last history has its end.
        self.has_end = False

    def find(self, game, seq, rule, detail):
        self.is_tampered = True
        self.findings.append({"game": game, "seq": seq, "rule": rule, "detail": detail})

    def read(self, text):
        try:
            for name, value in Reader(text).pieces():
                self.piece(name, value)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            self.unreadable(str(error))

    def unreadable(self, detail):
        """What follows cannot be read, which cuts off the history."""
        game, seq = None, None
        if self.current:
            game = self.current.header["game"]
            seq = self.current.lines[-1]["seq"] + 1 if self.current.lines else 1
        self.find(game, seq, "form", detail)
        self.cut_off()

    def piece(self, name, value):
        complete, self.complete = self.complete, None
        if name == "header":
            self.cut_off()
            form(HEADER, value)
            self.current, self.has_end = History(value, self.trust), False
            if value["format"] != "estimation/history/v1":
                self.current.find(None, "form", "an unknown form")
        elif name == "events":
            pass  # Each of the list follows.
        elif name == "event":
            form(LINE_OF_EVENT, value)
            if self.current is None:
                self.find(None, value["seq"], "form", "an event outside of a history")
            else:
                self.current.lines.append(value)
        elif name == "end":
            form(END, value)
            if self.current is None:
                return self.find(None, None, "form", "an end outside of a history")
            current, self.current = self.current, None
            self.verified(current, value)
            self.complete, self.has_end = current, True
        elif name == "proofs":
            if complete is None:
                raise ValueError("proofs that do not follow a history")
            self.proof(value)
        else:
            raise ValueError(f"nobody knows {name!r}")

    def proof(self, value):
        """The proofs after a history, which an audit does not compare."""
        form(PROOFS, value)

    def cut_off(self):
        if self.current is not None:
            current, self.current = self.current, None
            self.verified(current, None)

    def verified(self, history, end):
        history.finish(end)
        self.last = history
        self.is_tampered |= history.is_tampered
        self.findings += history.first_findings()
        if history.header["game"] in self.games:
            self.find(history.header["game"], None, "log", "two histories of the game")
        self.games.add(history.header["game"])

    def finish(self):
        self.cut_off()
        return {"games": len(self.games), "wrong": len(self.findings), "findings": self.findings}


KEPT_TEXT = lambda value: isinstance(value, str)
SIGNED = record(kid=KEPT_TEXT, value=text(HEX[128]))
HEADER = record(
    format=KEPT_TEXT, game=text(UUID), ruleset=one_of(*RULESETS), status=one_of("running", "finished", "abandoned")
)
LINE_OF_EVENT = record(seq=SAFE_COUNT, hash=KEPT_TEXT, body=KEPT_TEXT)
END = record(
    events=SAFE_COUNT, head=text(HEX[64]), signature=none_or(SIGNED),
    standings=none_or(each(record(seat=SEAT, total=POINTS, rank=SMALL))),
)
PROOFS = record(
    start=none_or(KEPT_TEXT), end=KEPT_TEXT, origins=each(KEPT_TEXT, 100), log_keys=each(KEPT_TEXT, 400),
    jwks=record(keys=each(lambda key: isinstance(key, dict), float("inf"))),
)


def form(has_form, value):
    if not has_form(value):
        raise ValueError("not in the form of a record")

"""The rules of a game: deals, rulesets, what each event does, and who may cause it."""

import datetime
import hashlib
import hmac
import re
import struct

from .values import (
    HEX, SAFE_COUNT, UUID, canonical, each, either, is_number, is_time, none_or, number, one_of, record,
    rising, same, text,
)

RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
SUITS = ["clubs", "diamonds", "hearts", "spades"]
TRUMPS = SUITS + ["no_trump"]
LETTERS = dict(zip(SUITS, "CDHS"))
CARDS = [rank + LETTERS[suit] for suit in SUITS for rank in RANKS] + ["RJ", "BJ"]
INDEX = {card: index for index, card in enumerate(CARDS)}
CLIENT_SEED = re.compile(r"[0-9a-f]{32,64}\Z")
# How long the service waits before it gives a game up: one person in the lobby, several, a game without a clock.
LONELY, UNSTARTED, FORSAKEN = (datetime.timedelta(days=days) for days in (1, 7, 30))
# The failed openings that end a table, and the limits of the time for one in seconds.
MOST_FAILED, SHORTEST_OPENING, DAY = 3, 15, 24 * 60 * 60


class Wrong(Exception):
    def __init__(self, rule, detail):
        super().__init__(detail)
        self.rule = rule


# Deals ---------------------------------------------------------------------------------------------------


def chacha20_words(key):
    """The 32-bit words of ChaCha20's key stream, counter and nonce 0."""
    rotate = lambda x, n: ((x << n) | (x >> (32 - n))) & 0xFFFFFFFF
    counter = 0
    while True:
        start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *struct.unpack("<8I", key)]
        start += [counter & 0xFFFFFFFF, counter >> 32, 0, 0]
        x = list(start)

        def quarter(a, b, c, d):
            for one, other, target, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[one] = (x[one] + x[other]) & 0xFFFFFFFF
                x[target] = rotate(x[target] ^ x[one], turn)

        for _ in range(10):
            for i in range(4):
                quarter(i, i + 4, i + 8, i + 12)
            for i in range(4):
                quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
        for word, first in zip(x, start):
            yield (word + first) & 0xFFFFFFFF
        counter += 1


def shuffle(pack, seed, algorithm, game, seeds, number, attempt):
    statement = {"alg": algorithm, "game": game, "seeds": seeds, "round": number, "attempt": attempt}
    words = chacha20_words(hmac.new(seed, canonical(statement).encode(), hashlib.sha256).digest())
    pack = list(pack)
    for i in range(len(pack) - 1, 0, -1):
        limit = 2**32 // (i + 1) * (i + 1)
        word = next(word for word in words if word < limit)
        j = word % (i + 1)
        pack[i], pack[j] = pack[j], pack[i]
    return pack


def in_order(cards):
    return sorted(cards, key=INDEX.__getitem__)


def suit_of(card, trump):
    """The suit a card counts as: a joker is of the trump suit, and of none without one."""
    if card in ("RJ", "BJ"):
        return trump if trump != "no_trump" else None
    return SUITS["CDHS".index(card[-1])]


def strength(card):
    return {"RJ": 14, "BJ": 13}.get(card) or INDEX[card] % 13


# The published rulesets ----------------------------------------------------------------------------------

# The value of each field of the rules in each ruleset; for an option also its values, and the rulesets that know it.
# A test of the service writes this table.
RULESETS = ["nineteen", "squares", "kabooot", "plain", "double-risk"]
FIELDS = {
    "version": ([1, 1, 1, 1, 1], [], ""),
    "players": ([4, 4, 4, 4, 4], [], ""),
    "direction": (["clockwise", "counterclockwise", "counterclockwise", "counterclockwise", "counterclockwise"], [], ""),
    "plan": (["turns", "rounds", "rounds", "rounds", "rounds"], [], ""),
    "first_dealer": ([0, 3, 3, 3, 3], [], ""),
    "void_check": ([False, True, True, False, True], [], ""),
    "dash": (["none", "call", "blind", "call", "call"], [], ""),
    "zero_limit": ([None, None, 2, None, 2], [], ""),
    "unbid": (["redeal", "fold", "redeal", "pass_deal", "redeal"], [], ""),
    "fast_bidder": ([False, True, True, False, True], [], ""),
    "withs": ([False, True, True, False, True], [], ""),
    "fast_withs": ([False, True, False, False, True], [], ""),
    "void_unmade": ([False, True, True, False, True], [], ""),
    "scoring": (["penalty", "squares", "round_number", "difference", "roles"], [], ""),
    "length": (["full", "full", "full", "full", "full"], ["full", "mini", "micro"], "squares kabooot plain double-risk"),
    "order": (["1-10-1", "1-10-1", "1-10-1", "1-10-1", "1-10-1"], ["1-10-1", "10-1-10"], "nineteen"),
    "jokers": ([0, 0, 0, 0, 0], [0, 1, 2], "nineteen"),
    "concealed_tricks": ([False, False, False, False, False], [False, True], "nineteen squares kabooot plain double-risk"),
    "revokes": (["refuse", "refuse", "refuse", "refuse", "refuse"], ["refuse", "penalise"], "nineteen"),
    "starter_rotation": (["rotate", "rotate", "rotate", "rotate", "rotate"], ["rotate", "fixed", "previous_bidder"], "squares double-risk"),
    "auction": (["none", "ascending", "ascending", "single_call", "ascending"], ["ascending", "single_call"], "squares kabooot double-risk"),
    "minimum_bid": ([4, 4, 4, 4, 4], [1, 2, 3, 4, 5, 6, 7], "squares kabooot plain double-risk"),
    "dash_call_timing": (["in_auction", "in_auction", "in_auction", "in_auction", "in_auction"], ["in_auction", "before_auction"], "squares double-risk"),
    "fast_redeal": ([False, False, False, False, False], [False, True], "squares kabooot double-risk"),
    "fast_trump_change": ([False, True, False, False, False], [False, True], "squares"),
    "risk_ladder": (["from_one", "from_one", "from_one", "from_one", "from_one"], ["from_one", "from_two"], "squares kabooot double-risk"),
    "with_penalty": ([False, False, False, False, True], [False, True], "squares kabooot double-risk"),
    "carry_ladder": (["add", "add", "add", "add", "add"], ["add", "double", "flat"], "squares kabooot double-risk"),
    "high_call_extras": (["all", "all", "all", "all", "all"], ["all", "only_bonus", "none"], "squares"),
    "half_square": (["floor", "floor", "floor", "floor", "floor"], ["floor", "ceil"], "squares"),
    "blind_dash_swap": ([False, False, False, False, False], [False, True], "kabooot"),
    "seating": (["as_joined", "as_joined", "as_joined", "draw", "as_joined"], ["draw", "as_joined"], "plain"),
    "cut": ([False, False, False, True, False], [False, True], "plain"),
    "bid_direction": (["clockwise", "counterclockwise", "counterclockwise", "clockwise", "counterclockwise"], ["clockwise", "counterclockwise"], "plain"),
    "first_lead": (["after_first_estimator", "declarer", "declarer", "dealers_right", "declarer"], ["dealers_right", "declarer"], "plain"),
    "allow_pass": ([True, True, True, False, True], [False, True], "plain"),
    "no_trump_bids": ([True, True, True, True, True], [False, True], "plain"),
    "dash_limit": ([0, 3, 2, 2, 2], [2, 3], "plain"),
    "forbid_thirteen": ([True, True, True, False, True], [False, True], "plain"),
}


def is_ruleset(rules):
    """Whether a value has the form of a ruleset: its fields, each of its type."""
    if not isinstance(rules, dict) or rules.get("id") not in RULESETS:
        return False
    if not {"id", "version", "players"} <= set(rules) <= {"id", *FIELDS}:
        return False
    for name, value in rules.items():
        known = [] if name == "id" else FIELDS[name][0] + FIELDS[name][1]
        if any(isinstance(other, str) for other in known):
            sound = value in known
        elif any(isinstance(other, bool) for other in known):
            sound = isinstance(value, bool)
        elif known:
            sound = is_number(value, 0, {"version": 2**32 - 1, "first_dealer": 4}.get(name, 255))
            sound = sound or value is None and None in known
        else:
            sound = True
        if not sound:
            return False
    return True


def check_ruleset(rules):
    for name, (presets, _, _) in FIELDS.items():
        # Histories of earlier versions lack the fields that later versions added.
        rules.setdefault(name, presets[RULESETS.index(rules["id"])])
    for name, (presets, values, known) in FIELDS.items():
        allowed = [presets[RULESETS.index(rules["id"])]]
        if name == "players" and rules["id"] == "nineteen":
            allowed = [2, 3, 4, 5]
        elif rules["id"] in known.split():
            allowed = values
        if not any(type(rules[name]) is type(value) and rules[name] == value for value in allowed):
            raise Wrong("ruleset", f"{name} is {rules[name]!r}")


# The game ------------------------------------------------------------------------------------------------


class Game:
    """A game replayed: what follows by itself, what is allowed, what each event does."""

    def __init__(self, game, created):
        self.id, self.rules, self.n = game, created["ruleset"], created["ruleset"]["players"]
        self.host, self.clock = created["host"], created["turn_seconds"]
        self.places = [None] * self.n
        self.algorithm, self.opening = created["algorithm"], created["opening_seconds"]
        # By place: the player and the known seed. `sealed` has the open commitments, `void` those that must be renewed.
        self.places[0] = {"account": created["host"], "seed": None}
        self.sealed, self.void, self.opened = {}, set(), set()
        # All commitments since the last failed opening, and those before; the failed openings; whether a seed is open.
        self.commitments, self.former, self.failed, self.any_open = set(), set(), 0, False
        self.seats, self.stage, self.due, self.after = None, "lobby", [], []
        # By place: whose last turn ran out, for whom a bot stands in, who has left for good.
        self.late, self.stood_in, self.gone = set(), set(), set()
        self.hinted = False
        self.last = self.turn_at = None
        self.totals, self.last_bidder = [0] * self.n, None
        self.seed = None

    # Deck and schedule

    def deck(self):
        if self.rules["plan"] == "rounds":
            return CARDS[:52]
        keep = [rank + suit for rank in reversed(RANKS) for suit in "HDCS"]
        jokers = ["RJ", "BJ"][: self.rules["jokers"]]
        return in_order(keep[: 10 * self.n + 1 - len(jokers)] + jokers)

    def auctions(self):
        return {"full": 13, "mini": 5, "micro": 5}[self.rules["length"]]

    def rounds(self):
        if self.rules["plan"] == "turns":
            return 19
        return {"full": 18, "mini": 10, "micro": 5}[self.rules["length"]]

    def kind(self, number):
        if self.rules["plan"] == "turns":
            return "indicator"
        return "auction" if number <= self.auctions() else "fast"

    def hand_size(self, number):
        if self.rules["plan"] == "rounds":
            return 13
        distance = abs(number - 10)
        return 10 - distance if self.rules["order"] == "1-10-1" else 1 + distance

    def speaks_after(self, seat):
        step = 1 if self.rules["bid_direction"] == self.rules["direction"] else -1
        return (seat + step) % self.n

    def first_speaker(self):
        return (self.dealer + 1) % self.n

    def estimators(self, declarer, dashed):
        seat = self.first_speaker() if declarer is None else self.speaks_after(declarer)
        order = []
        for _ in range(self.n):
            if seat != declarer and seat not in dashed:
                order.append(seat)
            seat = self.speaks_after(seat)
        return order

    # Dealing

    def seeds(self):
        return [sitter and sitter["seed"] for sitter in self.places]

    def shuffled(self, number, attempt):
        return shuffle(self.deck(), self.seed, self.algorithm, self.id, self.seeds(), number, attempt)

    def dealt(self, event):
        """The deal that is due, from the seeds; with the recorded cards where no seed is known."""
        number, size = self.number, self.hand_size(self.number)
        hands, indicator = event.get("hands"), event.get("indicator")
        if self.seed is not None:
            pack = self.shuffled(number, self.attempt)
            pack = pack[self.cut :] + pack[: self.cut]
            hands = [[] for _ in range(self.n)]
            for i in range(size * self.n):
                hands[(self.first_speaker() + i) % self.n].append(pack[i])
            hands = [in_order(hand) for hand in hands]
            indicator = pack[size * self.n] if self.rules["plan"] == "turns" else None
        trump = None
        if self.kind(number) == "fast":
            trump = ["no_trump", "spades", "hearts", "diamonds", "clubs"][(number - self.auctions() - 1) % 5]
        if indicator is not None:
            trump = suit_of(indicator, "no_trump") or "no_trump"
        return {
            "type": "round_dealt", "round": number, "attempt": self.attempt, "kind": self.kind(number),
            "hand_size": size, "dealer": self.dealer, "first_speaker": self.first_speaker(), "carry": self.carry,
            "trump": trump, "indicator": indicator, "hands": hands, "salt": event.get("salt"),
        }

    def is_dealable(self, event):
        """Whether recorded cards can be played with at all."""
        hands = event.get("hands")
        if not isinstance(hands, list) or len(hands) != self.n:
            return False
        cards = [card for hand in hands if isinstance(hand, list) for card in hand]
        cards += [event["indicator"]] if self.rules["plan"] == "turns" else []
        size = self.hand_size(self.number)
        deck = set(self.deck())
        return (
            all(isinstance(hand, list) and len(hand) == size for hand in hands)
            and all(isinstance(card, str) and card in deck for card in cards)
            and len(set(cards)) == len(cards)
            and all(hand == in_order(hand) for hand in hands)
        )

    # What follows by itself

    def follows(self, event):
        if self.due:
            return self.due[0]
        if self.stage == "lobby" and self.failed >= MOST_FAILED:
            return {"type": "game_abandoned", "reason": "openings_failed", "server_seed": event.get("server_seed")}
        if self.stage == "opening" and None in self.places:
            left = [place for place, sitter in enumerate(self.places) if sitter is None]
            missing = left if self.any_open else []
            return {"type": "opening_failed", "missing": missing, "commitment": event.get("commitment")}
        if self.stage == "opening":
            return None if self.sealed else self.start()
        if self.stage not in ("lobby", "over") and self.gone and not (self.people() - self.gone):
            return {"type": "game_abandoned", "reason": "forfeited", "server_seed": event.get("server_seed")}
        if self.stage == "drawing":
            cards = self.shuffled(0, 1)[: self.n] if self.seed is not None else event.get("cards")
            return {"type": "seats_drawn", "cards": cards}
        if self.stage == "choosing":
            free = [seat for seat in range(self.n) if self.taken[seat] is None]
            if len(free) == 1:
                return {"type": "seat_chosen", "place": self.choosing(), "seat": free[0]}
        if self.stage == "dealing" and not (self.rules["cut"] and self.cut == 0):
            return self.dealt(event)
        if self.stage == "finishing":
            lowest = self.rules["scoring"] == "penalty"
            ahead = lambda own: sum((total < own) if lowest else (total > own) for total in self.totals)
            standings = [{"seat": s, "total": t, "rank": ahead(t) + 1} for s, t in enumerate(self.totals)]
            return {"type": "game_finished", "standings": standings, "server_seed": event.get("server_seed")}
        return self.follows_in_round() if self.stage == "round" else None

    def start(self):
        """The start of a full table."""
        players = [
            {"kind": "human", "account": sitter["account"]} if sitter["account"] is not None
            else {"kind": "bot", "level": sitter["level"]}
            for sitter in self.places
        ]
        return {"type": "game_started", "players": players, "client_seeds": self.seeds()}

    def follows_in_round(self):
        if self.phase == "void" and self.kind(self.number) == "fast" and not self.rules["fast_redeal"]:
            return {"type": "avoid_declared", "seat": self.turn}
        if self.phase == "auction" and self.turn is None:
            if self.standing:
                tricks, trump, seat = self.standing
                return {"type": "auction_won", "seat": seat, "tricks": tricks, "trump": TRUMPS[trump]}
            return {"type": "round_folded" if self.rules["unbid"] == "fold" else "auction_void"}
        if self.phase == "estimates":
            if self.named is not None:
                return {"type": "trump_changed", "seat": self.order[len(self.made) - 1], "trump": self.named}
            if len(self.made) == len(self.order):
                return {"type": "play_began", "leader": self.leader()}
        if self.phase == "play":
            if self.plays and self.rules["revokes"] == "penalise" and self.revoked():
                seat, card = self.plays[-1]
                return {"type": "revoked", "seat": seat, "card": card, "points": 2 * self.hand_size(self.number)}
            if len(self.plays) == self.n:
                return {"type": "trick_taken", "seat": self.winner()}
            if not self.plays and not any(self.hands):
                return self.scored()
        return self.scored() if self.phase == "folded" else None

    # Who is absent

    def people(self):
        return {place for place, sitter in enumerate(self.places) if sitter and sitter["account"] is not None}

    def place_of(self, chair):
        """The place of an actor."""
        if "place" in chair:
            return chair["place"] if is_number(chair["place"], 0, self.n - 1) else None
        seat = chair.get("seat")
        return self.seats[seat] if self.seats and is_number(seat, 0, self.n - 1) else None

    def is_chair(self, who):
        """Whether an actor has a seat once the seats are settled, and a place before."""
        return ("seat" in who) == bool(self.seats)

    def listed(self, number):
        """The place of a seat as views number them: before the seats are settled, the place itself."""
        return self.seats[number] if self.seats else number

    def numbered(self, place):
        return self.seats.index(place) if self.seats else place

    def by_bot(self, place):
        return place not in self.people() or place in self.stood_in or place in self.gone

    def aftermath(self, by, place, kind):
        """What follows from who acted."""
        seat = self.numbered(place)
        if by == "clock":
            began = [{"type": "stand_in_began", "seat": seat}] if place in self.late else []
            return [{"type": "turn_timed_out", "seat": seat}] + began
        back = by is None and place in self.stood_in and kind != "stand_in_ended"
        return [{"type": "stand_in_ended", "seat": seat}] if back else []

    def due_at(self):
        """When the service acts by itself, and how: for a bot, by the clock, or by giving the game up."""
        if self.stage == "opening":
            return self.turn_at + datetime.timedelta(seconds=self.opening), "opening"
        if self.stage == "lobby":
            return self.last + (LONELY if len(self.people()) < 2 else UNSTARTED), "expiry"
        chair = self.to_act()
        if chair is None:
            return None
        if self.by_bot(self.place_of(chair)):
            return self.turn_at, "bot"
        if self.clock is not None:
            return self.turn_at + datetime.timedelta(seconds=self.clock), "clock"
        return self.last + FORSAKEN, "expiry"

    def passed(self, event, at):
        """The time of an event has come: every event begins a turn, but for those of absence."""
        kind, self.last = event["type"], at
        own = kind == "stand_in_ended" and self.to_act() and self.place_of(self.to_act()) == self.listed(event["seat"])
        if kind not in ("player_forfeited", "stand_in_ended", "hint_taken", "seed_opened") or own or self.turn_at is None:
            self.turn_at = at

    # What is allowed

    def to_act(self):
        """The actor who must act: a place, a seat, or nobody."""
        if self.stage == "choosing":
            return {"place": self.choosing()}
        if self.stage == "dealing":
            return {"seat": self.first_speaker()}
        if self.stage != "round":
            return None
        if self.phase in ("void", "asked", "auction"):
            return {"seat": self.turn}
        if self.phase == "estimates":
            return {"seat": self.order[len(self.made)]}
        if self.phase == "play":
            return {"seat": (self.trick_leader + len(self.plays)) % self.n}
        return None

    def choosing(self):
        by_card = lambda place: (INDEX[self.drawn[place]] % 13, INDEX[self.drawn[place]] // 13)
        places = sorted(range(self.n), key=by_card, reverse=True)
        return places[sum(place is not None for place in self.taken)]

    def play_allowed(self, event):
        kind, rules = event["type"], self.rules
        if kind == "seat_chosen" and self.stage == "choosing":
            return is_number(event["seat"], 0, self.n - 1) and self.taken[event["seat"]] is None
        if kind == "deck_cut" and self.stage == "dealing":
            return is_number(event["position"], 1, 51)
        if self.stage != "round":
            return False
        if self.phase == "void":
            return kind in ("redeal_called", "avoid_declared")
        if self.phase == "asked":
            dash = "blind_dashed" if rules["dash"] == "blind" else "dash_called"
            return kind == "auction_entered" or kind == dash and len(self.dashed) < rules["dash_limit"]
        if self.phase == "auction":
            return self.call_allowed(event)
        if self.phase == "estimates":
            return kind == "estimate_made" and self.estimate_allowed(event["tricks"], event["trump"])
        if self.phase == "play" and kind == "card_played":
            hand = self.hands[event["seat"]]
            return event["card"] in (hand if rules["revokes"] == "penalise" else self.playable(hand))
        return False

    def call_allowed(self, event):
        kind, rules = event["type"], self.rules
        dashed = len(self.dashed)
        if kind == "passed":
            return rules["allow_pass"]
        if kind == "dash_called":
            closing = rules["forbid_thirteen"] and dashed + 1 == self.n - 1
            return (
                rules["dash"] == "call" and rules["dash_call_timing"] == "in_auction" and self.turn not in self.spoken
                and dashed < rules["dash_limit"] and (rules["zero_limit"] is None or dashed < rules["zero_limit"])
                and not (closing and self.standing and self.standing[0] == 13)
            )
        if kind != "bid_made" or event["trump"] not in TRUMPS:
            return False
        highest = 12 if rules["forbid_thirteen"] and dashed == self.n - 1 else 13
        height = (event["tricks"], TRUMPS.index(event["trump"]))
        beaten = rules["auction"] != "ascending" or not self.standing
        return (
            is_number(event["tricks"], rules["minimum_bid"], highest)
            and (rules["no_trump_bids"] or event["trump"] != "no_trump")
            and (beaten or height > self.standing[:2])
        )

    def estimate_allowed(self, tricks, trump):
        rules = self.rules
        size = self.hand_size(self.number)
        highest = self.bid[0] if self.bid else size
        zeros = len(self.dashed) + self.made.count(0)
        lowest = 0 if rules["zero_limit"] is None or zeros < rules["zero_limit"] else 1
        if not is_number(tricks, lowest, highest):
            return False
        total = sum(self.made) + (self.bid[0] if self.bid else 0)
        if rules["forbid_thirteen"] and len(self.made) + 1 == len(self.order) and total + tricks == size:
            return False
        if trump is None:
            return True
        return (
            self.kind(self.number) == "fast" and rules["fast_trump_change"] and tricks >= 8 and trump in TRUMPS
            and (self.changed is None or (tricks, TRUMPS.index(trump)) > self.changed)
        )

    def playable(self, hand):
        led = suit_of(self.plays[0][1], self.trump) if self.plays else None
        following = [card for card in hand if led and suit_of(card, self.trump) == led]
        return following or hand

    def revoked(self):
        led = suit_of(self.plays[0][1], self.trump)
        seat, card = self.plays[-1]
        follows = lambda card: suit_of(card, self.trump) == led
        return len(self.plays) > 1 and led and not follows(card) and any(map(follows, self.hands[seat]))

    def winner(self):
        led = suit_of(self.plays[0][1], self.trump)

        def worth(play):
            suit = suit_of(play[1], self.trump)
            rank = 3 if suit is None else 2 if suit == self.trump else 1 if suit == led else 0
            return rank, strength(play[1])

        return max(self.plays, key=worth)[0]

    # What each event does

    def apply(self, event):
        self.due, kind = self.due[1:], event["type"]
        if kind in PLAY:
            self.late.discard(event["place"] if kind == "seat_chosen" else self.place_of({"seat": event["seat"]}))
        getattr(self, "on_" + kind)(event)
        self.due, self.after = self.due + self.after, []

    def no_commitment(self, place):
        self.sealed.pop(place, None)
        self.void.discard(place)

    def on_player_joined(self, event):
        self.no_commitment(event["place"])
        self.places[event["place"]] = {"account": event["account"], "seed": None}

    def on_seed_committed(self, event):
        self.no_commitment(event["place"])
        self.places[event["place"]]["seed"] = None
        if event["commitment"] is not None:
            self.sealed[event["place"]] = event["commitment"]
            self.commitments.add(event["commitment"])

    def on_opening_began(self, _):
        self.stage, self.opened, self.any_open = "opening", set(), False

    def on_seed_opened(self, event):
        del self.sealed[event["place"]]
        self.opened.add(event["place"])
        self.any_open = True
        self.places[event["place"]]["seed"] = event["client_seed"]

    def on_opening_failed(self, _):
        self.failed += 1
        self.former, self.commitments = self.former | self.commitments, set()
        self.stage, self.void, self.sealed = "lobby", (self.opened | set(self.sealed)), {}
        self.void = {place for place in self.void if self.places[place]}
        for place in self.void:
            self.places[place]["seed"] = None

    def on_player_left(self, event):
        self.places[event["place"]] = None
        self.no_commitment(event["place"])
        self.opened.discard(event["place"])
        if event["account"] == self.host:
            heir = next(p for p, sitter in enumerate(self.places) if sitter and sitter["account"])
            self.due = [{"type": "host_changed", "place": heir, "account": self.places[heir]["account"]}]

    def on_bot_seated(self, event):
        self.no_commitment(event["place"])
        self.places[event["place"]] = {"account": None, "seed": None, "level": event["level"]}

    def on_turn_timed_out(self, event):
        self.late.add(self.listed(event["seat"]))

    def on_stand_in_began(self, event):
        self.late.discard(self.listed(event["seat"]))
        self.stood_in.add(self.listed(event["seat"]))

    def on_stand_in_ended(self, event):
        self.stood_in.discard(self.listed(event["seat"]))

    def on_player_forfeited(self, event):
        place = self.listed(event["seat"])
        self.late.discard(place)
        self.stood_in.discard(place)
        self.gone.add(place)

    def on_hint_taken(self, _):
        self.hinted = True

    def on_host_changed(self, event):
        self.host = event["account"]

    def on_game_started(self, _):
        if self.rules["seating"] == "draw":
            self.stage = "drawing"
        else:
            self.seats = list(range(self.n))
            self.due_deal(1, 1, self.rules["first_dealer"], 1)

    def on_seats_drawn(self, event):
        self.stage, self.drawn, self.taken = "choosing", event["cards"], [None] * self.n

    def on_seat_chosen(self, event):
        highest = self.choosing() if not any(p is not None for p in self.taken) else self.highest
        self.highest = highest
        self.taken[event["seat"]] = event["place"]
        if None not in self.taken:
            self.seats = list(self.taken)
            self.due_deal(1, 1, self.taken.index(highest), 1)

    def due_deal(self, number, attempt, dealer, carry):
        self.stage, self.cut = "dealing", 0
        self.number, self.attempt, self.dealer, self.carry = number, attempt, dealer, carry

    def deal_again(self, dealer):
        self.due_deal(self.number, self.attempt + 1, dealer, self.carry)

    def on_deck_cut(self, event):
        self.cut = event["position"]

    def on_round_dealt(self, event):
        self.stage = "round"
        self.hands = [list(hand) for hand in event["hands"]]
        self.trump, self.dashed, self.bid = event["trump"], set(), None
        self.voids = [
            seat for seat in ((self.first_speaker() + i) % self.n for i in range(self.n))
            if len({card[-1] for card in self.hands[seat] if card not in ("RJ", "BJ")}) < 4
        ]
        self.next_void() if self.rules["void_check"] else self.open_calls()

    def next_void(self):
        if self.voids:
            self.phase, self.turn = "void", self.voids.pop(0)
        else:
            self.open_calls()

    def open_calls(self):
        rules = self.rules
        if self.kind(self.number) != "auction":
            return self.open_estimates()
        if rules["dash"] == "blind" or rules["dash"] == "call" and rules["dash_call_timing"] == "before_auction":
            self.phase, self.turn = "asked", self.first_speaker()
        else:
            self.open_auction()

    def open_auction(self):
        self.phase, self.standing, self.spoken = "auction", None, set()
        self.live = set(range(self.n)) - self.dashed
        self.turn = self.first_live(self.first_speaker())

    def first_live(self, seat):
        for _ in range(self.n):
            if seat in self.live:
                return seat
            seat = self.speaks_after(seat)
        return None

    def move_on(self, seat):
        self.spoken.add(seat)
        if self.rules["auction"] == "single_call":
            self.live.discard(seat)
        self.turn = self.first_live(self.speaks_after(seat))
        if self.standing and self.turn == self.standing[2]:
            self.turn = None

    def on_avoid_declared(self, _):
        self.next_void()

    def on_redeal_called(self, _):
        self.deal_again(self.dealer)

    def on_auction_entered(self, event):
        following = (event["seat"] + 1) % self.n
        if following == self.first_speaker():
            self.open_auction()
        else:
            self.turn = following

    def on_blind_dashed(self, event):
        self.dashed.add(event["seat"])
        self.on_auction_entered(event)

    def on_dash_called(self, event):
        self.dashed.add(event["seat"])
        if self.phase == "asked":
            self.on_auction_entered(event)
        else:
            self.live.discard(event["seat"])
            self.move_on(event["seat"])

    def on_bid_made(self, event):
        bid = (event["tricks"], TRUMPS.index(event["trump"]), event["seat"])
        if not self.standing or bid[:2] > self.standing[:2]:
            self.standing = bid
        self.move_on(event["seat"])

    def on_passed(self, event):
        self.live.discard(event["seat"])
        self.move_on(event["seat"])

    def on_auction_won(self, event):
        self.bid, self.trump = (event["tricks"], event["seat"]), event["trump"]
        self.open_estimates()

    def on_auction_void(self, _):
        following = (self.dealer + 1) % self.n
        self.deal_again(following if self.rules["unbid"] == "pass_deal" else self.dealer)

    def on_round_folded(self, _):
        self.phase = "folded"

    def open_estimates(self):
        self.phase, self.made, self.changed, self.named = "estimates", [], None, None
        self.order = self.estimators(self.bid and self.bid[1], self.dashed)

    def on_estimate_made(self, event):
        self.made.append(event["tricks"])
        if event["trump"] is not None:
            self.changed, self.named = (event["tricks"], TRUMPS.index(event["trump"])), event["trump"]

    def on_trump_changed(self, event):
        self.trump, self.named = event["trump"], None

    def calls(self):
        zero = "blind_dash" if self.rules["dash"] == "blind" else "dash_call"
        calls = [{"kind": zero, "tricks": 0}] * self.n
        for seat, tricks in zip(self.order, self.made):
            calls[seat] = {"kind": "estimate", "tricks": tricks}
        if self.bid:
            calls[self.bid[1]] = {"kind": "bid", "tricks": self.bid[0]}
        return calls

    def leader(self):
        lead = self.rules["first_lead"]
        if lead == "declarer":
            bidder = self.roles(self.calls())[0]
            return self.first_speaker() if bidder is None else bidder
        return (self.first_speaker() + (lead == "after_first_estimator")) % self.n

    def on_play_began(self, event):
        self.phase, self.trick_leader, self.plays = "play", event["leader"], []
        self.taken_tricks = [0] * self.n

    def on_card_played(self, event):
        self.plays.append((event["seat"], event["card"]))
        self.hands[event["seat"]].remove(event["card"])

    def on_trick_taken(self, event):
        self.taken_tricks[event["seat"]] += 1
        self.trick_leader, self.plays = event["seat"], []

    def on_revoked(self, event):
        self.totals[event["seat"]] += event["points"]
        self.deal_again(self.dealer)

    def on_round_scored(self, event):
        self.totals = list(event["totals"])
        if event["bidder"] is not None:
            self.last_bidder = event["bidder"]
        if self.number == self.rounds():
            self.stage = "finishing"
            return
        rotation = self.rules["starter_rotation"]
        dealer = (self.dealer + 1) % self.n if rotation == "rotate" else self.dealer
        if rotation == "previous_bidder":
            dealer = ((self.last_bidder or 0) - 1) % self.n
        self.due_deal(self.number + 1, 1, dealer, event["next_carry"])

    def on_game_finished(self, _):
        self.stage = "over"

    on_game_abandoned = on_game_finished

    # Scores

    def roles(self, calls):
        fast = self.kind(self.number) == "fast"
        dashed = {seat for seat, call in enumerate(calls) if call["kind"] in ("dash_call", "blind_dash")}
        bidder = self.bid and self.bid[1]
        estimators = self.estimators(bidder, dashed)
        if bidder is None and fast and self.rules["fast_bidder"]:
            highest = max(call["tricks"] for call in calls)
            bidder = next((s for s in estimators if highest and calls[s]["tricks"] == highest), None)
        withs = []
        if bidder is not None and self.rules["fast_withs" if fast else "withs"]:
            equal = lambda seat: seat != bidder and calls[seat]["tricks"] == calls[bidder]["tricks"]
            withs = [seat for seat in range(self.n) if equal(seat)]
        named = self.rules["forbid_thirteen"] and self.rules["plan"] == "rounds"
        return bidder, withs, estimators[-1] if named and estimators else None

    def scored(self):
        rules, n = self.rules, self.n
        folded = self.phase == "folded"
        if folded:
            zero = {"kind": "blind_dash" if rules["dash"] == "blind" else "dash_call", "tricks": 0}
            calls = [zero if seat in self.dashed else None for seat in range(n)]
            tricks, bidder, withs, risk = [0] * n, None, [], None
        else:
            calls, tricks = self.calls(), self.taken_tricks
            bidder, withs, risk = self.roles(calls)
        made = [not folded and tricks[s] == calls[s]["tricks"] for s in range(n)]
        multiplier = self.carry
        if rules["scoring"] == "squares":
            multiplier *= 2 if rules["length"] == "full" and self.number == 13 else 1
            multiplier *= 2 if len(withs) >= 2 else 1
        next_carry = 1
        if folded or rules["void_unmade"] and not any(made):
            next_carry = {"add": self.carry + 1, "double": self.carry * 2, "flat": 2}[rules["carry_ladder"]]
            lines = [[("folded" if folded else "no_winner", 0)] for _ in range(n)]
        else:
            total = sum(call["tricks"] for call in calls)
            lines = []
            for s in range(n):
                facts = Facts(rules, self.number, self.hand_size(self.number), calls[s], tricks[s], total)
                facts.bidder, facts.with_, facts.risk = s == bidder, s in withs, s == risk
                facts.only_winner = made[s] and sum(made) == 1
                facts.only_loser = not made[s] and sum(made) == n - 1
                facts.kabooot_by_other = any(
                    t != s and calls[t]["tricks"] == 13 and tricks[t] == 13 for t in range(n)
                )
                own = FORMULAS[rules["scoring"]](facts)
                lines.append(own + ([("multiplier", multiplier, "factor")] if multiplier != 1 else []))
        points = [worth(own) for own in lines]
        say = lambda line: {"reason": line[0], ("factor" if len(line) == 3 else "points"): line[1]}
        return {
            "type": "round_scored", "round": self.number, "calls": calls, "tricks": tricks, "bidder": bidder,
            "withs": withs, "risk": risk, "multiplier": multiplier, "next_carry": next_carry, "points": points,
            "totals": [total + more for total, more in zip(self.totals, points)],
            "lines": [[say(line) for line in own] for own in lines],
        }


class Facts:
    """One player's round, with what the formulas ask about."""

    def __init__(self, rules, number, size, call, tricks, total):
        self.rules, self.number, self.size, self.total = rules, number, size, total
        self.call, self.kind, self.tricks = call["tricks"], call["kind"], tricks
        self.made, self.off = tricks == call["tricks"], abs(tricks - call["tricks"])
        self.over = total > 13
        self.dash = self.kind == "estimate" and self.call == 0

    def level(self, top):
        d = abs(self.total - 13)
        return min(top, (d + 1) // 2 if self.rules["risk_ladder"] == "from_one" else d // 2)

    def with_pays(self):
        return self.with_ and self.rules["with_penalty"]


def worth(lines):
    total, product = 0, 1
    for line in lines:
        if len(line) == 3:
            product *= line[1]
        else:
            total += line[1]
    return total * product


def penalty(p):
    return [("made", 0)] if p.made else [("hand_size", p.size), ("larger_of_call_and_tricks", max(p.tricks, p.call))]


def difference(p):
    return [("tricks", p.tricks)] if p.made else [("difference", -p.off)]


def squares(p):
    sign = 1 if p.made else -1
    if p.kind == "dash_call":
        lines = [("dash_call", (23 if p.over else 33) if p.made else -23)]
    elif p.call >= 8:
        half = p.call**2 // 2 if p.rules["half_square"] == "floor" else (p.call**2 + 1) // 2
        lines = [("high_call", p.call**2 if p.made else -half)]
    elif p.dash:
        lines = [("dash", 10 * sign)]
    elif p.made:
        extra = ("bidder", 20) if p.bidder else ("with", 20) if p.with_ else ("made", 10)
        lines = [("tricks", p.call), extra]
    else:
        lines = [("difference", -p.off)]
        if p.bidder:
            lines.append(("bidder", -10))
        elif p.with_pays():
            lines.append(("with", -10))
    extras = p.rules["high_call_extras"] if p.call >= 8 else "all"
    if extras != "none":
        lines += [("only_winner", 10)] * p.only_winner + [("only_loser", -10)] * p.only_loser
    if extras == "all" and p.risk and p.level(4):
        lines.append(("risk", 10 * p.level(4) * sign))
    return lines


def round_number(p):
    sign = 1 if p.made else -1
    lines = [("round", p.number * sign)]
    if not p.made:
        lines.append(("difference", -p.off))
    if p.kind == "blind_dash":
        twenty = p.over if not p.made else p.over != p.rules["blind_dash_swap"]
        lines.append(("blind_dash", (20 if twenty else 10) * sign))
    elif p.dash:
        lines.append(("dash", (10 if p.over else 20) if p.made else -20))
    else:
        if p.made:
            lines.append(("tricks", p.tricks))
        if p.bidder:
            lines.append(("bidder", 10 * sign))
        elif p.with_ if p.made else p.with_pays():
            lines.append(("with", 10 * sign))
    lines += [("only_winner", 10)] * p.only_winner + [("only_loser", -10)] * p.only_loser
    if p.risk and p.level(4):
        lines.append(("risk", 10 * p.level(4) * sign))
    if p.made and p.call == 13:
        lines.append(("kabooot", 50))
    return lines + [("kabooot_by_other", -25)] * p.kabooot_by_other


def roles(p):
    sign = 1 if p.made else -1
    lines = [("call", p.call)] if p.made else [("difference", -p.off)]
    if p.kind == "dash_call":
        lines.append(("dash_call", 23 * sign))
    else:
        lines += [("made", 10)] * p.made
        if p.bidder:
            lines.append(("bidder", 10 * sign))
        elif p.with_ and (p.made or p.with_pays()):
            lines.append(("with", 10 * sign))
        if p.risk and p.level(2):
            lines.append([("risk", 10 * sign), ("double_risk", 20 * sign)][p.level(2) - 1])
    lines += [("only_winner", 10)] * p.only_winner + [("only_loser", -10)] * p.only_loser
    if p.total < 13 and p.call == 0:
        lines.append(("under", 10 * sign))
    return lines + [("high_call", 2, "factor")] * (p.call >= 8)


FORMULAS = {
    "penalty": penalty, "difference": difference, "squares": squares, "round_number": round_number, "roles": roles,
}


# Events --------------------------------------------------------------------------------------------------

PLAY = (
    "seat_chosen", "deck_cut", "redeal_called", "avoid_declared", "blind_dashed", "auction_entered", "passed",
    "dash_called", "bid_made", "estimate_made", "card_played",
)


SEAT = PLACE = number(0, 4)
SMALL, COUNT, POINTS = number(0, 255), number(0, 2**32 - 1), number(-(2**31), 2**31 - 1)
CARD, TRUMP, ACCOUNT, SEED = one_of(*CARDS), one_of(*TRUMPS), text(UUID), text(CLIENT_SEED)
LEVEL = one_of("easy", "steady", "sharp")
REASON = one_of(
    "made", "tricks", "call", "difference", "round", "hand_size", "larger_of_call_and_tricks", "bidder", "with",
    "risk", "double_risk", "dash", "dash_call", "blind_dash", "under", "high_call", "only_winner", "only_loser",
    "kabooot", "kabooot_by_other", "multiplier", "no_winner", "folded",
)
LINE = either(record(reason=REASON, points=POINTS), record(reason=REASON, factor=POINTS))
CALL = record(kind=one_of("bid", "estimate", "dash_call", "blind_dash"), tricks=SMALL)
BY = one_of("bot", "clock")
ACTOR = either(
    one_of("server"), record(place=PLACE), record(seat=SEAT), record(place=PLACE, by=BY), record(seat=SEAT, by=BY),
)
EVENTS = {
    "game_created": dict(
        ruleset=is_ruleset, host=ACCOUNT,
        visibility=one_of("public", "private"), spectators=lambda value: isinstance(value, bool),
        turn_seconds=none_or(number(10, 604800)), opening_seconds=number(15, 604800), algorithm=lambda value: isinstance(value, str),
        commitment=text(HEX[64]),
    ),
    "player_joined": dict(place=PLACE, account=ACCOUNT),
    "seed_committed": dict(place=PLACE, commitment=none_or(text(HEX[64]))),
    "opening_began": {},
    "seed_opened": dict(place=PLACE, client_seed=SEED),
    "opening_failed": dict(missing=each(PLACE, float("inf")), commitment=text(HEX[64])),
    "player_left": dict(place=PLACE, account=none_or(ACCOUNT)),
    "bot_seated": dict(place=PLACE, level=LEVEL),
    "host_changed": dict(place=PLACE, account=ACCOUNT),
    "game_started": dict(
        players=each(either(
            record(kind=one_of("human"), account=ACCOUNT), record(kind=one_of("bot"), level=LEVEL)
        )),
        client_seeds=each(none_or(SEED)),
    ),
    "seats_drawn": dict(cards=each(CARD)),
    "seat_chosen": dict(place=PLACE, seat=SEAT),
    "deck_cut": dict(seat=SEAT, position=SMALL),
    "round_dealt": dict(
        round=SMALL, attempt=COUNT, kind=one_of("indicator", "auction", "fast"), hand_size=SMALL, dealer=SEAT,
        first_speaker=SEAT, carry=COUNT, trump=none_or(TRUMP), indicator=none_or(CARD),
        hands=each(rising(CARD, INDEX.__getitem__)), salt=text(HEX[32]),
    ),
    "bid_made": dict(seat=SEAT, tricks=SMALL, trump=TRUMP),
    "auction_won": dict(seat=SEAT, tricks=SMALL, trump=TRUMP),
    "auction_void": {},
    "round_folded": {},
    "estimate_made": dict(seat=SEAT, tricks=SMALL, trump=none_or(TRUMP)),
    "trump_changed": dict(seat=SEAT, trump=TRUMP),
    "play_began": dict(leader=SEAT),
    "card_played": dict(seat=SEAT, card=CARD),
    "revoked": dict(seat=SEAT, card=CARD, points=POINTS),
    "round_scored": dict(
        round=SMALL, calls=each(none_or(CALL)), tricks=each(SMALL), bidder=none_or(SEAT),
        withs=rising(SEAT, int), risk=none_or(SEAT), multiplier=COUNT, next_carry=COUNT, points=each(POINTS),
        totals=each(POINTS), lines=each(each(LINE, 8)),
    ),
    "game_finished": dict(
        standings=each(record(seat=SEAT, total=POINTS, rank=SMALL)), server_seed=text(HEX[64])
    ),
    "game_abandoned": dict(reason=one_of("cancelled", "forfeited", "expired", "openings_failed", "ended"), server_seed=text(HEX[64])),
    **{kind: dict(seat=SEAT) for kind in (
        "avoid_declared", "redeal_called", "blind_dashed", "auction_entered", "passed", "dash_called", "trick_taken",
        "turn_timed_out", "stand_in_began", "stand_in_ended", "player_forfeited", "hint_taken",
    )},
}
EVENTS = {kind: record(type=one_of(kind), **forms) for kind, forms in EVENTS.items()}
BODY = record(
    game=text(UUID), seq=SAFE_COUNT, at=is_time, actor=ACTOR,
    event=lambda value: isinstance(value, dict) and any(
        has_form(value) for kind, has_form in EVENTS.items() if kind == value.get("type")
    ),
)


def fits_table(value, players):
    """Whether every seat and place is one of the table, and every list by seat is as long as the table."""
    if value["type"] == "game_created":
        return value["ruleset"]["players"] == players
    seats = [value.get(name) for name in ("seat", "place", "leader", "dealer", "first_speaker", "bidder", "risk")]
    seats += value.get("missing", []) + value.get("withs", []) + [own["seat"] for own in value.get("standings", [])]
    lists = ("players", "client_seeds", "cards", "hands", "calls", "tricks", "totals", "lines", "standings")
    lists = [value[name] for name in lists if isinstance(value.get(name), list)]
    lists += [value["points"]] if value["type"] == "round_scored" else []
    return all(seat is None or seat < players for seat in seats) and all(len(own) == players for own in lists)


def opened(game, actor, event):
    if event["type"] != "game_created":
        raise Wrong("command", "a game begins with game_created")
    check_ruleset(event["ruleset"])
    if event["algorithm"] != "estimation/deal/v2":
        raise Wrong("deal", "an unknown way of dealing")
    if actor != {"place": 0}:
        raise Wrong("actor", "a table is opened by the player in place 0")
    return Game(game, event)


def acts(game, actor, kind):
    """The chair of an actor, and how they act: in person, as a bot, or by the clock."""
    by = actor.get("by")
    who = {name: value for name, value in actor.items() if name != "by"}
    if kind in PLAY or kind in ("stand_in_ended", "hint_taken"):
        place = game.place_of(who)
        fits = {
            None: place in game.people() and place not in game.gone,
            "bot": place is not None and game.by_bot(place),
            "clock": game.clock is not None and place is not None and not game.by_bot(place),
        }
        if not fits.get(by, False):
            raise Wrong("actor", f"nobody acts by {by!r} there")
    return who, by


def in_time(game, at):
    due = game.due_at()
    return due is not None and due[0] <= at


def gave_up(game, event, at):
    """The service ends a game by itself, or its operator does, at any time."""
    if event["type"] == "game_abandoned" and event["reason"] == "ended" and game.stage != "over":
        return
    if event["type"] != "game_abandoned" or event["reason"] != "expired":
        raise Wrong("derived", "that does not follow here")
    due = game.due_at()
    if due is None or due[1] != "expiry" or not in_time(game, at):
        raise Wrong("time", "the game was not given up yet")


def opening_failed(game, event, at):
    """The service ends an opening in which a seed stayed closed."""
    if game.stage != "opening" or event["missing"] != sorted(game.sealed):
        raise Wrong("derived", "that does not follow here")
    if not in_time(game, at):
        raise Wrong("time", "the time for opening seeds was not over")


def led(game, actor, event, at):
    kind = event["type"]
    if actor == "server":
        return opening_failed(game, event, at) if kind == "opening_failed" else gave_up(game, event, at)
    who, by = acts(game, actor, kind)
    if kind == "stand_in_ended":
        place = game.place_of(who)
        if by is not None or game.stage == "over" or place not in game.stood_in:
            raise Wrong("command", "no bot stands in for the actor")
        if event["seat"] != game.numbered(place) or not game.is_chair(who):
            raise Wrong("actor", "the actor is somebody else")
        return
    if kind == "player_forfeited":
        place = game.place_of(who)
        if by is not None or place is None and "seat" in who:
            raise Wrong("actor", "only a person does that")
        if game.stage in ("lobby", "opening", "over") or place not in game.people() - game.gone:
            raise Wrong("command", "nobody forfeits there")
        if event["seat"] != game.numbered(place):
            raise Wrong("command", "nobody forfeits for another")
        if not game.is_chair(who):
            raise Wrong("actor", "actors have seats once the seats are settled")
        return
    if kind == "hint_taken":
        if by is not None:
            raise Wrong("actor", "only a person takes a hint")
        if game.hinted or len(game.people()) != 1 or not same(who, game.to_act()):
            raise Wrong("command", "there is no hint now")
        if event["seat"] != game.numbered(game.place_of(who)):
            raise Wrong("actor", "the actor is somebody else")
        return
    if kind in PLAY and by == "clock" and not in_time(game, at):
        raise Wrong("time", "the turn had not run out")
    if kind in PLAY:
        chair = {"place": event["place"]} if kind == "seat_chosen" else {"seat": event["seat"]}
        if not same(who, game.to_act()):
            raise Wrong("command", "somebody else must act")
        if not game.play_allowed({**event, **who}):
            raise Wrong("command", f"{kind} is not allowed")
        if not same(who, chair):
            raise Wrong("actor", "the actor is somebody else")
        game.after = game.aftermath(by, game.place_of(who), kind)
        return
    place = who.get("place")
    if place is None or by is not None:
        raise Wrong("actor", "only a person at a place commands the table")
    last = not any(own is not None for other, own in enumerate(game.places) if other != place and other in game.people())
    own_leave = kind == "player_left" and event["place"] == place or kind == "game_abandoned" and last
    if game.stage != "lobby" and not (game.stage == "opening" and (kind in ("seed_opened", "game_abandoned") or own_leave)):
        raise Wrong("command", "the game has started, or seeds are being opened")
    own = game.places[place] if place < game.n else None
    if kind == "player_joined":
        at, account = event["place"], event["account"]
        if game.places[at] or any(sitter and sitter["account"] == account for sitter in game.places):
            raise Wrong("command", "the place is taken")
        if at != place:
            raise Wrong("actor", "somebody sits down for another")
        return
    if own is None or own["account"] is None:
        raise Wrong("command", "no person sits there")
    is_host = own["account"] == game.host
    if kind == "player_left":
        at = event.get("place")
        sitter = game.places[at] if is_number(at, 0, game.n - 1) else None
        if not sitter or not (at == place or is_host):
            raise Wrong("command", "that place cannot be emptied")
        others = {p for p, other in enumerate(game.places) if other and p != at}
        if sitter["account"] == game.host and not others & game.people():
            raise Wrong("command", "the last to leave calls the game off")
        expected = {"type": kind, "place": at, "account": sitter["account"]}
    elif kind == "bot_seated":
        at = event.get("place")
        if not is_host or not is_number(at, 0, game.n - 1) or at in game.people():
            raise Wrong("command", "the host seats bots where nobody sits")
        expected = {"type": kind, "place": at, "level": event["level"]}
    elif kind == "host_changed":
        at = event.get("place")
        if not is_host or not is_number(at, 0, game.n - 1) or at not in game.people():
            raise Wrong("command", "the host hands over to a person")
        expected = {"type": kind, "place": at, "account": game.places[at]["account"]}
    elif kind == "seed_committed":
        expected = {"type": kind, "place": place, "commitment": event["commitment"]}
        if event["place"] != place:
            raise Wrong("command", "nobody commits for another")
        others = {own for other, own in game.sealed.items() if other != place}
        if event["commitment"] in game.former | others:
            raise Wrong("command", "the table knows the commitment")
    elif kind == "seed_opened":
        if game.stage != "opening":
            raise Wrong("command", "the start was not requested")
        if event["place"] != place or hashlib.sha256(event["client_seed"].encode()).hexdigest() != game.sealed.get(place):
            raise Wrong("command", "that is not the seed of the commitment")
        expected = event
    elif kind in ("game_started", "opening_began"):
        if not is_host or None in game.places or game.void:
            raise Wrong("command", "the host starts when every place is taken and no commitment is void")
        expected = {"type": "opening_began"} if game.sealed else game.start()
        if expected["type"] != kind:
            raise Wrong("command", "the seeds must be opened first, if there are any")
    elif kind == "game_abandoned":
        if not is_host or event["reason"] != "cancelled":
            raise Wrong("command", "only the host calls the game off")
        expected = {"type": kind, "reason": "cancelled", "server_seed": event.get("server_seed")}
    else:
        raise Wrong("command", f"{kind!r} leads nothing")
    if not same(expected, event):
        raise Wrong("actor", f"the command makes {canonical(expected)}")

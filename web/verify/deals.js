// The deals of a game after its start: when each is due, with which numbers, and with which cards. docs/specification.md,
// "Play events" and "Deals". Which calls and cards are legal is not compared.

import { TRUMPS, areInPlay, byCard, lengthOf, planOf, strength, suitOf } from "./rules.js";
import { isHex, same } from "./values.js";

/** Events that change nothing about the deals, wherever they are, and while a round is played. */
const ELSEWHERE = ["turn_timed_out", "stand_in_began", "stand_in_ended", "player_forfeited", "hint_taken"];
const ASIDE = ["trump_changed", "play_began"];

/** What a player may do at each stage. @type {Record<string, string[]>} */
const COMMANDS = {
  choosing: ["seat_chosen"],
  dealing: ["deck_cut"],
  asking: ["redeal_called", "avoid_declared"],
  round: ["auction_entered", "blind_dashed", "dash_called", "passed", "bid_made", "estimate_made", "card_played"],
};

/** What each event does; the rule that its content breaks. @type {Record<string, (deals: Deals, event: any) => string | void>} */
const STEPS = {
  seats_drawn: (deals, { cards }) => {
    const drawn = deals.pack(0, 1)?.slice(0, deals.seats.length) ?? cards;
    if (!areInPlay(deals.rules, cards) || cards.length !== deals.seats.length || !same(drawn, cards)) return "deal";
    deals.choosers = [...cards.keys()].sort((one, other) => strength(cards[other] ?? "") - strength(cards[one] ?? ""));
    deals.stage = "choosing";
  },
  seat_chosen: (deals, { place, seat }) => {
    if (deals.places[seat] !== null || place !== deals.turn) return deals.due ? "derived" : "command";
    deals.places[seat] = place;
    deals.chosen += 1;
    if (deals.turn === null)
      deals.prepare({ round: 1, attempt: 1, dealer: deals.places.indexOf(deals.choosers[0] ?? 0), carry: 1 });
  },
  deck_cut: (deals, { position }) => {
    if (!Number.isInteger(position) || position < 1 || position > 51) return "command";
    deals.cut = position;
  },
  round_dealt: (deals, event) => {
    const { rules, seats, numbers } = deals;
    const pack = deals.pack(numbers.round, numbers.attempt);
    const { hands, indicator } = pack ? deals.dealt(pack) : event;
    if (pack === null && !deals.areLawful(hands, indicator)) return "deal";
    const trump = indicator === null ? deals.plan.trump : (suitOf(indicator, "no_trump") ?? "no_trump");
    const plan = { ...deals.plan, trump };
    if (!same(event, { ...plan, ...numbers, type: event.type, indicator, hands, salt: event.salt })) return "deal";
    if (!isHex(32)(event.salt)) return "form";
    if (deals.salts.has(event.salt)) return "salt";
    deals.salts.add(event.salt);
    const suits = (/** @type {number} */ seat) =>
      new Set(hands[seat].map((/** @type {string} */ card) => suitOf(card, "no_trump")));
    const asked = rules.void_check ? seats.map((seat) => (numbers.first_speaker + seat) % seats.length) : [];
    deals.voids = asked.filter((seat) => suits(seat).size < 4);
    [deals.stage, deals.hands, deals.plan, deals.trick] = [
      deals.voids.length > 0 ? "asking" : "round",
      hands,
      plan,
      [],
    ];
    [deals.live, deals.standing, deals.dashes] = [plan.kind === "auction" ? new Set(seats) : null, null, 0];
  },
  redeal_called: (deals) => deals.again(0),
  avoid_declared: (deals, { seat }) => {
    if (deals.voids.shift() !== seat) return "derived";
    if (deals.voids.length === 0) deals.stage = "round";
  },
  blind_dashed: (deals, event) => STEPS.dash_called?.(deals, event),
  dash_called: (deals, { seat }) => {
    deals.dashes += 1;
    return deals.live?.delete(seat) && deals.dashes <= deals.rules.dash_limit ? undefined : "command";
  },
  passed: ({ live, rules }, { seat }) => (rules.allow_pass && live?.delete(seat) ? undefined : "command"),
  bid_made: (deals, { seat, tricks, trump }) => {
    if (!deals.live?.has(seat) || !Number.isInteger(tricks)) return "command";
    const height = (/** @type {any} */ bid) => 5 * bid.tricks + TRUMPS.indexOf(bid.trump);
    if (!deals.standing || height({ tricks, trump }) > height(deals.standing)) deals.standing = { seat, tricks, trump };
    if (deals.rules.auction === "single_call") deals.live.delete(seat);
  },
  auction_won: (deals, { type, ...bid }) => {
    if (!same(bid, deals.standing)) return "derived";
    deals.live = null;
  },
  auction_void: (deals) => deals.again(deals.rules.unbid === "pass_deal" ? 1 : 0),
  round_folded: (deals) => void ([deals.live, deals.hands] = [null, []]),
  estimate_made: (deals, { seat, tricks }) => {
    if (!Number.isInteger(tricks)) return "form";
    const isBid = deals.plan.kind === "fast" && deals.rules.fast_bidder;
    if (isBid && tricks > (deals.standing?.tricks ?? 0)) deals.standing = { seat, tricks };
  },
  card_played: (deals, { seat, card }) => {
    const hand = deals.hands[seat] ?? [];
    if (deals.live || !hand.includes(card)) return "command";
    hand.splice(hand.indexOf(card), 1);
    deals.trick.push({ seat, card });
  },
  trick_taken: (deals) => void (deals.trick = []),
  revoked: (deals, { type, ...foul }) => {
    if (!same(foul, { ...deals.trick.at(-1), points: 2 * deals.plan.hand_size })) return "derived";
    deals.again(0);
  },
  round_scored: (deals, { round, bidder, next_carry: carry }) => {
    const { rules, numbers, standing } = deals;
    if (round !== numbers.round || bidder !== (standing?.seat ?? null)) return "score";
    deals.lastBidder = bidder ?? deals.lastBidder;
    const rotated = rules.starter_rotation === "rotate" ? numbers.dealer + 1 : numbers.dealer;
    const dealer = rules.starter_rotation === "previous_bidder" ? deals.lastBidder - 1 : rotated;
    if (round === lengthOf(rules).rounds) deals.stage = "finishing";
    else deals.prepare({ round: round + 1, attempt: 1, dealer, carry });
  },
  game_finished: (deals) => void (deals.stage = "over"),
  game_abandoned: (deals) => void (deals.stage = "over"),
};

export class Deals {
  /** @type {"drawing" | "choosing" | "dealing" | "asking" | "round" | "finishing" | "over"} */ stage = "drawing";
  /** The places in the order in which they choose seats. @type {number[]} */ choosers = [];
  chosen = 0;
  /** Of the next deal, then of the round that it begins. */ numbers = {
    round: 0,
    attempt: 1,
    dealer: 0,
    first_speaker: 1,
    carry: 1,
  };
  cut = 0;
  lastBidder = 0;
  /** @type {{ kind: string, hand_size: number, trump: string | null }} */
  plan = { kind: "", hand_size: 0, trump: null };
  /** @type {Set<string>} */ salts = new Set();
  /** @type {string[][]} */ hands = [];
  /** The seats to be asked for a redeal, as they lack a suit. @type {number[]} */ voids = [];
  /** The seats that may still bid; null outside of an auction. @type {Set<number> | null} */ live = null;
  /** The highest bid. @type {{ seat: number, tricks: number, trump?: string } | null} */ standing = null;
  dashes = 0;
  /** @type {{ seat: number, card: string }[]} */ trick = [];

  /**
   * @param {import("./rules.js").Rules} rules
   * @param {(round: number, attempt: number) => string[] | null} pack shuffled by the seeds; null if the server's is not known
   */
  constructor(rules, pack) {
    this.rules = rules;
    this.pack = pack;
    this.seats = [...Array(rules.players).keys()];
    /** The place at each chosen seat. @type {(number | null)[]} */
    this.places = this.seats.map(() => null);
    if (rules.seating !== "draw") this.prepare({ round: 1, attempt: 1, dealer: rules.first_dealer, carry: 1 });
  }

  /** Takes the next event. @param {import("./history.js").ReadEvent} read @returns {string | null} the rule that it breaks */
  take({ actor, event }) {
    const { type, seat, place } = event;
    if (![seat, place].every((one) => one === undefined || this.seats.includes(one))) return "form";
    if (ELSEWHERE.includes(type)) return null;
    const [due, turn, isServer] = [this.due, this.turn, actor === "server"];
    if (type === "game_abandoned" && this.stage !== "over") return STEPS[type]?.(this, event) ?? null;
    if (due !== null || isServer) {
      if (type === due) return STEPS[type]?.(this, event) ?? (isServer ? null : "actor");
      return due === null && this.stage === "round" && ASIDE.includes(type) ? null : "derived";
    }
    const [own, stated] = this.stage === "choosing" ? [actor.place, place] : [actor.seat, seat];
    if ((turn !== null && own !== turn) || !COMMANDS[this.stage]?.includes(type)) return "command";
    return own === stated ? (STEPS[type]?.(this, event) ?? null) : "actor";
  }

  /** The event that the rules derive; null if a player must act, or if it is not compared. */
  get due() {
    const { rules, stage, live, standing } = this;
    if (stage === "drawing") return "seats_drawn";
    if (stage === "choosing") return this.chosen === this.seats.length - 1 ? "seat_chosen" : null;
    if (stage === "dealing") return rules.cut && this.cut === 0 ? null : "round_dealt";
    if (stage === "asking") return this.plan.kind === "fast" && !rules.fast_redeal ? "avoid_declared" : null;
    if (stage !== "round") return stage === "finishing" ? "game_finished" : null;
    if (live !== null) {
      if ([...live].some((seat) => seat !== standing?.seat)) return null;
      return standing !== null ? "auction_won" : rules.unbid === "fold" ? "round_folded" : "auction_void";
    }
    if (rules.revokes === "penalise" && this.isRevoke) return "revoked";
    if (this.trick.length === this.seats.length) return "trick_taken";
    return this.hands.every((hand) => hand.length === 0) ? "round_scored" : null;
  }

  /** The place or seat that must act; null if it is not compared. */
  get turn() {
    if (this.stage === "choosing") return this.choosers[this.chosen] ?? null;
    return this.stage === "dealing"
      ? this.numbers.first_speaker
      : this.stage === "asking"
        ? (this.voids[0] ?? null)
        : null;
  }

  /** @param {Omit<Deals["numbers"], "first_speaker">} numbers */
  prepare(numbers) {
    const seat = (/** @type {number} */ one) => (one + this.seats.length) % this.seats.length;
    this.numbers = { ...numbers, dealer: seat(numbers.dealer), first_speaker: seat(numbers.dealer + 1) };
    [this.stage, this.cut, this.plan] = ["dealing", 0, planOf(this.rules, numbers.round)];
  }

  /** The same round is dealt again. @param {number} steps by how many seats the dealer moves on */
  again(steps) {
    const { numbers } = this;
    this.prepare({ ...numbers, attempt: numbers.attempt + 1, dealer: numbers.dealer + steps });
  }

  /** The hands and the turned card that a shuffled pack gives, with the cut cards under the rest. @param {string[]} pack */
  dealt(pack) {
    const { seats, plan, numbers } = this;
    const cards = [...pack.slice(this.cut), ...pack.slice(0, this.cut)];
    const given = cards.slice(0, plan.hand_size * seats.length);
    const hands = seats.map((seat) =>
      given.filter((_, at) => (numbers.first_speaker + at) % seats.length === seat).sort(byCard),
    );
    return { hands, indicator: plan.kind === "indicator" ? (cards[given.length] ?? null) : null };
  }

  /** Whether other seeds could give these cards. @param {any} hands @param {any} indicator */
  areLawful(hands, indicator) {
    const isHand = (/** @type {any} */ hand) =>
      hand.length === this.plan.hand_size && same(hand, [...hand].sort(byCard));
    const turned = this.plan.kind === "indicator" ? [indicator] : [];
    return (
      hands.length === this.seats.length && hands.every(isHand) && areInPlay(this.rules, [...hands.flat(), ...turned])
    );
  }

  /** Whether the last card does not follow suit, and its player could (`nineteen` R10). */
  get isRevoke() {
    const suit = (/** @type {string} */ card) => suitOf(card, this.plan.trump);
    const [led, last] = [this.trick[0], this.trick.at(-1)];
    if (!led || !last || suit(led.card) === null || suit(last.card) === suit(led.card)) return false;
    return this.hands[last.seat]?.some((card) => suit(card) === suit(led.card)) ?? false;
  }
}

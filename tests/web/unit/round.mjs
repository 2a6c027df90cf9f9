// A game made by hand: three players, rounds of two cards, and the messages of its stream.

export const HANDS = [["AS", "2H"], ["KS", "3H"], ["QS", "4H"]];
export const NAMES = ["Omar", "Nadia", "Layla"];

/** The view in the first round, before the first card; the viewer has seat 0, and seat 0 leads. */
export function firstView(changes = {}) {
  return {
    id: "game", version: 10, head: { seq: 10, hash: "h10" }, status: "playing", updated_at: "", players: 3, legal: [],
    ruleset: { id: "nineteen", title: "Nineteen" }, you: { seat: 0 }, host: {}, fairness: {}, log: {},
    seats: NAMES.map((name, seat) => {
      const player = { id: `account-${seat}`, name, kind: seat === 0 ? "human" : "bot" };
      return { player, connected: true, stand_in: false };
    }),
    scores: { totals: [0, 0, 0], rounds: [], penalties: [], ranks: null },
    round: firstRound(),
    ...changes,
  };
}

function firstRound() {
  return {
    number: 1, of: 2, attempt: 1, hand_size: 2, phase: "play", kind: "indicator", dealer: 2, trump: "hearts", multiplier: 1, carry: 1,
    hands: HANDS.map((cards, seat) => ({ count: 2, cards: seat === 0 ? cards : null })),
    auction: [], avoided: [], to_act: { seat: 0 }, trick: { leader: 0, plays: [] }, last_trick: null, tricks_taken: [0, 0, 0],
    calls: [2, 0, 0].map((tricks, seat) => ({ seat, kind: "estimate", tricks, with: false, risk: seat === 2 })),
  };
}

/** Numbers events from `first`. */
export const envelopes = (events, first = 11) => events.map((event, at) => (
  { seq: first + at, at: "", hash: `h${first + at}`, actor: { kind: "player", seat: event.seat }, event }));

export const card = (seat, name) => ({ type: "card_played", seat, card: name });
export const taken = (seat) => ({ type: "trick_taken", seat });

/** The score of the first round. */
export const SCORED = {
  type: "round_scored",
  score: {
    round: 1, bidder: 0, risk: 2, withs: [], multiplier: 1, next_carry: 2,
    tricks: [2, 0, 0], points: [12, 10, -3], totals: [12, 10, -3],
    calls: [2, 0, 0].map((tricks, seat) => ({ seat, kind: "estimate", tricks })),
    lines: [[{ reason: "made", points: 10 }, { reason: "tricks", points: 2 }], [{ reason: "made", points: 10 }], [{ reason: "difference", points: -3 }]],
  },
};

/** The deal of the second round. */
export const DEALT = {
  type: "round_dealt",
  deal: {
    round: 2, attempt: 1, kind: "indicator", hand_size: 1, dealer: 0, first_speaker: 1, carry: 2, indicator: "5C", trump: "clubs",
    hands: [{ count: 1, cards: ["9D"] }, { count: 1, cards: null }, { count: 1, cards: null }],
  },
};

/** The first round from its first card on, and the deal of the second. */
export const ROUND = [
  card(0, "AS"), card(1, "KS"), card(2, "QS"), taken(0),
  card(0, "2H"), card(1, "3H"), card(2, "4H"), taken(2), SCORED, DEALT,
];

// What the table looked like after each event of a history.

/** @typedef {GameReport["events"]} Events */
/** @typedef {{ kind: string, tricks: number | null, trump?: string }} Call */
/** @typedef {{ account?: string, level?: string, place?: number }} Sitter */

/**
 * @typedef {object} Table
 * @property {"lobby" | "playing" | "finished" | "abandoned"} status
 * @property {(Sitter | null)[]} players by place in the lobby, then by seat
 * @property {number[]} seatOf the chosen seat of each place, while players choose seats
 * @property {number} round 0 before the first deal
 * @property {number} attempt the deal of the round
 * @property {number | null} dealer
 * @property {number | null} bidder
 * @property {string | null} trump
 * @property {string | null} indicator the card turned up
 * @property {string[][]} hands
 * @property {(Call | null)[]} calls
 * @property {number[]} tricks
 * @property {number[]} totals
 * @property {{ seat: number, card: string }[]} trick the cards on the table, in order of play
 * @property {number | null} winner the winner of the trick; the next card begins another one
 * @property {number | null} active the seat or place that the event is about
 * @property {number[] | null} points the points of the round that has just been scored
 * @property {number[] | null} ranks once the game is finished
 */

/** @type {Table} */
const EMPTY = {
  status: "lobby",
  players: [],
  seatOf: [],
  round: 0,
  attempt: 1,
  dealer: null,
  bidder: null,
  trump: null,
  indicator: null,
  hands: [],
  calls: [],
  tricks: [],
  totals: [],
  trick: [],
  winner: null,
  active: null,
  points: null,
  ranks: null,
};

/** The state after each event: `states[n]` is the one after `n` events. @param {Events} events */
export function statesOf(events) {
  let table = EMPTY;
  return [EMPTY, ...events.map(({ event }) => (table = next(table, event)))];
}

/**
 * The state after one more event. A changed history can contain anything: an event that does not fit changes nothing.
 * @param {Table} table @param {any} event @returns {Table}
 */
export function next(table, event) {
  try {
    const { seat, place } = event;
    const active = seat ?? place ?? null;
    if (active !== null && !(active in table.players) && event.type !== "game_created") return table;
    return { ...table, active, ...changes[event.type]?.(table, event) };
  } catch {
    return table;
  }
}

/** @template T @param {T[]} list @param {number} index @param {T} value */
const put = (list, index, value) => list.map((one, at) => (at === index ? value : one));
/** @param {Table} table @param {number} seat @param {Call | null} call */
const call = (table, seat, call) => ({ calls: put(table.calls, seat, call) });
/** @param {number} count */
const zeros = (count) => Array(count).fill(0);

/** @type {Record<string, (table: Table, event: any) => Partial<Table>>} */
const changes = {
  game_created: (_, { host, ruleset }) => {
    const players = Array(ruleset.players).fill(null);
    return {
      players: put(players, 0, { account: host }),
      totals: zeros(players.length),
      tricks: zeros(players.length),
    };
  },
  player_joined: ({ players }, { place, account }) => ({ players: put(players, place, { account }) }),
  player_left: ({ players }, { place }) => ({ players: put(players, place, null) }),
  bot_seated: ({ players }, { place, level }) => ({ players: put(players, place, { level, place }) }),
  game_started: (_, { players }) => ({
    status: "playing",
    players: players.map((/** @type {Sitter} */ one, /** @type {number} */ place) => ({ ...one, place })),
  }),
  seat_chosen: ({ players, seatOf }, { place, seat }) => {
    const chosen = [...seatOf];
    chosen[place] = seat;
    if (players.some((_, at) => chosen[at] === undefined)) return { seatOf: chosen };
    return { seatOf: [], players: players.map((_, at) => players[chosen.indexOf(at)] ?? null) };
  },
  round_dealt: ({ players }, { round, attempt, dealer, trump, indicator, hands }) => ({
    round,
    attempt,
    dealer,
    trump,
    indicator,
    bidder: null,
    points: null,
    trick: [],
    winner: null,
    hands: players.map((_, seat) => hands[seat].map(String)),
    calls: players.map(() => null),
    tricks: zeros(players.length),
  }),
  blind_dashed: (table, { seat }) => call(table, seat, { kind: "blind_dash", tricks: 0 }),
  dash_called: (table, { seat }) => call(table, seat, { kind: "dash_call", tricks: 0 }),
  bid_made: (table, { seat, tricks, trump }) => call(table, seat, { kind: "bid", tricks, trump }),
  passed: (table, { seat }) => call(table, seat, { kind: "pass", tricks: null }),
  estimate_made: (table, { seat, tricks }) => call(table, seat, { kind: "estimate", tricks }),
  // Everybody else now estimates, except those who are bound to zero already.
  auction_won: (table, { seat, tricks, trump }) => ({
    trump,
    bidder: seat,
    calls: table.calls.map((one, at) =>
      at === seat ? { kind: "bid", tricks, trump } : one?.tricks === 0 ? one : null,
    ),
  }),
  trump_changed: (_, { trump }) => ({ trump }),
  card_played: ({ hands, trick, winner }, { seat, card }) => ({
    hands: put(hands, seat, hands[seat]?.filter((one) => one !== card) ?? []),
    trick: [...(winner === null ? trick : []), { seat, card }],
    winner: null,
  }),
  trick_taken: ({ tricks }, { seat }) => ({ tricks: put(tricks, seat, (tricks[seat] ?? 0) + 1), winner: seat }),
  revoked: ({ totals }, { seat, points }) => ({ totals: put(totals, seat, (totals[seat] ?? 0) + points) }),
  round_scored: (_, { totals, points, bidder }) => ({ totals: [...totals], points: [...points], bidder, hands: [] }),
  game_finished: ({ players }, { standings }) => ({
    status: "finished",
    ranks: players.map((_, seat) => standings.find((/** @type {any} */ one) => one.seat === seat).rank),
  }),
  game_abandoned: () => ({ status: "abandoned" }),
};

/** Where each round begins: `at` is the number of events up to its first deal. @param {Events} events */
export function roundsOf(events) {
  return events.flatMap(({ event }, index) =>
    event?.type === "round_dealt" && event.attempt === 1 ? [{ round: Number(event.round), at: index + 1 }] : [],
  );
}

// Keeps a view current from the stream of its game, without another request.

import type { components } from "./schema.js";
import type { StreamItem, Turn } from "./stream.js";

type Schemas = components["schemas"];
type EventEnvelope = Schemas["EventEnvelope"];
type GameView = Schemas["GameView"];
type RoundView = Schemas["RoundView"];

/**
 * The view after an item of its game's stream. Only an item with a turn changes it. `account` is the id of the viewer's
 * account, also without a seat. Undefined if the view must be loaded: after a reset, if events are missing or others, or if no
 * turn tells their effect. The `head` has the first 16 digits of a hash where the stream has no more.
 */
export function advance(view: GameView, account: string, item: StreamItem): GameView | undefined {
  if (item.reset) return undefined;
  if (item.end) return item.events.some(({ seq }) => seq > view.version) ? undefined : view;
  if (!item.turn || item.turn.version < view.version) return view;
  const { version, awaited: _awaited, deadline: _deadline, stand_ins, connected, round: changes, legal = [], ...members } = item.turn;
  const events = item.events.filter(({ seq }) => seq > view.version);
  const isOther = item.events.some(({ seq, hash }) => seq === view.head.seq && tag(hash) !== tag(view.head.hash));
  if (isOther || events.length !== version - view.version || needsView(view, events)) return undefined;
  const seats = (members.seats ?? view.seats).map((seat, number) => ({
    ...seat,
    stand_in: stand_ins?.includes(number) ?? seat.stand_in,
    connected: connected?.includes(number) ?? seat.connected,
  }));
  const before = events.reduce((round, { event }) => played(round, event), view.round);
  const merged = changes === null ? null : changes ? ({ ...before, ...changes } as RoundView) : before;
  const you = position(view, account, item.turn, merged, events);
  const seen = you === null ? withoutHand(merged, view.you?.seat) : merged;
  const round = withCards(seen, before, you?.seat, item.turn);
  if (round === undefined) return undefined;
  const scores = events.reduce((former, { event }) => scored(former, event), view.scores);
  const { remaining_ms: _, ...rest } = view;
  const next: GameView = { ...rest, scores, ...members, version, seats, you, round, legal };
  const last = events.at(-1);
  return last ? { ...next, head: { seq: last.seq, hash: last.hash }, updated_at: last.at } : next;
}

/** The first digits of a hash, which streams have. */
function tag(hash: string): string {
  return hash.slice(0, 16);
}

/** The `after` with which `follow` begins behind a view. */
export function resumeId({ head }: GameView): string {
  return `${head.seq}-${tag(head.hash)}`;
}

/**
 * Whether events change what neither they nor the turn say. The host can remove a player from a table with an invitation
 * code, which then gets a new one. A player who forfeits before the seats are settled is named by the place.
 */
function needsView({ join_code, you }: GameView, events: EventEnvelope[]): boolean {
  const has = (type: string): boolean => events.some(({ event }) => event.type === type);
  return (join_code !== undefined && has("player_left")) || (you?.place !== undefined && has("player_forfeited"));
}

/** The viewer's position. A player who has forfeited is still listed in the seat, and has no position. */
function position(
  view: GameView,
  account: string,
  turn: Turn,
  round: RoundView | null,
  events: EventEnvelope[],
): GameView["you"] {
  const find = (seats: GameView["seats"]): number => seats.findIndex(({ player }) => player?.id === account);
  const number = find(turn.seats ?? view.seats);
  const forfeits = events.some(({ event }) => event.type === "player_forfeited" && event.seat === number);
  if (number < 0 || forfeits || (view.you === null && find(view.seats) >= 0)) return null;
  const isSeated = round ? round.phase !== "choosing_seats" : view.you?.seat !== undefined;
  return isSeated ? { seat: number } : { place: number };
}

/** The round after what an event says of it. Everything else is in the turn. */
function played(round: RoundView | null, { type, seat, card, tricks, deal }: Schemas["Event"]): RoundView | null {
  if (deal) {
    const { round: number, salt: _, ...dealt } = deal;
    return { ...round, ...dealt, number } as RoundView;
  }
  if (!round || seat === undefined) return round;
  if (type === "estimate_made" && tricks !== undefined) {
    const call = { seat, kind: "estimate", tricks, with: false, risk: false };
    const calls = [...round.calls.filter((other) => other.seat !== seat), call] as RoundView["calls"];
    return { ...round, calls: calls.sort((one, other) => one.seat - other.seat) };
  }
  if (type === "card_played" && card !== undefined) {
    // The turn that began the play can have been missed.
    const trick = round.trick ?? { leader: seat, plays: [] };
    const hands = round.hands.map(({ count, cards }, at) =>
      at === seat ? { count: count - 1, cards: cards?.filter((held) => held !== card) ?? null } : { count, cards },
    );
    return { ...round, hands, trick: { ...trick, plays: [...trick.plays, { seat, card }] } };
  }
  if (type !== "trick_taken") return round;
  const tricks_taken = round.tricks_taken?.map((taken, taker) => (taker === seat ? taken + 1 : taken)) ?? null;
  return { ...round, last_trick: round.trick, trick: { leader: seat, plays: [] }, tricks_taken };
}

/** The scores after an event. */
function scored(scores: GameView["scores"], { score }: Schemas["Event"]): GameView["scores"] {
  if (!score) return scores;
  const { round, points, totals } = score;
  return { ...scores, totals, rounds: [...scores.rounds, { round, points }] };
}

/** The round without the cards of a seat that the viewer has left. */
function withoutHand(round: RoundView | null, left: number | undefined): RoundView | null {
  return round && { ...round, hands: round.hands.map((hand, seat) => (seat === left ? { ...hand, cards: null } : hand)) };
}

/**
 * The round with the deadline of its turn. Where the turn shows the number of the viewer's cards, with the cards. Undefined if
 * they are not known.
 */
function withCards(
  round: RoundView | null,
  before: RoundView | null,
  seat: number | undefined,
  { awaited, deadline, round: changes }: Turn,
): RoundView | null | undefined {
  if (!round) return null;
  const { deadline: _, ...rest } = round;
  const timed = { ...rest, to_act: awaited[0] ?? null, ...(deadline !== undefined && { deadline }) };
  const shown = seat === undefined ? undefined : changes?.hands?.[seat];
  if (!shown) return timed;
  const isSameDeal = before?.number === round.number && before.attempt === round.attempt;
  const cards = (isSameDeal && before.hands[seat ?? -1]?.cards) || null;
  if (shown.count !== (cards?.length ?? 0)) return undefined;
  return { ...timed, hands: round.hands.map((hand, other) => (other === seat ? { ...hand, cards } : hand)) };
}

// Keeps a view current from the stream of its game, without another request.

import type { components } from "./schema.js";
import type { StreamItem } from "./stream.js";

type Schemas = components["schemas"];
type EventEnvelope = Schemas["EventEnvelope"];
type GameView = Schemas["GameView"];
type RoundView = Schemas["RoundView"];
type Turn = Schemas["Turn"];

/**
 * The view after an item of its game's stream. Only an item with a turn changes it. `account` is the id of the viewer's
 * account, also without a seat. Undefined if the view must be loaded: after a reset, if events are missing or others, or if no
 * turn tells their effect.
 */
export function advance(view: GameView, account: string, item: StreamItem): GameView | undefined {
  if (item.reset) return undefined;
  if (item.end) return item.events.some(({ seq }) => seq > view.version) ? undefined : view;
  if (!item.turn || item.turn.version < view.version) return view;
  const { version, awaited, deadline, stand_ins, connected, round: shown, legal = [], ...members } = item.turn;
  const events = item.events.filter(({ seq }) => seq > view.version);
  const isOther = item.events.some(({ seq, hash }) => seq === view.head.seq && hash !== view.head.hash);
  if (isOther || events.length !== version - view.version || needsView(view, events)) return undefined;
  const seats = (members.seats ?? view.seats).map((seat, number) => ({
    ...seat,
    stand_in: stand_ins.includes(number),
    connected: connected.includes(number),
  }));
  const isBrief = members.status === undefined;
  const you = isBrief ? view.you : position(view, account, item.turn, events);
  const round = isBrief ? played(view.round, item.turn, events) : withCards(shown ?? null, you?.seat, view, events);
  if (round === undefined) return undefined;
  const { remaining_ms: _, ...rest } = view;
  const next: GameView = { ...rest, ...members, version, seats, you, round, legal };
  const last = events.at(-1);
  return last ? { ...next, head: { seq: last.seq, hash: last.hash }, updated_at: last.at } : next;
}

/** The `after` with which `follow` begins behind a view. */
export function resumeId({ head }: GameView): string {
  return `${head.seq}-${head.hash.slice(0, 16)}`;
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
function position(view: GameView, account: string, turn: Turn, events: EventEnvelope[]): GameView["you"] {
  const find = (seats: GameView["seats"]): number => seats.findIndex(({ player }) => player?.id === account);
  const number = find(turn.seats ?? view.seats);
  const forfeits = events.some(({ event }) => event.type === "player_forfeited" && event.seat === number);
  if (number < 0 || forfeits || (view.you === null && find(view.seats) >= 0)) return null;
  const isSeated = turn.round ? turn.round.phase !== "choosing_seats" : view.you?.seat !== undefined;
  return isSeated ? { seat: number } : { place: number };
}

/** The round after cards were played and tricks taken. Undefined after other events. */
function played(round: RoundView | null, turn: Turn, events: EventEnvelope[]): RoundView | undefined {
  if (!round) return undefined;
  const hands = [...round.hands];
  let { trick, last_trick, tricks_taken } = round;
  for (const { event } of events) {
    const { type, seat, card } = event;
    const hand = seat === undefined ? undefined : hands[seat];
    if (seat === undefined || !hand || !trick) return undefined;
    if (type === "card_played" && card !== undefined) {
      hands[seat] = { count: hand.count - 1, cards: hand.cards?.filter((held) => held !== card) ?? null };
      trick = { ...trick, plays: [...trick.plays, { seat, card }] };
    } else if (type === "trick_taken") {
      [last_trick, trick] = [trick, { leader: seat, plays: [] }];
      tricks_taken = tricks_taken?.map((taken, taker) => (taker === seat ? taken + 1 : taken)) ?? null;
    } else {
      return undefined;
    }
  }
  const { deadline: _, ...rest } = round;
  const next = { ...rest, hands, trick, last_trick, tricks_taken, to_act: turn.awaited[0] ?? null };
  return turn.deadline === undefined ? next : { ...next, deadline: turn.deadline };
}

/** The round of a turn, which shows the number of the viewer's cards, with these cards. Undefined if they are not known. */
function withCards(
  round: RoundView | null,
  seat: number | undefined,
  view: GameView,
  events: EventEnvelope[],
): RoundView | null | undefined {
  if (!round || seat === undefined) return round;
  const { number, attempt } = round;
  const isSameDeal = view.round?.number === number && view.round.attempt === attempt;
  let cards = (isSameDeal && view.round?.hands[seat]?.cards) || null;
  for (const { event } of events) {
    const { deal, type, card } = event;
    if (deal) cards = (deal.round === number && deal.attempt === attempt && deal.hands[seat]?.cards) || null;
    if (type === "card_played" && event.seat === seat) cards = cards?.filter((held) => held !== card) ?? null;
  }
  if (round.hands[seat]?.count !== (cards?.length ?? 0)) return undefined;
  return { ...round, hands: round.hands.map((hand, other) => (other === seat ? { ...hand, cards } : hand)) };
}

// The next view of a game, from the events of its stream and the turn that follows them. No rule of the game is needed.

/** Hands and tricks after an event. Everything else is in the turn. @param {any} round @param {Schemas["Event"]} event */
export function played(round, { type, seat, card, deal }) {
  if (type === "round_dealt") return { ...round, hands: deal?.hands };
  if (type === "card_played") {
    const hands = round.hands.map((/** @type {Schemas["Hand"]} */ { count, cards }, /** @type {number} */ at) =>
      at === seat ? { count: count - 1, cards: cards && cards.filter((one) => one !== card) } : { count, cards });
    return { ...round, hands, trick: { ...round.trick, plays: [...(round.trick?.plays ?? []), { seat, card }] } };
  }
  if (type !== "trick_taken") return round;
  const tricks_taken = round.tricks_taken?.map((/** @type {number} */ taken, /** @type {number} */ at) => taken + Number(at === seat)) ?? null;
  return { ...round, last_trick: round.trick, trick: { leader: seat, plays: [] }, tricks_taken };
}

/**
 * The view after the events up to a turn.
 * @param {GameView} view
 * @param {string | undefined} account the viewer's; that of a player is also in the view
 * @param {EventEnvelope[]} events the newest ones; the view may have some of them
 * @param {Schemas["Turn"]} turn
 * @returns {GameView | null} null if the view must be loaded: events are missing or others, or a seat or the invitation code changed
 */
export function advance(view, account, events, turn) {
  const { version, status = view.status, host = view.host, scores = view.scores, fairness = view.fairness, log = view.log, legal = [] } = turn;
  if (version < view.version) return view;
  const news = events.filter(({ seq }) => seq > view.version);
  const viewer = view.seats[view.you?.seat ?? view.you?.place ?? -1]?.player?.id ?? account;
  const isReseated = news.some(({ event: { type, account: who, seat } }) =>
    who === viewer || (type === "player_left" && view.join_code) || (type === "player_forfeited" && (view.you?.place !== undefined || seat === view.you?.seat)));
  if (isReseated || view.version + news.length !== version || events.some(({ seq, hash }) => seq === view.head.seq && hash !== view.head.hash)) return null;
  const { seq, hash, at } = news.at(-1) ?? { ...view.head, at: view.updated_at };
  const seats = turn.seats ?? view.seats.map(({ player }, seat) => (
    { player, stand_in: turn.stand_ins.includes(seat), connected: turn.connected.includes(seat) }));
  const own = seats.findIndex(({ player }) => player?.id === viewer);
  let round = news.reduce((before, { event }) => played(before, event), view.round);
  if (turn.status) {
    const hand = round?.hands[own];
    const hands = turn.round?.hands.map((one, seat) => (seat === own && hand && turn.round?.phase !== "cutting" ? hand : one)) ?? [];
    round = turn.round ? { ...turn.round, hands } : null;
  } else if (round) round = { ...round, to_act: turn.awaited[0] ?? null, deadline: turn.deadline };
  const isSeated = view.you?.seat !== undefined || (status === "playing" && round?.phase !== "choosing_seats");
  const you = view.you && (isSeated ? { seat: own } : { place: own });
  return {
    ...view, version, head: { seq, hash }, updated_at: at, status, host, seats, you, round, scores, fairness, log, legal,
    remaining_ms: turn.remaining_ms,
  };
}

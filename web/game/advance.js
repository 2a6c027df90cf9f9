// The next view of a game, from the events of its stream and the turn that follows them. No rule of the game is needed.

/**
 * An event, and the turn after it, from a frame. The id has its number and the first 16 digits of its hash, which is
 * seldom in the data.
 * @param {string} id
 * @param {any} data
 */
export function envelope(id, { at, actor, hash, event, turn }) {
  const [seq, tag] = id.split("-");
  return {
    seq: Number(seq),
    at,
    actor: actor ? { kind: "player", ...actor } : { kind: "server" },
    hash: hash ?? tag,
    event,
    ...(turn && { turn }),
  };
}

/**
 * What events say of a round: its deal, estimates, cards and tricks. Everything else is in the turn.
 * @param {any} round
 * @param {Schemas["Event"]} event
 */
export function played(round, { type, seat, card, deal, tricks }) {
  if (type === "round_dealt") {
    const { round: number, salt, ...dealt } = deal ?? /** @type {any} */ ({});
    return { ...round, ...dealt, number };
  }
  if (type === "estimate_made" && round?.calls) {
    const others = round.calls.filter((/** @type {any} */ call) => call.seat !== seat);
    const calls = [...others, { seat, kind: "estimate", tricks, with: false, risk: false }];
    return { ...round, calls: calls.sort((one, other) => one.seat - other.seat) };
  }
  if (type === "card_played") {
    const hands = round.hands.map((/** @type {Schemas["Hand"]} */ { count, cards }, /** @type {number} */ at) =>
      at === seat ? { count: count - 1, cards: cards && cards.filter((one) => one !== card) } : { count, cards },
    );
    return { ...round, hands, trick: { ...round.trick, plays: [...(round.trick?.plays ?? []), { seat, card }] } };
  }
  if (type !== "trick_taken") return round;
  const tricks_taken =
    round.tricks_taken?.map((/** @type {number} */ taken, /** @type {number} */ at) => taken + Number(at === seat)) ??
    null;
  return { ...round, last_trick: round.trick, trick: { leader: seat, plays: [] }, tricks_taken };
}

/** @param {Schemas["Scores"]} scores @param {Schemas["Event"]} event */
function scored({ rounds, ...scores }, { score }) {
  if (!score) return { rounds, ...scores };
  const { round, points, totals } = score;
  return { ...scores, rounds: [...rounds, { round, points }], totals };
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
  const { status = view.status, host = view.host, fairness = view.fairness, log = view.log, legal = [] } = turn;
  const version = turn.version ?? events.at(-1)?.seq ?? view.version;
  if (version < view.version) return view;
  const news = events.filter(({ seq }) => seq > view.version);
  const viewer = view.seats[view.you?.seat ?? view.you?.place ?? -1]?.player?.id ?? account;
  const isReseated = news.some(
    ({ event: { type, account: who, seat } }) =>
      who === viewer ||
      (type === "player_left" && view.join_code) ||
      (type === "player_forfeited" && (view.you?.place !== undefined || seat === view.you?.seat)),
  );
  const isOther = events.some(
    ({ seq, hash }) => seq === view.head.seq && hash.slice(0, 16) !== view.head.hash.slice(0, 16),
  );
  if (isReseated || isOther || view.version + news.length !== version) return null;
  const { seq, hash, at } = news.at(-1) ?? { ...view.head, at: view.updated_at };
  const seats = (turn.seats ?? view.seats).map(({ player, stand_in, connected }, seat) => ({
    player,
    stand_in: turn.stand_ins?.includes(seat) ?? stand_in,
    connected: turn.connected?.includes(seat) ?? connected,
  }));
  const own = seats.findIndex(({ player }) => player?.id === viewer);
  let round = news.reduce((before, { event }) => played(before, event), view.round);
  if (turn.round === null) round = null;
  else if (turn.round) {
    const hand = round?.hands?.[own];
    round = /** @type {Schemas["RoundView"]} */ ({ ...round, ...turn.round });
    // A turn shows how many cards the players have.
    if (hand && round.phase !== "cutting") round.hands = round.hands.map((one, seat) => (seat === own ? hand : one));
  }
  if (round) round = { ...round, to_act: turn.awaited[0] ?? null, deadline: turn.deadline };
  const scores = turn.scores ?? news.reduce((before, { event }) => scored(before, event), view.scores);
  const isSeated = view.you?.seat !== undefined || (status === "playing" && round?.phase !== "choosing_seats");
  const you = view.you && (isSeated ? { seat: own } : { place: own });
  return {
    ...view,
    version,
    head: { seq, hash },
    updated_at: at,
    status,
    host,
    seats,
    you,
    round,
    scores,
    fairness,
    log,
    legal,
    remaining_ms: turn.remaining_ms,
  };
}

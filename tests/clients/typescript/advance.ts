// Tests of the package's view and player that need no server: `node --test advance.js`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { advance, type Choice, type components, type paths, Player, resumeId, type StreamItem } from "estimation-client";
import createClient from "openapi-fetch";

type Schemas = components["schemas"];
type GameView = Schemas["GameView"];
type Members = Record<string, unknown>;

const [GAME, ME, OTHER] = ["019b796d-d600-7c37-8924-211db32f70a5", "me", "other"];
const hash = (seq: number): string => seq.toString(16).padStart(64, "0").split("").reverse().join("");
const at = (seq: number): string => `2026-01-01T00:00:${String(seq).padStart(2, "0")}.000Z`;

const SEATS = [ME, OTHER].map((id) => ({ player: { id, name: id, kind: "human" }, stand_in: false, connected: true }));
const ROUND = {
  number: 1,
  attempt: 1,
  phase: "play",
  calls: [],
  hands: [{ count: 2, cards: ["AS", "KS"] }, { count: 2, cards: null }],
  trick: { leader: 1, plays: [{ seat: 1, card: "2S" }] },
  last_trick: null,
  tricks_taken: [0, 0],
  to_act: { seat: 0 },
  deadline: at(50),
};
const SCORES = { totals: [1, 1], rounds: [] };
const HIDDEN = { ...ROUND, hands: [{ count: 2, cards: null }, { count: 2, cards: null }] };
const [ACE, KING] = [{ type: "play", card: "AS" }, { type: "play", card: "KS" }];

function viewAt(version: number, members: Members = {}): GameView {
  const head = { seq: version, hash: hash(version) };
  const table = { id: GAME, version, head, status: "playing", seats: SEATS, you: { seat: 0 }, round: ROUND, scores: SCORES };
  const host = { id: ME, name: ME };
  return { ...table, host, updated_at: at(version), legal: [ACE], remaining_ms: 9, ...members } as unknown as GameView;
}

const event = (seq: number, content: Members): Schemas["EventEnvelope"] =>
  ({ seq, at: at(seq), actor: { kind: "server" }, hash: hash(seq), event: content }) as Schemas["EventEnvelope"];

type Turn = NonNullable<StreamItem["turn"]>;

/** A turn in which nothing has changed but its version. */
const turn = (version: number, members: Members = {}): Turn => ({ version, awaited: [], ...members }) as Turn;

/** A turn with all members. */
const whole = (version: number, members: Members = {}): Turn =>
  turn(version, { status: "playing", seats: SEATS, awaited: [{ seat: 0 }], deadline: at(50), stand_ins: [], connected: [0, 1], round: HIDDEN, ...members });

const item = (turned: Turn, ...events: Schemas["EventEnvelope"][]): StreamItem =>
  ({ id: "", turn: turned, events }) as StreamItem;

const PLAYED = event(6, { type: "card_played", seat: 0, card: "AS" });
const TAKEN = event(7, { type: "trick_taken", seat: 0 });

test("a card and a trick change the round as their events say", () => {
  const before = viewAt(5);
  const awaited = [{ seat: 0 }];
  const next = advance(before, ME, item(turn(7, { awaited, deadline: at(59), remaining_ms: 7, legal: [KING] }), PLAYED, TAKEN));
  assert.deepEqual(next, {
    ...viewAt(7, { legal: [KING], remaining_ms: 7 }),
    round: {
      ...ROUND,
      hands: [{ count: 1, cards: ["KS"] }, { count: 2, cards: null }],
      trick: { leader: 0, plays: [] },
      last_trick: { leader: 1, plays: [{ seat: 1, card: "2S" }, { seat: 0, card: "AS" }] },
      tricks_taken: [1, 0],
      deadline: at(59),
    },
  });
  assert.deepEqual(before, viewAt(5), "the view before has changed");
  const concealed = viewAt(5, { round: { ...ROUND, tricks_taken: null } });
  const { remaining_ms, legal, round } = advance(concealed, ME, item(turn(7), PLAYED, TAKEN)) ?? {};
  assert.deepEqual([remaining_ms, legal, round?.tricks_taken, round?.to_act], [undefined, [], null, null]);
  assert.equal("deadline" in (round ?? {}), false);
});

test("an estimate, a deal and a score change the view as their events say, and the turn has the rest", () => {
  const estimated = event(6, { type: "estimate_made", seat: 0, tricks: 2 });
  const bid = { seat: 1, kind: "bid", tricks: 1, with: false, risk: false };
  const asked = viewAt(5, { round: { ...ROUND, phase: "estimates", calls: [bid] } });
  const own = { seat: 0, kind: "estimate", tricks: 2, with: false, risk: false };
  assert.deepEqual(advance(asked, ME, item(turn(6), estimated))?.round?.calls, [own, bid]);
  const risked = [{ ...own, risk: true }, bid];
  assert.deepEqual(advance(asked, ME, item(turn(6, { round: { calls: risked } }), estimated))?.round?.calls, risked);
  const score = { round: 1, points: [2, -1], totals: [3, 0] };
  const hands = [{ count: 1, cards: ["2C"] }, { count: 1, cards: null }];
  const deal = { round: 2, attempt: 1, hand_size: 1, trump: "clubs", hands, salt: null };
  const events = [event(6, { type: "round_scored", score }), event(7, { type: "round_dealt", deal })];
  const changes = { phase: "estimates", trick: null, last_trick: null, tricks_taken: [0, 0] };
  const next = advance(viewAt(5), ME, item(turn(7, { round: changes }), ...events));
  assert.deepEqual(next?.scores, { totals: [3, 0], rounds: [{ round: 1, points: [2, -1] }] });
  assert.deepEqual([next?.round?.number, next?.round?.trump, next?.round?.hands, next?.round?.trick], [2, "clubs", hands, null]);
});

test("a turn with all members keeps the viewer's cards of the same deal, and takes those of a new one", () => {
  const scores = { totals: [3, 4] };
  const seats = [{ ...SEATS[0], stand_in: true, connected: false }, SEATS[1]];
  const same = advance(viewAt(5), ME, item(whole(5, { scores, stand_ins: [0], connected: [1], remaining_ms: 9 })));
  assert.deepEqual(same, viewAt(5, { seats, scores, legal: [] }));
  const played = { ...HIDDEN, hands: [{ count: 1, cards: null }, { count: 2, cards: null }] };
  const shown = advance(viewAt(5), ME, item(whole(7, { round: played }), PLAYED, TAKEN));
  assert.deepEqual(shown?.round?.hands[0], { count: 1, cards: ["KS"] });
  const hands = [{ count: 3, cards: ["2C", "3C", "4C"] }, { count: 3, cards: null }];
  const dealt = event(8, { type: "round_dealt", deal: { round: 2, attempt: 1, hands } });
  const call = event(9, { type: "estimate_made", seat: 0, tricks: 1 });
  const next = { ...HIDDEN, number: 2, hands: hands.map(({ count }) => ({ count, cards: null })) };
  const later = advance(viewAt(5), ME, item(whole(9, { round: next }), PLAYED, TAKEN, dealt, call));
  assert.deepEqual(later?.round?.hands, hands);
  assert.deepEqual(later?.head, { seq: 9, hash: hash(9) });
  // Before the deal nobody has cards.
  const cutting = { ...HIDDEN, number: 2, hands: [0, 0].map((count) => ({ count, cards: null })) };
  assert.deepEqual(advance(viewAt(5), ME, item(whole(5, { round: cutting })))?.round, cutting);
  assert.equal(advance(viewAt(5), ME, item(whole(5, { round: null, status: "finished" })))?.round, null);
});

test("a spectator sees no cards", () => {
  const view = viewAt(5, { you: null, seats: [SEATS[1], SEATS[1]], round: HIDDEN });
  const next = advance(view, ME, item(whole(5, { seats: view.seats })));
  assert.deepEqual([next?.you, next?.round], [null, HIDDEN]);
});

test("an older turn and an event without one change nothing", () => {
  const view = viewAt(7);
  assert.equal(advance(view, ME, item(whole(5))), view);
  assert.equal(advance(view, ME, { id: "", event: event(8, {}) } as StreamItem), view);
  assert.equal(advance(view, ME, { id: "", end: true, events: [PLAYED, TAKEN] }), view);
  // The events up to the version of the view are in it already.
  assert.deepEqual(advance(view, ME, item(turn(7), PLAYED, TAKEN))?.round?.hands, ROUND.hands);
});

test("the view must be loaded after a reset, and when the stream does not tell all", () => {
  const view = viewAt(5);
  assert.equal(advance(view, ME, { id: "", reset: { version: 3 } }), undefined);
  assert.equal(advance(view, ME, { id: "", end: true, events: [PLAYED] }), undefined);
  assert.equal(advance(view, ME, item(whole(7), TAKEN)), undefined, "an event is missing");
  const more = { ...HIDDEN, number: 2 };
  assert.equal(advance(view, ME, item(whole(6, { round: more }), PLAYED)), undefined, "the cards are not known");
  const left = item(whole(6, { status: "lobby", round: null }), event(6, { type: "player_left", place: 1 }));
  const lobby = { status: "lobby", round: null, you: { place: 0 } };
  assert.equal(advance(viewAt(5, { ...lobby, join_code: "ABCD1234" }), ME, left), undefined);
  assert.notEqual(advance(viewAt(5, lobby), ME, left), undefined);
});

test("the position is a place until the seats are settled, and none after a forfeit", () => {
  const lobby = viewAt(5, { status: "lobby", round: null, you: null, seats: [SEATS[1], { ...SEATS[1], player: null }] });
  const seats = [SEATS[1], SEATS[0]];
  const joined = advance(lobby, ME, item(whole(6, { status: "lobby", round: null, seats }), event(6, {})));
  assert.deepEqual(joined?.you, { place: 1 });
  assert.ok(joined);
  const choosing = { ...HIDDEN, number: 0, phase: "choosing_seats", hands: [0, 0].map((count) => ({ count, cards: null })) };
  const drawn = advance(joined, ME, item(whole(7, { seats, round: choosing }), event(7, {})));
  assert.deepEqual(drawn?.you, { place: 1 });
  assert.ok(drawn);
  const cut = advance(drawn, ME, item(whole(8, { round: { ...choosing, phase: "cutting" } }), event(8, {})));
  assert.deepEqual(cut?.you, { seat: 0 });
  assert.ok(cut);
  const over = { status: "abandoned", round: null };
  assert.deepEqual(advance(drawn, ME, item(whole(8, { seats, ...over }), event(8, {})))?.you, { place: 1 });
  assert.deepEqual(advance(cut, ME, item(whole(9, over), event(9, {})))?.you, { seat: 0 });
  const forfeit = advance(cut, ME, item(whole(9), event(9, { type: "player_forfeited", seat: 0 })));
  assert.ok(forfeit);
  assert.equal(forfeit.you, null);
  assert.equal(advance(forfeit, ME, item(whole(10), event(10, {})))?.you, null);
});

const frame = ({ seq, at, event: content }: Schemas["EventEnvelope"], turned?: Turn): string =>
  `id: ${seq}-${hash(seq).slice(0, 16)}\ndata: ${JSON.stringify({ at, event: content, turn: turned && { ...turned, version: undefined } })}\n\n`;
const catchUp = (turned: Turn): string => `event: turn\ndata: ${JSON.stringify(turned)}\n\n`;
const END = "event: end\ndata: {}\n\n";
const over = (version: number): Turn => whole(version, { status: "finished", round: null });
const FINISHED = (seq: number): Schemas["EventEnvelope"] => event(seq, { type: "game_finished" });

/** A player whose server returns these views, streams and answers to commands, each once, and what it was asked. */
function scripted(
  views: GameView[],
  streams: string[][],
  answers: [status: number, version: number][],
  choice: Choice = (legal) => legal[0],
) {
  const asked: string[] = [];
  const next = <T>(script: T[]): T => {
    const step = script.shift();
    if (step === undefined) throw new Error(`a request too many: ${asked.at(-1)}`);
    return step;
  };
  const fetch = (request: Request): Promise<Response> => {
    const path = new URL(request.url).pathname.split("/").at(-1);
    const [ifMatch, after] = [request.headers.get("If-Match"), request.headers.get("Last-Event-ID")];
    if (path === "me") return Promise.resolve(Response.json({ id: ME }));
    asked.push([path === GAME ? "view" : path, ifMatch ?? after].filter(Boolean).join(" "));
    if (path === GAME) return Promise.resolve(Response.json(next(views)));
    if (path === "stream") {
      return Promise.resolve(new Response(next(streams).join(""), { headers: { "Content-Type": "text/event-stream" } }));
    }
    assert.equal(request.headers.get("Prefer"), "return=minimal");
    const [status, version] = next(answers);
    return Promise.resolve(Response.json({ version, head: { seq: version, hash: hash(version) } }, { status }));
  };
  const client = createClient<paths>({ baseUrl: "http://localhost", fetch });
  return { player: new Player(client, choice), asked };
}

const commands = (version: number): string => `commands "${version}.${hash(version).slice(0, 16)}.${"0".repeat(16)}"`;
const stream = (version: number): string => `stream ${resumeId(viewAt(version))}`;

test("a player loads the view once, and acts once on each state", async () => {
  const first = [catchUp(whole(5, { legal: [ACE] })), frame(PLAYED), frame(TAKEN, turn(7, { legal: [KING] }))];
  const repeated = catchUp(whole(7, { legal: [KING], round: { ...HIDDEN, hands: [{ count: 1, cards: null }, HIDDEN.hands[1]] } }));
  const streams = [[...first, repeated, frame(FINISHED(8), over(8)), END]];
  const { player, asked } = scripted([viewAt(5)], streams, [[200, 7], [200, 8]]);
  const view = await player.play(GAME);
  assert.deepEqual(asked, ["view", commands(5), stream(5), commands(7)]);
  assert.deepEqual([view.status, view.version, player.played], ["finished", 8, 2]);
});

test("a broken stream is resumed after its last event, and the turn needs no other request", async () => {
  const other = { ...HIDDEN, hands: [{ count: 1, cards: null }, HIDDEN.hands[1]] };
  const streams = [[frame(PLAYED)], [frame(TAKEN), catchUp(whole(7, { legal: [KING], round: other })), frame(FINISHED(8), over(8)), END]];
  const hands: unknown[] = [];
  const { player, asked } = scripted([viewAt(5, { legal: [] })], streams, [[200, 8]], (legal, { round }) => {
    if (legal.length > 0) hands.push(round?.hands[0]);
    return legal[0];
  });
  await player.play(GAME);
  assert.deepEqual(asked, ["view", stream(5), stream(6), commands(7)]);
  assert.deepEqual(hands, [{ count: 1, cards: ["KS"] }]);
});

test("after a 412, a lost answer and a reset the player loads the view", async () => {
  const reset = `event: reset\nid: ${resumeId(viewAt(4))}\ndata: {"version":4}\n\n`;
  const streams = [[reset, catchUp(whole(4)), frame(event(5, { type: "passed" }), over(5)), END]];
  const views = [viewAt(5), viewAt(6), viewAt(7, { legal: [] }), viewAt(4, { legal: [] })];
  const { player, asked } = scripted(views, streams, [[412, 0], [503, 0]]);
  await player.play(GAME);
  assert.deepEqual(asked, ["view", commands(5), "view", commands(6), "view", stream(7), "view"]);
  assert.equal(player.played, 0);
});

test("the stream of a game that ended meanwhile has no turn, so the player loads the view", async () => {
  const views = [viewAt(5, { legal: [] }), viewAt(6, { status: "finished", legal: [] })];
  const { player, asked } = scripted(views, [[frame(FINISHED(6)), END]], []);
  assert.equal((await player.play(GAME)).status, "finished");
  assert.deepEqual(asked, ["view", stream(5), "view"]);
});

test("a stream can begin at an item from before", async () => {
  const streams = [[frame(event(5, {})), frame(PLAYED), catchUp(whole(6)), frame(FINISHED(7), over(7)), END]];
  const { player, asked } = scripted([viewAt(6, { legal: [] })], streams, []);
  const heard: unknown[] = [];
  await player.play(GAME, ({ event: heardEvent }) => heard.push(heardEvent?.seq), resumeId(viewAt(4)));
  assert.deepEqual(asked, ["view", stream(4)]);
  assert.deepEqual(heard, [5, 6, undefined, 7, undefined]);
});

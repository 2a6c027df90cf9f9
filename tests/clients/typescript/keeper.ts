// Tests of the package's keeper and comparison that need no server: `node --test keeper.js`.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { compare, type components, Keeper, type Kept, MemoryStore, type paths, type Store } from "estimation-client";
import createClient from "openapi-fetch";

type GameView = components["schemas"]["GameView"];
type Event = Record<string, unknown>;

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const GAME = "019b796d-d600-7c37-8924-211db32f70a5";
const SEED = "5eed".repeat(16);
const COMMITMENT = sha256(SEED).toString("hex");
const [OTHER, OTHER_COMMITMENT] = ["0".repeat(64), sha256("0".repeat(64)).toString("hex")];

const COMMITTED = { type: "seed_committed", place: 1, commitment: COMMITMENT };
const REPLACED = { type: "seed_committed", place: 1, commitment: OTHER_COMMITMENT };
const OPENED = { type: "seed_opened", place: 1, client_seed: SEED };
const FAILED = { type: "opening_failed" };
const started = (seed: string | null): Event => ({ type: "game_started", client_seeds: [null, seed] });
const [CREATED, BEGAN, DEALT] = [{ type: "game_created" }, { type: "opening_began" }, { type: "round_dealt" }];
const EVENTS: Event[] = [CREATED, COMMITTED, BEGAN, OPENED, started(SEED), DEALT];

/** A bundle, and what a player kept of the game. */
function made(events = EVENTS, salt: string | null = null) {
  let hash: Buffer = Buffer.alloc(32);
  const lines = events.map((event, index) => {
    const body = JSON.stringify({ event, game: GAME, seq: index + 1 });
    hash = sha256(hash, body);
    return { seq: index + 1, hash: hash.toString("hex"), body };
  });
  const start = lines.find(({ body }) => body.includes("game_started"));
  const entry = JSON.stringify({ game: GAME, started: start?.hash, type: "start" });
  const sealed = sha256(Buffer.from(salt ?? "", "hex"), entry).toString("hex");
  const logged = salt === null ? entry : `{"hash":"${sealed}","type":"sealed"}`;
  const extra = Buffer.from(JSON.stringify({ entry, salt })).toString("base64");
  const startProof = `c2sp.org/tlog-proof@v1\nextra ${extra}\nindex 3\n`;
  const kept = {
    head: { seq: events.length, hash: hash.toString("hex") },
    openingHead: { seq: 3, hash: lines[2]?.hash ?? "" },
    promise: { origin: "o", leaf: sha256("\0", logged).toString("hex"), by: "b", signature: { kid: "k", value: "v" } },
    startProof,
    seed: { place: 1, commitment: COMMITMENT, isOpened: true },
  };
  // The bundle's proof has another checkpoint than the kept one.
  const proofs = { start: start ? `${startProof}later\n` : null };
  return { text: JSON.stringify({ header: { game: GAME }, events: lines, end: {}, proofs }), kept };
}

const wrong = async (kept: Kept, text: string): Promise<string[]> =>
  (await compare(GAME, kept, text)).contradictions.map(({ check }) => check);

test("nothing contradicts, and the files are what was compared", async () => {
  for (const salt of [null, "5a".repeat(32)]) {
    const { text, kept } = made(EVENTS, salt);
    const comparison = await compare(GAME, kept, text);
    assert.deepEqual(comparison.compared, ["bundle", "head", "opening", "seed", "promise", "start"]);
    assert.deepEqual(comparison.contradictions, []);
    assert.match(`${comparison}`, /nothing contradicts \(this does not verify the game\)$/);
    assert.equal(comparison.files[`${GAME}.bundle.json`], text);
    assert.equal(comparison.files[`${GAME}.start.tlog-proof`], kept.startProof);
    assert.deepEqual(JSON.parse(comparison.files[`${GAME}.promise.json`] ?? ""), kept.promise);
    assert.equal(comparison.files[`${GAME}.head`], `6-${kept.head.hash}\n`);
    assert.equal(comparison.files[`${GAME}.opening-head`], `3-${kept.openingHead.hash}\n`);
  }
});

test("only what was kept is compared", async () => {
  const { compared, files } = await compare(GAME, {}, made().text);
  assert.deepEqual(compared, ["bundle"]);
  assert.deepEqual(Object.keys(files), [`${GAME}.bundle.json`]);
});

test("the promise is compared with the bundle's start if its proof was not kept", async () => {
  const { text, kept } = made();
  const { promise } = kept;
  const comparison = await compare(GAME, { promise }, text);
  assert.deepEqual(comparison.compared, ["bundle", "promise", "start"]);
  assert.deepEqual(comparison.contradictions, []);
  const leaf = "0".repeat(64);
  assert.deepEqual(await wrong({ promise: { ...promise, leaf } }, text), ["promise"]);
  const { proofs, ...history } = JSON.parse(text) as { proofs: { start: string } };
  for (const start of ["", proofs.start.replace("extra ", "extra *")]) {
    const malformed = JSON.stringify({ ...history, proofs: { start } });
    assert.deepEqual(await wrong({ promise }, malformed), ["promise", "start"], start);
  }
});

test("a text that is no bundle of the game contradicts", async () => {
  const { text, kept } = made();
  const bodies = [5, null, "", "{}", '{"event":5}', '{"event":{}}'];
  const nothing = { header: { game: GAME }, proofs: { start: null } };
  const broken = bodies.map((body) => JSON.stringify({ ...nothing, events: [{ body }] }));
  // A start without its proof, and a proof without a start.
  const { proofs, ...history } = JSON.parse(text) as { proofs: object };
  for (const other of [undefined, null, 5, {}, { start: null }, { start: 5 }]) {
    broken.push(JSON.stringify({ ...history, proofs: other }));
  }
  broken.push(JSON.stringify({ ...nothing, events: [], proofs }));
  const another = text.replace(GAME, GAME.replace("0", "1"));
  for (const other of ["", "[]", "null", "{}", `{"header":{"game":"${GAME}"}}`, another, ...broken]) {
    assert.deepEqual(await wrong(kept, other), ["bundle"], other);
  }
});

test("a changed event contradicts the heads and the start, whatever hash it has", async () => {
  const { text, kept } = made();
  assert.deepEqual(await wrong(kept, text.replace("game_created", "game_changed")), ["head", "opening", "start"]);
});

test("a history that the server began anew after it knew the player's seed contradicts the head before", async () => {
  const { openingHead } = made().kept;
  // Since then, the server showed heads of the other history.
  const { text, kept } = made([{ ...CREATED, commitment: "chosen later" }, ...EVENTS.slice(1)]);
  assert.deepEqual(await wrong({ ...kept, openingHead }, text), ["opening"]);
});

test("a commitment of the server that is later than the head before the opening contradicts", async () => {
  const { text, kept } = made([CREATED, REPLACED, BEGAN, FAILED, ...EVENTS.slice(1)]);
  const { events } = JSON.parse(text) as { events: { hash: string }[] };
  const at = (seq: number) => ({ seq, hash: events[seq - 1]?.hash ?? "" });
  assert.deepEqual(await wrong({ ...kept, openingHead: at(3) }, text), ["opening"]);
  for (const seq of [4, 6]) assert.deepEqual(await wrong({ ...kept, openingHead: at(seq) }, text), []);
  // The seed of an opening that failed does not count.
  const failed = [CREATED, COMMITTED, BEGAN, OPENED, FAILED, REPLACED, BEGAN, started(OTHER)];
  const { text: other, kept: keptOther } = made(failed);
  const comparison = await compare(GAME, keptOther, other);
  assert.deepEqual(comparison.compared, ["bundle", "head", "opening", "promise", "start"]);
  assert.deepEqual(comparison.contradictions, []);
});

test("a history that was cut, and another head, contradict", async () => {
  const { text, kept } = made();
  const { text: cut } = made(EVENTS.slice(0, -1));
  assert.deepEqual(await wrong(kept, cut), ["head"]);
  assert.deepEqual(await wrong({ ...kept, head: { ...kept.head, hash: "0".repeat(64) } }, text), ["head"]);
});

test("another start than the promised one contradicts", async () => {
  const { text, kept } = made();
  const { text: other, kept: keptOther } = made([...EVENTS.slice(0, 4), { ...started(SEED), players: [] }]);
  assert.deepEqual(await wrong({ ...kept, promise: keptOther.promise }, text), ["promise"]);
  assert.deepEqual(await wrong({ ...kept, head: keptOther.head }, other), ["start"]);
  assert.deepEqual(await wrong({ promise: kept.promise }, made(EVENTS.slice(0, 4)).text), ["promise"]);
  const { text: never, kept: keptNever } = made(EVENTS.slice(0, 4));
  assert.deepEqual(await wrong({ startProof: keptNever.startProof }, never), ["start"]);
  const values = [5, {}, { entry: 5, salt: null }, { entry: "5", salt: 5 }];
  for (const extra of ["", "*", ...values.map((value) => btoa(JSON.stringify(value)))]) {
    const startProof = `c2sp.org/tlog-proof@v1\nextra ${extra}\n`;
    assert.deepEqual(await wrong({ ...kept, startProof }, text), ["promise", "start"], extra);
  }
});

test("a game that started without the player's seed contradicts", async () => {
  const seed = { place: 1, commitment: COMMITMENT, isOpened: true };
  for (const other of [null, OTHER]) {
    assert.deepEqual(await wrong({ seed }, made([...EVENTS.slice(0, 4), started(other)]).text), ["seed"]);
    const neverOpened = { seed: { ...seed, isOpened: false } };
    assert.deepEqual(await wrong(neverOpened, made([COMMITTED, started(other)]).text), ["seed"]);
    assert.deepEqual(await wrong(neverOpened, made([started(other)]).text), ["seed"]);
  }
  for (const client_seeds of [undefined, null, 5, [], [null, 5]]) {
    assert.deepEqual(await wrong({ seed }, made([{ type: "game_started", client_seeds }]).text), ["seed"]);
  }
});

test("only before the player opened a seed can another device replace it", async () => {
  const events = [COMMITTED, REPLACED, OPENED, started(OTHER)];
  const seed = { place: 1, commitment: COMMITMENT, isOpened: false };
  assert.deepEqual((await compare(GAME, { seed }, made(events).text)).compared, ["bundle"]);
  const reversed = [REPLACED, COMMITTED, started(OTHER)];
  assert.deepEqual(await wrong({ seed }, made(reversed).text), ["seed"]);
  const isOpened = { seed: { ...seed, isOpened: true } };
  assert.deepEqual(await wrong(isOpened, made([COMMITTED, OPENED, REPLACED, started(OTHER)]).text), ["seed"]);
  const failed = [COMMITTED, OPENED, FAILED, REPLACED, started(OTHER)];
  assert.deepEqual((await compare(GAME, isOpened, made(failed).text)).compared, ["bundle"]);
});

/** A keeper, and the requests that it sends. Each gets the next answer, or the last one again. */
function watched(answers: [status: number, body: object | string][], store: Store = new MemoryStore()) {
  const requests: { path: string; body: Event }[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    requests.push({ path: new URL(request.url).pathname, body: request.body ? ((await request.json()) as Event) : {} });
    const [status, body] = answers[Math.min(requests.length, answers.length) - 1] ?? [500, ""];
    return typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status });
  };
  const errors: unknown[] = [];
  const client = createClient<paths>({ baseUrl: "http://localhost", fetch });
  return { keeper: new Keeper(client, store, (error) => errors.push(error)), requests, errors };
}

function view(seeds: Event[], others: Event = {}, fairness: Event = {}): GameView {
  const table = { id: GAME, status: "lobby", you: { place: 1 }, head: { seq: 2, hash: "h" } };
  return { ...table, fairness: { seed_commitments: seeds, ...fairness }, ...others } as unknown as GameView;
}

/** The view of a table with the player's commitment. */
const committed = (commitment: unknown, seq: number, fairness: Event = {}): GameView =>
  view([{ place: 1, status: "committed", commitment }], { head: { seq, hash: `h${seq}`.padEnd(64, "0") } }, fairness);

const OPENING = { opening_until: "2026-01-01T00:00:00.000Z" };

test("a commitment that the table knows is drawn anew", async () => {
  const { keeper, requests } = watched([[409, { code: "seed-commitment-known" }], [200, view([])]]);
  assert.equal(await keeper.see(view([])), true);
  const commitments = requests.map(({ body }) => body.commitment);
  assert.equal(new Set(commitments).size, 2);
  // The seed of the second one is kept, and opens it.
  const own = { place: 1, status: "committed", commitment: commitments[1] };
  assert.equal(await keeper.see(view([own])), false);
  assert.equal(await keeper.see(view([own], {}, OPENING)), true);
  assert.equal(requests.length, 3);
  const opened = requests[2];
  assert.equal(opened?.path, `/v1/games/${GAME}/seed`);
  assert.equal(sha256(String(opened.body.client_seed)).toString("hex"), commitments[1]);
  assert.deepEqual((await keeper.kept(GAME))?.seed, { place: 1, commitment: commitments[1], isOpened: true });
});

test("the head before the seed is sent is kept, the first one of each seed", async () => {
  const { keeper, requests } = watched([[200, view([])], [503, { code: "unavailable" }], [200, view([])]]);
  const head = async (): Promise<number | undefined> => (await keeper.kept(GAME))?.openingHead?.seq;
  await keeper.see(view([]));
  const first = requests[0]?.body.commitment;
  await keeper.see(committed(first, 3));
  assert.equal(await head(), undefined);
  await assert.rejects(keeper.see(committed(first, 4, OPENING)), /503/);
  // The server can have read it, and have begun anew.
  assert.equal(await keeper.see(committed(first, 5, OPENING)), true);
  assert.deepEqual((await keeper.kept(GAME))?.openingHead, { seq: 4, hash: "h4".padEnd(64, "0") });
  assert.equal(await keeper.see(view([{ place: 1, status: "void", commitment: null }])), true);
  const second = requests[3]?.body.commitment;
  await keeper.see(committed(second, 8, OPENING));
  assert.equal(await head(), 8);
  await keeper.see(committed(first, 9, OPENING));
  assert.equal(await head(), 4);
});

test("the head is in the store before the seed is sent", async () => {
  const store = new MemoryStore();
  let kept: Record<string, Kept> = {};
  const fetch = (): Promise<Response> => {
    kept = JSON.parse(store.getItem("estimation.games") ?? "{}") as typeof kept;
    return Promise.resolve(Response.json(view([])));
  };
  const keeper = new Keeper(createClient<paths>({ baseUrl: "http://localhost", fetch }), store);
  await keeper.see(committed(await keeper.newCommitment(), 4, OPENING));
  assert.equal(kept[GAME]?.openingHead?.seq, 4);
});

test("a commitment whose seed is missing is replaced once, before the opening", async () => {
  const { keeper, requests } = watched([[200, view([])]]);
  const foreign = { place: 1, status: "committed", commitment: "f".repeat(64) };
  assert.equal(await keeper.see(view([foreign], {}, OPENING)), false);
  assert.equal(requests.length, 0);
  assert.equal(await keeper.see(view([foreign])), true);
  assert.equal(await keeper.see(view([foreign])), false);
  assert.deepEqual(requests.map(({ path }) => path), [`/v1/games/${GAME}/seed-commitment`]);
});

test("a status of a later version changes nothing", async () => {
  const { keeper, requests } = watched([[200, view([])]]);
  assert.equal(await keeper.see(view([{ place: 1, status: "later", commitment: "f".repeat(64) }])), false);
  assert.equal(requests.length, 0);
});

test("a refusal waits for the next view, and a failure is thrown", async () => {
  assert.equal(await watched([[409, { code: "opening-began" }]]).keeper.see(view([])), false);
  await assert.rejects(watched([[503, { code: "unavailable" }]]).keeper.see(view([])), /503 unavailable/);
});

test("a commitment is the same until the table shows it", async () => {
  const store = new MemoryStore();
  const unavailable: [number, object] = [503, { code: "unavailable" }];
  const { keeper, requests } = watched([unavailable, unavailable, [200, view([])]], store);
  for (let failures = 0; failures < 2; failures++) await assert.rejects(keeper.see(view([])), /503/);
  for (let accepted = 0; accepted < 2; accepted++) assert.equal(await keeper.see(view([])), true);
  const [commitment, ...repeated] = requests.map(({ body }) => body.commitment);
  assert.deepEqual(repeated, Array(3).fill(commitment));
  assert.deepEqual(Object.keys(JSON.parse(store.getItem("estimation.seeds") ?? "") as object), [commitment]);
  // The table had it, so it takes another one after a failed opening.
  assert.equal(await keeper.see(view([{ place: 1, status: "committed", commitment }])), false);
  assert.equal(await keeper.see(view([{ place: 1, status: "void", commitment: null }])), true);
  assert.notEqual(requests[4]?.body.commitment, commitment);
});

test("a commitment whose seed was forgotten is not repeated", async () => {
  const { keeper, requests } = watched([[503, { code: "unavailable" }]]);
  await assert.rejects(keeper.see(view([])), /503/);
  for (let seeds = 0; seeds < 200; seeds++) await keeper.newCommitment();
  await assert.rejects(keeper.see(view([])), /503/);
  assert.notEqual(requests[1]?.body.commitment, requests[0]?.body.commitment);
});

test("without a store the player goes without a seed", async () => {
  const failing: Store = { getItem: () => null, setItem: () => Promise.reject(new Error("full")) };
  const { keeper, requests, errors } = watched([[200, view([])]], failing);
  assert.equal(await keeper.newCommitment(), null);
  assert.equal(await keeper.see(view([])), false);
  assert.equal(await keeper.see(view([{ place: 1, status: "void", commitment: null }])), true);
  assert.deepEqual(requests.map(({ body }) => body), [{ commitment: null }]);
  assert.equal(String(errors[0]), "Error: full");
});

test("spectators keep nothing", async () => {
  const { keeper, requests } = watched([[200, view([])]]);
  assert.equal(await keeper.see(view([], { you: null })), false);
  assert.equal(await keeper.kept(GAME), undefined);
  assert.equal(requests.length, 0);
});

test("the last head, the first promise and the proof of the start are kept", { timeout: 20_000 }, async ({ signal }) => {
  const { keeper } = watched([[409, { code: "not-logged" }], [200, "the proof"]]);
  const { promise } = made().kept;
  const seen = (seq: number, by: string): GameView =>
    view([], { status: "playing", head: { seq, hash: `h${seq}`.padEnd(64, "0") }, log: { ...promise, by } });
  for (const [seq, by] of [[7, "first"], [9, "second"], [8, "third"]] as const) await keeper.see(seen(seq, by));
  while ((await keeper.kept(GAME))?.startProof === undefined && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const kept = { head: { seq: 9, hash: "h9".padEnd(64, "0") }, promise: { ...promise, by: "first" }, startProof: "the proof" };
  assert.deepEqual(await keeper.kept(GAME), kept);
  await keeper.forget(GAME);
  assert.equal(await keeper.kept(GAME), undefined);
});

test("a bundle is loaded once the public log has the end", { timeout: 20_000 }, async () => {
  const { text } = made();
  const { keeper, requests } = watched([[409, { code: "not-logged" }], [503, { code: "unavailable" }], [200, text]]);
  const { head } = made().kept;
  await keeper.see(view([], { status: "finished", head }));
  const comparison = await keeper.compare(GAME);
  assert.deepEqual(comparison.compared, ["bundle", "head"]);
  assert.deepEqual(comparison.contradictions, []);
  assert.equal(comparison.files[`${GAME}.bundle.json`], text);
  assert.deepEqual(requests.map(({ path }) => path), Array(3).fill(`/v1/games/${GAME}/bundle`));
});

test("a refusal of the bundle is thrown", async () => {
  const { keeper, requests } = watched([[409, { code: "game-not-over" }]]);
  await assert.rejects(keeper.compare(GAME), /409 game-not-over/);
  assert.equal(requests.length, 1);
});

/** A store of a place that other stores have too, as two of one folder do. */
function shared(texts: MemoryStore): Store {
  return { getItem: (key) => texts.getItem(key), setItem: (key, text) => texts.setItem(key, text) };
}

test("two stores of one place lose nothing", async () => {
  const texts = new MemoryStore();
  const games = ["of one", "of the other"];
  const playing = (id: string): GameView => view([], { id, status: "playing" });
  await Promise.all(games.map((game) => watched([], shared(texts)).keeper.see(playing(game))));
  assert.deepEqual(Object.keys(JSON.parse(texts.getItem("estimation.games") ?? "{}") as object), games);
});

test("a change waits for the lock that the tabs of a site share", async () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  const texts = new MemoryStore();
  const names: string[] = [];
  // Another tab writes before it gives the lock away.
  const request = async (name: string, change: () => Promise<unknown>): Promise<unknown> => {
    names.push(name);
    texts.setItem(name, '{"of another tab":{"seed":"5eed"}}');
    return change();
  };
  Object.defineProperty(globalThis, "navigator", { value: { locks: { request } }, configurable: true });
  try {
    const commitment = await watched([], shared(texts)).keeper.newCommitment();
    assert.deepEqual(names, ["estimation.seeds"]);
    const kept = Object.keys(JSON.parse(texts.getItem("estimation.seeds") ?? "{}") as object);
    assert.deepEqual(kept, ["of another tab", commitment]);
  } finally {
    if (own) Object.defineProperty(globalThis, "navigator", own);
    else Reflect.deleteProperty(globalThis, "navigator");
  }
});

test("what onStoreError throws rejects that change only", async () => {
  const texts = new MemoryStore();
  let isFull = true;
  const setItem = (key: string, text: string): void => {
    if (isFull) throw new Error("full");
    texts.setItem(key, text);
  };
  const { keeper } = watched([], { ...shared(texts), setItem });
  keeper.onStoreError = (error) => {
    throw error;
  };
  await assert.rejects(keeper.newCommitment(), /full/);
  isFull = false;
  assert.notEqual(await keeper.newCommitment(), null);
});

test("the games that changed last are kept, also of two keepers at once", async () => {
  const store = new MemoryStore();
  const keepers = [watched([], store).keeper, watched([], store).keeper];
  const playing = (id: string, seq: number): GameView => view([], { id, status: "playing", head: { seq, hash: "h".repeat(64) } });
  await Promise.all(keepers.map((keeper, index) => keeper.see(playing(`both ${index}`, 1))));
  for (const game of ["both 0", "both 1"]) assert.equal((await keepers[0]?.kept(game))?.head?.seq, 1);
  for (let game = 0; game < 49; game++) {
    if (game === 48) await keepers[0]?.see(playing("both 0", 2));
    await keepers[0]?.see(playing(`game ${game}`, 1));
  }
  assert.equal((await keepers[1]?.kept("both 0"))?.head?.seq, 2);
  assert.equal(await keepers[1]?.kept("both 1"), undefined);
  assert.equal((await keepers[1]?.kept("game 0"))?.head?.seq, 1);
});

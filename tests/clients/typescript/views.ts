// The view that a client keeps from the stream is the view that the server returns: `node views.js URL RULESET…`. Players,
// a spectator and a client whose stream breaks follow a game and compare their views with the server's at each version.
// Then a player plays a game with three bots, with few requests.

import assert from "node:assert/strict";

import {
  accepted,
  advance,
  type components,
  follow,
  Keeper,
  type paths,
  Player,
  resumeId,
  SignedIn,
  type StreamItem,
} from "estimation-client";
import createClient, { type Client } from "openapi-fetch";

type GameView = components["schemas"]["GameView"];

const [url = "", ...names] = process.argv.slice(2);
const rulesets: components["schemas"]["KnownRulesetId"][] = ["nineteen", "squares", "kabooot", "plain", "double-risk"];
const chosen = rulesets.filter((known) => names.includes(known));
if (!url || chosen.length === 0) throw new Error("usage: views.js URL RULESET…");

/** After so many commands one player leaves, and a bot plays on. */
const FORFEIT = 40;

/** Longer than the game, so that every turn has a deadline and none times out. In seconds. */
const CLOCK = 3_600;

/** So many commands are between the repair of a stream and its next break, and during a break. */
const [INTACT, BROKEN] = [8, 3];

const isOver = ({ status }: GameView): boolean => status !== "lobby" && status !== "playing";

/** A view without what differs from one moment to the next. */
function lasting({ remaining_ms: _, seats, ...view }: GameView): object {
  return { ...view, seats: seats.map(({ connected: _, ...seat }) => seat) };
}

async function load(client: Client<paths>, id: string): Promise<GameView> {
  return accepted(await client.GET("/v1/games/{id}", { params: { path: { id } } }));
}

/** Keeps a view from the stream. */
class Follower {
  /** How many turns came after missed events, and how many versions these brought. */
  catchUps = 0;
  caughtUp = 0;
  private wake: () => void = () => {};

  private constructor(
    readonly client: Client<paths>,
    private readonly account: string,
    public view: GameView,
  ) {}

  /** Loads the view once and follows the game. */
  static async open(client: Client<paths>, id: string): Promise<Follower> {
    const { id: account } = accepted(await client.GET("/v1/me"));
    const follower = new Follower(client, account, await load(client, id));
    void follower.run();
    return follower;
  }

  private async run(): Promise<void> {
    for await (const item of follow(this.client, this.view.id, resumeId(this.view))) {
      const next = advance(this.view, this.account, item) ?? (item.end && (await load(this.client, this.view.id)));
      assert.ok(next, `a view could not be kept at version ${this.view.version}: ${JSON.stringify(item)}`);
      this.count(item);
      this.view = next;
      this.wake();
    }
  }

  private count({ event, turn }: StreamItem): void {
    if (event || !turn) return;
    this.catchUps += 1;
    this.caughtUp += turn.version - this.view.version;
  }

  async reaches(version: number): Promise<void> {
    while (this.view.version < version) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  /** Compares the view with the server's, once both have the same version. */
  async compare(): Promise<void> {
    for (;;) {
      const loaded = await load(this.client, this.view.id);
      await this.reaches(loaded.version);
      if (this.view.version > loaded.version) continue;
      // Within a round a frame has the first 16 digits of a hash.
      const hash = loaded.head.hash.slice(0, this.view.head.hash.length);
      assert.deepEqual(lasting(this.view), lasting({ ...loaded, head: { ...loaded.head, hash } }));
      return;
    }
  }
}

/** Breaks a stream in the middle of a command: after an event without a turn. The next connection waits for `repair`. */
class Breaker {
  breaks = 0;
  isArmed = false;
  isBroken = false;
  repair: () => void = () => {};
  private repaired: Promise<void> = Promise.resolve();

  readonly fetch = async (request: Request): Promise<Response> => {
    await this.repaired;
    const answer = await fetch(request);
    if (!answer.headers.get("Content-Type")?.startsWith("text/event-stream") || !answer.body) return answer;
    const decoder = new TextDecoder();
    let text = "";
    const breaking = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        text += decoder.decode(chunk, { stream: true });
        for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
          const frame = text.slice(0, end + 2);
          text = text.slice(end + 2);
          controller.enqueue(new TextEncoder().encode(frame));
          if (!this.isArmed || !frame.startsWith("id:") || frame.includes('"turn":')) continue;
          this.break();
          return controller.terminate();
        }
      },
    });
    return new Response(answer.body.pipeThrough(breaking), answer);
  };

  private break(): void {
    [this.isArmed, this.isBroken] = [false, true];
    this.breaks += 1;
    this.repaired = new Promise((resolve) => {
      this.repair = () => {
        this.isBroken = false;
        resolve();
      };
    });
  }
}

/** All versions of a game, from the lobby with openings to the end. */
async function everyVersion(ruleset: (typeof rulesets)[number]): Promise<string> {
  const sessions = await Promise.all(Array.from({ length: 5 }, () => SignedIn.guest(url)));
  const [host, second, third, fourth, spectator] = sessions.map(({ client }) => client);
  assert.ok(host && second && third && fourth && spectator);
  const options = ruleset === "nineteen" ? {} : ({ length: "micro" } as const);
  const body = { ruleset, options, players: 4, turn_seconds: CLOCK };
  const { id } = accepted(await host.POST("/v1/games", { body }));
  const path = { id };
  const breaker = new Breaker();
  const headers = { Authorization: `Bearer ${sessions[0]?.session.access_token}` };
  const interrupted = await Follower.open(createClient<paths>({ baseUrl: url, fetch: breaker.fetch, headers }), id);
  const clients = [host, second, third, fourth, spectator];
  const followers = await Promise.all(clients.map((client) => Follower.open(client, id)));
  let comparisons = 0;
  const compare = async (): Promise<void> => {
    const intact = breaker.isArmed || breaker.isBroken ? followers : [...followers, interrupted];
    await Promise.all(intact.map((follower) => follower.compare()));
    comparisons += intact.length;
  };

  // The lobby: players join, leave and get bots for neighbours, the host changes, and a seed is committed and opened.
  await compare();
  const done = async (answer: Promise<Parameters<typeof accepted>[0]>): Promise<void> => {
    accepted(await answer);
    await compare();
  };
  const join = (client: Client<paths>) => client.POST("/v1/games/{id}/seats", { params: { path }, body: {} });
  await done(join(fourth));
  await done(join(second));
  const seat = (number: number) => ({ params: { path: { id, seat: number } } });
  await done(fourth.DELETE("/v1/games/{id}/seats/{seat}", seat(1)));
  await done(host.PUT("/v1/games/{id}/seats/{seat}/bot", { ...seat(1), body: { level: "easy" } }));
  await done(host.DELETE("/v1/games/{id}/seats/{seat}", seat(1)));
  await done(join(third));
  await done(join(fourth));
  await done(host.PUT("/v1/games/{id}/host", { params: { path }, body: { seat: 2 } }));
  await done(second.PUT("/v1/games/{id}/host", { params: { path }, body: { seat: 0 } }));
  const keeper = new Keeper(second);
  const commitment = await keeper.newCommitment();
  await done(second.POST("/v1/games/{id}/seed-commitment", { params: { path }, body: { commitment } }));
  await done(host.POST("/v1/games/{id}/start", { params: { path } }));
  assert.equal(await keeper.see(await load(second, id)), true);
  await compare();

  let [commands, rest] = [0, INTACT];
  for (;;) {
    const actor = followers.find(({ view }) => view.legal.length > 0);
    if (!actor) {
      if (followers.every(({ view }) => isOver(view))) break;
      // A bot plays for the player who left.
      await compare();
      continue;
    }
    const { legal, version, head } = actor.view;
    const body = legal[commands % legal.length];
    assert.ok(body);
    const tag = `"${version}.${head.hash.slice(0, 16)}.${"0".repeat(16)}"`;
    const params = { path, header: { "If-Match": tag, Prefer: "return=minimal" } };
    accepted(await actor.client.POST("/v1/games/{id}/commands", { params, body }));
    commands += 1;
    if (commands === FORFEIT) accepted(await leave(third, id));
    if (!breaker.isArmed && --rest === 0) {
      if (breaker.isBroken) breaker.repair();
      else breaker.isArmed = true;
      rest = breaker.isArmed ? BROKEN : INTACT;
    }
    await compare();
  }
  breaker.isArmed = false;
  breaker.repair();
  await interrupted.compare();
  const { version } = interrupted.view;
  assert.ok(commands > FORFEIT && comparisons > 5 * commands, `${commands} commands, ${comparisons} comparisons`);
  // Each stream begins with a whole turn; the others come after breaks, in which some versions were missed.
  const { catchUps, caughtUp } = interrupted;
  assert.ok(catchUps >= breaker.breaks && breaker.breaks >= 3, `${catchUps} catch-ups, ${breaker.breaks} breaks`);
  assert.ok(caughtUp > 2 * breaker.breaks, `${caughtUp} versions after ${breaker.breaks} breaks`);
  return `${version} versions, ${comparisons} comparisons, ${breaker.breaks} broken streams`;
}

async function leave(client: Client<paths>, id: string): Promise<Parameters<typeof accepted>[0]> {
  const { you } = await load(client, id);
  const seat = you?.seat ?? you?.place ?? 0;
  return client.DELETE("/v1/games/{id}/seats/{seat}", { params: { path: { id, seat } } });
}

/** A game with three bots. The player sends hardly more requests than commands. */
async function withBots(ruleset: (typeof rulesets)[number]): Promise<string> {
  const { client, session } = await SignedIn.guest(url);
  const options = ruleset === "nineteen" ? {} : ({ length: "micro" } as const);
  const { id } = accepted(await client.POST("/v1/games", { body: { ruleset, options, players: 4 } }));
  for (const seat of [1, 2, 3]) {
    const request = { params: { path: { id, seat } }, body: { level: "easy" } } as const;
    accepted(await client.PUT("/v1/games/{id}/seats/{seat}/bot", request));
  }
  accepted(await client.POST("/v1/games/{id}/start", { params: { path: { id } } }));
  const send = globalThis.fetch;
  let requests = 0;
  globalThis.fetch = (input, init) => {
    const request = new Request(input, init);
    // The keeper's attempts to get the proof of the start depend on time.
    const counts = !new URL(request.url).pathname.endsWith("/proof");
    if (counts && request.headers.get("Authorization") === `Bearer ${session.access_token}`) requests += 1;
    return send(request);
  };
  const player = new Player(client);
  const view = await player.play(id);
  globalThis.fetch = send;
  assert.equal(view.status, "finished");
  assert.deepEqual(lasting(view), lasting(await load(client, id)));
  assert.ok(player.played > 20 && requests <= 1.2 * player.played, `${requests} requests, ${player.played} commands`);
  return `${requests} requests for ${player.played} commands`;
}

for (const ruleset of chosen) console.log(`${ruleset}: ${await everyVersion(ruleset)}; ${await withBots(ruleset)}`);

// The view that `web/game/advance.js` keeps from a stream is the one that the server returns: `node follow.mjs URL`. People and
// a bot play a game of each ruleset; the players, of whom one reads Arabic, and one who watches compare every version.

import { createHash, randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import { advance, envelope } from "../../web/game/advance.js";

const [url, ...words] = process.argv.slice(2);
const RULESETS = ["plain", "squares", "double-risk", "kabooot", "nineteen"];

let state = 11;
/** A random choice that is the same in each run. */
const choose = (list) => list[(state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) % list.length];

const tagOf = ({ seq, hash }) => `${seq}-${hash.slice(0, 16)}`;

/** An account. */
class Client {
  constructor(language) {
    this.headers = { "Accept-Language": language, "Content-Type": "application/json" };
    this.seed = randomBytes(32).toString("hex");
    this.commitment = createHash("sha256").update(this.seed).digest("hex");
  }

  async open() {
    const { account, session } = await this.ask("POST", "/v1/accounts/guest", {});
    this.headers.Authorization = `Bearer ${session.access_token}`;
    this.account = account.id;
    return this;
  }

  async ask(method, path, body, headers = {}) {
    const answer = await fetch(`${url}${path}`, { method, headers: { ...this.headers, ...headers }, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text && JSON.parse(text);
  }
}

/** What must be the same, without what changes between two looks. */
function comparable({ remaining_ms, seats, ...view }) {
  return JSON.parse(JSON.stringify({ ...view, seats: seats.map(({ connected, ...seat }) => seat) }));
}

/** The first member in which two values differ. */
function difference(one, other, path = "view") {
  if (isDeepStrictEqual(one, other)) return null;
  const [isFirst, isSecond] = [one, other].map((value) => typeof value === "object" && value !== null);
  if (!isFirst || !isSecond) return `${path}: kept ${JSON.stringify(one)}, loaded ${JSON.stringify(other)}`;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].map((key) => difference(one[key], other[key], `${path}.${key}`)).find((found) => found !== null);
}

/** An account that keeps the view of a game. */
class Follower {
  constructor(client, path) {
    Object.assign(this, { client, path, events: [], loads: 0, compared: new Set(), checks: [], waiting: [] });
  }

  async load() {
    this.view = await this.client.ask("GET", this.path);
    return this;
  }

  /** Opens the stream at the head, and keeps the view until `leave` or the end. */
  async follow() {
    this.leaving = new AbortController();
    const headers = { ...this.client.headers, "Last-Event-ID": tagOf(this.events.at(-1) ?? this.view.head) };
    const answer = await fetch(`${url}${this.path}/stream`, { headers, signal: this.leaving.signal });
    this.done = this.read(answer).catch((error) => {
      if (error.name !== "AbortError") throw error;
    });
  }

  async read({ body }) {
    let text = "";
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const frames = text.split("\n\n");
      text = frames.pop();
      for (const frame of frames) {
        const { id, event = "message", data } = Object.fromEntries(frame.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]));
        if (!data) continue;
        const message = JSON.parse(data);
        await this.take(event.trim(), event === "message" ? envelope(id.trim(), message) : message);
      }
    }
  }

  leave() {
    this.leaving.abort();
    return this.done;
  }

  async take(name, data) {
    if (name === "message") this.events.push(data);
    const turn = name === "turn" ? data : data.turn;
    if (turn) {
      // A page can have the view of a player before it knows the account.
      const account = this.view.you ? undefined : this.client.account;
      const view = advance(this.view, account, this.events, turn);
      if (!view) this.loads += 1;
      this.view = view ?? (await this.client.ask("GET", this.path));
      this.checks.push(this.compare(this.view));
    } else if (name === "end" && this.events.at(-1).seq > this.view.version) {
      // No turn follows the events that were missed before the end.
      await this.load();
    }
    for (const wake of this.waiting.splice(0)) wake();
  }

  /** Compares a view with the server's, in the present or in the past. */
  async compare(kept) {
    let loaded = await this.client.ask("GET", this.path);
    const isPast = loaded.version !== kept.version;
    if (isPast) {
      loaded = await this.client.ask("GET", `${this.path}/state?version=${kept.version}`);
      // The past states of a game that is over hide nothing.
      if ((await this.client.ask("GET", this.path)).status === "finished") return;
    }
    const [one, other] = [kept, loaded].map(comparable);
    // A past state has no commands.
    if (isPast) other.legal = one.legal;
    // Within a round a frame has the first 16 digits of a hash.
    if (other.head.hash.startsWith(one.head.hash)) one.head.hash = other.head.hash;
    const found = difference(one, other);
    if (found) throw new Error(`version ${kept.version}, ${JSON.stringify(kept.you)}: ${found}`);
    this.compared.add(kept.version);
  }

  /** Waits until the view has a version. */
  async reach(version) {
    while (this.view.version < version) await new Promise((resolve) => this.waiting.push(resolve));
  }
}

for (const [index, ruleset] of (words.length > 0 ? words : RULESETS).entries()) {
  const [host, second, third, watcher] = await Promise.all(["en", "ar", "en", "ar"].map((language) => new Client(language).open()));
  const { id } = await host.ask("POST", "/v1/games", {
    ruleset, options: ruleset === "nineteen" ? { revokes: "penalise" } : { length: "micro" }, seed_commitment: host.commitment,
    ...(index % 2 === 0 ? { turn_seconds: 600 } : {}),
  });
  const path = `/v1/games/${id}`;
  const followers = [];
  const everybody = async (version) => {
    await Promise.all(followers.map((one) => one.reach(version)));
    await Promise.all(followers.flatMap((one) => one.checks.splice(0)));
  };
  const enter = async (client) => {
    const follower = await new Follower(client, path).load();
    await follower.follow();
    followers.push(follower);
  };
  for (const client of [host, watcher, second]) await enter(client);
  for (const guest of [second, third]) {
    const { version } = await guest.ask("POST", `${path}/seats`, { seed_commitment: guest.commitment });
    if (guest === third) await enter(third);
    await everybody(version);
  }
  await host.ask("PUT", `${path}/seats/3/bot`, { level: "steady" });
  let { version } = await host.ask("POST", `${path}/start`);
  await everybody(version);
  for (const client of [host, second, third]) ({ version } = await client.ask("POST", `${path}/seed`, { client_seed: client.seed }));
  await everybody(version);
  if (followers.some((one) => one.view.status !== "playing")) throw new Error(`${ruleset}: the game does not start`);

  let [commands, reconnections] = [0, 0];
  for (let away = null; followers.some(({ view }) => view.status === "playing"); ) {
    const actor = followers.find((one) => one !== away && one.view.legal.length > 0);
    if (!actor) {
      // A bot acts, or the one who must is away.
      if (away) [away] = [null, await away.follow()];
      else await Promise.race(followers.map((one) => one.reach(one.view.version + 1)));
      continue;
    }
    // Now and then one loses the network, and comes back after some commands.
    commands += 1;
    if (ruleset === "kabooot" && commands === 40) {
      const left = followers[3];
      await third.ask("DELETE", `${path}/seats/${left.view.you.seat}`);
      await Promise.all(followers.map((one) => one === away || one.reach(left.view.version + 1)));
      continue;
    }
    if (commands % 12 === 5) {
      reconnections += 1;
      away = choose(followers.filter((one) => one !== actor));
      await away.leave();
    }
    if (commands % 12 === 8 && away) [away] = [null, await away.follow()];
    const { head, legal } = actor.view;
    const match = `"${head.seq}.${head.hash.slice(0, 16)}.${"0".repeat(16)}"`;
    ({ version } = await actor.client.ask("POST", `${path}/commands`, choose(legal), { "If-Match": match, Prefer: "return=minimal" }));
    const present = followers.filter((one) => one !== away);
    await Promise.all(present.map((one) => one.reach(version)));
    await Promise.all(present.flatMap((one) => one.checks.splice(0)));
  }
  await everybody(0);
  await Promise.all(followers.map((one) => one.done));
  const loads = followers.map((one) => one.loads).join();
  console.log(`${ruleset}: ${version} versions, ${commands} commands, ${reconnections} reconnections, ${followers.map((one) => one.compared.size)} views compared, ${loads} loads`);
  // The second player saw the table before it took a seat; the third gave it up.
  if (loads !== (ruleset === "kabooot" ? "0,0,1,1" : "0,0,1,0")) throw new Error(`${ruleset}: unexpected loads`);
  if (followers.some((one) => one.compared.size < commands)) throw new Error(`${ruleset}: too few views were compared`);
  if (followers.some((one) => one.view.status !== "finished")) throw new Error(`${ruleset}: a view is not at the end`);
}

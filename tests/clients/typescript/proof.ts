// Two players of a table hold proof of it with the package: `node proof.js URL FOLDER`. One opening fails, one player's
// program restarts between commitment and opening, and the service contradicts what they kept. FOLDER gets the files of
// the game.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { accepted, compare, Keeper, Player, type Session, SignedIn, type Store } from "estimation-client";

const [url, folder = "", visits] = process.argv.slice(2);
if (!url || !folder) throw new Error("usage: proof.js URL FOLDER");
mkdirSync(folder, { recursive: true });

/** Keeps texts in files, as an app does that runs in Node. */
class FileStore implements Store {
  constructor(private readonly owner: string) {}

  private path(key: string): string {
    return join(folder, `${this.owner}.${key}.json`);
  }

  getItem(key: string): string | null {
    return existsSync(this.path(key)) ? readFileSync(this.path(key), "utf8") : null;
  }

  setItem(key: string, text: string): void {
    writeFileSync(`${this.path(key)}.new`, text, { mode: 0o600 });
    renameSync(`${this.path(key)}.new`, this.path(key));
  }
}

function player(owner: string, { client }: SignedIn): Player {
  return new Player(client, undefined, new Keeper(client, new FileStore(owner), (error) => assert.fail(String(error))));
}

/** The guest's program, with a session from before. */
function guest(): SignedIn {
  const file = join(folder, "session.json");
  const store = (session: Session): void => writeFileSync(file, JSON.stringify(session));
  return new SignedIn(url ?? "", JSON.parse(readFileSync(file, "utf8")) as Session, store);
}

/** Runs the guest's program until it has committed to a seed. */
function visit(game: string): void {
  execFileSync(process.execPath, [process.argv[1] ?? "", url ?? "", folder, game], { stdio: "inherit" });
}

if (visits) {
  const signedIn = guest();
  await player("guest", signedIn).act(visits);
  process.exit();
}

const host = await SignedIn.guest(url);
const hosting = player("host", host);
const seed_commitment = await hosting.keeper.newCommitment();
const table = { ruleset: "nineteen", players: 2, opening_seconds: 15, seed_commitment } as const;
const { id } = accepted(await host.client.POST("/v1/games", { body: table }));
const params = { path: { id } };
const { client, session } = await SignedIn.guest(url);
writeFileSync(join(folder, "session.json"), JSON.stringify(session));
accepted(await client.POST("/v1/games/{id}/seats", { params, body: {} }));
visit(id);

/** The state of the players' commitments, by place. */
async function states(): Promise<string[]> {
  const { fairness } = accepted(await host.client.GET("/v1/games/{id}", { params }));
  return fairness.seed_commitments.map(({ status }) => status);
}
assert.deepEqual(await states(), ["committed", "committed"]);

// The guest's program does not run during the first opening. The host's commits again, the guest's at its next visit.
accepted(await host.client.POST("/v1/games/{id}/start", { params }));
let openingFailed: (seq: number) => void;
const failure = new Promise<number>((resolve) => (openingFailed = resolve));
const ended = hosting.play(id, ({ event }) => {
  if (event?.event.type === "opening_failed") openingFailed(event.seq);
});
await failure;
while (!(await states()).includes("committed")) await new Promise((resolve) => setTimeout(resolve, 50));
assert.deepEqual(await states(), ["committed", "missing"]);
visit(id);
assert.deepEqual(await states(), ["committed", "committed"]);

// The guest's program starts again, during the second opening.
accepted(await host.client.POST("/v1/games/{id}/start", { params }));
const returned = player("guest", guest());
const views = await Promise.all([ended, returned.play(id)]);
for (const view of views) assert.equal(view.status, "finished");

for (const { keeper } of [hosting, returned]) {
  const comparison = await keeper.compare(id);
  assert.deepEqual(comparison.compared, ["bundle", "head", "opening", "seed", "promise", "start"]);
  assert.deepEqual(comparison.contradictions, []);
  if (keeper === hosting.keeper) {
    for (const [name, text] of Object.entries(comparison.files)) writeFileSync(join(folder, name), text);
  }
}

// A proxy changes the bundle, and what was kept stays.
const kept = await hosting.keeper.kept(id);
assert.ok(kept?.head && kept.seed && kept.promise);
const send = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const answer = await send(input, init);
  if (!answer.url.endsWith("/bundle")) return answer;
  const text = await answer.text();
  const changed = text.replace(/(\{\\"client_seeds\\":\[\\")[0-9a-f]{4}/, "$1beef");
  assert.notEqual(changed, text);
  return new Response(changed, answer);
};
const changed = await hosting.keeper.compare(id);
globalThis.fetch = send;
assert.deepEqual(changed.contradictions.map(({ check }) => check), ["head", "seed", "start"]);
assert.deepEqual(await hosting.keeper.kept(id), kept);

const bundle = readFileSync(join(folder, `${id}.bundle.json`), "utf8");
const head = { ...kept.head, hash: "0".repeat(64) };
const other = await compare(id, { ...kept, head }, bundle);
assert.deepEqual(other.contradictions.map(({ check }) => check), ["head"]);

await hosting.keeper.forget(id);
assert.equal(await hosting.keeper.kept(id), undefined);
console.log(`${id}`);

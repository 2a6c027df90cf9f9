// Plays a whole game against itself with the package: `node play.js URL RULESET`. Then it reads the game back: scores,
// events, the list and a problem. It continues a stored session and signs in to an account.

import { accepted, Player, ProblemError, type Session, SignedIn, type components } from "estimation-client";

const [url, name] = process.argv.slice(2);
const rulesets: components["schemas"]["KnownRulesetId"][] = ["nineteen", "squares", "kabooot", "plain", "double-risk"];
const ruleset = rulesets.find((known) => known === name);
if (!url || !ruleset) throw new Error("usage: play.js URL RULESET");

const seats = ruleset === "nineteen" ? 2 : 4;
const [host, ...others] = await Promise.all(Array.from({ length: seats }, () => SignedIn.guest(url)));
if (!host) throw new Error("no players");
const options = ruleset === "nineteen" ? {} : ({ length: "micro" } as const);
const table = { ruleset, options, players: seats };
const { id } = accepted(await host.client.POST("/v1/games", { body: table }));
const params = { path: { id } };
for (const other of others) accepted(await other.client.POST("/v1/games/{id}/seats", { params, body: {} }));
accepted(await host.client.POST("/v1/games/{id}/start", { params }));

let last = 0;
const players = [host, ...others].map((session) => new Player(session.client));
const views = await Promise.all(
  players.map((player, seat) =>
    player.play(
      id,
      ({ event, reset }) => {
        if (seat > 0 || (!event && !reset)) return;
        if (event?.seq !== last + 1) throw new Error(`event ${event?.seq} after ${last}`);
        last = event.seq;
      },
      "0",
    ),
  ),
);
for (const view of views) if (view.status !== "finished") throw new Error(`the game is ${view.status}`);
if (last !== views[0]?.version) throw new Error(`the stream ended with event ${last}`);

// Reads what an app shows after a game, with a stored session whose access token has expired.
const [head, payload = "", signature] = host.session.access_token.split(".");
const claims = { ...JSON.parse(Buffer.from(payload, "base64url").toString()), exp: 1 };
const expired = [head, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
const stored = JSON.parse(JSON.stringify({ ...host.session, access_token: expired })) as Session;
const refreshed: string[] = [];
const returned = new SignedIn(url, stored, ({ refresh_token }) => refreshed.push(refresh_token));
const sheet = accepted(await returned.client.GET("/v1/games/{id}/scores", { params }));
if (refreshed.join() !== returned.session.refresh_token) throw new Error("onRefresh was not called once");
if (refreshed[0] === host.session.refresh_token) throw new Error("the session was not refreshed");
const scored = sheet.rounds[0]?.seats.length;
if (sheet.status !== "finished" || scored !== sheet.totals.length) throw new Error("the score sheet is incomplete");
const events = accepted(await returned.client.GET("/v1/games/{id}/events", { params }));
if (events.items[0]?.event.type !== "game_created") throw new Error("the first event is not game_created");
const list = accepted(await returned.client.GET("/v1/games", { params: { query: { mine: true } } }));
if (list.items[0]?.id !== id) throw new Error("the list does not have the game");
try {
  accepted(await returned.client.POST("/v1/games/{id}/start", { params }));
  throw new Error("a second start was not refused");
} catch (error) {
  if (!(error instanceof ProblemError) || !error.code) throw error;
}

// The server refuses an access token before the client expects it: one refresh for both requests, and each is repeated.
const { access_token: refused } = returned.session;
const send = globalThis.fetch;
let refusals = 0;
globalThis.fetch = (input, init) => {
  const request = new Request(input, init);
  if (request.headers.get("Authorization") !== `Bearer ${refused}`) return send(request);
  refusals += 1;
  return Promise.resolve(Response.json({ status: 401, code: "token-expired" }, { status: 401 }));
};
const opened = () => returned.client.POST("/v1/games", { body: table });
for (const answer of await Promise.all([opened(), opened()])) accepted(answer);
globalThis.fetch = send;
if (refusals !== 2 || refreshed.length !== 2) throw new Error(`${refusals} refusals, ${refreshed.length} refreshes`);

const credentials = [`player${Date.now()}`, "plum-kettle-orbit"] as const;
const registered = accepted(await (await SignedIn.register(url, ...credentials)).client.GET("/v1/me"));
const again = accepted(await (await SignedIn.signIn(url, ...credentials)).client.GET("/v1/me"));
if (again.id !== registered.id) throw new Error("signed in to another account");

const commands = players.reduce((sum, player) => sum + player.played, 0);
console.log(`${ruleset}: ${commands} commands, totals ${sheet.totals.join(" ")}`);

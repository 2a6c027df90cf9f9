// Requests by the path templates of the document.

import assert from "node:assert/strict";
import { test } from "node:test";

import { api, filled } from "../../../web/api/client.js";

test("parameters of paths and queries are encoded, and what is undefined is left out", () => {
  assert.equal(filled("/v1/rulesets"), "/v1/rulesets");
  assert.equal(filled("/v1/games/{id}/seats/{seat}", { path: { id: "g", seat: 0 } }), "/v1/games/g/seats/0");
  assert.equal(filled("/v1/join/{code}", { path: { code: "a/b?c=$&" } }), "/v1/join/a%2Fb%3Fc%3D%24%26");
  const query = { mine: true, limit: 20, status: undefined, cursor: "a b&" };
  assert.equal(filled("/v1/games", { query }), "/v1/games?mine=true&limit=20&cursor=a+b%26");
  assert.equal(filled("/v1/games", { query: { status: undefined } }), "/v1/games");
});

test("an operation returns the body of its answer", async () => {
  const requests = [];
  globalThis.fetch = async (path, { method, body }) => {
    requests.push([method, path, body]);
    return Response.json({ id: "g" });
  };
  const options = { path: { id: "g", seat: 2 }, body: { level: "easy" } };
  assert.deepEqual(await api("PUT", "/v1/games/{id}/seats/{seat}/bot", options), { id: "g" });
  assert.deepEqual(requests, [["PUT", "/v1/games/g/seats/2/bot", '{"level":"easy"}']]);
});

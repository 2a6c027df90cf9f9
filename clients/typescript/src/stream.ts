// The stream of a game: reads server-sent events, and connects again after the last one that was received.

import type { Client } from "openapi-fetch";

import { accepted } from "./problem.js";
import { Pauses } from "./retry.js";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];

/** An event, or a reset: the database was restored, so discard the copy of the game and load it. `id` resumes after it. */
export type StreamItem = { id: string } & (
  | { event: Schemas["EventEnvelope"]; reset?: undefined }
  | { reset: { version: number }; event?: undefined }
);

/** Without an event or a comment for so long, the connection is broken; the server sends a comment every 15 seconds. */
const SILENCE = 45_000;

/** The events of a game after the item with the id `after`, until the game is over. Break the loop to stop. */
export async function* follow(client: Client<paths>, game: string, after = "0"): AsyncGenerator<StreamItem> {
  const pauses = new Pauses();
  for (;;) {
    const connection = new AbortController();
    let failure: unknown;
    try {
      const params = { path: { id: game }, header: { "Last-Event-ID": after } };
      const answer = await client.GET("/v1/games/{id}/stream", { params, parseAs: "stream", signal: connection.signal });
      if (answer.response.status === 204) return;
      for await (const { id, event, data } of frames(accepted(answer), connection)) {
        if (event === "end") return;
        if (event === "reconnect") break;
        if (id === undefined) continue;
        after = id;
        pauses.reset();
        if (event === "reset") yield { id, reset: JSON.parse(data) as { version: number } };
        else if (event === undefined) yield { id, event: JSON.parse(data) as Schemas["EventEnvelope"] };
      }
    } catch (error) {
      failure = error;
    } finally {
      connection.abort();
    }
    await pauses.after(failure);
  }
}

interface Frame {
  id?: string;
  event?: string;
  data: string;
}

/** The frames of a stream of server-sent events. A silent connection is aborted. */
async function* frames(body: ReadableStream<Uint8Array>, connection: AbortController): AsyncGenerator<Frame> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (let text = ""; ; ) {
    const timer = setTimeout(() => connection.abort(), SILENCE);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    text += decoder.decode(value, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const frame: Frame = { data: "" };
      for (const line of text.slice(0, end).split("\n")) {
        const [name, content] = [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart()];
        if (name === "id" || name === "event") frame[name] = content;
        if (name === "data") frame.data += content;
      }
      text = text.slice(end + 2);
      yield frame;
    }
  }
}

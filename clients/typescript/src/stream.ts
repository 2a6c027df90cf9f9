// The stream of a game: reads server-sent events, and connects again after the last one that was received.

import type { Client } from "openapi-fetch";

import { accepted } from "./problem.js";
import { Pauses } from "./retry.js";
import type { components, paths } from "./schema.js";

type EventEnvelope = components["schemas"]["EventEnvelope"];
/** A turn, with its version also beside an event. */
export type Turn = components["schemas"]["Turn"] & { version: number };

/**
 * `event`: an event. `turn`: with the last event of a command, or alone after the events that were missed. `reset`: the
 * database was restored, so discard the copy of the game and load it. `end`: the game is over, and this is the last item.
 * `events` are those since the turn before. The `hash` of most of them has its first 16 digits only. `id` resumes after the item.
 */
export type StreamItem = { id: string } & (
  | { event: EventEnvelope; turn?: undefined; reset?: undefined; end?: undefined }
  | { event?: EventEnvelope; turn: Turn; events: EventEnvelope[]; reset?: undefined; end?: undefined }
  | { reset: { version: number }; event?: undefined; turn?: undefined; end?: undefined }
  | { end: true; events: EventEnvelope[]; event?: undefined; turn?: undefined; reset?: undefined }
);

/** Without an event or a comment for so long, the connection is broken; the server sends a comment every 15 seconds. */
const SILENCE = 45_000;

/** The events and turns of a game after the item with the id `after`, until the game is over. Break the loop to stop. */
export async function* follow(client: Client<paths>, game: string, after = "0"): AsyncGenerator<StreamItem> {
  const pauses = new Pauses();
  // Since the last turn.
  const events: EventEnvelope[] = [];
  for (;;) {
    const connection = new AbortController();
    let failure: unknown;
    try {
      const params = { path: { id: game }, header: { "Last-Event-ID": after } };
      const answer = await client.GET("/v1/games/{id}/stream", { params, parseAs: "stream", signal: connection.signal });
      if (answer.response.status === 204) return yield { id: after, end: true, events };
      for await (const { id, event, data } of frames(accepted(answer), connection)) {
        if (event === "end") return yield { id: after, end: true, events };
        if (event === "reconnect") break;
        if (event === "turn") yield { id: after, turn: JSON.parse(data) as Turn, events: events.splice(0) };
        if (id === undefined) continue;
        after = id;
        pauses.reset();
        if (event === "reset") {
          events.length = 0;
          yield { id, reset: JSON.parse(data) as { version: number } };
        } else if (event === undefined) {
          const { turn, event: envelope } = read(id, JSON.parse(data) as components["schemas"]["GameMessage"]);
          events.push(envelope);
          yield turn ? { id, event: envelope, turn, events: events.splice(0) } : { id, event: envelope };
        }
      }
    } catch (error) {
      failure = error;
    } finally {
      connection.abort();
    }
    await pauses.after(failure);
  }
}

/** The event and the turn of a frame. The id has the number of the event and the first 16 digits of its hash. */
function read(id: string, { turn, actor, hash, ...message }: components["schemas"]["GameMessage"]): {
  event: EventEnvelope;
  turn: Turn | undefined;
} {
  const [number, tag = ""] = id.split("-");
  const seq = Number(number);
  const event = { ...message, seq, actor: actor ? ({ kind: "player", ...actor } as const) : ({ kind: "server" } as const), hash: hash ?? tag };
  return { event, turn: turn && { ...turn, version: seq } };
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

// Server-sent events, read with fetch: the browser's EventSource cannot send an access token.

import { online, pause, send } from "./client.js";
import { problemOf } from "./problem.js";
import { session } from "./session.js";

/** The server sends a comment every 15 seconds. After a longer silence the connection is broken. */
const SILENCE_MS = 40_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Follows a stream until its end, and connects again after the last event when the connection breaks.
 * @param {string} path
 * @param {{ signal: AbortSignal, lastEventId?: string, onEvent: (name: string, data: any, id?: string) => void,
 *     onState?: (state: "open" | "waiting" | "ended") => void }} listener events of a game have the name "message"
 */
export async function follow(path, { signal, lastEventId: last, onEvent, onState = () => {} }) {
  let wait = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const connection = new AbortController();
    const abort = () => connection.abort();
    signal.addEventListener("abort", abort);
    try {
      const headers = last === undefined ? undefined : { "Last-Event-ID": last };
      const answer = await send("GET", path, { headers }, await session.accessToken(), connection.signal);
      if (answer.status === 204) return onState("ended");
      if (answer.status === 401) session.expire(session.token);
      if (!answer.ok || answer.body === null) throw await problemOf(answer);
      onState("open");
      for await (const frame of frames(answer.body, abort)) {
        wait = FIRST_PAUSE_MS;
        if (frame.event === "end") return onState("ended");
        if (frame.event === "reconnect") break;
        if (frame.id !== undefined) last = frame.id;
        if (frame.data !== "") onEvent(frame.event ?? "message", JSON.parse(frame.data), frame.id);
      }
    } catch (error) {
      // Every failure passes: the server restarts, the network comes back, or the player has a code.
      await session.passSecondStep(error, "GET");
    } finally {
      signal.removeEventListener("abort", abort);
      connection.abort();
    }
    if (signal.aborted) return;
    onState("waiting");
    await Promise.race([pause(wait * (0.5 + Math.random() / 2)), online()]);
    wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
  }
}

/** @typedef {{ id?: string, event?: string, data: string }} Frame of server-sent events */

/** @param {ReadableStream<Uint8Array<ArrayBuffer>>} body @param {() => void} abort @returns {AsyncGenerator<Frame>} */
async function* frames(body, abort) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const timer = setTimeout(abort, SILENCE_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      /** @type {Frame} */
      const frame = { data: "" };
      for (const line of text.slice(0, end).split("\n")) {
        const colon = line.indexOf(":");
        const [name, content] = [line.slice(0, colon), line.slice(colon + 1).trimStart()];
        if (name === "id" || name === "event") frame[name] = content;
        if (name === "data") frame.data += content;
      }
      text = text.slice(end + 2);
      yield frame;
    }
  }
}

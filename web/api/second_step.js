// A session that has not passed the second step: the player is asked for a code, once for all requests that wait for it.

import { pause } from "./client.js";
import { session } from "./session.js";

/** @type {Promise<boolean> | null} */
let asking = null;
/** What the player last did. @type {{ isPassed: boolean, session: string | null, page: string, at: number } | null} */
let last = null;

/**
 * Whether to send a refused request again: asks for a code if the second step is what it lacks. After the player cancelled, what
 * the page loads by itself asks no more.
 * @param {any} error @param {string} method of the request
 */
export async function passSecondStep({ code, members }, method) {
  if (code !== "second-step-required" || !members.set_up) return false;
  if (asking === null && last?.session === session.id) {
    // The request was sent before, and answered within 15 seconds; or another node does not know yet.
    if (last.isPassed && performance.now() < last.at + 15_000) return pause(1_000).then(() => true);
    if (!last.isPassed && method === "GET" && last.page === location.pathname) return false;
  }
  // Without a network there is no dialog.
  asking ??= import("../parts/second_step.js")
    .then(
      ({ askForCode }) => askForCode(),
      () => false,
    )
    .then((isPassed) => {
      last = { isPassed, session: session.id, page: location.pathname, at: performance.now() };
      asking = null;
      return isPassed;
    });
  return asking;
}

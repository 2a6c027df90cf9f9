// What the table shows, as sounds. The sounds are loaded with the first that is needed.

import { acting, ownSeat } from "../game/seats.js";
import { settings } from "../settings.js";
import { useEffect } from "../view.js";

/** @typedef {Pick<Shown, "view" | "step" | "isSweeping" | "legal">} Table */
/** @typedef {import("./sounds.js").Sound} Sound */

/** How long a phone vibrates when it is the player's turn, in milliseconds. */
const VIBRATION_MS = 40;

/** Notices what begins between two looks at a table. */
export class Listener {
  /** The step and its part that was noticed last. */
  noticed = "";
  /** The version of the view at which the player's turn was noticed. */
  turn = 0;

  /** The sounds of what began since the last look. @param {Table} table */
  hear(table) {
    /** @type {Sound[]} */
    const sounds = [];
    const { step, isSweeping, view, legal } = table;
    const present = step ? `${step.seq} ${step.kind} ${isSweeping}` : "";
    const sound = present !== this.noticed && soundOf(table);
    this.noticed = present;
    if (sound) sounds.push(sound);
    if (
      view?.status === "playing" &&
      view.version !== this.turn &&
      acting(view) === ownSeat(view) &&
      legal.length > 0
    ) {
      this.turn = view.version;
      sounds.push("turn");
    }
    return sounds;
  }
}

/** @param {Table} table @returns {Sound | null} */
function soundOf({ view, isSweeping, step }) {
  const { kind, event } = step ?? {};
  if (kind === "deal" || kind === "card") return kind;
  if (kind === "trick") return isSweeping ? "sweep" : null;
  if (kind === "over") return "end";
  const own = view?.you?.seat;
  const call = event?.score?.calls.find(({ seat }) => seat === own);
  // Whether the player made the call of the round.
  if (!call) return null;
  return call.tricks === event?.score?.tricks[call.seat] ? "made" : "missed";
}

/** Plays the sounds of a table, and makes a phone vibrate when it is the player's turn. @param {Shown} table */
export function useTableSounds(table) {
  useEffect(() => {
    const listener = new Listener();
    // What is there when the page opens makes no sound.
    listener.hear(table);
    return table.subscribe(() => {
      for (const sound of listener.hear(table)) void sounded(sound);
    });
  }, [table]);
}

/** @param {Sound} sound */
async function sounded(sound) {
  if (!settings.get("sound")) return;
  if (sound === "turn" && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(VIBRATION_MS);
  const { play } = await import("./sounds.js");
  play(sound);
}

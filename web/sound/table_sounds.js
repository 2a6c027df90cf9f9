// What the table shows, as sounds. The sounds are loaded with the first that is needed.

import { settings } from "../settings.js";
import { useEffect } from "../view.js";

/** @typedef {import("../schema").components["schemas"]} Schemas */
/** @typedef {import("./sounds.js").Sound} Sound */

/** How long a phone vibrates when it is the player's turn, in milliseconds. */
const VIBRATION_MS = 40;

/**
 * What the table shows, as in `show/shown.js`.
 * @typedef {object} Table
 * @property {Schemas["GameView"] | null} view
 * @property {{ kind: string | null, seq: number, event: Schemas["Event"] | null } | null} step
 * @property {boolean} isSweeping whether the complete trick of the step is on its way to its winner
 * @property {readonly Schemas["Command"][]} legal what the player may do now
 */

/** Notices what begins between two looks at a table. */
export class Listener {
  /** The step and its part that was noticed last. */
  noticed = "";
  /** The version of the view at which the player's turn was noticed. */
  turn = 0;

  /** The sounds of what began since the last look. @param {Table} table @returns {Sound[]} */
  hear(table) {
    /** @type {Sound[]} */
    const sounds = [];
    const { step, isSweeping, view } = table;
    const present = step ? `${step.seq} ${step.kind} ${isSweeping}` : "";
    if (present !== this.noticed) {
      this.noticed = present;
      const sound = step && soundOf(table, step);
      if (sound) sounds.push(sound);
    }
    if (view && view.version !== this.turn && isOwnTurn(view) && table.legal.length > 0) {
      this.turn = view.version;
      sounds.push("turn");
    }
    return sounds;
  }
}

/** @param {Schemas["GameView"]} view */
function isOwnTurn({ status, round, you }) {
  const acting = round?.to_act?.seat ?? round?.to_act?.place;
  return status === "playing" && acting !== undefined && acting === (you?.seat ?? you?.place);
}

/** @param {Table} table @param {NonNullable<Table["step"]>} step @returns {Sound | null} */
function soundOf({ view, isSweeping }, { kind, event }) {
  if (kind === "deal" || kind === "card") return kind;
  if (kind === "trick") return isSweeping ? "sweep" : null;
  if (kind === "over") return "end";
  return kind === "score" && event?.score ? outcome(event.score, view?.you?.seat) : null;
}

/**
 * Whether the player made the call of a round.
 * @param {Schemas["ScoredRound"]} score
 * @param {number | undefined} own
 * @returns {Sound | null}
 */
function outcome({ calls, tricks }, own) {
  const call = calls.find(({ seat }) => seat === own);
  if (own === undefined || !call) return null;
  return call.tricks === tricks[own] ? "made" : "missed";
}

/**
 * Plays the sounds of a table, and makes a phone vibrate when it is the player's turn.
 * @param {Table & { subscribe: (listener: () => void) => () => void }} table
 */
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

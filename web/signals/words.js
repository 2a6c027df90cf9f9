// What a table says outside of its page: the title, the icon and a notification, in words.

import { t } from "../i18n/index.js";

/** @typedef {import("../schema").components["schemas"]["GameView"]} GameView */
/**
 * @typedef {object} Signal
 * @property {"lobby" | "yours" | "other" | "over"} kind
 * @property {string} title the title of the page
 * @property {string} call what a notification says
 * @property {string} turn changes with each turn, so that each is notified once
 */

/** The number of the position that must act. @param {GameView} view */
function acting({ round }) {
  return round?.to_act?.seat ?? round?.to_act?.place;
}

/** A name that does not turn the text around it. @param {string} name */
const isolated = (name) => `\u2068${name}\u2069`;

/** What a view says to its player. Those who watch see whose turn it is. @param {GameView} view @returns {Signal} */
export function signalOf(view) {
  const { status, ruleset, seats, you, version, fairness } = view;
  const game = ruleset.title;
  const own = you?.seat ?? you?.place;
  const signal = (/** @type {Signal["kind"]} */ kind, /** @type {string} */ key, /** @type {Record<string, string | number>} */ more = {}) => {
    const title = t(`signal.${key}`, { game, ...more });
    return { kind, title, call: key === "yours" ? t("signal.call", { game }) : title, turn: `${key} ${version}` };
  };
  if (status === "lobby") return signal("lobby", fairness.opening_until ? "begins" : "lobby", places(view));
  if (status !== "playing") return signal("over", "over");
  const seat = acting(view);
  if (seat === undefined) return signal("other", "playing");
  if (seat === own) return signal("yours", "yours");
  return signal("other", "other", { who: isolated(seats[seat]?.player?.name ?? "") });
}

/** How many places are taken. @param {GameView} view */
function places({ seats }) {
  return { taken: seats.filter(({ player }) => player !== null).length, players: seats.length };
}

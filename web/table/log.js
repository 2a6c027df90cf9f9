// The list of what happened, for eyes.

import { cardName } from "../game/cards.js";
import { number, t } from "../i18n/index.js";
import { html } from "../view.js";

/** @typedef {import("../game/store.js").EventEnvelope} EventEnvelope */

/** Events that nobody needs to know, or that another one tells. */
const SILENT = ["game_created", "host_changed", "auction_won", "seed_committed", "seed_opened", "turn_timed_out"];

/** Events whose place may be another player's by now. */
const MOVED = ["seat_chosen"];

/**
 * An event in words.
 * @param {EventEnvelope} envelope
 * @param {readonly string[]} names the players by seat
 * @returns {string | null} null if there is nothing to tell
 */
export function words({ event, actor }, names) {
  const { type, tricks, trump, card, score, deal } = event;
  if (SILENT.includes(type)) return null;
  const who = names[event.place ?? event.seat ?? actor.seat ?? actor.place ?? -1] ?? "";
  const key = `log.${type}${(type === "bid_made" || type === "estimate_made") && trump ? "_trump" : ""}`;
  const points = score?.points.map((value, seat) => `${names[seat]} ${number(value)}`).join(t("shell.comma"));
  const text = t(key, {
    who,
    tricks: tricks ?? 0,
    trump: trump ? t(`trump.${trump}`) : "",
    card: card ? cardName(card) : "",
    points: points ?? "",
    round: deal?.round ?? score?.round ?? 0,
    seat: event.seat ?? 0,
  });
  return text === key ? null : text;
}

/**
 * The list up to an event, the newest one last. It is no live region: the announcer is.
 * @param {{ events: readonly EventEnvelope[], until: number, names: readonly string[] }} properties
 */
export function Log({ events, until, names }) {
  const told = events.filter(({ seq, event }) => seq <= until && !MOVED.includes(event.type));
  const lines = told.map((one) => ({ seq: one.seq, text: words(one, names) })).filter(({ text }) => text !== null);
  return html`<ol class="log" aria-label=${t("table.log")}>
    ${lines.map(({ seq, text }) => html`<li key=${seq}>${text}</li>`)}
  </ol>`;
}

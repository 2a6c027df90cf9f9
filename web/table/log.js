// What happens, in words: for eyes and for screen readers.

import { cardName } from "../game/cards.js";
import { number, t } from "../i18n/index.js";
import { html } from "../view.js";

/** @typedef {import("../game/store.js").EventEnvelope} EventEnvelope */

const SHOWN = 6;

/** Events that nobody needs to hear about, or that another one tells. */
const SILENT = ["auction_won", "seed_committed", "turn_timed_out"];

/**
 * @param {EventEnvelope} envelope
 * @param {string[]} names the players by seat
 * @returns {string | null} null if there is nothing to tell
 */
function words({ event, actor }, names) {
  if (SILENT.includes(event.type)) return null;
  const { type, tricks, trump, card, score, deal } = event;
  const who = names[event.seat ?? event.place ?? actor.seat ?? actor.place ?? -1] ?? "";
  const key = `log.${type}${(type === "bid_made" || type === "estimate_made") && trump ? "_trump" : ""}`;
  const points = score?.points.map((value, seat) => `${names[seat]} ${number(value)}`).join(t("shell.comma"));
  const text = t(key, {
    who,
    tricks: tricks ?? 0,
    trump: trump ? t(`trump.${trump}`) : "",
    card: card ? cardName(card) : "",
    points: points ?? "",
    round: deal?.round ?? score?.round ?? 0,
  });
  return text === key ? null : text;
}

/** @param {{ events: EventEnvelope[], names: string[] }} properties */
export function Log({ events, names }) {
  const lines = events.map((one) => ({ seq: one.seq, text: words(one, names) })).filter(({ text }) => text !== null);
  return html`<section class="log">
    <div role="log" aria-live="polite" aria-label=${t("table.log")}>${lines.slice(-SHOWN).map(({ seq, text }) => html`<p key=${seq}>${text}</p>`)}</div>
  </section>`;
}

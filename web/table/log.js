// The list of what happened, for eyes.

import { cardName } from "../game/cards.js";
import { number, t } from "../i18n/index.js";
import { html } from "../view.js";

/** Events that nobody needs to know, or that another one tells. */
const SILENT = ["game_created", "host_changed", "auction_won", "seed_committed", "seed_opened", "turn_timed_out"];

/**
 * An event in words; null if there is nothing to tell.
 * @param {EventEnvelope} envelope
 * @param {readonly string[]} names by seat
 */
export function words({ event, actor }, names) {
  const { type, tricks, trump, card, score, deal } = event;
  if (SILENT.includes(type)) return null;
  const who = names[event.place ?? event.seat ?? actor.seat ?? actor.place ?? -1] ?? "";
  const key = `log.${type}${(type === "bid_made" || type === "estimate_made") && trump ? "_trump" : ""}`;
  const text = t(key, {
    who,
    tricks: tricks ?? 0,
    trump: trump ? t(`trump.${trump}`) : "",
    card: card ? cardName(card) : "",
    points: score?.points.map((value, seat) => `${names[seat]} ${number(value)}`).join(t("shell.comma")) ?? "",
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
  // The place of a chosen seat may be another player's by now.
  const told = events.filter(({ seq, event }) => seq <= until && event.type !== "seat_chosen");
  const lines = told.map((one) => ({ seq: one.seq, text: words(one, names) }));
  return html`<ol class="log" aria-label=${t("table.log")}>
    ${lines.map(({ seq, text }) => text && html`<li key=${seq}>${text}</li>`)}
  </ol>`;
}

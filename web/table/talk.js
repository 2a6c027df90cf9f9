// Reactions at the table: the button on the own seat, and what others see and hear.

import { talkOf } from "../game/talk.js";
import { t } from "../i18n/index.js";
import { Refusal, useLoaded, useTask } from "../parts/requests.js";
import { html, loadStyle, useEffect, useSource } from "../view.js";
import { callersOf } from "./announcer.js";
import { Popover, usePopover } from "./popover.js";

await loadStyle("people");

/** The button that opens the set; nothing for a muted account. @param {{ game: Game, isTurn: boolean }} properties */
export function Say({ game, isTurn }) {
  const talk = talkOf(game);
  useSource(talk);
  const standing = useLoaded("/v1/me/standing").data;
  const task = useTask();
  const popover = usePopover(isTurn);
  useEffect(() => {
    if (popover.isOpen) void task.run(() => talk.load());
  }, [popover.isOpen]);
  if (!standing?.may_talk) return null;
  const say = (/** @type {string} */ reaction) =>
    task.run(async () => {
      await talk.say(reaction);
      popover.close();
    });
  const mark = html`<svg viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="M3 3h14v10H9l-4 4v-4H3z" /></svg>`;
  return html`<${Popover} popover=${popover} kind="say" title=${t("talk.say")} mark=${mark}>
    <div class="reactions">${talk.all.map(
      ({ reaction, text, symbol }) => html`<button key=${reaction} class="quiet" data-reaction=${reaction}
      aria-label=${text} disabled=${task.busy || talk.isPausing} onClick=${() => say(reaction)}>
      ${symbol ? html`<span class="symbol">${symbol}</span>` : text}</button>`,
    )}</div>
    <${Refusal} error=${task.error} />
  </${Popover}>`;
}

/** What the player of a seat says, for some seconds. @param {{ game: Game, seat: number }} properties */
export function Said({ game, seat }) {
  const talk = talkOf(game);
  useSource(talk);
  const said = talk.said.find((one) => one.seat === seat);
  return (
    said &&
    html`<span key=${said.id} class=${`speech reaction ${said.symbol ? "symbol" : ""}`} dir="auto" aria-hidden="true">
    ${said.symbol ?? said.text}</span>`
  );
}

/** The reactions for screen readers. @param {{ game: Game, view: GameView }} properties */
export function Heard({ game, view }) {
  const talk = talkOf(game);
  useSource(talk);
  const { last } = talk;
  return html`<div class="hidden heard" role="status">
    ${last && html`<p key=${last.id}>${t("talk.heard", { who: callersOf(view)[last.seat] ?? "", what: last.text })}</p>`}
  </div>`;
}

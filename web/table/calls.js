// The commands that are no cards: bids, estimates and everything else in `legal`.

import { number, t } from "../i18n/index.js";
import { html, useState } from "../view.js";

/** @typedef {import("../schema").components["schemas"]["Command"]} Command */
/** @typedef {{ commands: readonly Command[], send: (command: Command) => void }} Properties */

const TRUMPS = ["clubs", "diamonds", "hearts", "spades", "no_trump"];

/** Buttons for all commands but cards. Commands of an unknown type are left out. @param {Properties} properties */
export function Calls({ commands, send }) {
  const of = (/** @type {string} */ type) => commands.filter((command) => command.type === type);
  const simple = ["enter_auction", "avoid", "redeal", "dash_call", "blind_dash", "pass", "resume"].flatMap(of);
  return html`<div class="calls">
    <${Numbers} commands=${of("estimate")} send=${send} title="table.howMany" />
    <${Numbers} commands=${of("bid")} send=${send} title="table.yourBid" />
    <${Cut} commands=${of("cut")} send=${send} />
    <div class="row">
      ${of("choose_seat").map((command) => html`<${Button} key=${JSON.stringify(command)} command=${command} send=${send}
        label=${t("table.chooseSeat", { seat: (command.seat ?? 0) + 1 })} />`)}
      ${simple.map((command) => html`<${Button} key=${command.type} command=${command} send=${send} label=${t(`command.${command.type}`)} />`)}
    </div>
  </div>`;
}

/** @param {{ command: Command, send: (command: Command) => void, label: unknown, name?: string }} properties */
function Button({ command, send, label, name }) {
  return html`<button class="quiet" data-command=${JSON.stringify(command)} aria-label=${name} onClick=${() => send(command)}>${label}</button>`;
}

/**
 * Numbers of tricks, and the trumps of the chosen number where the call names one.
 * @param {Properties & { title: string }} properties
 */
function Numbers({ commands, send, title }) {
  const [chosen, choose] = useState(-1);
  const tricks = (/** @type {Command} */ command) => command.tricks ?? 0;
  const trump = (/** @type {Command} */ command) => command.trump;
  if (commands.length === 0) return null;
  const named = commands.filter(trump);
  const counts = [...new Set(named.map(tricks))];
  const shown = counts.includes(chosen) ? chosen : counts[0];
  return html`<fieldset>
    <legend>${t(title)}</legend>
    <div class="row">
      ${commands.filter((command) => !trump(command)).map(
        (command) => html`<${Button} key=${tricks(command)} command=${command} send=${send} label=${number(tricks(command))} />`,
      )}
    </div>
    ${counts.length > 0
      ? html`<div class="row" role="group" aria-label=${t("table.tricks")}>
            ${counts.map((count) => html`<button key=${count} class=${count === shown ? "" : "quiet"} aria-pressed=${count === shown ? "true" : "false"}
              onClick=${() => choose(count)}>${number(count)}</button>`)}
          </div>
          <div class="row" role="group" aria-label=${t("table.trump")}>
            ${TRUMPS.flatMap((name) => named.filter((command) => trump(command) === name && tricks(command) === shown)).map(
              (command) => html`<${Button} key=${trump(command)} command=${command} send=${send} label=${t(`trump.${trump(command)}`)}
                name=${t("said.bid", { tricks: tricks(command), trump: t(`trump.${trump(command)}`) })} />`,
            )}
          </div>`
      : null}
  </fieldset>`;
}

/** Where to cut the pack. @param {Properties} properties */
function Cut({ commands, send }) {
  const [position, setPosition] = useState(26);
  if (commands.length === 0) return null;
  const command = commands.find((one) => one.type === "cut" && one.position === position) ?? commands[0];
  return html`<label class="cut"><span>${t("table.cut")}</span>
      <input type="range" min="1" max=${commands.length} value=${position} onInput=${(/** @type {any} */ event) => setPosition(Number(event.target.value))} />
    </label>
    <${Button} command=${command} send=${send} label=${t("table.cutAt", { position })} />`;
}

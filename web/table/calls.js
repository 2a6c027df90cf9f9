// The commands that are no cards, as a panel over the felt: bids, estimates and everything else in `legal`.

import { number, t } from "../i18n/index.js";
import { Word } from "../learn/word.js";
import { html, useState, valued } from "../view.js";
import { boxStyle } from "./places.js";
import { bidText, trumpSymbol } from "./token.js";

/** @typedef {Schemas["Trump"]} Trump */
/** @typedef {import("./play.js").Table} Table */
/** @typedef {Table["send"]} Send */

/** @type {Trump[]} */
const TRUMPS = ["clubs", "diamonds", "hearts", "spades", "no_trump"];
const SIMPLE = ["enter_auction", "avoid", "redeal", "dash_call", "blind_dash", "pass", "resume"];

/**
 * The words that a player needs in a phase, or in `nineteen`, with their texts.
 * @type {Record<string, Record<string, string>>}
 */
const TERMS = {
  nineteen: { estimate: "term.estimate" },
  auction: { auction: "term.auction", trump: "table.trump", dash_call: "said.dash_call" },
  estimates: { estimate: "term.estimate", with: "table.with", risk: "table.risk", dash: "table.dash_call" },
  blind_dash: { blind_dash: "table.blind_dash" },
};

/** Commands of an unknown type are left out. @param {Table & { commands: readonly Command[], children: unknown }} properties */
export function Calls({ view, commands, places, send, onRefused, children }) {
  const of = (/** @type {string} */ type) => commands.filter((command) => command.type === type);
  const [bids, estimates] = [of("bid"), of("estimate")];
  const most = view.round?.hand_size ?? 0;
  const simple = SIMPLE.flatMap(of).map(
    (command) => html`<${Button} key=${command.type} command=${command} send=${send}
    label=${t(`command.${command.type}`)} />`,
  );
  return html`<div class="calls" style=${boxStyle(places.panel)}>
    <div class="calls-panel" role="group" aria-label=${t("felt.calls")}>
      ${children}
      <p class="calls-title" dir="auto">${titleOf(view, bids)}</p>
      <p class="terms">${termsOf(view)}</p>
      ${estimates.length > 0 && html`<${Estimates} commands=${estimates} most=${most} send=${send} onRefused=${onRefused} />`}
      ${bids.length > 0 && html`<${Bids} commands=${bids} send=${send} label="felt.bid">${simple}</${Bids}>`}
      <${Cut} commands=${of("cut")} send=${send} />
      ${
        bids.length === 0 &&
        html`<div class="calls-row">
        ${of("choose_seat").map(
          (command) => html`<${Button} key=${command.seat} command=${command} send=${send}
          label=${t("table.chooseSeat", { seat: (command.seat ?? 0) + 1 })} />`,
        )}
        ${simple}
      </div>`
      }
    </div>
  </div>`;
}

/** The words of a phase, each with its explanation. @param {Table["view"]} view */
function termsOf({ ruleset, round }) {
  const terms = TERMS[ruleset.id] ?? TERMS[round?.phase ?? ""] ?? {};
  return Object.entries(terms).map(([word, key]) => html`<${Word} key=${word} word=${word}>${t(key)}</${Word}>`);
}

/**
 * What the player must do. Where bids must rise it says above which.
 * @param {Table["view"]} view
 * @param {readonly Command[]} bids
 */
export function titleOf({ round }, bids) {
  const { tricks: height, trump } = round?.auction.findLast(({ type }) => type === "bid") ?? {};
  const rank = (/** @type {Trump | null | undefined} */ one) => (one ? TRUMPS.indexOf(one) : -1);
  const isHigher = (/** @type {Command} */ { tricks = 0, trump: suit }) =>
    tricks > (height ?? 0) || (tricks === height && rank(suit) > rank(trump));
  const mustRise = height && bids.length > 0 && bids.every(isHigher);
  return mustRise ? t("felt.above", { bid: bidText(height, trump) }) : t(`felt.your.${round?.phase}`);
}

/** @param {{ command: Command, send: Send, label: unknown, name?: string, kind?: string }} properties */
function Button({ command, send, label, name, kind = "quiet" }) {
  return html`<button class=${kind} data-command=${JSON.stringify(command)} aria-label=${name} dir="auto"
    onClick=${() => send(command)}>${label}</button>`;
}

/**
 * A number of tricks and a trump, and one button that says both.
 * @param {{ commands: Command[], send: Send, label: string, children: unknown }} properties
 */
function Bids({ commands, send, label, children }) {
  const [wantedCount, setCount] = useState(-1);
  const [wantedTrump, setTrump] = useState(/** @type {Trump | null} */ (null));
  const counts = [...new Set(commands.map(({ tricks }) => tricks ?? 0))];
  const count = counts.includes(wantedCount) ? wantedCount : counts[0];
  const open = commands.filter((command) => command.tricks === count);
  const chosen = open.find((command) => command.trump === wantedTrump) ?? open[0];
  const suits = TRUMPS.filter((one) => commands.some((command) => command.trump === one));
  const { tricks = 0, trump = null } = chosen ?? {};
  const spoken = trump ? t("said.bid", { tricks, trump: t(`trump.${trump}`) }) : number(tricks);
  return html`<div class="calls-row" role="group" aria-label=${t("table.tricks")}>
      ${counts.map((one) => html`<${Choice} key=${one} isChosen=${one === count} choose=${() => setCount(one)} label=${number(one)} />`)}
    </div>
    ${
      suits.length > 0 &&
      html`<div class="calls-row" role="group" aria-label=${t("table.trump")}>
      ${suits.map(
        (
          one,
        ) => html`<${Choice} key=${one} isChosen=${one === trump} choose=${() => setTrump(one)} label=${trumpSymbol(one)}
        name=${t(`trump.${one}`)} isOpen=${open.some((command) => command.trump === one)} kind=${`suit ${one}`} />`,
      )}
    </div>`
    }
    <div class="calls-row">
      ${children}
      ${
        chosen &&
        html`<${Button} kind="primary" command=${chosen} send=${send} label=${t(label, { bid: bidText(tricks, trump) })}
        name=${trump === "no_trump" ? undefined : t(label, { bid: spoken })} />`
      }
    </div>`;
}

/**
 * @param {{ isChosen: boolean, choose: () => void, label: string, name?: string, isOpen?: boolean, kind?: string }}
 *     properties
 */
function Choice({ isChosen, choose, label, name, isOpen = true, kind = "" }) {
  const words = name ? html`<span aria-hidden="true">${label}</span><span class="hidden">${name}</span>` : label;
  return html`<button class=${`choice ${kind}`} aria-pressed=${isChosen ? "true" : "false"} disabled=${!isOpen}
    onClick=${choose}>${words}</button>`;
}

/**
 * All numbers of tricks. One that is not legal says why when it is tried. From 8 tricks some rounds let one name another trump.
 * @param {{ commands: Command[], most: number, send: Send, onRefused: Send }} properties
 */
function Estimates({ commands, most, send, onRefused }) {
  const [isNaming, setNaming] = useState(false);
  const named = commands.filter(({ trump }) => trump);
  if (isNaming && named.length > 0) {
    return html`<${Bids} commands=${named} send=${send} label="felt.say">
      <button class="quiet" onClick=${() => setNaming(false)}>${t("felt.keepTrump")}</button>
    </${Bids}>`;
  }
  return html`<div class="calls-row" role="group" aria-label=${t("table.howMany")}>
    ${Array.from({ length: most + 1 }, (_, tricks) => {
      const command = commands.find((one) => one.tricks === tricks && !one.trump);
      if (command)
        return html`<${Button} key=${tricks} kind="choice" command=${command} send=${send} label=${number(tricks)} />`;
      const refuse = () => onRefused({ type: "estimate", tricks });
      return html`<button key=${tricks} class="choice barred" aria-disabled="true" onClick=${refuse}>${number(tricks)}</button>`;
    })}
    ${named.length > 0 && html`<button class="quiet" onClick=${() => setNaming(true)}>${t("felt.changeTrump")}</button>`}
  </div>`;
}

/** Where to cut the pack. @param {{ commands: Command[], send: Send }} properties */
function Cut({ commands, send }) {
  const [position, setPosition] = useState(26);
  const command = commands.find((one) => one.position === position) ?? commands[0];
  const slide = valued((value) => setPosition(Number(value)));
  return (
    command &&
    html`<label class="cut"><span>${t("table.cut")}</span>
      <input type="range" min="1" max=${commands.length} value=${position} onInput=${slide} />
    </label>
    <div class="calls-row"><${Button} kind="primary" command=${command} send=${send}
      label=${t("table.cutAt", { position: command.position ?? 0 })} /></div>`
  );
}

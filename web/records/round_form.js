// The form for a round that was played with real cards.

import { api } from "../api/client.js";
import { Problem } from "../api/problem.js";
import { t } from "../i18n/index.js";
import { Check, Choice } from "../parts/fields.js";
import { Refusal, useTask } from "../parts/requests.js";
import { html, submitted, useId, useState, valued } from "../view.js";

/** The zero that a player can declare in rounds with an auction. @type {Record<string, string>} */
const DASHES = { kabooot: "blind_dash", plain: "dash_call", squares: "dash_call", "double-risk": "dash_call" };
/** The rounds with an auction and all rounds, by length. @type {Record<string, [number, number]>} */
const LENGTHS = { full: [13, 18], mini: [5, 10], micro: [5, 5] };

/** @typedef {Schemas["PlayedCall"]["kind"]} Kind */

/** What a player called and took, before it is written. */
const UNSAID = { kind: /** @type {Kind} */ ("estimate"), call: "", tricks: "", revokes: "0" };

const LABELS = { call: "reason.call", tricks: "reason.tricks", revokes: "scores.revoke" };

/** What the server says about fields such as `/calls/0`, and by "" about the round. @param {unknown} error */
function refusals(error) {
  /** @type {Record<string, string>} */
  const found = {};
  if (!(error instanceof Problem)) return found;
  for (const { field, detail } of error.members.errors ?? [{ field: "", detail: error.detail }]) {
    const [key] = /^\/((calls|tricks)\/\d|first_speaker)/.exec(field) ?? [""];
    found[key] = `${found[key] ?? ""} ${detail}`.trim();
  }
  return found;
}

/**
 * @param {{ ruleset: string, options: Record<string, unknown>, names: string[], round: number, carry: number,
 *     onScored: (request: Schemas["ScoreRequest"], answer: Schemas["ScoreAnswer"]) => void }} properties `carry` is the multiplier
 *     that the round before left
 */
export function RoundForm({ ruleset, options, names, round, carry, onScored }) {
  const id = useId();
  const task = useTask();
  const [entries, setEntries] = useState(names.map(() => ({ ...UNSAID })));
  const [folded, setFolded] = useState(false);
  const [first, setFirst] = useState(0);
  const [auctions = 0, all = 0] = (ruleset === "nineteen" ? [19, 19] : LENGTHS[String(options.length ?? "full")]) ?? [];
  if (round > all) return null;
  const isFast = round > auctions;
  const dash = isFast ? undefined : DASHES[ruleset];
  const wrong = refusals(task.error);
  const send = submitted(() => {
    task.run(async () => {
      const calls = entries.map(({ kind, call }, seat) => ({ seat, kind, tricks: kind === dash ? 0 : Number(call) }));
      /** @type {Schemas["ScoreRequest"]} */
      const body = {
        round,
        options,
        carry,
        players: names.length,
        folded,
        calls: folded ? calls.filter(({ kind }) => kind === dash) : calls,
        ...(folded ? {} : { tricks: entries.map(({ tricks }) => Number(tricks)) }),
        ...(isFast ? { first_speaker: first } : {}),
        ...(options.revokes === "penalise"
          ? { revokes: entries.flatMap(({ revokes }, seat) => Array(Number(revokes)).fill(seat)) }
          : {}),
      };
      onScored(body, await api("POST", "/v1/rulesets/{id}/score", { path: { id: ruleset }, body }));
    });
  });
  const change = (/** @type {number} */ seat, /** @type {Partial<typeof entries[0]>} */ changed) =>
    setEntries(entries.map((one, at) => (at === seat ? { ...one, ...changed } : one)));
  const said = (/** @type {string} */ key) =>
    wrong[key] && html`<small id=${`${id}${key}`} class="wrong">${wrong[key]}</small>`;
  const field = (
    /** @type {number} */ seat,
    /** @type {"call" | "tricks" | "revokes"} */ name,
    /** @type {string} */ key,
  ) =>
    html`<label><span>${t(LABELS[name])}</span>
      <input type="number" inputmode="numeric" required min="0" max="13" value=${entries[seat]?.[name]}
        aria-invalid=${wrong[key] ? "true" : null} aria-describedby=${wrong[key] ? `${id}${key}` : null}
        onInput=${valued((value) => change(seat, { [name]: value }))} />${said(key)}</label>`;
  return html`<form class="panel round-form" onSubmit=${send}>
    <h2>${t("scores.roundNumber", { round })}${carry > 1 ? ` · ${t("scores.multiplier", { multiplier: carry })}` : ""}</h2>
    ${ruleset === "squares" && !isFast ? html`<${Check} label=${t("calculator.folded")} checked=${folded} onChange=${setFolded} />` : null}
    ${
      isFast
        ? html`<${Choice} label=${t("calculator.first")} value=${first} onChange=${setFirst}
      choices=${names.map((name, seat) => [seat, name])}>${said("/first_speaker")}<//>`
        : null
    }
    ${names.map(
      (name, seat) => html`<fieldset key=${seat}><legend><bdi>${name}</bdi></legend>
      ${
        dash
          ? html`<${Choice} label=${t("calculator.kind")} choices=${["estimate", "bid", dash].map((kind) => [kind, t(`reason.${kind}`)])}
        value=${entries[seat]?.kind} onChange=${(/** @type {Kind} */ kind) => change(seat, { kind })} />`
          : null
      }
      ${entries[seat]?.kind === dash || folded ? said(`/calls/${seat}`) : field(seat, "call", `/calls/${seat}`)}
      ${folded ? null : field(seat, "tricks", `/tricks/${seat}`)}
      ${options.revokes === "penalise" ? field(seat, "revokes", `/revokes/${seat}`) : null}
    </fieldset>`,
    )}
    ${
      task.error instanceof Problem
        ? html`<div class="notice" role="alert"><strong>${task.error.title}</strong><p>${wrong[""]}</p></div>`
        : html`<${Refusal} error=${task.error} />`
    }
    <button disabled=${task.busy}>${t("calculator.add")}</button>
  </form>`;
}

// Forms of what moderators do: each asks for a reason.

import { now } from "../api/client.js";
import { t } from "../i18n/index.js";
import { Choice } from "../parts/fields.js";
import { html, submitted, useState } from "../view.js";
import { useAct } from "./parts.js";

const HOUR_MS = 3_600_000;

/** How long a measure lasts, in hours; `at` is a time of one's own, and `none` has no end. */
const PERIODS = ["1", "24", "72", "168", "720", "at"];

/**
 * A form with a reason. `send` gets the values of its fields that are not empty, with that of the button that was pressed. Then the
 * form forgets what was written, so that nothing is done twice.
 * @param {{ buttons: [name: string, value: string, words: string][], send: (values: Record<string, string>) => Promise<unknown>,
 *     isDanger?: boolean, isTold?: boolean, isReady?: boolean, children?: unknown }} properties `isTold`: the player learns of it,
 *     unless the form says why not
 */
export function ActForm({ buttons, send, isDanger = false, isTold = false, isReady = true, children }) {
  const { busy, run, trouble } = useAct();
  const submit = submitted((form, button) => {
    const values = [...new FormData(form, button)].map(([name, value]) => [name, String(value).trim()]);
    void run(async () => {
      await send(Object.fromEntries(values.filter(([, value]) => value)));
      for (const field of form.querySelectorAll("textarea, [name=untold]"))
        /** @type {HTMLInputElement} */ (field).value = "";
    });
  });
  return html`<form class="fields" onSubmit=${submit}>
      ${children}
      <label><span>${t("desk.reason")}</span><textarea name="reason" rows="2" maxlength="600" required dir="auto"></textarea></label>
      ${
        isTold &&
        html`<label><span>${t("desk.untold")}</span><input name="untold" maxlength="200" dir="auto" autocomplete="off" />
        <small>${t("desk.untold.about")}</small></label>`
      }
      <div class="row">${buttons.map(
        ([name, value, words]) => html`<button key=${value} name=${name} value=${value}
        class=${isDanger ? "danger" : ""} disabled=${busy || !isReady}>${words}</button>`,
      )}</div>
    </form>
    ${trouble}`;
}

/**
 * Until when something lasts. Its fields are `period` and `at`, of which `endOf` makes a time.
 * @param {{ hasNone: boolean }} properties
 */
export function Until({ hasNone }) {
  const [period, setPeriod] = useState(hasNone ? "none" : "24");
  const choices = [...(hasNone ? ["none"] : []), ...PERIODS].map((one) => [one, t(`desk.for.${one}`)]);
  return html`<${Choice} label=${t("desk.for")} name="period" value=${period} choices=${choices} onChange=${setPeriod} />
    ${period === "at" && html`<label><span>${t("desk.until")}</span><input name="at" type="datetime-local" required /></label>`}`;
}

/** @param {string | undefined} period @param {string | undefined} at @returns {string | undefined} the time for the API */
export function endOf(period, at) {
  if (period === "at") return new Date(at ?? "").toISOString();
  return period === undefined || period === "none"
    ? undefined
    : new Date(now() + Number(period) * HOUR_MS).toISOString();
}

// What the first game says, and how one goes on.

import { playAgainstBots } from "../game/tables.js";
import { t } from "../i18n/index.js";
import { Refusal } from "../parts/refusal.js";
import { useTask } from "../parts/task.js";
import { here } from "../router.js";
import { html, useEffect, useRef, useSource } from "../view.js";
import { Line } from "./prose.js";

/**
 * @param {object} properties
 * @param {import("./lesson.js").Lesson} properties.lesson
 * @param {import("../schema").components["schemas"]["KnownRulesetId"]} properties.ruleset
 * @param {boolean} [properties.isReady] whether the table shows what is spoken about
 */
export function Coach({ lesson, ruleset, isReady = true }) {
  useSource(lesson);
  const task = useTask();
  const onward = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const { step, isLast, comment } = lesson;
  // The keyboard goes on from step to step.
  useEffect(() => {
    if (isReady && document.activeElement === document.body) onward.current?.focus();
  });
  const play = () => task.run(async () => here.go(`/games/${(await playAgainstBots(ruleset, true)).id}`));
  const next = html`<button ref=${onward} data-next onClick=${() => lesson.next()}>${t("learn.next")}</button>`;
  return html`<section class="coach" aria-label=${t("learn.first")}>
    <div role="status" class="coach-words" data-lesson=${isReady ? step.say : ""}>
      ${isReady ? html`<p><${Line} text=${lesson.words} /></p>` : null}
      ${isReady && comment ? html`<p class="comment"><${Line} text=${comment} /></p>` : null}
    </div>
    <${Refusal} error=${task.error} />
    <div class="row">
      ${isReady && !isLast && !step.right ? next : null}
      ${isReady && step.right ? html`<strong>${t("learn.choose")}</strong>` : null}
      ${isLast ? html`<button disabled=${task.busy} onClick=${play}>${t("learn.over")}</button>
        <button class="quiet" onClick=${() => lesson.restart()}>${t("learn.again")}</button>` : null}
      <a class="button quiet" href=${`/rules/${ruleset}`}>${t(isLast ? "learn.read" : "learn.leave")}</a>
      <small>${t("learn.step", { step: lesson.at + 1, of: lesson.steps.length })}</small>
    </div>
  </section>`;
}

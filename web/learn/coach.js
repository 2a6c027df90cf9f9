// What the first game says, and how one goes on.

import { playAgainstBots } from "../game/tables.js";
import { here } from "../here.js";
import { t } from "../i18n/index.js";
import { Refusal, useTask } from "../parts/requests.js";
import { html, useEffect, useRef, useSource, useState } from "../view.js";
import { Line } from "./prose.js";

/** @typedef {{ lesson: import("./lesson.js").Lesson, ruleset: Schemas["KnownRulesetId"] }} Properties */

/**
 * @param {Properties & { isReady: boolean, isSmall: boolean }} properties `isReady`: whether the table shows what is spoken about;
 *     `isSmall`: whether the words cover the table, so that they go away once they were read
 */
export function Coach({ lesson, ruleset, isReady, isSmall }) {
  useSource(lesson);
  const [read, setRead] = useState(/** @type {string | null} */ (null));
  /** @type {Ref<HTMLButtonElement>} */
  const onward = useRef(null);
  const { step, isLast, comment } = lesson;
  const said = `${step.say} ${comment}`;
  const isAway = isSmall && step.right !== undefined && read === said;
  // The keyboard goes on from step to step.
  useEffect(() => {
    if (isReady && document.activeElement === document.body) onward.current?.focus();
  });
  const goOn = () => (step.right ? setRead(said) : lesson.next());
  const isWaiting = !isLast && (!step.right || isSmall);
  return html`<section class=${`coach ${isReady && !isAway ? "" : "away"}`} aria-label=${t("learn.first")}>
      <div role="status" data-lesson=${isReady ? step.say : ""}>
        ${isReady ? html`<p><${Line} text=${lesson.words} /></p>` : null}
        ${isReady && comment ? html`<p class="comment"><${Line} text=${comment} /></p>` : null}
      </div>
      ${
        isReady && isWaiting && !isAway
          ? html`<div class="row"><button ref=${onward} data-next onClick=${goOn}>${t("learn.next")}</button></div>`
          : null
      }
      ${isReady && isLast ? html`<${End} lesson=${lesson} ruleset=${ruleset} />` : null}
    </section>
    ${isReady && isAway ? html`<button class="recall" onClick=${() => setRead(null)}>${t("learn.recall")}</button>` : null}`;
}

/** @param {Properties} properties */
function End({ lesson, ruleset }) {
  const task = useTask();
  const play = () => task.run(async () => here.go(`/games/${(await playAgainstBots(ruleset, true)).id}`));
  return html`<${Refusal} error=${task.error} />
    <div class="row">
      <button disabled=${task.busy} onClick=${play}>${t("learn.over")}</button>
      <button class="quiet" onClick=${() => lesson.restart()}>${t("learn.again")}</button>
      <a class="button quiet" href=${`/rules/${ruleset}`}>${t("learn.read")}</a>
    </div>`;
}

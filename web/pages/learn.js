// The first game that teaches: a recorded game, with what is said about it, and the learner's choices.

import { ownSeat } from "../game/seats.js";
import { language, loadArea, t } from "../i18n/index.js";
import { Coach } from "../learn/coach.js";
import { Lesson } from "../learn/lesson.js";
import { reason } from "../learn/reasons.js";
import { useShown } from "../show/shown.js";
import { RoundPills } from "../table/bar.js";
import { Play, usePlaces } from "../table/play.js";
import { html, loadStyle, useEffect, useSource, useState } from "../view.js";

await Promise.all([loadArea("learn"), loadArea("table"), loadStyle("learn")]);

/** The room of what is said on phones. On small ones it lies over the felt. */
const COACH_PX = 190;

const LESSONS = ["plain", "nineteen"];

/** @param {string} ruleset @returns {Promise<Lesson>} */
async function lessonOf(ruleset) {
  const [recording, texts] = await Promise.all([
    import(`../learn/texts/games/${ruleset}.js`),
    import(`../learn/texts/${language()}/lesson_${ruleset}.js`),
  ]);
  return new Lesson(recording.default, texts.default);
}

/** @param {{ ruleset: string }} properties */
export default function LearnPage({ ruleset: wanted }) {
  const ruleset = LESSONS.find((one) => one === wanted) ?? "plain";
  const [lesson, setLesson] = useState(/** @type {Lesson | null} */ (null));
  useEffect(() => void lessonOf(ruleset).then(setLesson), [ruleset]);
  return lesson && html`<${Told} lesson=${lesson} ruleset=${/** @type {any} */ (ruleset)} />`;
}

/** @param {{ lesson: Lesson, ruleset: Schemas["KnownRulesetId"] }} properties */
function Told({ lesson, ruleset }) {
  useSource(lesson);
  const shown = useShown(lesson);
  // The next command follows when the table has shown the last one.
  useEffect(() => {
    if (lesson.isBehind && shown.isPresent) lesson.feed();
  });
  useEffect(() => shown.continue(), [lesson.at]);
  const view = shown.view ?? lesson.view;
  const isSmall = innerHeight < 700;
  const hasRoom = !isSmall && innerWidth < 700;
  // The result of a round holds what comes after it, and may be what is spoken of. On small pages it covers what is said.
  const isShown = shown.isPresent || (shown.isHeld && shown.seq >= lesson.step.until);
  const isReady = !lesson.isBehind && isShown && !(isSmall && shown.round);
  const places = usePlaces(view, ownSeat(view), hasRoom ? COACH_PX : 0);
  const send = (/** @type {Command} */ command) => lesson.send(command);
  const refuse = async (/** @type {Command} */ command) => {
    const problem = shown.isPresent ? await lesson.check(command) : null;
    if (problem) lesson.remark(reason(problem));
    else shown.hurry();
  };
  return html`<div class="game lesson" data-status=${view.status} data-version=${view.version} data-step=${shown.step?.kind ?? ""}
    data-points=${isReady ? lesson.step.points : undefined}>
    <div class="felt-bar">
      <h1>${t("learn.lesson", { ruleset: lesson.texts.title })}</h1>
      ${view.round ? html`<${RoundPills} round=${view.round} />` : null}
      <div class="felt-bar-end">
        <span>${t("learn.step", { step: lesson.at + 1, of: lesson.steps.length })}</span>
        <a href=${`/rules/${ruleset}`}>${t("learn.leave")}</a>
      </div>
    </div>
    <${Coach} lesson=${lesson} ruleset=${ruleset} isReady=${isReady} isSmall=${isSmall} />
    <${Play} shown=${shown} view=${view} places=${places} send=${send} onRefused=${refuse} />
  </div>`;
}

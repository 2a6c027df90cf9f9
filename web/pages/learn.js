// The first game that teaches: a recorded game, with what is said about it, and the learner's choices.

import { language, loadArea, t } from "../i18n/index.js";
import { Coach } from "../learn/coach.js";
import { Lesson } from "../learn/lesson.js";
import { Calls } from "../table/calls.js";
import { Hand } from "../table/hand.js";
import { Seats } from "../table/seats.js";
import { html, useEffect, useSource, useState } from "../view.js";

await loadArea("learn");

const LESSONS = ["plain", "nineteen"];

/** @param {string} ruleset @returns {Promise<Lesson>} */
async function lessonOf(ruleset) {
  const [recording, texts] = await Promise.all([
    import(`../learn/texts/games/${ruleset}.js`),
    import(`../learn/texts/${language()}/lesson_${ruleset}.js`),
  ]);
  return new Lesson(recording.default, texts.default);
}

/** @param {{ parameters: Record<string, string> }} properties */
export default function LearnPage({ parameters }) {
  const ruleset = LESSONS.find((one) => one === parameters.ruleset) ?? "plain";
  const [lesson, setLesson] = useState(/** @type {Lesson | null} */ (null));
  useEffect(() => void lessonOf(ruleset).then(setLesson), [ruleset]);
  return lesson && html`<${Told} lesson=${lesson} ruleset=${/** @type {any} */ (ruleset)} />`;
}

/** @param {{ lesson: Lesson, ruleset: import("../schema").components["schemas"]["KnownRulesetId"] }} properties */
function Told({ lesson, ruleset }) {
  useSource(lesson);
  const { view } = lesson;
  useEffect(() => {
    if (lesson.isBehind) lesson.feed();
  });
  const own = view.you?.seat ?? 0;
  const send = (/** @type {import("../game/store.js").Command} */ command) => lesson.send(command);
  const calls = view.legal.filter((command) => command.type !== "play");
  return html`<div class="game lesson" data-status=${view.status} data-version=${view.version}>
    <h1>${t("learn.lesson", { ruleset: lesson.texts.title })}</h1>
    <${Coach} lesson=${lesson} ruleset=${ruleset} />
    <${Seats} view=${view} own=${own} pending=${null} />
    ${calls.length > 0 ? html`<${Calls} commands=${calls} send=${send} />` : null}
    <${Hand} cards=${view.round?.hands[own]?.cards ?? []} legal=${view.legal} pending=${null} send=${send} />
  </div>`;
}

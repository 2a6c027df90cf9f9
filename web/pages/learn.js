// The first game that teaches: a recorded game, with what is said about it, and the learner's choices.

import { language, loadArea, t } from "../i18n/index.js";
import { Coach } from "../learn/coach.js";
import { Lesson } from "../learn/lesson.js";
import { useShown } from "../show/shown.js";
import { usePlaces } from "../table/felt.js";
import { ownSeat } from "../table/names.js";
import { Play } from "../table/play.js";
import { html, useEffect, useSource, useState } from "../view.js";

await Promise.all([loadArea("learn"), loadArea("felt")]);

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
  const shown = useShown(lesson);
  useEffect(() => {
    if (lesson.isBehind) lesson.feed();
  });
  const view = shown.view ?? lesson.view;
  const isRoomy = innerHeight >= 700 && innerWidth < 700;
  const places = usePlaces(view, ownSeat(view), isRoomy ? COACH_PX : 0);
  const send = (/** @type {import("../game/store.js").Command} */ command) => lesson.send(command);
  return html`<div class="game lesson" data-status=${view.status} data-version=${view.version} data-step=${shown.step?.kind ?? ""}>
    <div class="felt-bar"><h1>${t("learn.lesson", { ruleset: lesson.texts.title })}</h1></div>
    <${Coach} lesson=${lesson} ruleset=${ruleset} isReady=${shown.isPresent} />
    <${Play} shown=${shown} view=${view} places=${places} send=${send} onRefused=${() => shown.hurry()} />
  </div>`;
}

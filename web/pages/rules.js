// The rules as a person tells them at a table: `/rules` lists them, with the words of the game, and `/rules/{id}` has one.

import { playAgainstBots } from "../game/tables.js";
import { here } from "../here.js";
import { language, loadArea, t } from "../i18n/index.js";
import { words } from "../learn/explanation.js";
import { Line, Prose } from "../learn/prose.js";
import { Refusal, useTask } from "../parts/requests.js";
import { html, loadStyle, useEffect, useState } from "../view.js";

await Promise.all([loadArea("learn"), loadStyle("learn")]);

/** From the simplest to the richest. The first ones have a first game. @type {Schemas["KnownRulesetId"][]} */
const RULESETS = ["plain", "nineteen", "squares", "kabooot", "double-risk"];
const LESSONS = RULESETS.slice(0, 2);

/** What a module of texts has, once it is loaded. @template T @param {() => Promise<T>} load @param {string} key */
function useTexts(load, key) {
  const [texts, setTexts] = useState(/** @type {T | null} */ (null));
  useEffect(() => {
    let isCurrent = true;
    load().then((loaded) => isCurrent && setTexts(loaded));
    return () => void (isCurrent = false);
  }, [key]);
  return texts;
}

/** @param {string} id @returns {Promise<string>} */
const told = async (id) => (await import(`../learn/texts/${language()}/${id}.js`)).default;

/** @param {{ id?: string }} properties */
export default function RulesPage({ id }) {
  const known = RULESETS.find((one) => one === id);
  if (known) return html`<${OneRuleset} id=${known} />`;
  if (id)
    return html`<h1>${t("learn.rules")}</h1><p>${t("learn.missing")}</p><p><a href="/rules">${t("learn.back")}</a></p>`;
  return html`<${AllRulesets} />`;
}

/** @param {{ id: Schemas["KnownRulesetId"] }} properties */
function OneRuleset({ id }) {
  const text = useTexts(() => told(id), id);
  const task = useTask();
  const play = () => task.run(async () => here.go(`/games/${(await playAgainstBots(id, true)).id}`));
  if (!text) return null;
  const title = titleOf(text);
  return html`<article class="rules">
    <${Prose} text=${text} />
    <h2>${t("learn.rules")}</h2>
    <p>${t("learn.bookAbout")}</p>
    <ul class="told">
      <li><a href=${`/rules/${id}/book`}>${t("learn.book", { ruleset: title })}</a></li>
      <li><a href="/rules/common/book">${t("learn.bookRules")}</a></li>
      <li><a href="/rules/options/book">${t("learn.bookOptions")}</a></li>
    </ul>
    <${Refusal} error=${task.error} />
    <div class="row">
      ${LESSONS.includes(id) ? html`<a class="button" href=${`/learn/${id}`}>${t("learn.start", { ruleset: title })}</a>` : null}
      <button class=${LESSONS.includes(id) ? "quiet" : ""} disabled=${task.busy} onClick=${play}>${t("learn.play")}</button>
      <a class="button quiet" href="/rules">${t("learn.back")}</a>
    </div>
  </article>`;
}

/** @param {string} text */
const titleOf = (text) => /^# (.*)$/m.exec(text)?.[1] ?? "";

/** The first paragraph. @param {string} text */
const leadOf = (text) => text.trim().split(/\n\s*\n/)[1] ?? "";

function AllRulesets() {
  const texts = useTexts(() => Promise.all(RULESETS.map(told)), "all");
  const entries = useTexts(words, "words");
  if (!texts || !entries) return null;
  const { words: own = [], options = [] } = Object.groupBy(Object.entries(entries), ([key]) =>
    key.includes(".") ? "options" : "words",
  );
  const glossary = (/** @type {string} */ title, /** @type {typeof own} */ group) => html`<h2>${t(title)}</h2>
    <dl class="glossary">${group.map(
      ([key, { name, text }]) => html`<div key=${key} id=${key}><dt>${name}</dt><dd>${text}</dd></div>`,
    )}</dl>`;
  return html`<article class="rules">
    <h1>${t("learn.rules")}</h1>
    <p>${t("learn.rulesAbout")}</p>
    <section class="panel">
      <h2>${t("learn.first")}</h2>
      <p>${t("learn.firstAbout")}</p>
      <div class="row">${LESSONS.map(
        (id, index) => html`<a key=${id} class=${index === 0 ? "button" : "button quiet"} href=${`/learn/${id}`}>
        ${t("learn.start", { ruleset: titleOf(texts[index] ?? "") })}</a>`,
      )}</div>
    </section>
    <ul class="list grid">
      ${RULESETS.map(
        (id, index) => html`<li key=${id} class="panel">
        <h2><a href=${`/rules/${id}`}>${titleOf(texts[index] ?? "")}</a></h2>
        <p><${Line} text=${leadOf(texts[index] ?? "")} /></p>
      </li>`,
      )}
    </ul>
    ${glossary("learn.words", own)} ${glossary("learn.options", options)}
  </article>`;
}

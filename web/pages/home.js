// The first page: play at once, learn the game, and one's own games.

import { session } from "../api/session.js";
import { here } from "../here.js";
import { loadArea, t } from "../i18n/index.js";
import { Refusal, useRulesets, useTask } from "../parts/requests.js";
import { html, lazy, loadStyle, useEffect, useSource, useState } from "../view.js";

await Promise.all([loadArea("home"), loadStyle("home")]);

const tables = () => import("../game/tables.js");

// Who comes for the first time has no games.
const Invitations = lazy(async () => (await import("../people/invitations.js")).Invitations);
const Standing = lazy(async () => (await import("../people/standing.js")).Standing);
const OwnGames = lazy(async () => (await import("../parts/own_games.js")).OwnGames);

export default function Home() {
  useSource(session);
  const task = useTask();
  const [isShort, setShort] = useState(true);
  const { rulesets, error } = useRulesets();
  // The table is loaded while the player reads. What cannot be loaded now is loaded when it is needed.
  useEffect(() => {
    import("./table.js").catch(() => {});
    tables().catch(() => {});
  }, []);
  const play = (/** @type {any} */ ruleset) =>
    task.run(async () => here.go(`/games/${(await (await tables()).playAgainstBots(ruleset, isShort)).id}`));
  return html`
    ${session.account && !task.busy ? html`<${Standing} /><${Invitations} /><${OwnGames} key=${session.account.id} />` : null}
    <section class="hero">
      <div class="suits" aria-hidden="true"><span>♠</span><span>♥</span><span>♦</span><span>♣</span></div>
      <h1>${t("home.title")}</h1>
      <p>${t("home.about")}</p>
      <div class="row">
        <button class="play" disabled=${task.busy} onClick=${() => play("plain")}>${t(task.busy ? "home.opens" : "home.play")}</button>
        <a class="button" href="/learn/plain">${t("home.learn")}</a>
        <a class="button" href="/rules">${t("home.rules")}</a>
      </div>
      <p>${session.isOpen ? "" : t("home.playAbout")} <a href="/learn/plain">${t("home.first")}</a></p>
    </section>
    <${Refusal} error=${task.error} />
    <section class="panel">
      <div class="row spread">
        <h2>${t("home.rulesets")}</h2>
        <label class="check"><input type="checkbox" checked=${isShort} onChange=${() => setShort(!isShort)} /> ${t("home.short")}</label>
      </div>
      <${Refusal} error=${error} />
      <ul class="list grid">
        ${rulesets.map(
          (one) => html`<li key=${one.id} class="way">
          <h3>${one.title}</h3>
          <p><small>${one.description}</small></p>
          <div class="row">
            <button class="quiet" disabled=${task.busy} onClick=${() => play(one.id)}>
              ${t("home.against")}<span class="hidden">: ${one.title}</span></button>
            <a href=${`/rules/${one.id}`}>${t("shell.rules")}<span class="hidden">: ${one.title}</span></a>
          </div>
        </li>`,
        )}
      </ul>
    </section>
    <section class="row">
      <a class="button" href="/lobby">${t("home.people")}</a>
      <a class="button quiet" href="/new">${t("home.new")}</a>
      <a class="button quiet" href="/leaderboard">${t("shell.leaderboard")}</a>
    </section>`;
}

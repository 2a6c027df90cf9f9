// The audit page: verifies a bundle or a history in this browser. Needs no server once the page is loaded.

import { api } from "../api/client.js";
import { loadArea, t } from "../i18n/index.js";
import { useTitle } from "../parts/page.js";
import { Refusal, useTask } from "../parts/requests.js";
import { Save } from "../parts/share.js";
import { Verdict, verdictOf } from "../records/checks.js";
import { Viewer } from "../records/viewer.js";
import { verify } from "../verify/index.js";
import { html, loadStyle, submitted, useEffect, useState, valued } from "../view.js";

await Promise.all([
  loadArea("records"),
  loadArea("score"),
  loadArea("table"),
  loadStyle("cards"),
  loadStyle("records"),
  loadStyle("replay"),
]);

export default function CheckPage() {
  useTitle(t("shell.check"));
  const [input, setInput] = useState({ name: "", text: "" });
  // The keys of this server until a file is chosen. A bundle has its own.
  const [keys, setKeys] = useState({ from: "", jwks: /** @type {Schemas["Jwks"] | null} */ (null), isPinned: false });
  const [report, setReport] = useState(
    /** @type {(import("../verify/index.js").Report & { text: string }) | null} */ (null),
  );
  const [shown, setShown] = useState(-1);
  const task = useTask();
  useEffect(() => {
    api("GET", "/.well-known/jwks.json", { anonymous: true }).then(
      (jwks) => setKeys((before) => (before.jwks ? before : { from: location.host, jwks, isPinned: false })),
      () => {},
    );
  }, []);
  const open = (/** @type {File | undefined} */ file) =>
    file && task.run(async () => setInput({ name: file.name, text: await file.text() }));
  const openKeys = (/** @type {File | undefined} */ file) =>
    file &&
    task.run(async () => {
      const jwks = JSON.parse(await file.text());
      setKeys({ from: file.name, jwks: Array.isArray(jwks?.keys) ? jwks : null, isPinned: true });
    });
  const check = submitted(() => {
    setReport(null);
    task.run(async () => {
      const found = await verify(input.text, { keys: keys.jwks, isPinned: keys.isPinned });
      setReport({ ...found, text: input.text });
      setShown(found.games.length === 1 ? 0 : -1);
      if (found.isMalformed || found.games.length === 0) throw t(found.isCut ? "check.cut" : "check.empty");
    });
  });
  const games = report?.games ?? [];
  return html`<h1>${t("shell.check")}</h1>
    <p>${t("check.about")}</p>
    <form class="panel check-form" onSubmit=${check} onDragOver=${(/** @type {Event} */ event) => event.preventDefault()}
      onDrop=${(/** @type {DragEvent} */ event) => {
        event.preventDefault();
        open(event.dataTransfer?.files[0]);
      }}>
      <label><span>${t("check.file")}</span>
        <input type="file" accept=".ndjson,.json,.txt" onChange=${(/** @type {any} */ { target }) => open(target.files[0])} />
        <small>${input.name ? input.name : t("check.drop")}</small></label>
      <label><span>${t("check.paste")}</span>
        <textarea rows="3" dir="ltr" spellcheck=${false} value=${input.name ? "" : input.text}
          onInput=${valued((text) => setInput({ name: "", text }))}></textarea></label>
      <label><span>${t("check.keys")}</span>
        <input type="file" accept=".json" onChange=${(/** @type {any} */ { target }) => openKeys(target.files[0])} />
        <small>${!keys.jwks ? t("check.noKeys") : keys.isPinned ? keys.from : t("check.fromServer", { from: keys.from })}</small></label>
      <button disabled=${task.busy || input.text.trim() === ""}>${t(task.busy ? "check.running" : "check.run")}</button>
    </form>
    <${Refusal} error=${task.error} />
    <p role="status" class="hidden">${games.map(verdictOf).join(" ")}</p>
    <ul class="list">
      ${games.map(
        (game, at) => html`<li key=${at} class="panel row spread">
        <span><${Verdict} game=${game} /><code>${game.id}</code></span>
        <button class="quiet" aria-expanded=${shown === at} disabled=${game.events.length === 0}
          onClick=${() => setShown(shown === at ? -1 : at)}>${t("replay.title")}</button></li>`,
      )}
    </ul>
    ${games[shown] ? html`<${Viewer} key=${shown} game=${games[shown]} />` : null}
    ${
      report && games.length === 1 && games[0]?.isBundle
        ? html`<section class="panel"><${Save} id=${games[0].id} text=${report.text} isBundle /></section>`
        : null
    }`;
}

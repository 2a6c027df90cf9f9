// How players find each other: by name, by friend code, and what the player allows.

import { api } from "../api/client.js";
import { loadArea, t } from "../i18n/index.js";
import { Check } from "../parts/fields.js";
import { Refusal, useTask } from "../parts/requests.js";
import { Copy } from "../parts/share.js";
import { html, submitted, useState, valued } from "../view.js";

await loadArea("people");

/** @typedef {Schemas["Person"]} Person */
/** @typedef {Schemas["PeopleSettings"]} PeopleSettings */

/** The form of a friend code: 12 digits and letters. */
const CODE = /^[0-9a-z]{12}$/i;

/**
 * The players with a name, and the one with a friend code, which is given for that one.
 * @param {string} text @returns {Promise<{ player: Person, code: string }[]>}
 */
async function find(text) {
  const ask = async (/** @type {"name" | "code"} */ by) => {
    const { items } = await api("GET", "/v1/people", { query: { [by]: text } });
    return items.map((player) => ({ player, code: by === "code" ? text : "" }));
  };
  const found = CODE.test(text) ? await ask("code") : [];
  return found.length > 0 ? found : ask("name");
}

/** @param {{ end: (player: Person, code: string) => unknown }} properties `end` makes the end of a line */
export function Finder({ end }) {
  const task = useTask();
  const [text, setText] = useState("");
  const [found, setFound] = useState(/** @type {Awaited<ReturnType<typeof find>> | null} */ (null));
  const submit = submitted(() => {
    void task.run(async () => setFound(await find(text.trim())));
  });
  return html`<form class="panel fields" data-list="found" onSubmit=${submit}>
    <h2>${t("friends.find")}</h2>
    <label><span>${t("friends.findBy")}</span>
      <input name="find" dir="auto" autocomplete="off" required maxlength="40" value=${text}
        onInput=${valued(setText)} /></label>
    <${Refusal} error=${task.error} />
    <div class="row"><button disabled=${task.busy}>${t("friends.search")}</button></div>
    <p role="status">${found?.length === 0 ? t("friends.nobody") : ""}</p>
    ${
      found &&
      html`<ul class="list">${found.map(
        ({ player, code }) => html`<li key=${player.id} class="row spread">
      <a href=${`/players/${player.id}`}><bdi>${player.name}</bdi></a>${end(player, code)}</li>`,
      )}</ul>`
    }
  </form>`;
}

/** The code by which others find the player. @param {{ code: string | null, reload: () => void }} properties */
export function FriendCode({ code, reload }) {
  const task = useTask();
  const send = (/** @type {"POST" | "DELETE"} */ method) =>
    task.run(async () => {
      await api(method, "/v1/me/friend-code");
      reload();
    });
  return html`<section class="panel" data-list="code">
    <h2>${t("friends.code")}</h2>
    <p>${t("friends.codeAbout")}</p>
    ${code && html`<p><${Copy} key=${code} value=${code} label=${t("friends.code")} /></p>`}
    <${Refusal} error=${task.error} />
    <div class="row">
      <button class=${code ? "quiet" : ""} disabled=${task.busy}
        onClick=${() => send("POST")}>${t(code ? "friends.codeNew" : "friends.codeMake")}</button>
      ${code && html`<button class="quiet" disabled=${task.busy} onClick=${() => send("DELETE")}>${t("friends.codeRemove")}</button>`}
    </div>
  </section>`;
}

/** What the player shows and takes. @param {{ settings: PeopleSettings }} properties */
export function Choices({ settings }) {
  const task = useTask();
  const [changed, setChanged] = useState(/** @type {PeopleSettings | null} */ (null));
  const chosen = changed ?? settings;
  const choose = (/** @type {Partial<PeopleSettings>} */ change) =>
    task.run(async () => {
      const next = { ...chosen, ...change };
      setChanged(next);
      await api("PUT", "/v1/me/people/settings", { body: next }).catch((error) => {
        setChanged(null);
        throw error;
      });
    });
  /** @type {(keyof PeopleSettings)[]} */
  const names = ["shows_presence", "found_by_name", "takes_requests"];
  return html`<section class="panel fields" data-list="choices">
    <h2>${t("friends.choices")}</h2>
    ${names.map(
      (
        name,
      ) => html`<${Check} key=${name} name=${name} label=${t(`friends.${name}`)} about=${t(`friends.${name}.about`)}
      checked=${chosen[name]} onChange=${(/** @type {boolean} */ wanted) => choose({ [name]: wanted })} />`,
    )}
    <${Refusal} error=${task.error} />
  </section>`;
}

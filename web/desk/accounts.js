// The search for accounts. What was searched for is in the address, so that the way back leads to the result.

import { here } from "../here.js";
import { t } from "../i18n/index.js";
import { html, submitted } from "../view.js";
import { Listed, Person, useSection, when } from "./parts.js";

/** What an account may do, in words. @param {{ may_talk: boolean, may_play: boolean }} account */
export const standing = ({ may_talk, may_play }) => t(`desk.may.${may_play ? (may_talk ? "all" : "play") : "nothing"}`);

export function Accounts() {
  const words = new URLSearchParams(location.search).get("q") ?? "";
  const submit = submitted((form) => {
    const values = new FormData(form);
    here.go(`/desk/accounts?${new URLSearchParams({ q: String(values.get("q")).trim() })}`);
  });
  return html`<h1>${t("desk.accounts")}</h1>
    <form key=${`by ${words}`} class="panel search" role="search" onSubmit=${submit}>
      <label><span>${t("desk.search.account")}</span>
        <input name="q" type="search" dir="auto" required maxlength="64" autocomplete="off" defaultValue=${words} /></label>
      <button>${t("desk.search")}</button>
    </form>
    ${words && html`<${Found} key=${words} words=${words} />`}`;
}

/** @param {{ words: string }} properties */
function Found({ words }) {
  const { data, state } = useSection("/v1/admin/accounts", { query: { q: words } });
  const found = data?.items;
  return html`${state}${
    found &&
    html`<${Listed} name="found" columns=${["name", "username", "kind", "role", "standing", "created_at"]}
    rows=${found.map((one) => [
      html`<${Person} person=${{ id: one.id, name: one.display_name }} />`,
      one.username,
      t(`desk.kind.${one.kind}`),
      t(`desk.role.${one.role}`),
      standing(one),
      when(one.created_at),
    ])} />`
  }`;
}

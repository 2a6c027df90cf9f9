// What auditors read: the entries of the public log, opened, and who read which record.

import { number, t } from "../i18n/index.js";
import { html } from "../view.js";
import { GameLink, Listed, short, usePages, when, yes } from "./parts.js";

/** The entries of all games in the public log, also those that it has as a hash alone. For auditors. */
export function Entries() {
  const { items: entries, state, more } = usePages("/v1/audit/games");
  const row = (/** @type {Schemas["OpenedEntry"]} */ { index, game, entry, salt }) => {
    const { type, at } = JSON.parse(entry);
    return [number(index), t(`desk.entry.${type}`), html`<${GameLink} id=${game} />`, when(at), yes(salt !== null)];
  };
  return html`<h1>${t("desk.entries")}</h1>${state}
    ${
      entries &&
      html`<${Listed} name="entries" isWhole columns=${["index", "entry", "game", "at", "sealed"]}
      rows=${entries.map(row)} />`
    }${more}`;
}

/** The accesses of auditors to records, the newest first. For admins. */
export function Accesses() {
  const { items: accesses, state, more } = usePages("/v1/audit/accesses");
  const row = (/** @type {Schemas["Access"]} */ { account, game, version, at }) => [
    when(at),
    html`<a href=${`/desk/accounts/${account}`}>${short(account)}</a>`,
    html`<${GameLink} id=${game} />`,
    number(version),
  ];
  return html`<h1>${t("desk.accesses")}</h1>${state}
    ${accesses && html`<${Listed} name="accesses" isWhole columns=${["at", "by", "game", "readTo"]} rows=${accesses.map(row)} />`}${more}`;
}

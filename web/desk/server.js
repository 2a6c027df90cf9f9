// What runs: nodes, checked backups, and the settings.

import { number, t } from "../i18n/index.js";
import { html } from "../view.js";
import { Listed, short, useSection, when } from "./parts.js";

export function Nodes() {
  const { data, state } = useSection("/v1/admin/nodes", { seconds: 15 });
  const nodes = data?.items;
  return html`<h1>${t("desk.nodes")}</h1>${state}
    ${
      nodes &&
      html`<${Listed} name="nodes" isWhole columns=${["node", "state", "version", "format", "started_at", "seen_at", "waits"]}
      rows=${nodes.map((one) => [
        short(one.id),
        html`<bdi>${one.state}</bdi>`,
        html`<bdi dir="ltr">${one.version}</bdi>`,
        number(one.format),
        when(one.started_at),
        when(one.seen_at),
        t("desk.milliseconds", { count: one.waits_ms }),
      ])} />`
    }`;
}

export function Backups() {
  const { data, state } = useSection("/v1/admin/backups");
  const backups = data?.items;
  return html`<h1>${t("desk.backups")}</h1><p>${t("desk.backups.about")}</p>${state}
    ${
      backups &&
      html`<${Listed} name="backups" isWhole columns=${["made_at", "checked_at", "kind", "games", "size"]}
      rows=${backups.map((one) => [when(one.made_at), when(one.checked_at), one.kind, number(one.games), number(one.log_size)])} />`
    }`;
}

/** The settings of the node that answers. Secrets are not among them. */
export function Settings() {
  const { data, state } = useSection("/v1/admin/settings");
  const settings = data?.items;
  return html`<h1>${t("desk.settings")}</h1><p>${t("desk.settings.about")}</p>${state}
    ${
      settings &&
      html`<${Listed} name="settings" isWhole columns=${["flag", "value", "source"]}
      rows=${settings.map(({ flag, value, source }) => [
        html`<code dir="ltr">${flag}</code>`,
        value && html`<div class="details"><code dir="ltr">${value}</code></div>`,
        source && t(`desk.source.${source}`),
      ])} />`
    }`;
}

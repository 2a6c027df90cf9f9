// Who waits for a game: in the queues, and at tables that have not begun.

import { number, t } from "../i18n/index.js";
import { html } from "../view.js";
import { GameLink, Listed, useSection, when, yes } from "./parts.js";

export function Queues() {
  const { data: found, state } = useSection("/v1/admin/queues", { seconds: 15 });
  return html`<h1>${t("desk.queues")}</h1>${state}
    ${
      found &&
      html`<${Listed} name="waiting" columns=${["ruleset", "players", "waiting_players", "since", "accepts_bots", "game"]}
        rows=${found.queues.map((one) => [
          one.ruleset,
          number(one.players),
          number(one.waiting),
          when(one.since),
          yes(one.accepts_bots),
          html`<${GameLink} id=${one.game} />`,
        ])} />
      <${Listed} name="tables" columns=${["game", "ruleset", "taken", "visibility", "opened_at"]}
        rows=${found.tables.map((one) => [
          html`<${GameLink} id=${one.game} />`,
          one.ruleset,
          t("lobby.seats", { taken: one.taken, players: one.players }),
          t(`desk.visibility.${one.visibility}`),
          when(one.opened_at),
        ])} />`
    }`;
}

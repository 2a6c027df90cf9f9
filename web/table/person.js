// The menu on the seat of another person.

import { isolated, loadArea, t } from "../i18n/index.js";
import { Relations } from "../people/relate.js";
import { html, loadStyle } from "../view.js";
import { Popover, usePopover } from "./popover.js";

await Promise.all([loadArea("people"), loadStyle("people")]);

/** @param {{ player: Schemas["Person"], game: string, isTurn: boolean }} properties */
export function PersonMenu({ player, game, isTurn }) {
  const popover = usePopover(isTurn);
  const mark = html`<span aria-hidden="true">⋯</span>`;
  return html`<${Popover} popover=${popover} kind="about" title=${t("person.menu", { name: isolated(player.name) })} mark=${mark}>
    <div class="menu">
      <strong><bdi>${player.name}</bdi></strong>
      <a class="button quiet" href=${`/players/${player.id}`}>${t("person.profile")}</a>
      <${Relations} player=${player} game=${game} />
    </div>
  </${Popover}>`;
}

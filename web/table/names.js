// What the players of a table are called in sentences.

import { t } from "../i18n/index.js";

/** @typedef {import("../game/store.js").GameView} GameView */

/** The number of the viewer's position; null for those who watch. @param {GameView} view */
export const ownSeat = (view) => view.you?.seat ?? view.you?.place ?? null;

/** The names by seat, isolated, so that Arabic and Latin names do not turn a line around. @param {GameView} view */
export const namesOf = (view) => view.seats.map(({ player }) => `\u2068${player?.name ?? t("table.free")}\u2069`);

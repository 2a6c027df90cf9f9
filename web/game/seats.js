// Who sits where, what they are called in sentences, and who must act.

import { isolated, t } from "../i18n/index.js";

/** The number of the viewer's position; null for those who watch. @param {GameView} view */
export const ownSeat = ({ you }) => you?.seat ?? you?.place ?? null;

/** The number of the position that must act. @param {GameView} view */
export const acting = ({ round }) => round?.to_act?.seat ?? round?.to_act?.place;

/** The isolated names by seat. @param {GameView} view */
export const namesOf = (view) => view.seats.map(({ player }) => isolated(player?.name ?? t("table.free")));

/** The largest hand of a game: that of `nineteen` has ten cards. @param {GameView} view */
export const slotsOf = ({ ruleset, round }) => (ruleset.id === "nineteen" ? 10 : Math.max(13, round?.hand_size ?? 0));

/**
 * The other seats from left to right. In clockwise play the next player sits on the left.
 * @param {GameView} view
 * @param {number} own
 */
export function around({ seats, direction }, own) {
  const others = seats.map((_, offset) => (own + offset) % seats.length).slice(1);
  return direction === "clockwise" ? others : others.reverse();
}

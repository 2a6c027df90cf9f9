// Who sits where, and who must act.

/** @typedef {import("../schema").components["schemas"]["GameView"]} GameView */

/**
 * The other seats from left to right. In clockwise play the next player sits on the left.
 * @param {Pick<GameView, "seats" | "direction">} view
 * @param {number} own the seat at the bottom
 */
export function around({ seats, direction }, own) {
  const others = seats.map((_, offset) => (own + offset) % seats.length).slice(1);
  return direction === "clockwise" ? others : others.reverse();
}

/** The number of the position that must act. @param {GameView} view */
export function acting(view) {
  const turn = view.round?.to_act;
  return turn?.seat ?? turn?.place;
}

/** The largest hand of a game: that of `nineteen` has ten cards. @param {GameView} view */
export const slotsOf = ({ ruleset, round }) => (ruleset.id === "nineteen" ? 10 : Math.max(13, round?.hand_size ?? 0));

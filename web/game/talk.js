// What players say at a table beside the game: reactions of a fixed set, which the stream sends and the record does not have.

import { api } from "../api/client.js";
import { Source } from "../source.js";

/** How long a reaction is shown. */
const SHOWN_MS = 4_000;

/** The server takes one reaction in this time. */
const PAUSE_MS = 3_000;

/** @typedef {{ position: { seat?: number, place?: number }, reaction: string }} Heard a reaction as the stream sends it */
/** @typedef {{ id: number, seat: number, text: string, symbol: string | null }} Said `seat`: the number of the position */

export class Talk extends Source {
  /** The set, in the language of the page. @type {Schemas["ReactionText"][]} */
  all = [];
  /** What is shown, at most one for each seat. @type {Said[]} */
  said = [];
  /** The last reaction, for screen readers. @type {Said | null} */
  last = null;
  /** Whether the player must wait before the next reaction. */
  isPausing = false;
  count = 0;

  /** @param {Pick<Game, "id" | "onReaction">} game */
  constructor(game) {
    super();
    this.id = game.id;
    game.onReaction = (said) => void this.hear(said);
  }

  /** Loads the set once. */
  async load() {
    if (this.all.length > 0) return;
    this.all = (await api("GET", "/v1/reactions")).items;
    this.changed();
  }

  /** Shows a reaction that the stream sent. A newer version of the server may know more of them. @param {Heard} heard */
  async hear({ position, reaction }) {
    // Without the texts, the sign of a speech bubble says that there was something.
    await this.load().catch(() => {});
    const seat = position.seat ?? position.place ?? 0;
    const { text = "…", symbol = null } = this.all.find((one) => one.reaction === reaction) ?? {};
    this.count += 1;
    const said = { id: this.count, seat, text, symbol };
    this.said = [...this.said.filter((one) => one.seat !== seat), said];
    this.last = said;
    this.changed();
    setTimeout(() => {
      this.said = this.said.filter((one) => one !== said);
      this.changed();
    }, SHOWN_MS);
  }

  /** Says something from the player's seat. @param {string} reaction of the set */
  async say(reaction) {
    const body = /** @type {Schemas["ReactRequest"]} */ ({ reaction });
    await api("POST", "/v1/games/{id}/reactions", { path: { id: this.id }, body, fleeting: true });
    this.isPausing = true;
    this.changed();
    setTimeout(() => {
      this.isPausing = false;
      this.changed();
    }, PAUSE_MS);
  }
}

/** @type {WeakMap<Game, Talk>} */
const talks = new WeakMap();

/** The talk of a game, which the parts of its table share. @param {Game} game */
export function talkOf(game) {
  const talk = talks.get(game) ?? new Talk(game);
  talks.set(game, talk);
  return talk;
}

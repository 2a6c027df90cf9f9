// A player: chooses a command from `legal`, posts it, and acts again when the stream brings something new.

import type { Client } from "openapi-fetch";

import { Keeper } from "./keeper.js";
import { accepted } from "./problem.js";
import { Pauses } from "./retry.js";
import type { components, paths } from "./schema.js";
import { follow, type StreamItem } from "./stream.js";

type Schemas = components["schemas"];

/** Chooses from the legal commands of a view. Without a choice the player waits for the next event. */
export type Choice = (legal: Schemas["Command"][], view: Schemas["GameView"]) => Schemas["Command"] | undefined;

/** The types of commands that this version knows. A later version of the service may list others; leave them out. */
export const knownCommands: ReadonlySet<string> = new Set(
  "choose_seat cut redeal avoid enter_auction blind_dash bid pass dash_call estimate play resume".split(" "),
);

/** A bid of at most four tricks, else a pass, else the first legal command of a known type. */
export const choose: Choice = (legal) => {
  const known = legal.filter(({ type }) => knownCommands.has(type));
  const cheap = known.find(({ type, tricks = 0 }) => type === "bid" && tricks <= 4);
  return cheap ?? known.find(({ type }) => type === "pass") ?? known[0];
};

export class Player {
  /** The number of commands that the server accepted. */
  played = 0;

  /** `keeper` holds the player's seeds and proofs. By default it forgets them when the program ends. */
  constructor(
    private readonly client: Client<paths>,
    private readonly choice: Choice = choose,
    readonly keeper = new Keeper(client),
  ) {}

  /** Plays until the game is over, and returns the last view. `after` resumes the stream after the item with that id. */
  async play(game: string, onItem: (item: StreamItem) => void = () => {}, after = "0"): Promise<Schemas["GameView"]> {
    let view = await this.act(game);
    for await (const item of follow(this.client, game, after)) {
      onItem(item);
      // The view already contains the events up to its version.
      if (item.reset || item.event.seq > view.version) view = await this.act(game);
    }
    return view;
  }

  /** Posts commands as long as it is this player's turn, and returns the last view. Repeats what fails temporarily. */
  async act(game: string): Promise<Schemas["GameView"]> {
    for (const pauses = new Pauses(); ; ) {
      try {
        const view = await this.attempt(game);
        if (view) return view;
      } catch (error) {
        await pauses.after(error);
      }
    }
  }

  /** An error of the choice is not one of the connection, so it ends the game for this player. */
  private decide(view: Schemas["GameView"]): Schemas["Command"] | undefined {
    try {
      return this.choice(view.legal, view);
    } catch (cause) {
      throw new Error("the choice failed", { cause });
    }
  }

  /** Loads the game and acts. Undefined if the game changed meanwhile: the turn timed out, or a seed was opened. */
  private async attempt(game: string): Promise<Schemas["GameView"] | undefined> {
    const path = { id: game };
    const loaded = await this.client.GET("/v1/games/{id}", { params: { path } });
    let view = accepted(loaded);
    let etag = loaded.response.headers.get("ETag") ?? "*";
    for (;;) {
      if (await this.keeper.see(view)) return undefined;
      const body = this.decide(view);
      if (!body) return view;
      const header = { "If-Match": etag, "Idempotency-Key": view.head.hash };
      const answer = await this.client.POST("/v1/games/{id}/commands", { params: { path, header }, body });
      if (answer.response.status === 412) return undefined;
      view = accepted(answer).game ?? view;
      etag = answer.response.headers.get("ETag") ?? "*";
      this.played += 1;
    }
  }
}

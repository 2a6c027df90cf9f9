// A player: chooses a command from `legal`, posts it, and acts again when the stream brings something new.

import type { Client } from "openapi-fetch";

import { accepted } from "./problem.js";
import type { components, paths } from "./schema.js";
import { follow, type StreamItem } from "./stream.js";

type Schemas = components["schemas"];

/** Chooses from the legal commands of a view. Without a choice the player waits for the next event. */
export type Choice = (legal: Schemas["Command"][], view: Schemas["GameView"]) => Schemas["Command"] | undefined;

/** A bid of at most four tricks, else a pass, else the first legal command. */
export const choose: Choice = (legal) => {
  const cheap = legal.find((command) => command.type === "bid" && command.tricks <= 4);
  return cheap ?? legal.find((command) => command.type === "pass") ?? legal[0];
};

export class Player {
  /** The number of commands that the server accepted. */
  played = 0;

  constructor(
    private readonly client: Client<paths>,
    private readonly choice: Choice = choose,
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

  /** Posts commands as long as it is this player's turn, and returns the last view. */
  async act(game: string): Promise<Schemas["GameView"]> {
    const path = { id: game };
    for (;;) {
      const loaded = await this.client.GET("/v1/games/{id}", { params: { path } });
      let view = accepted(loaded);
      let etag = loaded.response.headers.get("ETag") ?? `"${view.version}"`;
      for (;;) {
        const body = this.choice(view.legal, view);
        if (!body) return view;
        const header = { "If-Match": etag, "Idempotency-Key": view.head.hash };
        const answer = await this.client.POST("/v1/games/{id}/commands", { params: { path, header }, body });
        // The game changed meanwhile, for example because the turn's time was over: load it again.
        if (answer.response.status === 412) break;
        view = accepted(answer).game ?? view;
        etag = answer.response.headers.get("ETag") ?? `"${view.version}"`;
        this.played += 1;
      }
    }
  }
}

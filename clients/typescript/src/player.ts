// A player: chooses a command from `legal`, posts it, and acts again when the stream brings the next turn.

import type { Client } from "openapi-fetch";

import { advance, resumeId } from "./advance.js";
import { Keeper } from "./keeper.js";
import { accepted } from "./problem.js";
import { Pauses, repeated } from "./retry.js";
import type { components, paths } from "./schema.js";
import { follow, type StreamItem } from "./stream.js";

type Schemas = components["schemas"];
type GameView = Schemas["GameView"];

/** Chooses from the legal commands of a view. Without a choice the player waits for the next event. */
export type Choice = (legal: Schemas["Command"][], view: GameView) => Schemas["Command"] | undefined;

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

interface Step {
  view: GameView;
  awaited: number;
}

export class Player {
  /** The number of commands that the server accepted. */
  played = 0;

  /** `keeper` holds the player's seeds and proofs. By default it forgets them when the program ends. */
  constructor(
    private readonly client: Client<paths>,
    private readonly choice: Choice = choose,
    readonly keeper = new Keeper(client),
  ) {}

  /**
   * Plays until the game is over, and returns the last view. `after` resumes the stream after the item with that id;
   * without it the stream begins behind the first view.
   */
  async play(game: string, onItem: (item: StreamItem) => void = () => {}, after?: string): Promise<GameView> {
    const account = await this.account();
    let { view, awaited } = await this.step(await this.load(game));
    for await (const item of follow(this.client, game, after ?? resumeId(view))) {
      onItem(item);
      const next = advance(view, account, item);
      if (!next) ({ view, awaited } = await this.step(await this.load(game)));
      else if (next.version > view.version && next.version >= awaited) ({ view, awaited } = await this.step(next));
      else view = next;
    }
    return view;
  }

  /** Loads the game and acts, without a stream, as long as it is this player's turn. Returns the last view. */
  async act(game: string): Promise<GameView> {
    for (;;) {
      const { view, awaited } = await this.step(await this.load(game));
      if (view.version >= awaited) return view;
    }
  }

  /**
   * Acts on a view once. `awaited` is the first version to act on again. After a 412, or a failure that leaves the outcome
   * unknown, loads the view and acts on that.
   */
  private async step(view: GameView): Promise<Step> {
    for (const pauses = new Pauses(); ; ) {
      try {
        const awaited = await this.attempt(view);
        if (awaited !== undefined) return { view, awaited };
      } catch (error) {
        await pauses.after(error);
      }
      view = await this.load(view.id);
    }
  }

  /** The first version to act on again. Undefined if the game changed meanwhile, for example because the turn timed out. */
  private async attempt(view: GameView): Promise<number | undefined> {
    if (await this.keeper.see(view)) return view.version + 1;
    const body = this.decide(view);
    if (!body) return view.version;
    const { version, head } = view;
    // The server compares the first two parts of the entity tag.
    const tag = `"${version}.${head.hash.slice(0, 16)}.${"0".repeat(16)}"`;
    const header = { "If-Match": tag, "Idempotency-Key": head.hash, Prefer: "return=minimal" };
    const params = { path: { id: view.id }, header };
    const answer = await this.client.POST("/v1/games/{id}/commands", { params, body });
    if (answer.response.status === 412) return undefined;
    const done = accepted(answer);
    this.played += 1;
    return done.version;
  }

  /** An error of the choice is not one of the connection, so it ends the game for this player. */
  private decide(view: GameView): Schemas["Command"] | undefined {
    try {
      return this.choice(view.legal, view);
    } catch (cause) {
      throw new Error("the choice failed", { cause });
    }
  }

  private load(game: string): Promise<GameView> {
    const params = { path: { id: game } };
    return repeated(async () => accepted(await this.client.GET("/v1/games/{id}", { params })));
  }

  private async account(): Promise<string> {
    return (await repeated(async () => accepted(await this.client.GET("/v1/me")))).id;
  }
}

// A seat at a table, played from `legal` with the client that openapi-generator's `typescript-fetch` generates.

import { AccountsApi, Configuration, GamesApi, PlayApi } from "../client/index.js";
import type { Command, GameView } from "../client/index.js";

export class Player {
  readonly games: GamesApi;
  readonly play: PlayApi;
  played = 0;

  private constructor(basePath: string, accessToken: string) {
    const configuration = new Configuration({ basePath, accessToken });
    this.games = new GamesApi(configuration);
    this.play = new PlayApi(configuration);
  }

  /** Registers a guest and keeps the access token. */
  static async guest(basePath: string): Promise<Player> {
    const accounts = new AccountsApi(new Configuration({ basePath }));
    const { session } = await accounts.registerGuest({ registerGuestRequest: {} });
    return new Player(basePath, session.accessToken);
  }

  /** Posts commands as long as it is this player's turn, and returns the last view. */
  async act(id: string): Promise<GameView> {
    let view = await this.games.getGame({ id });
    for (let command = choose(view.legal); command; command = choose(view.legal)) {
      // The server compares the version and the hash alone.
      const ifMatch = `"${view.version}.${view.head.hash.slice(0, 16)}.${"0".repeat(16)}"`;
      const answer = await this.play.postCommand({ id, command, ifMatch });
      if (!answer.game) throw new Error("the answer has no game");
      view = answer.game;
      this.played += 1;
    }
    return view;
  }
}

/** The types of commands that this program knows. */
const known = new Set([
  "choose_seat", "cut", "redeal", "avoid", "enter_auction", "blind_dash", "bid", "pass", "dash_call", "estimate", "play",
  "resume",
]);

/** A bid of at most four tricks, else a pass, else the first legal command of a known type. */
function choose(legal: Command[]): Command | undefined {
  const commands = legal.filter((command) => known.has(command.type));
  const cheap = commands.find(({ type, tricks = 0 }) => type === "bid" && tricks <= 4);
  return cheap ?? commands.find(({ type }) => type === "pass") ?? commands[0];
}

// A player with the generated TypeScript client: plays from `legal` and follows the stream.

import createClient, { type Client } from "openapi-fetch";

import type { components, paths } from "../generated/schema.js";

type Schemas = components["schemas"];

/** How long a game may take before something must be wrong, in milliseconds. */
const PATIENCE = 240_000;

/** The value of a success; a problem is thrown with its code. */
function accepted<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) {
    throw new Error(`${answer.response.status} ${answer.response.url}: ${JSON.stringify(answer.error)}`);
  }
  return answer.data;
}

export class Player {
  /** The kinds of events that the stream brought, with how often. */
  readonly heard = new Map<string, number>();
  played = 0;

  private constructor(
    readonly name: string,
    private readonly client: Client<paths>,
  ) {}

  /** Registers and signs in. */
  static async register(url: string, name: string): Promise<Player> {
    const client = createClient<paths>({ baseUrl: url });
    const body = { username: name, password: "plum-kettle-orbit" };
    const { session } = accepted(await client.POST("/v1/accounts", { body }));
    client.use({
      onRequest({ request }) {
        request.headers.set("Authorization", `Bearer ${session.access_token}`);
        return request;
      },
    });
    return new Player(name, client);
  }

  /** Finds the table in the lobby and sits down. */
  async sitDown(game: string): Promise<void> {
    const query = { status: "lobby", ruleset: "double-risk" } as const;
    const lobby = accepted(await this.client.GET("/v1/games", { params: { query } }));
    if (!lobby.items.some((table) => table.id === game)) throw new Error("the table is not in the lobby");
    accepted(await this.client.POST("/v1/games/{id}/seats", { params: { path: { id: game } }, body: {} }));
  }

  async start(game: string): Promise<void> {
    accepted(await this.client.POST("/v1/games/{id}/start", { params: { path: { id: game } } }));
  }

  /** Plays the whole game: acts whenever the stream brings something and it is this player's turn. */
  async play(game: string): Promise<void> {
    await this.act(game);
    for await (const event of this.stream(game)) {
      const kind = event.event.type;
      this.heard.set(kind, (this.heard.get(kind) ?? 0) + 1);
      if (event.event.type === "round_scored") await this.checkScores(game);
      await this.act(game);
    }
  }

  async view(game: string): Promise<Schemas["GameView"]> {
    return accepted(await this.client.GET("/v1/games/{id}", { params: { path: { id: game } } }));
  }

  /** Acts as long as it is this player's turn. */
  private async act(game: string): Promise<void> {
    let view = await this.view(game);
    for (;;) {
      const command = choose(view.legal);
      if (!command) return;
      const answer = await this.client.POST("/v1/games/{id}/commands", {
        params: {
          path: { id: game },
          header: { "If-Match": `"${view.version}"`, "Idempotency-Key": `${this.name}-${view.version}` },
        },
        body: command,
      });
      const played = accepted(answer);
      if (!played.game) throw new Error("the whole answer was asked for");
      this.played += 1;
      view = played.game;
    }
  }

  /** The score sheet and the view agree. */
  private async checkScores(game: string): Promise<void> {
    const sheet = accepted(await this.client.GET("/v1/games/{id}/scores", { params: { path: { id: game } } }));
    const last = sheet.rounds.at(-1);
    if (!last || last.seats.length !== 4) throw new Error("a scored round has four seats");
  }

  /** The events of the game, until it is over; hangs up once on the way and resumes. */
  private async *stream(game: string): AsyncGenerator<Schemas["EventEnvelope"]> {
    let last = 0;
    let idOfLast = "0";
    let hangUpAt = 40;
    for (;;) {
      const answer = await this.client.GET("/v1/games/{id}/stream", {
        params: { path: { id: game }, header: { "Last-Event-ID": idOfLast } },
        parseAs: "stream",
        signal: AbortSignal.timeout(PATIENCE),
      });
      if (answer.response.status === 204) return;
      if (!answer.response.ok || !answer.data) throw new Error(`the stream: ${answer.response.status}`);
      for await (const frame of frames(answer.data)) {
        if (frame.event === "end") return;
        if (frame.event === "reconnect") break;
        if (frame.event === "reset") throw new Error(`the log does not have event ${last} any more`);
        if (frame.id === undefined) continue;
        const event = JSON.parse(frame.data) as Schemas["EventEnvelope"];
        if (event.seq !== last + 1) throw new Error(`event ${event.seq} after ${last}`);
        last = event.seq;
        idOfLast = frame.id;
        yield event;
        if (last >= hangUpAt) {
          hangUpAt = Infinity;
          break;
        }
      }
    }
  }
}

/** The first card, estimate or answer; in an auction the lowest bid, so that rounds are not void. */
function choose(legal: Schemas["Command"][]): Schemas["Command"] | undefined {
  const bid = legal.find((command) => command.type === "bid");
  const cheap = bid?.type === "bid" && bid.tricks <= 4 ? bid : undefined;
  return cheap ?? legal.find((command) => command.type === "pass") ?? legal[0];
}

interface Frame {
  id?: string;
  event?: string;
  data: string;
}

/** The frames of a stream of server-sent events. */
async function* frames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const frame: Frame = { data: "" };
      for (const line of text.slice(0, end).split("\n")) {
        const colon = line.indexOf(": ");
        const [name, value] = [line.slice(0, colon), line.slice(colon + 2)];
        if (name === "id" || name === "event") frame[name] = value;
        if (name === "data") frame.data += value;
      }
      text = text.slice(end + 2);
      yield frame;
    }
  }
}

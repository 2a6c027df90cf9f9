// Holds proof for a player, in a store: own seeds at every table, and what the service said of each game.

import type { Client } from "openapi-fetch";

import { commitmentTo, compare, type Comparison, type Kept, type OwnSeed } from "./comparison.js";
import { hex } from "./hash.js";
import { accepted, ProblemError } from "./problem.js";
import { isTemporary, Pauses } from "./retry.js";
import type { components, paths } from "./schema.js";
import { Collection, MemoryStore, type Store } from "./store.js";

type GameView = components["schemas"]["GameView"];

/** A seed in the store, and the head before it was sent for the first time. */
interface Drawn {
  seed: string;
  openingHead?: components["schemas"]["Head"];
}

/** How many seeds are kept: more than the tables at which a player waits. */
const SEEDS = 200;

/** How many games are kept: the ones that changed last. */
const GAMES = 50;

/** How often is asked for what waits for the public log, in about a minute. The log has an entry after some seconds. */
const LOG_ATTEMPTS = 9;

/** How many commitments are tried. A table that knows them all is not one to commit at. */
const DRAWS = 3;

export class Keeper {
  private readonly seeds: Collection<Drawn>;
  private readonly games: Collection<Kept>;
  /** The games whose proof of the start was asked for. */
  private readonly starts = new Map<string, Promise<void>>();
  /** Commitments that their tables did not show yet, by game. */
  private readonly unshown = new Map<string, string>();
  /** Tables at which a commitment of another device was replaced. Two devices must not do so in turn. */
  private readonly replaced = new Set<string>();

  /**
   * A store that fails keeps nothing, and `onStoreError` is called: the player then goes without a seed, because a game
   * never starts without a seed that a player committed to.
   */
  constructor(
    private readonly client: Client<paths>,
    store: Store = new MemoryStore(),
    public onStoreError: (error: unknown) => unknown = () => {},
  ) {
    const onError = (error: unknown): unknown => this.onStoreError(error);
    this.seeds = new Collection(store, "estimation.seeds", SEEDS, onError);
    this.games = new Collection(store, "estimation.games", GAMES, onError);
  }

  /**
   * Draws a seed, keeps it and returns its commitment, for the `seed_commitment` of a request that takes a seat. Null if
   * the store failed.
   */
  async newCommitment(): Promise<string | null> {
    const seed = hex(crypto.getRandomValues(new Uint8Array(32)));
    const commitment = (await commitmentTo(seed)) ?? "";
    return (await this.seeds.update(commitment, () => ({ seed }))) ? commitment : null;
  }

  /**
   * Takes a view of a game in which the player has a seat. Keeps its head and its promise, commits to a seed before the
   * start, and opens it during the opening; the head from before that is kept too. `Player` calls this for every view.
   * True if the table changed: load it again.
   */
  async see(view: GameView): Promise<boolean> {
    if (view.you === null) return false;
    const isLobby = view.status === "lobby";
    const seed = isLobby ? await this.ownSeed(view) : undefined;
    await this.games.update(view.id, ({ seed: former, ...before } = {}) => {
      // The 16 digits of a hash that a stream has prove too little.
      const isNewer = view.head.hash.length > 16 && view.head.seq > (before.head?.seq ?? 0);
      const after: Kept = isNewer ? { ...before, head: view.head } : before;
      if (view.log) after.promise ??= view.log;
      const own = isLobby ? seed : former;
      return own ? { ...after, seed: own } : after;
    });
    if (view.log && !this.starts.has(view.id)) this.starts.set(view.id, this.proveStart(view.id));
    return isLobby && this.tend(view);
  }

  /** What is kept of a game. */
  async kept(game: string): Promise<Kept | undefined> {
    return this.games.get(game);
  }

  /** Forgets a game, for example because it was verified. */
  async forget(game: string): Promise<void> {
    await this.games.update(game, () => undefined);
  }

  /**
   * Loads the bundle of a game that is over, and compares it with what was kept. Waits up to a minute for the public log to
   * have the end. This does not verify the game, and forgets nothing: see `Comparison` and `forget`. Throws a
   * `ProblemError` if the server does not return the bundle, `not-logged` if the log has no end by then.
   */
  async compare(game: string): Promise<Comparison> {
    const request = { params: { path: { id: game } }, parseAs: "text" } as const;
    const text = await onceLogged(async () => accepted(await this.client.GET("/v1/games/{id}/bundle", request)));
    await this.starts.get(game);
    return compare(game, (await this.kept(game)) ?? {}, text);
  }

  /** The commitment of a view whose seed is in the store. */
  private async ownSeed({ you, fairness }: GameView): Promise<OwnSeed | undefined> {
    const own = fairness.seed_commitments.find(({ place }) => place === you?.place);
    if (!own?.commitment || (await this.seeds.get(own.commitment)) === undefined) return undefined;
    return { place: own.place, commitment: own.commitment, isOpened: own.status === "opened" };
  }

  /** Commits or opens, if the player's place needs it. True if the server accepted. */
  private async tend(view: GameView): Promise<boolean> {
    const { id, you, fairness } = view;
    if (you?.place === undefined) return false;
    const own = fairness.seed_commitments.find(({ place }) => place === you.place);
    const drawn = own?.commitment ? await this.seeds.get(own.commitment) : undefined;
    if (own?.commitment && own.commitment === this.unshown.get(id)) this.unshown.delete(id);
    const isCommitted = own?.status === "committed";
    if (fairness.opening_until !== undefined) {
      return isCommitted && drawn !== undefined && this.open(view, own.place, drawn);
    }
    if (own === undefined) return this.commit(id, false);
    if (own.status === "void" || own.status === "missing") return this.commit(id, true);
    if (!isCommitted || drawn !== undefined || this.replaced.has(id)) return false;
    this.replaced.add(id);
    return this.commit(id, false);
  }

  /** `isDue`: without a commitment, even to none, the game does not start. */
  private async commit(game: string, isDue: boolean): Promise<boolean> {
    for (let draws = 0; draws < DRAWS; draws++) {
      const commitment = await this.commitmentFor(game);
      if (commitment === null && !isDue) return false;
      const request = { params: { path: { id: game } }, body: { commitment } };
      const refusal = refused(await this.client.POST("/v1/games/{id}/seed-commitment", request));
      if (refusal !== "seed-commitment-known") return refusal === undefined;
      this.unshown.delete(game);
    }
    return false;
  }

  /** The same until the table shows it: each repetition would store a seed, and the oldest seeds are forgotten. */
  private async commitmentFor(game: string): Promise<string | null> {
    const drawn = this.unshown.get(game);
    if (drawn !== undefined && (await this.seeds.get(drawn)) !== undefined) return drawn;
    const commitment = await this.newCommitment();
    if (commitment !== null) this.unshown.set(game, commitment);
    return commitment;
  }

  private async open({ id, head }: GameView, place: number, { seed }: Drawn): Promise<boolean> {
    const commitment = (await commitmentTo(seed)) ?? "";
    // If the seed was sent before, the server can know it since, whatever it answered: the first head counts.
    await this.seeds.update(commitment, (before) => ({ seed, openingHead: head, ...before }));
    const { openingHead = head } = (await this.seeds.get(commitment)) ?? {};
    await this.games.update(id, (before) => ({ ...before, openingHead }));
    const request = { params: { path: { id } }, body: { client_seed: seed } };
    if (refused(await this.client.POST("/v1/games/{id}/seed", request)) !== undefined) return false;
    await this.games.update(id, (before) => ({ ...before, seed: { place, commitment, isOpened: true } }));
    return true;
  }

  /** Keeps the proof of the start, unless it is kept or could not be had. */
  private async proveStart(game: string): Promise<void> {
    if ((await this.kept(game))?.startProof !== undefined) return;
    const request = { params: { path: { id: game }, query: { entry: "start" } }, parseAs: "text" } as const;
    const proof = onceLogged(async () => accepted(await this.client.GET("/v1/games/{id}/proof", request)));
    const startProof = await proof.catch(() => undefined);
    if (startProof !== undefined) await this.games.update(game, (before) => ({ ...before, startProof }));
  }
}

/** What the server returns once the public log has an entry. Throws the last error if it does not. */
async function onceLogged<T>(load: () => Promise<T>): Promise<T> {
  const pauses = new Pauses();
  for (let left = LOG_ATTEMPTS - 1; ; left--) {
    try {
      return await load();
    } catch (error) {
      const isEarly = error instanceof ProblemError && error.code === "not-logged";
      if (left === 0 || !(isEarly || isTemporary(error))) throw error;
      await pauses.after();
    }
  }
}

/** The code of a refusal; undefined if the server accepted. Throws what a repetition mends. */
function refused(answer: Parameters<typeof accepted>[0]): string | undefined {
  try {
    accepted(answer);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProblemError) || isTemporary(error)) throw error;
    return error.code ?? String(error.status);
  }
}

// Compares the bundle of a game with what a player kept of it. docs/specification.md has the formats.

import { fromHex, hex, sha256, utf8 } from "./hash.js";
import type { components } from "./schema.js";

type Schemas = components["schemas"];
type Head = Schemas["Head"];

/** The player's own seed at a table: its commitment, and whether the player has opened it. */
export interface OwnSeed {
  place: number;
  commitment: string;
  isOpened: boolean;
}

/** What a player keeps of a game. */
export interface Kept {
  /** The newest head that the server showed. */
  head?: Head;
  /** The head before the player sent the seed of the last opening. */
  openingHead?: Head;
  /** The promise that the public log has the start. */
  promise?: Schemas["LogPromise"];
  /** The proof that the public log has the start. */
  startProof?: string;
  seed?: OwnSeed;
}

/**
 * - `bundle`: the text is a bundle of the game.
 * - `head`: the history has the newest head that the server showed, so all events before are the ones of that head.
 *   They need not be the ones of earlier heads: the server can have replaced events in between.
 * - `opening`: the history has the head before the player sent a seed. If the game started with that seed, the server's
 *   commitment is not later than this head. So the server committed to its own seed before it knew the player's.
 * - `seed`: the game started with the player's own seed.
 * - `promise`: the logged start is the promised one. Its proof is the kept one, else that of the bundle.
 * - `start`: that start is the one of the history.
 */
export type Check = "bundle" | "head" | "opening" | "seed" | "promise" | "start";

/**
 * The result of a comparison. It does not verify the game: no signature, deal, command or score is checked, nor whether
 * the public log has the game. `estimation-audit verify` does that; give it the `files`.
 */
export class Comparison {
  /** What was compared. A check is missing if nothing was kept for it. */
  readonly compared: Check[] = [];
  /** What contradicts, for developers. */
  readonly contradictions: { check: Check; detail: string }[] = [];

  /** `files` are texts to save, by name: the bundle, and the heads, the promise and the start's proof that were kept. */
  constructor(
    readonly game: string,
    readonly files: Record<string, string>,
  ) {}

  /** One line, for a log. */
  toString(): string {
    const wrong = this.contradictions.map(({ check, detail }) => `${check}: ${detail}`).join("; ");
    return `compared ${this.compared.join(", ")}: ${wrong || "nothing contradicts"} (this does not verify the game)`;
  }

  /** Notes that something was compared, and that it contradicts if `detail` says so. */
  note(check: Check, detail?: string | false): void {
    this.compared.push(check);
    if (detail) this.contradictions.push({ check, detail });
  }
}

/** The members of the events of a table that are compared. */
interface TableEvent {
  type: string;
  place?: number;
  commitment?: string | null;
  client_seed?: string;
  client_seeds?: (string | null)[];
}

/** `hashes` are computed from the texts of the events. `started` is the index of `game_started`, -1 without one. */
interface Bundle {
  events: TableEvent[];
  hashes: string[];
  started: number;
  /** The proof that the public log has the start; null if the game did not start. */
  startProof: string | null;
}

/** Compares the text of a bundle, one JSON object, with what was kept of the game. */
export async function compare(game: string, kept: Kept, text: string): Promise<Comparison> {
  const comparison = new Comparison(game, files(game, kept, text));
  const bundle = await read(game, text).catch(() => undefined);
  comparison.note("bundle", !bundle && "the text is no bundle of this game");
  if (!bundle) return comparison;
  const { events, hashes, started } = bundle;
  const { head, openingHead, promise, seed } = kept;
  const differs = ({ seq, hash }: Head): string | false =>
    hashes[seq - 1] !== hash && `the history has another event ${seq}`;
  if (head) comparison.note("head", differs(head));
  const start = events[started];
  const table = events.slice(0, Math.max(started, 0));
  const isOwn = start && seed && (await commitmentTo(start.client_seeds?.[seed.place])) === seed.commitment;
  if (openingHead) {
    // The server commits anew when an opening fails.
    const isLater = isOwn && table.slice(openingHead.seq).some(({ type }) => type === "opening_failed");
    const later = isLater && `the server's commitment is later than event ${openingHead.seq}`;
    comparison.note("opening", differs(openingHead) || later);
  }
  if (start && seed && !(await wasReplaced(seed, table))) {
    comparison.note("seed", !isOwn && `the game did not start with the player's seed at place ${seed.place}`);
  }
  if (promise && !start) comparison.note("promise", "the history has no start, which was promised");
  const startProof = kept.startProof ?? (promise ? bundle.startProof : null);
  if (startProof === null) return comparison;
  const entry = await open(startProof).catch(() => undefined);
  const isPromised = entry?.leaf === promise?.leaf;
  if (promise && start) comparison.note("promise", !isPromised && "the logged start is another one");
  const isStart = start && entry?.type === "start" && entry.game === game && entry.started === hashes[started];
  comparison.note("start", !isStart && "the logged start is not the one of the history");
  return comparison;
}

/** Undefined for what is no text. */
export async function commitmentTo(seed: unknown): Promise<string | undefined> {
  return typeof seed === "string" ? hex(await sha256(utf8(seed))) : undefined;
}

function files(game: string, kept: Kept, bundle: string): Record<string, string> {
  const { head, openingHead, promise, startProof } = kept;
  const line = ({ seq, hash }: Head): string => `${seq}-${hash}\n`;
  const texts = {
    [`${game}.bundle.json`]: bundle,
    [`${game}.start.tlog-proof`]: startProof,
    [`${game}.promise.json`]: promise && `${JSON.stringify(promise)}\n`,
    [`${game}.head`]: head && line(head),
    [`${game}.opening-head`]: openingHead && line(openingHead),
  };
  return Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
}

/** Reads a bundle. Throws if the text is none, or one of another game. */
async function read(game: string, text: string): Promise<Bundle> {
  const { header, events: lines, proofs } = JSON.parse(text) as Schemas["Bundle"];
  if (header.game !== game) throw new Error("another game");
  const events: TableEvent[] = [];
  const hashes: string[] = [];
  let hash: Uint8Array = new Uint8Array(32);
  for (const { body } of lines) {
    const { event } = JSON.parse(body) as { event: TableEvent };
    if (typeof event.type !== "string") throw new Error("an event without a type");
    hash = await sha256(hash, utf8(body));
    hashes.push(hex(hash));
    events.push(event);
  }
  const started = events.findIndex(({ type }) => type === "game_started");
  const hasProof = started < 0 ? proofs.start === null : typeof proofs.start === "string";
  if (!hasProof) throw new Error("a start without a proof, or a proof without a start");
  return { events, hashes, started, startProof: proofs.start };
}

/**
 * Whether the seed became void before the start, or another device of the player replaced it. After the player opened
 * it, only a failed opening can do that.
 */
async function wasReplaced({ place, commitment, isOpened }: OwnSeed, table: TableEvent[]): Promise<boolean> {
  const isAt = ({ place: other }: TableEvent): boolean => other === place;
  let own = -1;
  for (const [index, event] of table.entries()) {
    const stated = event.type === "seed_opened" ? await commitmentTo(event.client_seed) : event.commitment;
    const isOwn = event.type === (isOpened ? "seed_opened" : "seed_committed") && isAt(event) && stated === commitment;
    if (isOwn) own = index;
  }
  const ends = ({ type }: TableEvent): boolean => type === "seed_committed" || type === "player_left";
  const after = own < 0 ? [] : table.slice(own + 1);
  return after.some((event) => event.type === "opening_failed" || (!isOpened && isAt(event) && ends(event)));
}

/** The entry that a proof opens, with the hash of its leaf in the log. Throws if the text is no proof. */
async function open(proof: string): Promise<{ leaf: string; type?: string; game?: string; started?: string }> {
  const extra = /^c2sp\.org\/tlog-proof@v1\nextra (.+)\n/.exec(proof)?.[1] ?? "";
  const json = new TextDecoder().decode(Uint8Array.from(atob(extra), (character) => character.charCodeAt(0)));
  const { entry, salt } = JSON.parse(json) as { entry: string; salt: string | null };
  const bytes = utf8(entry);
  // The log has only a salted hash of an entry of a private game.
  const sealed = async (salt: string): Promise<string> => hex(await sha256(fromHex(salt), bytes));
  const logged = salt === null ? bytes : utf8(`{"hash":"${await sealed(salt)}","type":"sealed"}`);
  const leaf = hex(await sha256(Uint8Array.of(0), logged));
  return { ...(JSON.parse(entry) as object), leaf };
}

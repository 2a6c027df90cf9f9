// Where a player's seeds and proofs are kept.

/** Texts by key. `localStorage` is one. What is stored must be there after a restart of the app. */
export interface Store {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, text: string): void | Promise<void>;
}

/** Keeps texts as long as the program runs. */
export class MemoryStore implements Store {
  private readonly texts = new Map<string, string>();

  getItem(key: string): string | null {
    return this.texts.get(key) ?? null;
  }

  setItem(key: string, text: string): void {
    this.texts.set(key, text);
  }
}

/** The last change of each key, of all stores: two stores can have one folder. */
const changes = new Map<string, Promise<unknown>>();

/**
 * A change reads and writes a whole text, so changes of a key take turns: in this program, and in the tabs of a site,
 * where the platform has locks.
 */
function inTurn(key: string, change: () => Promise<void>): Promise<void> {
  const { locks } = (globalThis as { navigator?: Partial<Navigator> }).navigator ?? {};
  const turn = (changes.get(key) ?? Promise.resolve()).then(async () => {
    await (locks ? locks.request(key, change) : change());
  });
  changes.set(key, turn.catch(() => {}));
  return turn;
}

/** An object in a store, as JSON, with the member that changed last at its end. A store that fails is empty. */
export class Collection<T> {
  /** `most` is how many members are kept: the ones that changed last. */
  constructor(
    private readonly store: Store,
    private readonly key: string,
    private readonly most: number,
    private readonly onError: (error: unknown) => unknown,
  ) {}

  async get(id: string): Promise<T | undefined> {
    try {
      return (await this.read())[id];
    } catch (error) {
      this.onError(error);
      return undefined;
    }
  }

  /** Replaces a member by the result of `change`. Undefined removes it. False if the store failed. */
  async update(id: string, change: (before: T | undefined) => T | undefined): Promise<boolean> {
    try {
      await inTurn(this.key, () => this.write(id, change));
      return true;
    } catch (error) {
      this.onError(error);
      return false;
    }
  }

  private async write(id: string, change: (before: T | undefined) => T | undefined): Promise<void> {
    const { [id]: before, ...others } = await this.read();
    const after = change(before);
    if (JSON.stringify(after) === JSON.stringify(before)) return;
    const members = Object.entries(after === undefined ? others : { ...others, [id]: after });
    await this.store.setItem(this.key, JSON.stringify(Object.fromEntries(members.slice(-this.most))));
  }

  /** A text that is no JSON object counts as empty. */
  private async read(): Promise<Record<string, T>> {
    const text = await this.store.getItem(this.key);
    try {
      const value: unknown = JSON.parse(text ?? "{}");
      return typeof value === "object" && value !== null ? (value as Record<string, T>) : {};
    } catch {
      return {};
    }
  }
}

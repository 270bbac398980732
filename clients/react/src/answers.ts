/** Answers that components share: each is asked for once, and again when somebody invalidates it. */

export interface Answer<Value> {
  value?: Value;
  /** Why the latest request failed. The value of an earlier one stays. */
  error?: unknown;
  isLoading: boolean;
}

interface Entry {
  answer: Answer<unknown>;
  load: () => Promise<unknown>;
  listeners: Set<() => void>;
  /** The latest request: answers of earlier ones are dropped. */
  latest?: Promise<void>;
  isAsking: boolean;
}

export const LOADING: Answer<never> = { isLoading: true };

export class Answers {
  readonly #entries = new Map<string, Entry>();

  /** Listens to the answer of `key`; the first listener has it asked for. Returns how to stop. */
  subscribe(key: string, load: () => Promise<unknown>, listener: () => void): () => void {
    const entry: Entry = this.#entries.get(key) ?? {
      answer: LOADING,
      load,
      listeners: new Set(),
      isAsking: false,
    };
    this.#entries.set(key, entry);
    entry.load = load;
    entry.listeners.add(listener);
    if (!entry.latest) void this.#ask(entry);
    return () => {
      entry.listeners.delete(listener);
    };
  }

  find(key: string): Answer<unknown> {
    return this.#entries.get(key)?.answer ?? LOADING;
  }

  /** Asks again for what is shown of the keys that begin with `prefix`, and forgets the others of them. */
  async invalidate(prefix: string): Promise<void> {
    const asked: Promise<void>[] = [];
    for (const [key, entry] of this.#entries) {
      if (!key.startsWith(prefix)) continue;
      if (entry.listeners.size > 0) asked.push(this.#ask(entry));
      else this.#entries.delete(key);
    }
    await Promise.all(asked);
  }

  /** Asks again for all that is shown, but for what is being asked for: on a slow line, no answer would be the latest. */
  refresh(): void {
    for (const entry of this.#entries.values())
      if (entry.listeners.size > 0 && !entry.isAsking) void this.#ask(entry);
  }

  async #ask(entry: Entry): Promise<void> {
    const settle = (answer: Answer<unknown>) => {
      if (entry.latest !== latest) return;
      entry.isAsking = false;
      entry.answer = answer;
      for (const listener of entry.listeners) listener();
    };
    entry.isAsking = true;
    const latest: Promise<void> = entry.load().then(
      (value) => settle({ value, isLoading: false }),
      (error: unknown) => settle({ ...entry.answer, error, isLoading: false }),
    );
    entry.latest = latest;
    await latest;
  }
}

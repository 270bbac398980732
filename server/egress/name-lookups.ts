/** Shares look-ups of host names fairly among projects: names whose name servers are silent do not stop others. */
import type { LookupAddress } from "node:dns";
import { elapsedMs } from "../../ground/clock.ts";
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import { isAbsent, queryName } from "./query-name.ts";

/** Maximum number of lookups that one owner has under way. */
const MAX_OPEN = 4;
/** Maximum number of these for names that failed recently, so that names that resolve are not delayed. */
const MAX_SUSPECT = 2;
/** The connection that waits is given up after 10 s. */
const LONGEST_WAIT_MS = 5_000;
/** How long a failure is the answer for everybody who asks. */
const FAILURE_MS = 5_000;
/** How long a name that failed counts as suspect. */
const SUSPECT_MS = 10 * 60_000;
/** How long the last address of a name serves while its name servers do not answer. */
const STALE_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export interface NameLookups {
  /** Returns the addresses of a name. Throws what the name server said, or ETIMEOUT for silence. `owner`: whose share it takes. */
  find(name: string, owner: string): Promise<LookupAddress[]>;
}

interface Waiting {
  name: string;
  begin(): void;
}

type Query = (name: string) => Promise<LookupAddress[]>;

/** `query` resolves one name. Default: as the machine does. */
export function openNameLookups(query: Query = (name) => queryName(name)): NameLookups {
  const memory = new NameMemory();
  const shares = new Map<string, OwnerShare>();
  return {
    async find(name, owner) {
      const failure = memory.findFailure(name);
      if (failure) return memory.addressesDespite(name, failure);
      const share = shares.get(owner) ?? new OwnerShare(memory, query);
      shares.set(owner, share);
      try {
        return await share.find(name);
      } catch (error) {
        return memory.addressesDespite(name, error);
      } finally {
        if (share.isIdle) shares.delete(owner);
      }
    },
  };
}

/** The open and waiting look-ups of one project. Those who ask for one name share a query. */
class OwnerShare {
  readonly #memory: NameMemory;
  readonly #query: Query;
  readonly #asked = new Map<string, Promise<LookupAddress[]>>();
  readonly #open = new Set<string>();
  #waiting: Waiting[] = [];

  constructor(memory: NameMemory, query: Query) {
    this.#memory = memory;
    this.#query = query;
  }

  get isIdle(): boolean {
    return this.#asked.size === 0;
  }

  find(name: string): Promise<LookupAddress[]> {
    const asked = this.#asked.get(name) ?? this.#ask(name).finally(() => this.#asked.delete(name));
    this.#asked.set(name, asked);
    return asked;
  }

  async #ask(name: string): Promise<LookupAddress[]> {
    await this.#place(name);
    this.#open.add(name);
    try {
      const addresses = await this.#query(name);
      this.#memory.keep(name, addresses);
      return addresses;
    } catch (error) {
      this.#memory.keepFailure(name, error);
      throw error;
    } finally {
      this.#open.delete(name);
      this.#beginNext();
    }
  }

  /** Waits for a free place. Throws EBUSY after some seconds. */
  #place(name: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiting = this.#waiting.filter((one) => one !== entry);
      const message = `${MAX_OPEN} other names of this project are being looked up, and their name servers do not answer`;
      reject(Object.assign(new Error(message), { code: "EBUSY" }));
    }, LONGEST_WAIT_MS);
    const begin = (): void => {
      clearTimeout(timer);
      this.#open.add(name);
      resolve();
    };
    const entry = { name, begin };
    this.#waiting.push(entry);
    this.#beginNext();
    return promise;
  }

  /** Begins the newest first: what has waited long is given up soon. */
  #beginNext(): void {
    if (this.#open.size >= MAX_OPEN) return;
    const suspects = [...this.#open].filter((name) => this.#memory.isSuspect(name)).length;
    const next =
      this.#waiting.findLast(({ name }) => !this.#memory.isSuspect(name)) ??
      (suspects < MAX_SUSPECT ? this.#waiting.at(-1) : undefined);
    if (!next) return;
    this.#waiting = this.#waiting.filter((one) => one !== next);
    next.begin();
  }
}

interface Remembered {
  addresses?: LookupAddress[];
  foundAtMs?: number;
  failure?: unknown;
  failedAtMs?: number;
}

/** What the last look-ups of names brought. */
class NameMemory {
  readonly #names = keepRecentlyUsed<Remembered>(MAX_REMEMBERED);

  keep(name: string, addresses: LookupAddress[]): void {
    this.#names.set(name, { addresses, foundAtMs: elapsedMs() });
  }

  keepFailure(name: string, failure: unknown): void {
    this.#names.set(name, { ...this.#names.get(name), failure, failedAtMs: elapsedMs() });
  }

  /** The failure of the last seconds, if the last look-up failed. */
  findFailure(name: string): unknown {
    const { failure, failedAtMs } = this.#names.get(name) ?? {};
    return failedAtMs !== undefined && elapsedMs() - failedAtMs < FAILURE_MS ? failure : undefined;
  }

  isSuspect(name: string): boolean {
    const { failedAtMs } = this.#names.get(name) ?? {};
    return failedAtMs !== undefined && elapsedMs() - failedAtMs < SUSPECT_MS;
  }

  /** Returns the addresses of the last minute, or throws the failure. A name that was removed has none. */
  addressesDespite(name: string, failure: unknown): LookupAddress[] {
    const { addresses, foundAtMs = 0 } = this.#names.get(name) ?? {};
    if (addresses && !isAbsent(failure) && elapsedMs() - foundAtMs < STALE_MS) return addresses;
    throw failure;
  }
}

/** Executes a request with an `Idempotency-Key` once: a repeated request gets the first answer again. */
import { createHash } from "node:crypto";
import { ClosedGateError } from "../calls/gates/closed-gate-error.ts";
import { Problem, type ProblemOptions } from "../../ground/errors.ts";
import type { ProblemSlug } from "../../ground/problem-types.ts";
import { nowMs } from "../../ground/clock.ts";
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import { newId, readTimeOfId } from "../../ground/ids.ts";
import type { Json } from "../../ground/json.ts";
import { KeyTakenError } from "./begin-acts.ts";
import type { ProcessIdentity } from "../jobs/process-identity.ts";
import type { Database } from "../store/database/database.ts";
import {
  claimIdempotencyKey,
  findIdempotencyKey,
  isKeyKept,
  removeIdempotencyKey,
  storeIdempotentAnswer,
  takeOverIdempotencyKey,
  type IdempotencyRow,
  type KeyClaim,
} from "../store/access/idempotency-keys.ts";
import { findInShards } from "../store/shards/ask-shards.ts";
import { findOperation } from "../store/operations/operations.ts";
import { ignoreDatabaseOutage } from "../store/database/database-outage.ts";

interface Services {
  database: Database;
  identity: ProcessIdentity;
  /** How long a key is kept. */
  keptHours: number;
}

interface Keyed {
  projectId: string;
  key: string | string[];
  /** All parts that must be equal for it to be the same request. */
  request: unknown;
  /**
   * Executed before the answer, after it, or as part of a group, whose operation it shares. The answer of `later` is the
   * operation's id and nothing else.
   */
  mode: "now" | "later" | "grouped";
  /** How long this key is kept, where that is not the time of all. */
  keptMs?: number | undefined;
  /** Whether `act` claims the key itself, with the beginning of its operation, and throws `KeyTakenError` if another request has it. */
  claimsWithBegin?: boolean;
  /** Whether `act` has stored the answer of a success together with the end of its operation. */
  storesAnswer?: boolean;
  /** Returns whether a refusal frees the key, also one that the provider gave. */
  forgets?(refusal: Problem): boolean;
  /** For how long a request that was executed before its answer may be executed again, because the provider knows its keys. */
  repeatableMs?: number | undefined;
}

/** What every answer has. */
interface Answer {
  operationId: string;
}

export interface Idempotency {
  /**
   * Runs `act` with a new operation id, and that of the first request with this key, unless the key was used before. Throws 400,
   * 409 and 422 Problems.
   */
  once<A extends Answer>(keyed: Keyed, act: Act<A>): Promise<A>;
}

/** `claim`: to be made with the beginning of the operation; absent if the key is claimed already. */
type Act<A> = (operationId: string, firstOperationId: string, claim?: KeyClaim) => Promise<A>;

/** Opens the keys of requests, once per process: it knows which requests are running in it. */
export const openIdempotency = (deps: Services): Idempotency => new KeyedRequests(deps);

/** A request with its key, checked, and the digest by which a repetition is recognised. */
interface KeyedRequest extends Keyed {
  place: { projectId: string; key: string };
  requestHash: Buffer;
}

const HOUR_MS = 3_600_000;
const MAX_BEGUN = 10_000;

class KeyedRequests implements Idempotency {
  readonly #deps: Services;
  /** Operations of the requests that this process is executing. */
  readonly #running = new Set<string>();
  /** Keys that were claimed with the beginning of an operation: whoever repeats such a request soon begins nothing for it. */
  readonly #begun = keepRecentlyUsed<true>(MAX_BEGUN);

  constructor(deps: Services) {
    this.#deps = deps;
  }

  async once<A extends Answer>(keyed: Keyed, act: Act<A>): Promise<A> {
    const request: KeyedRequest = {
      ...keyed,
      place: { projectId: keyed.projectId, key: checkKey(keyed.key) },
      requestHash: createHash("sha256").update(JSON.stringify(keyed.request)).digest(),
    };
    for (;;) {
      const answer = (await this.#first(request, act)) ?? (await this.#repeated(request, act));
      if (answer) return answer;
    }
  }

  /** Executes the request if its key is new; otherwise returns undefined. */
  #first<A extends Answer>(request: KeyedRequest, act: Act<A>): Promise<A | undefined> {
    const { database, identity } = this.#deps;
    const { place, requestHash, keptMs = this.#deps.keptHours * HOUR_MS } = request;
    const operationId = newId();
    const keptHours = keptMs / HOUR_MS;
    const ids = { operationId, firstOperationId: operationId, claimedBy: identity.id };
    const claim = { ...place, requestHash, ...ids, keptHours };
    if (request.claimsWithBegin) return this.#beginFirst(request, claim, act);
    return this.#execute(request, ids, act, () => claimIdempotencyKey(database.control, claim));
  }

  /** Executes the request, which claims its key when it begins; returns undefined if another one has the key. */
  async #beginFirst<A extends Answer>(
    request: KeyedRequest,
    claim: KeyClaim,
    act: Act<A>,
  ): Promise<A | undefined> {
    const known = JSON.stringify([claim.projectId, claim.key]);
    const isKnown = this.#begun.get(known) !== undefined;
    if (isKnown && (await isKeyKept(this.#deps.database.control, claim, claim.keptHours))) return undefined;
    this.#begun.set(known, true);
    const begin: Act<A> = (operationId, firstOperationId) => act(operationId, firstOperationId, claim);
    try {
      return await this.#execute(request, claim, begin, async () => true);
    } catch (error) {
      if (error instanceof KeyTakenError) return undefined;
      throw error;
    }
  }

  /**
   * Returns the first request's answer, or executes the request again if the first one stopped before it left a trace, or the
   * provider knows its keys. Returns undefined if the key was freed, or another request has taken it over meanwhile.
   */
  async #repeated<A extends Answer>(request: KeyedRequest, act: Act<A>): Promise<A | undefined> {
    const { database, identity } = this.#deps;
    const { place, requestHash, mode } = request;
    const found = await findIdempotencyKey(database.control, place);
    if (!found) return undefined;
    if (!found.requestHash.equals(requestHash)) throw refuseReusedKey(place.key);
    if (found.status === null && (await this.#isRunning(found))) throw refuseInProgress();
    // It may have ended after it was read as running, and stored its answer.
    const used = found.status === null ? await findIdempotencyKey(database.control, place) : found;
    if (used?.operationId !== found.operationId || used.claimedBy !== found.claimedBy) return undefined;
    const answer = await replayFirstAnswer<A>(this.#deps, request, used);
    if (answer) return answer;
    // What is executed later keeps its operation id, so that it cannot be accepted twice even if the first statement is
    // committed after this one.
    const operationId = mode === "later" ? used.operationId : newId();
    if (this.#running.has(operationId)) throw refuseInProgress();
    const claim = { operationId, firstOperationId: getFirst(used), claimedBy: identity.id };
    return this.#execute(request, claim, act, () =>
      takeOverIdempotencyKey(database.control, place, used, claim),
    );
  }

  /** Calls `act` if the key could be claimed; otherwise returns undefined. */
  async #execute<A extends Answer>(
    request: KeyedRequest,
    { operationId, firstOperationId }: Begun,
    act: Act<A>,
    claim: () => Promise<boolean>,
  ): Promise<A | undefined> {
    // Before the claim: another request that finds the claim must also find it running.
    this.#running.add(operationId);
    try {
      if (!(await claim())) return undefined;
      const isRepeatable = mayBeRepeated(request, firstOperationId);
      const { place, forgets, storesAnswer } = request;
      return await actAndStore(this.#deps, place, { operationId, isRepeatable, forgets, storesAnswer }, () =>
        act(operationId, firstOperationId),
      );
    } finally {
      this.#running.delete(operationId);
    }
  }

  async #isRunning({ claimedBy, operationId }: IdempotencyRow): Promise<boolean> {
    const { identity } = this.#deps;
    if (claimedBy === identity.id) return this.#running.has(operationId);
    return (await identity.findDead([claimedBy])).length === 0;
  }
}

const refuseInProgress = (): Problem =>
  new Problem("operation-in-progress", {
    detail: "The first request with this Idempotency-Key is still running. Send this one again in a moment.",
  });

interface Begun {
  operationId: string;
  firstOperationId: string;
}

/** Rows of an earlier version name only one operation. */
const getFirst = ({ firstOperationId, operationId }: IdempotencyRow): string =>
  firstOperationId ?? operationId;

const mayBeRepeated = ({ repeatableMs = 0 }: Keyed, firstOperationId: string): boolean =>
  readTimeOfId(firstOperationId).getTime() + repeatableMs > nowMs();

async function actAndStore<A extends Answer>(
  deps: Services,
  place: { projectId: string; key: string },
  {
    operationId,
    isRepeatable,
    forgets,
    storesAnswer = false,
  }: Pick<Keyed, "forgets" | "storesAnswer"> & { operationId: string; isRepeatable: boolean },
  act: () => Promise<A>,
): Promise<A> {
  try {
    const answer = await act();
    const kept = { status: 200, body: answer as unknown as Json };
    // Without the stored answer, a repeated request gets a refusal with the advice to look the record up.
    if (!storesAnswer)
      await ignoreDatabaseOutage(() =>
        storeIdempotentAnswer(deps.database.control, place, operationId, kept),
      );
    return answer;
  } catch (error) {
    // After other errors the key stays claimed, so that a repeated request checks how far this one got.
    const isOpen = isRepeatable && error instanceof Problem && error.slug === "unknown-outcome";
    if (error instanceof Problem && forgets?.(error)) {
      await removeIdempotencyKey(deps.database.control, place, operationId);
    } else if (error instanceof Problem && !isOpen) await keepRefusal(deps, place, operationId, error);
    throw error;
  }
}

function checkKey(key: string | string[]): string {
  if (typeof key === "string" && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  const detail = "Idempotency-Key: must be one value of 1 to 255 printable ASCII characters.";
  throw new Problem("invalid-request", {
    detail,
    issues: [{ in: "header", name: "Idempotency-Key", detail }],
  });
}

const refuseReusedKey = (key: string): Problem =>
  new Problem("idempotency-key-reused", {
    detail: `The key "${key.slice(0, 50)}" was already used for a different request. Use a new key for each request.`,
  });

/** Stores a refusal as the answer; frees the key if nothing was sent. */
async function keepRefusal(
  deps: Services,
  place: { projectId: string; key: string },
  operationId: string,
  error: Problem,
): Promise<void> {
  const { control } = deps.database;
  const wasTried = error.options.extensions?.["operationId"] !== undefined;
  // A caller that waits and repeats a rate-limited request must not get the old refusal again.
  if (!wasTried || error.slug === "rate-limited" || error.options.cause instanceof ClosedGateError) {
    return removeIdempotencyKey(control, place, operationId);
  }
  const { cause: _cause, ...options } = error.options;
  const body = JSON.parse(JSON.stringify({ slug: error.slug, options })) as Json;
  await storeIdempotentAnswer(control, place, operationId, { status: error.status, body });
}

/** Returns the answer of a first request that is no longer running; undefined when it did nothing. */
async function replayFirstAnswer<A extends Answer>(
  deps: Services,
  keyed: Keyed,
  used: IdempotencyRow,
): Promise<A | undefined> {
  // An equal request stored it.
  if (used.status === 200) return used.body as A;
  if (used.status !== null) throw readProblem(used.body);
  const found = await findInShards(deps.database, (data) =>
    findOperation(data, keyed.projectId, used.operationId),
  );
  const operation = found?.row;
  // Stored before the operation ended, by the process that ended it so.
  if (used.body !== null && operation?.status === "success") return used.body as A;
  // A record that joined a group has no operation of its own. One that had an answer was begun, and is removed by now.
  if (!operation && keyed.mode !== "grouped" && used.body === null) return undefined;
  if (operation && keyed.mode === "later") return { operationId: operation.id } as A;
  if (operation && keyed.mode === "now" && mayBeRepeated(keyed, getFirst(used))) return undefined;
  const said = operation?.result ? ` The result of its operation: ${operation.result}` : "";
  throw new Problem("unknown-outcome", {
    detail:
      "The first request with this Idempotency-Key was interrupted; whether the provider has the record is unknown. " +
      `Look it up there, then write with a new key.${said}`,
    extensions: { operationId: used.operationId },
  });
}

function readProblem(body: unknown): Problem {
  // Only `keepRefusal` stores these.
  const { slug, options } = body as { slug: ProblemSlug; options: ProblemOptions & { retryAfter?: string } };
  const retryAfter = options.retryAfter ? new Date(options.retryAfter) : undefined;
  return new Problem(slug, { ...options, retryAfter });
}

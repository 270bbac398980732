/** Executes a request with an `Idempotency-Key` once: a repeated request gets the first answer again. */
import { createHash } from "node:crypto";
import { ClosedGateError } from "../calls/gates/closed-gate-error.ts";
import { Problem, type ProblemOptions } from "../ground/errors.ts";
import type { ProblemSlug } from "../ground/problem-types.ts";
import { nowMs } from "../ground/clock.ts";
import { newId, timeOfId } from "../ground/ids.ts";
import type { Json } from "../ground/json.ts";
import type { ProcessIdentity } from "../jobs/process-identity.ts";
import type { Database } from "../store/database.ts";
import {
  claimIdempotencyKey,
  findIdempotencyKey,
  removeIdempotencyKey,
  storeIdempotentAnswer,
  takeOverIdempotencyKey,
  type IdempotencyRow,
} from "../store/idempotency-keys.ts";
import { findOperation } from "../store/operations.ts";
import { ignoreDatabaseOutage } from "../store/database-outage.ts";

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

type Act<A> = (operationId: string, firstOperationId: string) => Promise<A>;

/** Opened once per process: it knows which requests are running here. */
export function openIdempotency(deps: Services): Idempotency {
  const running = new Set<string>();
  const isAtWork = async ({ claimedBy, operationId }: IdempotencyRow): Promise<boolean> =>
    claimedBy === deps.identity.id
      ? running.has(operationId)
      : (await deps.identity.findDead([claimedBy])).length === 0;
  const once = async <A extends Answer>(keyed: Keyed, act: Act<A>): Promise<A> => {
    const key = checkedKey(keyed.key);
    const place = { projectId: keyed.projectId, key };
    const requestHash = createHash("sha256").update(JSON.stringify(keyed.request)).digest();
    // Before the claim: another request that finds the claim must also find it running.
    const workOn = async (
      { operationId, firstOperationId }: Begun,
      claim: () => Promise<boolean>,
    ): Promise<A | undefined> => {
      running.add(operationId);
      try {
        if (!(await claim())) return undefined;
        const isRepeatable = mayBeRepeated(keyed, firstOperationId);
        return await answered(deps, place, { operationId, isRepeatable }, () =>
          act(operationId, firstOperationId),
        );
      } finally {
        running.delete(operationId);
      }
    };
    const operationId = newId();
    const mine = { operationId, firstOperationId: operationId, claimedBy: deps.identity.id };
    const first = await workOn(mine, () =>
      claimIdempotencyKey(deps.database.queries, { ...place, requestHash, ...mine }, deps.keptHours),
    );
    if (first) return first;
    const used = await findIdempotencyKey(deps.database.queries, place);
    if (!used) return once(keyed, act);
    if (!used.requestHash.equals(requestHash)) throw reused(key);
    if (used.status === null && (await isAtWork(used))) throw inProgress();
    const answer = await firstAnswer<A>(deps, keyed, used);
    if (answer) return answer;
    // The first process stopped before it left a trace, or the provider knows its keys. What is executed later keeps its operation
    // id, so that it cannot be accepted twice even if the first statement is committed after this one.
    const next = {
      ...mine,
      operationId: keyed.mode === "later" ? used.operationId : mine.operationId,
      firstOperationId: firstOf(used),
    };
    if (running.has(next.operationId)) throw inProgress();
    const second = await workOn(next, () => takeOverIdempotencyKey(deps.database.queries, place, used, next));
    return second ?? once(keyed, act);
  };
  return { once };
}

const inProgress = (): Problem =>
  new Problem("operation-in-progress", {
    detail: "The first request with this Idempotency-Key is still running. Send this one again in a moment.",
  });

interface Begun {
  operationId: string;
  firstOperationId: string;
}

/** Rows of an earlier version name only one operation. */
const firstOf = ({ firstOperationId, operationId }: IdempotencyRow): string =>
  firstOperationId ?? operationId;

const mayBeRepeated = ({ repeatableMs = 0 }: Keyed, firstOperationId: string): boolean =>
  timeOfId(firstOperationId).getTime() + repeatableMs > nowMs();

async function answered<A extends Answer>(
  deps: Services,
  place: { projectId: string; key: string },
  { operationId, isRepeatable }: { operationId: string; isRepeatable: boolean },
  act: () => Promise<A>,
): Promise<A> {
  try {
    const answer = await act();
    const kept = { status: 200, body: answer as unknown as Json };
    // Without the stored answer, a repeated request gets a refusal with the advice to look the record up.
    await ignoreDatabaseOutage(() => storeIdempotentAnswer(deps.database.queries, place, operationId, kept));
    return answer;
  } catch (error) {
    // After other errors the key stays claimed, so that a repeated request checks how far this one got.
    const isOpen = isRepeatable && error instanceof Problem && error.slug === "unknown-outcome";
    if (error instanceof Problem && !isOpen) await keepRefusal(deps, place, operationId, error);
    throw error;
  }
}

function checkedKey(key: string | string[]): string {
  if (typeof key === "string" && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  const detail = "Idempotency-Key: must be one value of 1 to 255 printable ASCII characters.";
  throw new Problem("invalid-request", {
    detail,
    issues: [{ in: "header", name: "Idempotency-Key", detail }],
  });
}

const reused = (key: string): Problem =>
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
  const { queries } = deps.database;
  const wasTried = error.options.extensions?.["operationId"] !== undefined;
  // A caller that waits and repeats a rate-limited request must not get the old refusal again.
  if (!wasTried || error.slug === "rate-limited" || error.options.cause instanceof ClosedGateError) {
    return removeIdempotencyKey(queries, place, operationId);
  }
  const { cause: _cause, ...options } = error.options;
  const body = JSON.parse(JSON.stringify({ slug: error.slug, options })) as Json;
  await storeIdempotentAnswer(queries, place, operationId, { status: error.status, body });
}

/** Returns the answer of a first request that is no longer running; undefined when it did nothing. */
async function firstAnswer<A extends Answer>(
  deps: Services,
  keyed: Keyed,
  used: IdempotencyRow,
): Promise<A | undefined> {
  // An equal request stored it.
  if (used.status === 200) return used.body as A;
  if (used.status !== null) throw storedProblem(used.body);
  const operation = await findOperation(deps.database.queries, keyed.projectId, used.operationId);
  // A record that joined a group has no operation of its own.
  if (!operation && keyed.mode !== "grouped") return undefined;
  if (operation && keyed.mode === "later") return { operationId: operation.id } as A;
  if (operation && keyed.mode === "now" && mayBeRepeated(keyed, firstOf(used))) return undefined;
  const said = operation?.result ? ` The result of its operation: ${operation.result}` : "";
  throw new Problem("unknown-outcome", {
    detail:
      "The first request with this Idempotency-Key was interrupted; whether the provider has the record is unknown. " +
      `Look it up there, then write with a new key.${said}`,
    extensions: { operationId: used.operationId },
  });
}

function storedProblem(body: unknown): Problem {
  // Only `keepRefusal` stores these.
  const { slug, options } = body as { slug: ProblemSlug; options: ProblemOptions & { retryAfter?: string } };
  const retryAfter = options.retryAfter ? new Date(options.retryAfter) : undefined;
  return new Problem(slug, { ...options, retryAfter });
}

/** Makes a request with an `Idempotency-Key` happen once: the same request again gets the first answer again. */
import { createHash } from "node:crypto";
import { ClosedGateError } from "../calls/gates/closed-gate-error.ts";
import { Problem, type ProblemOptions, type ProblemSlug } from "../ground/errors.ts";
import { newId } from "../ground/ids.ts";
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
import type { WriteAnswer } from "./write-response.ts";
import { ignoreDatabaseOutage } from "../store/database-outage.ts";

interface Services {
  database: Database;
  identity: ProcessIdentity;
  /** After so long a key is free again. */
  keptHours: number;
}

interface Keyed {
  projectId: string;
  key: string | string[];
  /** Everything that makes it this request. */
  request: unknown;
  /** Carried out before it is answered, after it, or as part of a group whose operation is not its own. */
  mode: "now" | "later" | "grouped";
}

export interface Idempotency {
  /** Runs `write` with the id of its operation unless the key has been used. Throws 400, 409 and 422 Problems. */
  once(keyed: Keyed, write: (operationId: string) => Promise<WriteAnswer>): Promise<WriteAnswer>;
}

/** One per process: it knows which keys are being worked on here. */
export function openIdempotency(deps: Services): Idempotency {
  const running = new Set<string>();
  const isAtWork = async ({ claimedBy, operationId }: IdempotencyRow): Promise<boolean> =>
    claimedBy === deps.identity.id
      ? running.has(operationId)
      : (await deps.identity.findDead([claimedBy])).length === 0;
  const once: Idempotency["once"] = async (keyed, write) => {
    const key = checkedKey(keyed.key);
    const place = { projectId: keyed.projectId, key };
    const requestHash = createHash("sha256").update(JSON.stringify(keyed.request)).digest();
    // Before the claim: whoever finds the claim must find that somebody works on it.
    const workOn = async (operationId: string, claim: () => Promise<boolean>) => {
      running.add(operationId);
      try {
        if (await claim()) return await answered(deps, place, operationId, write);
        return undefined;
      } finally {
        running.delete(operationId);
      }
    };
    const mine = { operationId: newId(), claimedBy: deps.identity.id };
    const first = await workOn(mine.operationId, () =>
      claimIdempotencyKey(deps.database.queries, { ...place, requestHash, ...mine }, deps.keptHours),
    );
    if (first) return first;
    const used = await findIdempotencyKey(deps.database.queries, place);
    if (!used) return once(keyed, write);
    if (!used.requestHash.equals(requestHash)) throw reused(key);
    if (used.status === null && (await isAtWork(used))) throw inProgress();
    const answer = await firstAnswer(deps, keyed, used);
    if (answer) return answer;
    // Its process was cut off before it did anything that we can see. An asynchronous write keeps its operation, so that
    // it cannot be accepted twice even where the first statement commits later than this.
    const next = { ...mine, operationId: keyed.mode === "later" ? used.operationId : mine.operationId };
    if (running.has(next.operationId)) throw inProgress();
    const second = await workOn(next.operationId, () =>
      takeOverIdempotencyKey(deps.database.queries, place, used, next),
    );
    return second ?? once(keyed, write);
  };
  return { once };
}

const inProgress = (): Problem =>
  new Problem("operation-in-progress", {
    detail: "The first request with this Idempotency-Key is still being carried out. Ask again in a moment.",
  });

async function answered(
  deps: Services,
  place: { projectId: string; key: string },
  operationId: string,
  write: (operationId: string) => Promise<WriteAnswer>,
): Promise<WriteAnswer> {
  try {
    const answer = await write(operationId);
    const kept = { status: 200, body: answer as unknown as Json };
    // Without it a repetition learns that it must look; the first caller is told what happened all the same.
    await ignoreDatabaseOutage(() => storeIdempotentAnswer(deps.database.queries, place, operationId, kept));
    return answer;
  } catch (error) {
    // Anything but a refusal leaves the key as it is: whoever repeats the request finds out how far it got.
    if (error instanceof Problem) await keepRefusal(deps, place, operationId, error);
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
    detail: `The key "${key.slice(0, 50)}" was sent with another request not long ago. Use a new key per request.`,
  });

/** Refusals are answers too, unless nothing was tried: then the key is free again. */
async function keepRefusal(
  deps: Services,
  place: { projectId: string; key: string },
  operationId: string,
  error: Problem,
): Promise<void> {
  const { queries } = deps.database;
  const wasTried = error.options.extensions?.["operationId"] !== undefined;
  if (!wasTried || error.options.cause instanceof ClosedGateError) {
    return removeIdempotencyKey(queries, place, operationId);
  }
  const { cause: _cause, ...options } = error.options;
  const body = JSON.parse(JSON.stringify({ slug: error.slug, options })) as Json;
  await storeIdempotentAnswer(queries, place, operationId, { status: error.status, body });
}

/** What the first request, on which nobody works any more, was answered; undefined when it did nothing so far. */
async function firstAnswer(
  deps: Services,
  keyed: Keyed,
  used: IdempotencyRow,
): Promise<WriteAnswer | undefined> {
  if (used.status === 200) return used.body as WriteAnswer;
  if (used.status !== null) throw storedProblem(used.body);
  const operation = await findOperation(deps.database.queries, keyed.projectId, used.operationId);
  // A record that joined a group leaves no operation of its own to tell by.
  if (!operation && keyed.mode !== "grouped") return undefined;
  if (operation && keyed.mode === "later") return { operationId: operation.id };
  const said = operation?.result ? ` Its operation says: ${operation.result}` : "";
  throw new Problem("provider-timeout", {
    detail:
      "The first request with this Idempotency-Key was cut off while it was carried out; whether the provider has " +
      `the record is unknown. Look it up there, then write with a new key.${said}`,
    extensions: { operationId: used.operationId },
  });
}

function storedProblem(body: unknown): Problem {
  // Written by `keepRefusal` only.
  const { slug, options } = body as { slug: ProblemSlug; options: ProblemOptions & { retryAfter?: string } };
  const retryAfter = options.retryAfter ? new Date(options.retryAfter) : undefined;
  return new Problem(slug, { ...options, retryAfter });
}

/** Makes a request with an `Idempotency-Key` happen once: the same request again gets the first answer again. */
import { createHash } from "node:crypto";
import { Problem, type ProblemOptions, type ProblemSlug } from "../ground/errors.ts";
import { newId } from "../ground/ids.ts";
import type { Json } from "../ground/json.ts";
import type { WorkerIdentity } from "../jobs/worker-identity.ts";
import type { Database } from "../store/database.ts";
import {
  claimIdempotencyKey,
  findIdempotencyKey,
  removeIdempotencyKey,
  storeIdempotentAnswer,
  type IdempotencyRow,
} from "../store/idempotency-keys.ts";
import { findOperation } from "../store/operations.ts";
import type { WriteAnswer } from "./answer.ts";
import { unlessAway } from "./until-back.ts";

interface Services {
  database: Database;
  identity: WorkerIdentity;
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
export function openIdempotency(on: Services): Idempotency {
  const running = new Set<string>();
  const once: Idempotency["once"] = async (keyed, write) => {
    const key = checkedKey(keyed.key);
    const place = { projectId: keyed.projectId, key };
    const requestHash = createHash("sha256").update(JSON.stringify(keyed.request)).digest();
    const operationId = newId();
    // Before the claim: whoever finds the claim must find that somebody works on it.
    running.add(operationId);
    try {
      const claim = { ...place, requestHash, operationId, claimedBy: on.identity.id };
      if (await claimIdempotencyKey(on.database.queries, claim, on.keptHours))
        return await answered(on, place, operationId, write);
    } finally {
      running.delete(operationId);
    }
    const used = await findIdempotencyKey(on.database.queries, place);
    if (used && !used.requestHash.equals(requestHash)) throw reused(key);
    const answer = used && (await firstAnswer(on, keyed, place, used, running.has(used.operationId)));
    // Without one, its process was cut off before it did anything, and the key is free again.
    return answer ?? once(keyed, write);
  };
  return { once };
}

async function answered(
  on: Services,
  place: { projectId: string; key: string },
  operationId: string,
  write: (operationId: string) => Promise<WriteAnswer>,
): Promise<WriteAnswer> {
  try {
    const answer = await write(operationId);
    const kept = { status: 200, body: answer as unknown as Json };
    // Without it a repetition learns that it must look; the first caller is told what happened all the same.
    await unlessAway(() => storeIdempotentAnswer(on.database.queries, place, kept));
    return answer;
  } catch (error) {
    // Anything but a refusal leaves the key as it is: whoever repeats the request finds out how far it got.
    if (error instanceof Problem) await keepRefusal(on, place, error);
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

/** Refusals are answers too, unless they say that nothing was tried. */
async function keepRefusal(
  on: Services,
  place: { projectId: string; key: string },
  error: Problem,
): Promise<void> {
  const { queries } = on.database;
  if (error.options.extensions?.["operationId"] === undefined) {
    return removeIdempotencyKey(queries, place);
  }
  const { cause: _cause, ...options } = error.options;
  const body = JSON.parse(JSON.stringify({ slug: error.slug, options })) as Json;
  await storeIdempotentAnswer(queries, place, { status: error.status, body });
}

/** What the first request was answered; undefined when it is certain that it did nothing. */
async function firstAnswer(
  on: Services,
  keyed: Keyed,
  place: { projectId: string; key: string },
  used: IdempotencyRow,
  isRunningHere: boolean,
): Promise<WriteAnswer | undefined> {
  if (used.status === 200) return used.body as WriteAnswer;
  if (used.status !== null) throw storedProblem(used.body);
  const alive =
    used.claimedBy === on.identity.id
      ? isRunningHere
      : (await on.identity.dead([used.claimedBy])).length === 0;
  if (alive) {
    throw new Problem("operation-in-progress", {
      detail:
        "The first request with this Idempotency-Key is still being carried out. Ask again in a moment.",
    });
  }
  const operation = await findOperation(on.database.queries, keyed.projectId, used.operationId);
  // A record that joined a group leaves no operation of its own to tell by.
  if (!operation && keyed.mode !== "grouped") {
    await removeIdempotencyKey(on.database.queries, place);
    return undefined;
  }
  if (operation && keyed.mode === "later") return { operationId: operation.id };
  throw new Problem("provider-timeout", {
    detail:
      "The first request with this Idempotency-Key was cut off while it was carried out; whether the provider has " +
      "the record is unknown. Look it up there, then write with a new key.",
    extensions: { operationId: used.operationId },
  });
}

function storedProblem(body: unknown): Problem {
  // Written by `keepRefusal` only.
  const { slug, options } = body as { slug: ProblemSlug; options: ProblemOptions & { retryAfter?: string } };
  const retryAfter = options.retryAfter ? new Date(options.retryAfter) : undefined;
  return new Problem(slug, { ...options, retryAfter });
}

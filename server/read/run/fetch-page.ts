/** Fetches one page of a run: of its records, or of the deletions that are read after them. */
import type { Checkpoint, DeletionPage, ReadPage, ReadPlan } from "../../../connector-kit/read-connector.ts";
import type { ProviderFetch } from "../../../connector-kit/calls/provider-fetch.ts";
import { mustBeMended, ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { now } from "../../../ground/clock.ts";
import { callProvider } from "../../operations/call-provider.ts";
import type { ClaimedRun } from "../../store/reads/read-runs.ts";
import type { ReadScan, ScanServices } from "../records/read-scan.ts";

/** Where a run goes on. */
export interface ReadPosition {
  stage: "records" | "deletions";
  checkpoint: Checkpoint | null;
  /** Null until the first page, which has the provider's time. */
  untilTime: Date | null;
}

export type FetchedPage = {
  position: ReadPosition;
  /** When the page arrived. */
  time: Date;
  providerCalls: number;
} & ({ stage: "records"; page: ReadPage } | { stage: "deletions"; page: DeletionPage });

/** Throws `ProviderError`. If the provider refuses a field that is not required, repeats the request without it. */
export async function fetchPage(
  deps: ScanServices,
  scan: ReadScan,
  position: ReadPosition,
): Promise<FetchedPage> {
  const { projectId, connectionId, checkpoint, attempts } = scan.run;
  // The next page is asked for while the run still has the attempts at this one.
  const failures = position.checkpoint === checkpoint ? attempts : 0;
  let providerCalls = 0;
  const page = callProvider(deps, { projectId, connectionId }, async ({ connection, fetch }) => {
    const { read } = scan.target.connector;
    const paced = deps.paces.paced(connectionId, read, fetch);
    const countingFetch: ProviderFetch = (request) => {
      providerCalls += 1;
      return paced(request);
    };
    const { account } = connection;
    if (position.stage === "deletions") {
      const span = chooseDeletionSpan(scan, position);
      const plan = { objectName: scan.run.objectName, ...span, failures, account };
      const gone = await read.readDeletions(plan, position.checkpoint ?? undefined, countingFetch);
      return { position, stage: "deletions" as const, page: gone, time: now(), providerCalls };
    }
    const found = await readOrLeaveOut(scan, async (fields) => {
      const plan = { ...scan.plan, ...chooseUpperBound(scan, position), fields, failures, account };
      const one = await read.readPage(plan, position.checkpoint ?? undefined, countingFetch);
      await learnFields(scan, one, (whole) =>
        read.readPage({ ...whole, fields, account }, undefined, countingFetch),
      );
      // The next turn of this run does not ask for the whole list again.
      if (one.next && scan.learning === "failed") one.next = { ...one.next, learning: "failed" };
      if (position.checkpoint) return one;
      return { ...one, total: await estimateCount(one, () => read.count(plan, countingFetch)) };
    });
    return { position, stage: "records" as const, page: found, time: now(), providerCalls };
  });
  return page.catch((error: unknown) => {
    scan.failedCalls = providerCalls;
    throw error;
  });
}

/** A read of changes is not held up longer by the whole list, which may be too slow to be read at all. */
const ATTEMPTS_AT_WHOLE_LIST = 3;

/**
 * Reads the first page of the whole list where nothing is known of the object's fields yet: changed records alone do not tell which fields
 * have a value elsewhere, so that one which is cleared would be absent. Throws a `ProviderError` that may pass; a list that cannot be read
 * teaches nothing, and the next read of changes asks for it again.
 */
async function learnFields(
  scan: ReadScan,
  { records }: ReadPage,
  readWhole: (plan: ReadPlan) => Promise<ReadPage>,
): Promise<void> {
  const { run, plan, shaper, target } = scan;
  const { absentMeansEmpty } = target.connector.read;
  if (scan.learning !== "wanted" || records.length === 0) return;
  if (absentMeansEmpty?.(run.objectName) !== true) return;
  const { since: _, ...whole } = plan;
  shaper.learn(records);
  try {
    if (shaper.missing().length > 0) shaper.learn((await readWhole(whole)).records);
    scan.learning = "done";
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const isLasting =
      mustBeMended(error.kind) || ["conflict", "unreadable", "unauthorized"].includes(error.kind);
    if (!isLasting && run.attempts < ATTEMPTS_AT_WHOLE_LIST) throw error;
    scan.learning = "failed";
    const msg =
      "Which fields records have could not be learned from the whole list, so one that is empty in all changed records is absent; the next read tries again";
    scan.log.push({ severity: "WARNING", msg, error: String(error) });
  }
}

/** Returns the estimated number of records of the run; undefined if the provider refuses to count. */
async function estimateCount(first: ReadPage, count: () => Promise<number>): Promise<number | undefined> {
  if (first.total !== undefined) return first.total;
  if (!first.next) return first.records.length;
  try {
    return await count();
  } catch (error) {
    if (error instanceof ProviderError) return undefined;
    throw error;
  }
}

/**
 * Returns whether the run reads without bounds, so that the provider's quickest scan can be used. A full history does. A triggered
 * read with an upper bound only has a lower bound long ago.
 */
const isUnbounded = ({ kind, sinceTime }: ClaimedRun): boolean => sinceTime === null && kind !== "scheduled";

function chooseUpperBound(
  { run, startTime }: ReadScan,
  { untilTime }: ReadPosition,
): Pick<ReadPlan, "until"> {
  return isUnbounded(run) ? {} : { until: untilTime ?? startTime };
}

/** Returns the period of deletions to read; it overlaps the last one, because deletions become visible late, like changes. */
function chooseDeletionSpan(
  { run, startTime, target }: ReadScan,
  { untilTime }: ReadPosition,
): { since: Date; until: Date } {
  const lastMs = (run.deletionsTime ?? startTime).getTime();
  const { overlapMs, deletionsOverlapMs = overlapMs } = target.connector.read.abilities;
  return { since: new Date(lastMs - deletionsOverlapMs), until: untilTime ?? startTime };
}

async function readOrLeaveOut(
  scan: ReadScan,
  read: (fields: string[]) => Promise<ReadPage>,
): Promise<ReadPage> {
  for (;;) {
    try {
      return await read(scan.plan.fields.filter((field) => !scan.refused.has(field)));
    } catch (error) {
      const field = findFieldOfError(scan, error);
      if (field === undefined) throw error;
      scan.refused.add(field);
      scan.shaper.leaveOut([field]);
      const msg = `The provider refuses the field ${field}: it is left out`;
      scan.log.push({ severity: "WARNING", msg, error: String(error) });
    }
  }
}

/** Returns the field that the error is about, if it was requested and is not required. */
function findFieldOfError({ plan, refused, set, target }: ReadScan, error: unknown): string | undefined {
  if (!(error instanceof ProviderError) || error.kind !== "invalid" || error.code === undefined)
    return undefined;
  const { fieldKey } = target.connector.read;
  const key = fieldKey(error.code);
  const isRequired = set.required.some((name) => fieldKey(name) === key);
  return isRequired ? undefined : plan.fields.find((name) => fieldKey(name) === key && !refused.has(name));
}

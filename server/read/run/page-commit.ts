/** Builds the commit of a fetched page: messages, fingerprints, counts, log, and the checkpoint behind it. */
import type { ReadMessageHead } from "../../events/read-message-schema.ts";
import { formatCount } from "../../../ground/sentences.ts";
import { newId } from "../../../ground/ids.ts";
import { packSeen } from "../../../ground/pack-seen.ts";
import { formatTraceparent } from "../../../ground/span.ts";
import type { LogEntry } from "../../store/operations/operations.ts";
import type { PageMessage, ReadPageCommit } from "../../store/reads/read-pages.ts";
import type { SeenRow } from "../../store/reads/seen-records.ts";
import type { ReadCounts } from "../../store/reads/read-runs.ts";
import { chooseDeletions, chooseRecords, type Chosen } from "../records/choose-records.ts";
import { cutMessages } from "../records/cut-messages.ts";
import type { FetchedPage, ReadPosition } from "./fetch-page.ts";
import { type EndedRead, endOfRead } from "./end-of-read.ts";
import { buildMetadata } from "./read-counts.ts";
import { readLowerBound } from "../definition/read-span.ts";
import type { ReadScan, ScanServices } from "../records/read-scan.ts";
import type { RunReadServices } from "./read-services.ts";
import { leaveOutVanished } from "../records/vanished-fields.ts";
import { type MessageFacts, buildMessageHead } from "../../events/message-head.ts";

interface PageToPrepare {
  page: FetchedPage;
  /** Counts of the run, to which this page is added. */
  counts: ReadCounts;
  /** Whether the run returns to the end of the queue after this page. */
  release: boolean;
}

/**
 * Builds what is stored of a page. `next` is undefined when the run ends with it. Throws `ProviderError` when a required field is
 * missing.
 */
export async function buildPageCommit(
  deps: Pick<RunReadServices, "database" | "workerId" | "minuteMs"> & ScanServices,
  scan: ReadScan,
  { page: fetched, counts, release }: PageToPrepare,
): Promise<{ commit: ReadPageCommit; next: ReadPosition | undefined }> {
  const untilTime = fetched.position.untilTime ?? chooseFirstUpperBound(scan, fetched);
  if (fetched.stage === "records") {
    scan.shaper.learn(fetched.page.records);
    const at = { isFirstPage: counts.pages === 0, isLastPage: !fetched.page.next };
    await leaveOutVanished(deps, scan, at);
  }
  const chosen =
    fetched.stage === "records"
      ? await chooseRecords(deps, scan, { records: fetched.page.records, time: fetched.time, untilTime })
      : await chooseDeletions(deps, scan, { records: fetched.page.records, time: fetched.time });
  count(counts, fetched, chosen);
  const next = findNextPosition(scan, fetched, { untilTime, minuteMs: deps.minuteMs });
  const log = [...buildLog(scan, fetched, counts, untilTime), ...scan.log.splice(0)];
  if (fetched.page.warning !== undefined) log.push({ severity: "WARNING", msg: fetched.page.warning });
  if (!next) log.push({ severity: "INFO", msg: `Ended: ${describeCounts(counts)}` });
  const { run, target } = scan;
  const { definition, fields } = target;
  const at = { messageName: definition.messageName, untilTime };
  const { messages, seen } = buildMessages(scan, fetched.time, chosen);
  const commit: ReadPageCommit = {
    operationId: run.operationId,
    workerId: deps.workerId(),
    untilTime,
    stage: next?.stage ?? fetched.stage,
    checkpoint: next?.checkpoint ?? null,
    metadata: buildMetadata(run, at, counts),
    log,
    messages,
    seen,
    fingerprints: chosen.fingerprints,
    forgotten: chosen.forgotten,
    release,
    ...(!next && { end: endOfRead(scan, { counts, untilTime, fields, ...endWith(fetched) }) }),
  };
  return { commit, next };
}

const endWith = (fetched: FetchedPage): Pick<EndedRead, "stage" | "coveredUntil"> => ({
  stage: fetched.stage,
  coveredUntil: fetched.stage === "deletions" ? fetched.page.coveredUntil : undefined,
});

/** Returns the messages, and which records are in each and in none. */
function buildMessages(
  scan: ReadScan,
  operationTime: Date,
  { entries, kept, leftOut }: Chosen,
): Pick<ReadPageCommit, "messages" | "seen"> {
  const { run, target } = scan;
  const { destination } = target;
  const { delivery } = target.definition;
  const limits = { pageSize: delivery.pageSize, maxBytes: destination.maxBytes };
  const messages: PageMessage[] = [];
  const seen: SeenRow[] = [];
  let begin = 0;
  for (const { data, numRecords } of cutMessages(buildHead(scan, operationTime), entries, limits)) {
    const id = newId();
    messages.push({
      id,
      projectId: run.projectId,
      type: "read",
      data,
      destinationId: destination.id,
      held: delivery.mode === "onRequest",
      traceparent: formatTraceparent(),
    });
    seen.push({ id, isMessage: true, entries: packSeen(kept.slice(begin, begin + numRecords)) });
    begin += numRecords;
  }
  if (leftOut.length > 0) seen.push({ id: newId(), isMessage: false, entries: packSeen(leftOut) });
  return { messages, seen };
}

function buildHead({ run, target }: ReadScan, operationTime: Date): ReadMessageHead {
  const { fields, definition, installed } = target;
  const { updateTime, createTime } = installed.installation;
  return readMessageHead({
    ...fields,
    installationUpdateTime: updateTime ?? createTime,
    messageName: definition.messageName,
    objectName: definition.objectName,
    workspace: target.workspace,
    operationId: run.operationId,
    operationTime,
    readType: run.kind,
  });
}

/** Returns the time at which the run began by the provider's clock, but never later than by ours. */
function chooseFirstUpperBound({ startTime }: ReadScan, { stage, page }: FetchedPage): Date {
  const providerTime = stage === "records" ? page.providerTime : undefined;
  return providerTime && providerTime < startTime ? providerTime : startTime;
}

function findNextPosition(
  scan: ReadScan,
  fetched: FetchedPage,
  { untilTime, minuteMs }: { untilTime: Date; minuteMs: number },
): ReadPosition | undefined {
  const { stage, page } = fetched;
  if (page.next) return { stage, checkpoint: page.next, untilTime };
  if (stage === "records" && readsDeletions(scan, untilTime, minuteMs))
    return { stage: "deletions", checkpoint: null, untilTime };
  return undefined;
}

function readsDeletions({ run, target }: ReadScan, untilTime: Date, minuteMs: number): boolean {
  const { abilities } = target.connector.read;
  if (run.kind !== "scheduled" || !target.definition.deletedRecords || !abilities.deletions) return false;
  const sinceMs = untilTime.getTime() - (run.deletionsTime?.getTime() ?? 0);
  return sinceMs >= ((abilities.deletionsEveryMs ?? 0) * minuteMs) / 60_000;
}

function count(counts: ReadCounts, { stage, page, providerCalls }: FetchedPage, { entries }: Chosen): void {
  counts.pages += 1;
  counts.providerCalls += providerCalls;
  if (stage === "deletions") {
    counts.deleted += entries.length;
    return;
  }
  counts.records += page.records.length;
  counts.delivered += entries.length;
  counts.unchanged += page.records.length - entries.length;
  if (counts.pages === 1 && page.total !== undefined) counts.total = page.total;
}

const PAGES_LOGGED = 20;
const PAGES_PER_LINE = 50;

function buildLog(
  scan: ReadScan,
  { stage, page }: FetchedPage,
  counts: ReadCounts,
  untilTime: Date,
): LogEntry[] {
  const log: LogEntry[] = [];
  const { run, set, target } = scan;
  if (counts.pages === 1) {
    const since = readLowerBound(run);
    const from = since ? `changed since ${since.toISOString()}` : "of the full history";
    const msg = `Reading records ${from} until ${untilTime.toISOString()}, ${formatCount(set.fields.length, "field")}`;
    log.push({ severity: "INFO", msg });
    for (const records of target.notRead)
      log.push({ severity: "INFO", msg: `The provider's list leaves out ${records}: they are not read` });
    if (target.definition.deletedRecords && !target.connector.read.abilities.deletions)
      log.push({ severity: "INFO", msg: "Deletions are asked for, but none are read from this provider" });
  }
  if (page.restarted) {
    const msg = "The place in the list no longer holds: the list is read from its beginning";
    log.push({ severity: "WARNING", msg });
  }
  if (counts.pages <= PAGES_LOGGED || counts.pages % PAGES_PER_LINE === 0) {
    const what = stage === "deletions" ? "deleted record" : "record";
    log.push({ severity: "DEBUG", msg: `Page ${counts.pages}: ${formatCount(page.records.length, what)}` });
  }
  return log;
}

function describeCounts({ records, delivered, unchanged, deleted, pages }: ReadCounts): string {
  return `${formatCount(records, "record")} read in ${formatCount(pages, "page")}, ${delivered} delivered, ${unchanged} unchanged, ${deleted} deleted`;
}

/** What a run knows about its installation, besides what it reads. */
interface ReadMessageFacts extends MessageFacts {
  operationId: string;
  /** When the provider's page arrived. */
  operationTime: Date;
  readType: ReadMessageHead["readType"];
}

/** Returns the common members, in the order in which they are sent. */
export const readMessageHead = (facts: ReadMessageFacts): ReadMessageHead => ({
  action: "read",
  ...buildMessageHead(facts),
  operationId: facts.operationId,
  operationTime: facts.operationTime.toISOString(),
  readType: facts.readType,
});

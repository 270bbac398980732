/** Reads one page of the deletions that the lists of an object tell. */
import type { Checkpoint, DeletionPage, ReadPlan, SourceRecord } from "../read-connector.ts";
import { ProviderError } from "../calls/provider-error.ts";
import { chooseList, findNextList, reportsDeletions } from "./chosen-list.ts";
import { getOne } from "./get-record.ts";
import { readPageFrom, type ListPage, type ListReading } from "./list-page.ts";
import { matchesPlan } from "./record-filter.ts";
import { readScanState } from "./scan-state.ts";

const DAY_MS = 86_400_000;
/** Until a period is over, the server remembers what it delivered in it. */
const LONGEST_MS = 7 * DAY_MS;

/**
 * Reads a page of deletions. Where the provider forbids to read a log of them, the end of the period is that of the period before, so that
 * nothing is missing when the permission comes. Throws `ProviderError`.
 */
export async function readDeletionPage(
  reading: ListReading,
  plan: ReadPlan & { since: Date; until: Date },
  checkpoint: Checkpoint | undefined,
  overlapMs: number,
): Promise<DeletionPage> {
  const { name } = reading.rules;
  if (!reportsDeletions(reading.rules))
    return { records: [], warning: `deletions of ${name} are not read: the provider has no list of them` };
  const state = readScanState(checkpoint);
  const chosen = chooseList(reading.rules, plan.since, state, "deletions");
  const page: ListPage & { forbidden?: string } = await readPageFrom(reading, plan, state, "deletions").catch(
    (thrown: unknown) => {
      // What comes before the list is forbidden with it, as Marketo's token for a time.
      if (!chosen.mayBeForbidden || !(thrown instanceof ProviderError) || thrown.kind !== "forbidden")
        throw thrown;
      return { records: [], deleted: [], forbidden: thrown.message, ...findNextList(chosen) };
    },
  );
  const { next, restarted, forbidden } = page;
  const deleted = chosen.mayBeBack ? await leaveOutPresent(reading, page.deleted) : page.deleted;
  const lastEnd = plan.since.getTime() + overlapMs;
  const coveredUntil = new Date(Math.max(lastEnd, plan.until.getTime() - LONGEST_MS));
  const warning = forbidden === undefined ? page.warning : explain(name, forbidden, coveredUntil);
  const records = deleted
    .filter((record) => matchesPlan(record, plan))
    .map(({ id, changeTime, raw }) => ({ id, ...(changeTime && { deletedTime: changeTime }), raw }));
  const isPartial = forbidden !== undefined || state.isPartial === true;
  return {
    records,
    ...(next && { next: isPartial ? { ...next, isPartial } : next }),
    ...(!next && isPartial && { coveredUntil }),
    ...(restarted && { restarted }),
    ...(warning !== undefined && { warning }),
  };
}

/** Leaves out the records that are there: they were created anew, under the same id, and may be delivered already. */
async function leaveOutPresent(
  { rules, fetch, classify }: ListReading,
  deleted: SourceRecord[],
): Promise<SourceRecord[]> {
  const gone: SourceRecord[] = [];
  for (const record of deleted)
    if (!(await getOne({ plan: rules, fetch, classify }, record.id, []))) gone.push(record);
  return gone;
}

const explain = (name: string, reason: string, from: Date): string =>
  `deletions of ${name} are not read, because the provider forbids this account to read where they are reported; when it may, those since ` +
  `${from.toISOString()} are read: ${reason}`;

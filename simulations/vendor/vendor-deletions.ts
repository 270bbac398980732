/** Log of deletions of a simulated vendor. */
import type { JsonObject } from "../../ground/json.ts";
import { nowMs } from "../../ground/clock.ts";
import type { Facts } from "../../connector-kit/facts/facts.ts";
import type { VendorAnswer } from "./vendor-answer.ts";
import { setAtPath, type VendorRecords } from "./vendor-records.ts";
import { readText, type VendorRequest } from "./vendor-request.ts";
import { readTime, writeTime } from "./vendor-times.ts";

const MINUTE_MS = 60_000;

/** Answers a request for the log of an object; undefined for another request. A sentence tells why it is refused. */
export function answerDeletionLog(
  { objects }: Facts,
  records: VendorRecords,
  request: VendorRequest,
): { objectName: string; answer: VendorAnswer | string } | undefined {
  for (const [objectName, { deletionLog: log }] of Object.entries(objects)) {
    if (!log || request.method !== "GET" || request.path !== log.path) continue;
    const [from, until] = [log.from, log.until].map((place) =>
      readTime(readText(request, place) ?? "", "rfc3339"),
    );
    if (from === undefined || until === undefined)
      return { objectName, answer: `${log.from} and ${log.until} are times` };
    const others = request.query.find(([name]) => ![log.from, log.until].includes(`query.${name}`));
    if (others) return { objectName, answer: `query.${others[0]}: no such parameter` };
    const [start, end] = [floorToMinute(from), floorToMinute(until)];
    if (end - start <= log.leastMinutes * MINUTE_MS)
      return {
        objectName,
        answer: `${log.until}: not more than ${log.leastMinutes} minutes behind ${log.from}`,
      };
    if (start < nowMs() - log.oldestDays * 24 * 60 * MINUTE_MS)
      return { objectName, answer: `${log.from}: older than ${log.oldestDays} days` };
    const body: JsonObject = {};
    const logged = records.removed
      .filter((one) => one.objectName === objectName)
      .filter(({ record }) => record.changedMs >= start && record.changedMs < end);
    setAtPath(
      body,
      log.records,
      logged.map(({ record }) => {
        const entry: JsonObject = {};
        setAtPath(entry, log.id, record.id);
        setAtPath(entry, log.time, writeTime(record.changedMs, "rfc3339"));
        return entry;
      }),
    );
    return { objectName, answer: { status: 200, headers: {}, body } };
  }
  return undefined;
}

/** Rounds down to whole minutes. */
const floorToMinute = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS;

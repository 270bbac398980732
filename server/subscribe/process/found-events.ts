/** Builds events from records that a scan found changed or deleted. Pure. */
import type { DeletedRecord, ReadPage } from "../../../connector-kit/read-connector.ts";
import { newId } from "../../../ground/ids.ts";
import type { FoundEvent, SubscriptionScan } from "../../store/subscriptions/subscription-scans.ts";
import { dedupeHash } from "../receive/received-event.ts";
import { isGone } from "./drop-repeats.ts";
import type { SubscribingConnector } from "../definition/subscription-target.ts";

interface FoundBy {
  scan: SubscriptionScan;
  subscription: { objectName: string };
  target: { connector: SubscribingConnector };
}

/**
 * A record that was created within the time of the scan is a create, unless something of it was delivered already. `known` has
 * what was delivered, by record.
 */
export function listFoundRecords(
  by: FoundBy,
  {
    page,
    until,
    known,
  }: { page: Pick<ReadPage, "records">; until: Date; known: ReadonlyMap<string, Buffer> },
): FoundEvent[] {
  const { connector } = by.target;
  const sinceMs = Date.parse(by.scan.since) - connector.read.abilities.overlapMs;
  return page.records.map((record) => {
    const createTime = connector.subscribe.readCreateTime(record);
    const last = known.get(record.id);
    const isNew = createTime !== undefined && createTime.getTime() >= sinceMs && (!last || isGone(last));
    const changeTime = record.changeTime ?? until;
    return buildFoundEvent(by, {
      recordId: record.id,
      type: isNew ? "create" : "update",
      time: changeTime,
      until,
    });
  });
}

export const listFoundDeletions = (
  by: FoundBy,
  records: readonly DeletedRecord[],
  until: Date,
): FoundEvent[] =>
  records.map(({ id, deletedTime }) =>
    buildFoundEvent(by, { recordId: id, type: "delete", time: deletedTime ?? until, until }),
  );

/** Longer than the second of a check, because clocks differ. */
const SETTLED_MS = 2_000;

/**
 * Returns whether a record may change again and have the same time, because the provider gives whole seconds. The next turn of polling
 * must not take that change for the one that it knows.
 */
const isUnsettled = (time: Date, until: Date): boolean =>
  time.getTime() % 1_000 === 0 && time.getTime() > until.getTime() - SETTLED_MS;

function buildFoundEvent(
  { scan, subscription: { objectName }, target: { connector } }: FoundBy,
  { recordId, type, time, until }: { recordId: string; type: FoundEvent["type"]; time: Date; until: Date },
): FoundEvent {
  const isPolled = scan.kind === "polling";
  const polled = isPolled
    ? connector.subscribe.polledEvent?.({ objectName, type, recordId, occurredTime: time })
    : undefined;
  const raw = isPolled
    ? { polled: true, ...(polled?.raw ?? { recordId, occurredAt: time.getTime() }) }
    : { reconciled: true, since: scan.since, until: until.toISOString() };
  return {
    id: newId(),
    recordId,
    type,
    providerEventType: isPolled ? (polled?.providerEventType ?? "POLLED") : "RECONCILED",
    occurredTime: time,
    // A reconciliation may be repeated, for example because the first one had a filter of then; a turn of polling overlaps.
    dedupeKey: dedupeHash(
      JSON.stringify([
        isPolled && !isUnsettled(time, until) ? "polled" : scan.id,
        objectName,
        recordId,
        type === "delete",
        time.getTime(),
      ]),
    ),
    raw: JSON.stringify(raw),
  };
}

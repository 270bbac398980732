/**
 * Limits what one transaction makes of pushes and streams: an event becomes a row for each installation of its account, so that
 * many events could hold the rows of all their subscriptions for minutes, and with them the process's database connections.
 */
import type { DataQueries } from "../../store/database/sides.ts";
import type { TakenPush } from "../../store/subscriptions/received-pushes.ts";
import {
  countRecipients,
  type EventTarget,
  type ReceivedEvent,
  type Recipients,
} from "../../store/subscriptions/subscription-inbox.ts";

interface ReadPush {
  push: TakenPush;
  events: ReceivedEvent[];
}

interface LimitedPushes {
  events: ReceivedEvent[];
  /** Pushes with the events that are left, in order. */
  rest: TakenPush[];
}

/** Less than a second's work; projects share it, so that none waits for another one's pushes. */
const MAX_ROWS = 5_000;

/** Chooses the events of this transaction, of each project in order and at least one. */
export async function limitRows(shards: DataQueries[], pushes: ReadPush[]): Promise<LimitedPushes> {
  const counts = new Map<string, number>();
  const all = pushes.flatMap(({ events }) => events);
  for (const queries of shards)
    for (const [key, count] of await countGroupRecipients(queries, all))
      counts.set(key, (counts.get(key) ?? 0) + count);
  const projects = new Set(pushes.map(({ push }) => push.projectId));
  const share = MAX_ROWS / Math.max(1, projects.size);
  const used = new Map<string, number>();
  const full = new Set<string>();
  const limited: LimitedPushes = { events: [], rest: [] };
  for (const { push, events } of pushes) {
    const { projectId } = push;
    const fits = (event: ReceivedEvent): boolean => {
      if (full.has(projectId)) return false;
      const before = used.get(projectId) ?? 0;
      const after = before + (event.installationId === null ? (counts.get(getKey(event)) ?? 0) : 1);
      if (before > 0 && after > share) full.add(projectId);
      else used.set(projectId, after);
      return !full.has(projectId);
    };
    const firstLeft = events.findIndex((event) => !fits(event));
    limited.events.push(...(firstLeft === -1 ? events : events.slice(0, firstLeft)));
    if (firstLeft === -1) continue;
    const body =
      firstLeft === 0
        ? push.body
        : `[${events
            .slice(firstLeft)
            .map(({ raw }) => raw)
            .join(",")}]`;
    limited.rest.push({ ...push, body });
  }
  return limited;
}

/** Divides the events of a stream, in order: each part makes at most `MAX_ROWS` rows, or is one event. */
export async function divideByRows(
  queries: DataQueries,
  events: ReceivedEvent[],
  recipients: Recipients,
): Promise<ReceivedEvent[][]> {
  // A single event cannot be divided; most batches of a stream have just one.
  if (events.length < 2) return [events];
  const counts = await countGroupRecipients(queries, events, recipients);
  const parts: ReceivedEvent[][] = [];
  let rows = Infinity;
  for (const event of events) {
    const own = counts.get(getKey(event)) ?? 0;
    rows += own;
    if (rows > MAX_ROWS) {
      parts.push([]);
      rows = own;
    }
    parts.at(-1)?.push(event);
  }
  return parts;
}

async function countGroupRecipients(
  queries: DataQueries,
  events: ReceivedEvent[],
  recipients?: Recipients,
): Promise<Map<string, number>> {
  const targets = new Map(events.map((event) => [getKey(event), event]));
  if (targets.size === 0) return new Map();
  const rows = await countRecipients(queries, [...targets.values()], recipients);
  return new Map(rows.map((row) => [getKey(row), row.count]));
}

const getKey = ({ projectId, provider, accountRef, objectKey }: EventTarget): string =>
  JSON.stringify([projectId, provider, accountRef, objectKey]);

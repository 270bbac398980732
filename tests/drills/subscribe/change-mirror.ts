/** A receiver that keeps copies of the customer's records by the messages about changes, and notes in which order they were made. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Version } from "../read/mirror.ts";

export interface ReceivedCounts {
  messages: number;
  /** Messages that came again, because the answer to a delivery was lost. */
  redelivered: number;
  /** Without those of messages that came again. */
  entries: number;
  /** Entries with an event that had arrived before, and reconciled ones that brought nothing new. */
  repeated: number;
  /** Entries behind a newer one of their record, because a delivery was retried. */
  late: number;
  reconciled: number;
}

export const NOTHING_RECEIVED: ReceivedCounts = {
  messages: 0,
  redelivered: 0,
  entries: 0,
  repeated: 0,
  late: 0,
  reconciled: 0,
};

export interface ChangeMirror {
  url: string;
  /** Changes by path (`/hubspot/contacts`), then by record id. */
  copies: Map<string, Map<string, Version>>;
  counts: Map<string, ReceivedCounts>;
  /** Refuses all messages while true. */
  away: boolean;
  /** Returns what the messages had about a record, in the order of arrival. */
  listEntries(path: string, id: string): { messageId: string; entry: object }[];
  /** Returns the records of which a message shows an older state, or an older event, than a message that was made before it. */
  disorder(): string[];
  close(): Promise<void>;
}

interface Entry {
  id: string;
  subscribeEventType: string;
  providerEventType: string;
  fields: Record<string, unknown>;
  raw?: { updatedAt?: string };
  rawEvent: {
    occurredAt?: number;
    attemptNumber?: number;
    until?: string;
    ChangeEventHeader?: { commitNumber: number };
  };
}

/** An entry with the place at which its message was made. */
interface Shown {
  path: string;
  messageId: string;
  position: number;
  entry: Entry;
}

export async function startChangeMirror(): Promise<ChangeMirror> {
  const copies: ChangeMirror["copies"] = new Map();
  const counts: ChangeMirror["counts"] = new Map();
  /** Messages of each record, by path and id. */
  const history = new Map<string, Shown[]>();
  const events = new Set<string>();
  const messages = new Set<string>();
  const apply = (shown: Shown): void => {
    const { path } = shown;
    const { id, subscribeEventType, providerEventType, fields, raw, rawEvent } = shown.entry;
    const count = readCounts(counts, path);
    const copy = copies.get(path) ?? new Map<string, Version>();
    copies.set(path, copy);
    const known = copy.get(id);
    const isDeleted = subscribeEventType === "delete";
    const version = { time: getPlace(shown), fields: isDeleted ? undefined : JSON.stringify(fields) };
    const isReconciled = providerEventType === "RECONCILED";
    const event = `${path} ${id} ${JSON.stringify({ ...rawEvent, attemptNumber: 0 })}`;
    count.entries += 1;
    if (isReconciled) count.reconciled += 1;
    if (isReconciled ? known && known.fields === version.fields : events.has(event)) count.repeated += 1;
    events.add(event);
    // The record was gone before it was read: its deletion is reported by itself.
    if (!isDeleted && !raw) return;
    const key = `${path} ${id}`;
    history.set(key, [...(history.get(key) ?? []), shown]);
    if (known && known.time > version.time) count.late += 1;
    else copy.set(id, version);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (mirror.away) return void response.writeHead(503).end();
      const path = request.url ?? "";
      const messageId = String(request.headers["webhook-id"]);
      const { result = [] }: { result?: Entry[] } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const count = readCounts(counts, path);
      count.messages += 1;
      if (messages.has(messageId)) count.redelivered += 1;
      else result.forEach((entry, position) => apply({ path, messageId, position, entry }));
      messages.add(messageId);
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const mirror: ChangeMirror = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    copies,
    counts,
    away: false,
    listEntries: (path, id) => history.get(`${path} ${id}`) ?? [],
    disorder: () => [...history].flatMap(([key, all]) => (isInOrder(all) ? [] : [`${key}: out of order`])),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return mirror;
}

function readCounts(counts: ChangeMirror["counts"], path: string): ReceivedCounts {
  const known = counts.get(path) ?? { ...NOTHING_RECEIVED };
  counts.set(path, known);
  return known;
}

/** Ids of messages sort by the time at which they were made, here by processes with one clock. */
const readMadeTime = ({ messageId, position }: Shown): string =>
  `${messageId} ${String(position).padStart(3, "0")}`;

/**
 * HubSpot pushes in any order, so what counts is the age of what was read, and of a deletion the time of its event. Salesforce
 * has an order, which the messages keep.
 */
function getPlace(shown: Shown): string {
  if (shown.path.startsWith("/salesforce")) return readMadeTime(shown);
  const { raw, rawEvent } = shown.entry;
  const time =
    raw?.updatedAt ?? new Date(rawEvent.occurredAt ?? Date.parse(rawEvent.until ?? "")).toISOString();
  return `${time} ${readMadeTime(shown)}`;
}

/** Returns whether states read and events of a stream never go back from a message to the next one that was made. */
function isInOrder(all: Shown[]): boolean {
  const made = all.toSorted((one, other) => (readMadeTime(one) < readMadeTime(other) ? -1 : 1));
  const rises = (values: (string | number)[]) =>
    values.every((value, index) => index === 0 || value >= (values[index - 1] ?? value));
  const states = made.flatMap(({ entry }) => entry.raw?.updatedAt ?? []);
  const commits = made.flatMap(({ entry }) => entry.rawEvent.ChangeEventHeader?.commitNumber ?? []);
  return rises(states) && rises(commits);
}

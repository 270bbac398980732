/** A receiver that keeps a copy of the customer's records by the messages about changes. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Version } from "../drill-read/mirror.ts";

export interface ChangeMirror {
  url: string;
  /** By record id. */
  copy: Map<string, Version>;
  counts: {
    messages: number;
    entries: number;
    /** Entries that brought what the receiver had already. */
    repeated: number;
    /** Entries older than what the receiver had. */
    late: number;
    reconciled: number;
  };
  /** Refuses all messages while true. */
  away: boolean;
  close(): Promise<void>;
}

interface Entry {
  id: string;
  subscribeEventType: string;
  providerEventType: string;
  fields: Record<string, unknown>;
  raw?: { updatedAt?: string };
  rawEvent: { occurredAt?: number; until?: string };
}

export async function startChangeMirror(): Promise<ChangeMirror> {
  const copy: ChangeMirror["copy"] = new Map();
  const counts = { messages: 0, entries: 0, repeated: 0, late: 0, reconciled: 0 };
  const apply = (entry: Entry): void => {
    const { id, subscribeEventType, providerEventType, fields, raw, rawEvent } = entry;
    counts.entries += 1;
    if (providerEventType === "RECONCILED") counts.reconciled += 1;
    const isDeleted = subscribeEventType === "delete";
    // The record was gone before it was read: its deletion is reported by itself.
    if (!isDeleted && !raw) return;
    // The age of what was read; of a deletion the time of its event.
    const time =
      raw?.updatedAt ?? new Date(rawEvent.occurredAt ?? Date.parse(rawEvent.until ?? "")).toISOString();
    const known = copy.get(id);
    const version = { time, fields: isDeleted ? undefined : JSON.stringify(fields) };
    if (known && known.fields === version.fields) counts.repeated += 1;
    if (known && known.time > time) counts.late += 1;
    else copy.set(id, version);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (mirror.away) return void response.writeHead(503).end();
      counts.messages += 1;
      const { result = [] }: { result?: Entry[] } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      for (const entry of result) apply(entry);
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const mirror: ChangeMirror = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    copy,
    counts,
    away: false,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return mirror;
}

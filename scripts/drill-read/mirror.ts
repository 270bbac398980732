/** A receiver that keeps a copy of the customer's records: it upserts and deletes by id, the later version wins. */
import { createServer } from "node:http";

export interface Version {
  time: string;
  /** The delivered fields as JSON text; undefined for a deleted record. */
  fields: string | undefined;
}

export interface Mirror {
  url: string;
  /** By path (`/hubspot/contacts`), then by record id. */
  copies: Map<string, Map<string, Version>>;
  /** Entries that arrived, and those of them that changed nothing. */
  counts: { messages: number; entries: number; repeated: number };
  /** Refuses all messages while true. */
  away: boolean;
  close(): Promise<void>;
}

interface ReadMessage {
  action: string;
  operationTime: string;
  resultInfo: { type: string; downloadUrl?: string };
  result?: Entry[];
}

interface Entry {
  id: string;
  fields: Record<string, unknown>;
  deleted?: true;
}

export async function startMirror(): Promise<Mirror> {
  const copies: Mirror["copies"] = new Map();
  const counts = { messages: 0, entries: 0, repeated: 0 };
  const apply = (path: string, { operationTime, result = [] }: ReadMessage): void => {
    const copy = copies.get(path) ?? new Map<string, Version>();
    copies.set(path, copy);
    for (const { id, fields, deleted } of result) {
      const known = copy.get(id);
      const version = { time: operationTime, fields: deleted ? undefined : JSON.stringify(fields) };
      counts.entries += 1;
      if (known && known.fields === version.fields) counts.repeated += 1;
      if (!known || known.time <= operationTime) copy.set(id, version);
    }
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (mirror.away) return void response.writeHead(503).end();
      counts.messages += 1;
      apply(request.url ?? "", JSON.parse(Buffer.concat(chunks).toString("utf8")));
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const mirror: Mirror = {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    copies,
    counts,
    away: false,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return mirror;
}

/** A receiver that keeps a copy of the customer's records: it upserts and deletes by id, the later version wins. */
import { createServer } from "node:http";

export interface Version {
  /** Text by which two versions of a record are compared. */
  time: string;
  /** The delivered fields as JSON text; undefined for a deleted record. */
  fields: string | undefined;
}

export interface Mirror {
  url: string;
  /** Records by path (`/hubspot/contacts`), then by id. */
  copies: Map<string, Map<string, Version>>;
  /** Entries that arrived, and those of them that changed nothing. */
  counts: { messages: number; entries: number; repeated: number };
  /** Refuses all messages while true. */
  away: boolean;
  close(): Promise<void>;
}

interface ReadMessage {
  action: string;
  resultInfo: { type: string; downloadUrl?: string };
  result?: Entry[];
}

interface Entry {
  id: string;
  changeTime?: string;
  readTime: string;
  fields: Record<string, unknown>;
  deleted?: true;
}

/**
 * The guide's rule: the later change wins, and of two of one time the one that was read later. The time of the message is no order: an
 * answer with an older state may have waited in a busy process.
 */
const placeEntry = ({ changeTime = "", readTime }: Entry): string => `${changeTime} ${readTime}`;

export async function startMirror(): Promise<Mirror> {
  const copies: Mirror["copies"] = new Map();
  const counts = { messages: 0, entries: 0, repeated: 0 };
  const apply = (path: string, { result = [] }: ReadMessage): void => {
    const copy = copies.get(path) ?? new Map<string, Version>();
    copies.set(path, copy);
    for (const entry of result) {
      const { id, fields, deleted } = entry;
      const known = copy.get(id);
      const version = { time: placeEntry(entry), fields: deleted ? undefined : JSON.stringify(fields) };
      counts.entries += 1;
      if (known && known.fields === version.fields) counts.repeated += 1;
      if (!known || known.time <= version.time) copy.set(id, version);
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

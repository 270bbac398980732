/** Finds the shards that entries of the outbox are for: that of the customer, or each shard if the entry is about several customers. */
import { sql } from "kysely";
import type { OutboxEntry } from "./outbox-entries.ts";
import type { ControlQueries } from "./sides.ts";

interface AddressedEntry {
  entry: OutboxEntry;
  /** Null for the main shard. */
  shard: string | null;
}

/** What names the customer of an entry; `every` if it concerns all shards, and nothing for an event without a customer. */
type Subject = { groupRef?: string; installationId?: string; connectionId?: string } | "every";

/** Addresses entries, in their order. `others` are the shards beside the main one. */
export async function addAddresses(
  queries: ControlQueries,
  entries: OutboxEntry[],
  others: string[],
): Promise<AddressedEntry[]> {
  if (others.length === 0) return entries.map((entry) => ({ entry, shard: null }));
  const subjects = entries.map(findSubject);
  const shards = await findShards(queries, entries, subjects);
  return entries.flatMap((entry, index): AddressedEntry[] =>
    subjects[index] === "every"
      ? [null, ...others].map((shard) => ({ entry, shard }))
      : [{ entry, shard: shards[index] ?? null }],
  );
}

function findSubject({ kind, content }: OutboxEntry): Subject {
  if (kind === "renamed-account") return { connectionId: content.connectionId };
  if (kind === "ended-watch") return "every";
  if (kind === "event") return findEventSubject(content.data);
  if (content.by === "id") return { installationId: content.id };
  return content.by === "connection_id" ? { connectionId: content.id } : "every";
}

/** An event names its customer by the reference, as the receiver knows it. */
function findEventSubject(text: string): Subject {
  const data: unknown = JSON.parse(text);
  const hasRef = typeof data === "object" && data !== null && "groupRef" in data;
  return hasRef && typeof data.groupRef === "string" ? { groupRef: data.groupRef } : {};
}

async function findShards(
  queries: ControlQueries,
  entries: OutboxEntry[],
  subjects: Subject[],
): Promise<(string | null)[]> {
  const list = (name: "groupRef" | "installationId" | "connectionId") =>
    subjects.map((subject) => (subject === "every" ? null : (subject[name] ?? null)));
  const { rows } = await sql<{ shard: string | null }>`
    select coalesce(
      (select shard from groups where groups.project_id = entry.project_id and groups.group_ref = entry.group_ref),
      (select shard from groups join installations on group_id = groups.id where installations.id = entry.installation_id),
      (select shard from groups join connections on group_id = groups.id where connections.id = entry.connection_id)) as shard
    from unnest(
      ${entries.map(({ projectId }) => projectId)}::uuid[], ${list("groupRef")}::text[],
      ${list("installationId")}::uuid[], ${list("connectionId")}::uuid[]
    ) with ordinality as entry (project_id, group_ref, installation_id, connection_id, nth)
    order by nth
  `.execute(queries);
  return rows.map(({ shard }) => shard);
}

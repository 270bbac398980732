/**
 * Journals that several provider apps share. The journal of an app at a provider, and what is selected in it, belong to all
 * provider apps with the same client id, of any project, and to the customers of every shard. Only apps with a stream count: a
 * stream is stored after the provider has given the app a token, so another project's app with this client id, but without its
 * secret, changes nothing.
 */
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { askShards } from "../shards/ask-shards.ts";
import { SELECTED_KEY, type EventStreamRow } from "./event-streams.ts";
import type { JournalFilter } from "./subscriptions.ts";

/** An app at a provider: its client id is the account of its streams. */
type SharedApp = Pick<EventStreamRow, "provider" | "accountRef">;

/** Lists the provider apps that are one at the provider, in any shard. Throws a 503 Problem while a shard is away: it may have others. */
async function listSharing(
  database: Pick<Database, "shards">,
  { provider, accountRef }: SharedApp,
): Promise<string[]> {
  const found = await askShards(database, async (data) => {
    const { rows } = await sql<{ id: string }>`
      select provider_app_id as id from event_streams
      where provider = ${provider} and account_ref = ${accountRef} and provider_app_id is not null
    `.execute(data);
    return rows.map(({ id }) => id);
  });
  return [...new Set(found.flat())];
}

/** Selects from the enabled subscriptions that use the journal of one of these apps. */
const selectWanted = (appIds: string[]) => sql`from subscriptions
  where journal_app_id = any(${appIds}::uuid[]) and source = 'journal' and state <> 'disabled'`;

/** Lists the journal filters of all subscriptions to an object of an account, in every shard. Throws a 503 Problem while one is away. */
export async function listJournalFilters(
  database: Pick<Database, "shards">,
  app: SharedApp,
  { accountRef, objectKey }: { accountRef: string; objectKey: string },
): Promise<JournalFilter[]> {
  const appIds = await listSharing(database, app);
  const found = await askShards(database, async (data) => {
    const { rows } = await sql<{ filter: JournalFilter }>`
      select journal_wish as filter ${selectWanted(appIds)}
        and account_ref = ${accountRef} and object_key = ${objectKey} and journal_wish is not null
      order by id
    `.execute(data);
    return rows.map(({ filter }) => filter);
  });
  return found.flat();
}

/** A stream whose journal others may share. */
interface SharedStream extends SharedApp {
  id: string;
}

/**
 * Lists which of these objects are wanted by others who share the stream's journal: other provider apps, and customers of other
 * shards. Throws a 503 Problem while a shard is away.
 */
export async function listWantedByOthers(
  database: Pick<Database, "shard" | "data" | "shards">,
  stream: SharedStream,
  keys: string[],
): Promise<string[]> {
  const appIds = await listSharing(database, stream);
  const wanted = await askShards(database, async (data) => {
    const others = data === database.data ? appIds.filter((id) => id !== stream.id) : appIds;
    const { rows } = await sql<{ key: string }>`
      select distinct ${SELECTED_KEY} as key ${selectWanted(others)} and ${SELECTED_KEY} = any(${keys}::text[])
    `.execute(data);
    return rows.map(({ key }) => key);
  });
  return wanted.flat();
}

/** Stores that these objects are not selected for the others either. Who has begun to want one selects it again. */
export async function dropSelectedOfOthers(
  database: Pick<Database, "shard" | "data" | "shards">,
  { id, provider, accountRef }: SharedStream,
  dropped: string[],
): Promise<void> {
  await askShards(database, (data) =>
    sql`
      update event_streams set selected = array(select unnest(selected) except select unnest(${dropped}::text[]))
      where selected && ${dropped}::text[] and provider = ${provider} and account_ref = ${accountRef}
        and provider_app_id is not null and ${data === database.data ? sql`id <> ${id}` : sql`true`}
    `.execute(data),
  );
}

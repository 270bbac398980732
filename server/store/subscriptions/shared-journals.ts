/**
 * Journals that several provider apps share. The journal of an app at a provider, and what is selected in it, belong to all
 * provider apps with the same client id, of any project. Only apps with a stream count: a stream is stored after the provider
 * has given the app a token, so another project's app with this client id, but without its secret, changes nothing.
 */
import { sql, type RawBuilder } from "kysely";
import type { DataQueries } from "../database/sides.ts";
import { SELECTED_KEY } from "./event-streams.ts";
import type { JournalFilter } from "./subscriptions.ts";

/** Streams of other provider apps that are the same app at the provider as that of `mine`. */
const OTHERS = sql`event_streams as others join event_streams as mine on others.provider = mine.provider
  and others.account_ref = mine.account_ref and others.id <> mine.id
  and others.provider_app_id is not null and mine.provider_app_id is not null`;

/** Selects from the enabled subscriptions that use the journal of one of these apps. */
const selectWanted = (appIds: RawBuilder<unknown>) => sql`from subscriptions
  where journal_app_id in (${appIds}) and source = 'journal' and state <> 'disabled'`;

/** Lists the journal filters of all subscriptions to an object of an account. */
export async function listJournalFilters(
  queries: DataQueries,
  { journalAppId, accountRef, objectKey }: { journalAppId: string; accountRef: string; objectKey: string },
): Promise<JournalFilter[]> {
  const apps = sql`select ${journalAppId}::uuid
    union select others.provider_app_id from ${OTHERS} where mine.provider_app_id = ${journalAppId}`;
  const { rows } = await sql<{ filter: JournalFilter }>`
    select journal_wish as filter ${selectWanted(apps)}
      and account_ref = ${accountRef} and object_key = ${objectKey} and journal_wish is not null
    order by id
  `.execute(queries);
  return rows.map(({ filter }) => filter);
}

/** Lists which of these objects are wanted by other provider apps that share the stream's journal. */
export async function listWantedByOthers(
  queries: DataQueries,
  id: string,
  keys: string[],
): Promise<string[]> {
  const apps = sql`select others.provider_app_id from ${OTHERS} where mine.id = ${id}`;
  const { rows } = await sql<{ key: string }>`
    select distinct ${SELECTED_KEY} as key ${selectWanted(apps)} and ${SELECTED_KEY} = any(${keys}::text[])
  `.execute(queries);
  return rows.map(({ key }) => key);
}

/** Stores that these objects are not selected for the other apps either. An app that has begun to want one selects it again. */
export async function dropSelectedOfOthers(
  queries: DataQueries,
  id: string,
  dropped: string[],
): Promise<void> {
  await sql`
    update event_streams set selected = array(select unnest(selected) except select unnest(${dropped}::text[]))
    where selected && ${dropped}::text[] and id in (select others.id from ${OTHERS} where mine.id = ${id})
  `.execute(queries);
}

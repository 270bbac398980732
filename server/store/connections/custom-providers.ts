/** Providers that builders add to a project. */
import { sql } from "kysely";
import { newId } from "../../../ground/ids.ts";
import type { JsonObject } from "../../../ground/json.ts";
import type { ControlQueries, SharedQueries } from "../database/sides.ts";
import { toStoredJson } from "../database/stored-json.ts";

export interface CustomProviderRow {
  projectId: string;
  key: string;
  document: JsonObject;
  origins: string;
  createTime: Date;
  updateTime: Date | null;
}

/** Lists the custom providers of one project, or of all. */
export async function listCustomProviders(
  queries: SharedQueries,
  projectId?: string,
): Promise<CustomProviderRow[]> {
  const { rows } = await sql<CustomProviderRow>`
    select project_id, key, document, origins, create_time, update_time from own_providers
    where ${projectId === undefined ? sql`true` : sql`project_id = ${projectId}`} order by key
  `.execute(queries);
  return rows;
}

export async function findCustomProvider(
  queries: SharedQueries,
  projectId: string,
  key: string,
): Promise<CustomProviderRow | undefined> {
  const { rows } = await sql<CustomProviderRow>`
    select project_id, key, document, origins, create_time, update_time from own_providers
    where project_id = ${projectId} and key = ${key}
  `.execute(queries);
  return rows[0];
}

export async function countCustomProviders(queries: SharedQueries, projectId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from own_providers where project_id = ${projectId}
  `.execute(queries);
  return rows[0]?.count ?? 0;
}

/** Inserts or updates a provider and locks its row. Returns the stored origins: the given ones, or those from before. */
export async function upsertCustomProvider(
  queries: ControlQueries,
  row: Pick<CustomProviderRow, "projectId" | "key" | "document" | "origins">,
): Promise<{ origins: string }> {
  const { projectId, key, document, origins } = row;
  const { rows } = await sql<{ origins: string }>`
    insert into own_providers (id, project_id, key, document, origins)
    values (${newId()}, ${projectId}, ${key}, ${toStoredJson(document)}::jsonb, ${origins})
    on conflict (project_id, key) do update set document = excluded.document, update_time = now()
    returning origins
  `.execute(queries);
  return rows[0] ?? { origins };
}

/**
 * Locks the provider until the transaction ends, so that it is not deleted meanwhile. Returns whether it exists with these
 * origins.
 */
export async function holdCustomProvider(
  queries: ControlQueries,
  { projectId, key, origins }: Pick<CustomProviderRow, "projectId" | "key" | "origins">,
): Promise<boolean> {
  const { rows } = await sql`
    select from own_providers where project_id = ${projectId} and key = ${key} and origins = ${origins} for share
  `.execute(queries);
  return rows.length > 0;
}

/** Uses of a provider, which prevent its deletion. */
export interface ProviderUses {
  connections: number;
  integrations: number;
  providerApps: number;
}

/** Locks the row, then counts its uses. Undefined if there is no such provider. */
export async function lockCustomProvider(
  queries: ControlQueries,
  projectId: string,
  key: string,
): Promise<ProviderUses | undefined> {
  const { rows } = await sql`
    select from own_providers where project_id = ${projectId} and key = ${key} for update
  `.execute(queries);
  if (rows.length === 0) return undefined;
  const uses = await sql<ProviderUses>`
    select
      (select count(*)::integer from connections where project_id = ${projectId} and provider = ${key}) as connections,
      (select count(*)::integer from integrations where project_id = ${projectId} and provider = ${key}) as integrations,
      (select count(*)::integer from provider_apps where project_id = ${projectId} and provider = ${key}) as provider_apps
  `.execute(queries);
  return uses.rows[0];
}

/**
 * Removes a provider and the open attempts to connect to it: what a customer has entered must not reach a later provider with
 * the same key.
 */
export async function removeCustomProvider(
  queries: ControlQueries,
  projectId: string,
  key: string,
): Promise<void> {
  await sql`delete from custom_auth_sessions where project_id = ${projectId} and provider = ${key}`.execute(
    queries,
  );
  await sql`
    delete from consents where project_id = ${projectId} and provider = ${key} and status <> 'succeeded'
  `.execute(queries);
  await sql`delete from own_providers where project_id = ${projectId} and key = ${key}`.execute(queries);
}

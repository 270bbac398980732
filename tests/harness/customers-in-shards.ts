/** Three shards with a customer each, of one integration. */
import { sql } from "kysely";
import { newId } from "../../ground/ids.ts";
import { upsertConsumer, upsertGroup } from "../../server/store/access/customers.ts";
import { insertConnection } from "../../server/store/connections/connections.ts";
import type { Database } from "../../server/store/database/database.ts";
import type { Scope } from "./database.ts";
import { install, PROVIDER, stockDatabase } from "./proxy/stock-database.ts";
import { testShards } from "./shards.ts";

export interface PlacedCustomer {
  shard: string;
  groupRef: string;
  connectionId: string;
  installationId: string;
}

interface Scene {
  main: Database;
  projectId: string;
  integrationId: string;
  customers: PlacedCustomer[];
}

/** Opens three shards with one customer each, of the same integration. */
export async function openCustomersInShards(scope: Scope): Promise<Scene> {
  const main = await testShards(scope, ["a", "b"], ({ queries }) => stockDatabase(queries));
  const [stocked] = (
    await sql<{ projectId: string; integrationId: string; id: string; connectionId: string }>`
      select project_id, integration_id, id, connection_id from installations`.execute(main.control)
  ).rows;
  const { projectId = "", integrationId = "", id = "", connectionId = "" } = stocked ?? {};
  const customers: PlacedCustomer[] = [
    { shard: "main", groupRef: "customer-1", connectionId, installationId: id },
  ];
  for (const shard of ["a", "b"]) customers.push(await insertCustomer(main, projectId, shard));
  return { main, projectId, integrationId, customers };
}

async function insertCustomer(
  { queries }: Database,
  projectId: string,
  shard: string,
): Promise<PlacedCustomer> {
  const groupRef = `customer-${shard}`;
  const { id: groupId } = await upsertGroup(queries, { projectId, groupRef });
  await sql`update groups set shard = ${shard} where id = ${groupId}`.execute(queries);
  const { id: consumerId } = await upsertConsumer(queries, { projectId, consumerRef: shard });
  const connectionId = newId();
  await insertConnection(queries, {
    id: connectionId,
    projectId,
    provider: PROVIDER,
    groupId,
    consumerId,
    authScheme: "none",
    providerMetadata: {},
    credentialsSealed: "",
  });
  return {
    shard,
    groupRef,
    connectionId,
    installationId: await install(queries, { projectId, groupId, connectionId }),
  };
}

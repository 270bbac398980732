/** Serves requests about one customer with the services of the shard that the customer is in. */
import type { Endpoint } from "../http/endpoint.ts";
import type { CustomerShards } from "../operations/customer-shards.ts";
import { findRowGroupRef } from "../store/access/customers.ts";
import type { Database } from "../store/database/database.ts";
import type { DataQueries } from "../store/database/sides.ts";
import { findInShards, type AskedShards, type FoundInShard } from "../store/shards/ask-shards.ts";

export interface InShards {
  database: Database;
  /** The services of a shard are those of the main one, but for what works on the database of its customers. */
  shards: CustomerShards<{ database: Database }>;
}

/** For a path that names an installation. */
export const runInShardOfInstallation = <Deps extends InShards>(
  deps: Deps,
  build: (deps: Deps) => Endpoint,
): Endpoint =>
  runInShard(deps, build, ({ project, params }) =>
    deps.shards.chooseByInstallation(project.id, (params as { installationId: string }).installationId),
  );

/** Runs an endpoint in the shard of the group or installation that the body names; the group need not exist. */
export const runInShardOfBody = <Deps extends InShards>(
  deps: Deps,
  build: (deps: Deps) => Endpoint,
): Endpoint =>
  runInShard(deps, build, ({ project, body }) => {
    const { groupRef, installationId = "" } = body as { groupRef?: string; installationId?: string };
    return groupRef === undefined
      ? deps.shards.chooseByInstallation(project.id, installationId)
      : deps.shards.chooseByGroup(project.id, groupRef);
  });

function runInShard<Deps extends InShards>(
  deps: Deps,
  build: (deps: Deps) => Endpoint,
  choose: (call: Parameters<Endpoint["handle"]>[0]) => Promise<{ database: Database }>,
): Endpoint {
  const declared = build(deps);
  const others = new WeakMap<Database, Endpoint>();
  return {
    ...declared,
    async handle(call) {
      const services = await choose(call);
      const { database } = services;
      if (database === deps.database) return declared.handle(call);
      let other = others.get(database);
      if (!other) others.set(database, (other = build({ ...deps, ...services })));
      return other.handle(call);
    },
  };
}

/** Returns the shards with rows of the customer that a filter names, two while it is moved; all shards if it names none that is there. */
export async function chooseShards(
  { database, shards }: InShards,
  projectId: string,
  { groupRef, installationId }: { groupRef?: string | undefined; installationId?: string | undefined },
): Promise<AskedShards<Database>> {
  if (database.shards.length === 1) return database;
  const { control } = database;
  const named =
    groupRef ??
    (installationId === undefined
      ? undefined
      : await findRowGroupRef(control, projectId, "installations", installationId));
  return named === undefined ? database : shards.findHolders(projectId, named);
}

/**
 * Finds a row by its id alone. Two shards may have one of a customer who moves: that of the shard which decides is returned. `nameGroup`
 * returns the reference of the row's customer.
 */
export async function findOfCustomer<Found>(
  { database, shards }: InShards,
  projectId: string,
  find: (data: DataQueries) => Promise<Found | undefined>,
  nameGroup: (row: Found) => string | undefined | Promise<string | undefined>,
): Promise<FoundInShard<Found, Database> | undefined> {
  const found = await findInShards(database, find);
  if (!found || database.shards.length === 1) return found;
  const groupRef = await nameGroup(found.row);
  if (groupRef === undefined) return found;
  const holders = await shards.findHolders(projectId, groupRef);
  const shard = holders.shards.find(({ shard: name }) => name === holders.decides) ?? holders.shards[0];
  if (!shard || shard === found.shard) return found;
  const row = await find(shard.data);
  return row === undefined ? found : { row, shard };
}

/** Serves requests about one customer with the services of the shard that the customer is in. */
import type { Endpoint } from "../http/endpoint.ts";
import type { CustomerShards } from "../operations/customer-shards.ts";
import { findRowGroupRef } from "../store/access/customers.ts";
import type { Database } from "../store/database/database.ts";
import type { AskedShards } from "../store/shards/ask-shards.ts";

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

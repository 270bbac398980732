/** Chooses the services of the shard that a customer is in (docs/decisions/0045-shards-by-customer.md). */
import { findGroupShard, findRowGroupRef, type GroupShard } from "../store/access/customers.ts";
import type { Changes } from "../store/database/changes.ts";
import type { Database } from "../store/database/database.ts";
import type { AskedShards } from "../store/shards/ask-shards.ts";
import { refuseMoving, refuseUnknownShard } from "../store/shards/each-shard.ts";
import { cacheUntilChanged } from "../store/processes/row-cache.ts";

export interface CustomerShards<Services> {
  /** The main shard first. */
  readonly all: readonly Services[];
  /**
   * Returns the services of the customer's shard; those of the main one for an unknown customer, who is not there either. Throws a 503
   * Problem while the customer is moved to another shard.
   */
  chooseByGroup(projectId: string, groupRef: string): Promise<Services>;
  /** Returns those of the shard of the installation's customer. */
  chooseByInstallation(projectId: string, installationId: string): Promise<Services>;
  /** The same for a row that was found in a shard: its customer may move meanwhile. That shard, if the installation was removed. */
  chooseByRow(projectId: string, installationId: string, foundIn: Pick<Database, "shard">): Promise<Services>;
  /** Returns the shards to list a customer's rows from. Throws a 503 Problem for one that this process does not know. */
  findHolders(projectId: string, groupRef: string): Promise<AskedShards<Database>>;
  /** Returns the services of a shard. */
  choose(shard: Pick<Database, "shard">): Services;
}

const MAX_GROUPS = 50_000;

/** Opens the look-up of customers' shards. `all` may be filled later; with one shard, nobody is looked up. */
export function openCustomerShards<Services extends { database: Database }>(
  all: readonly Services[],
  { database, changes }: { database: Database; changes: Changes },
): CustomerShards<Services> {
  const groups = cacheUntilChanged<GroupShard>(changes, {
    max: MAX_GROUPS,
    tables: ["groups"],
    listRowIds: ({ id }) => [id],
  });
  const chooseByName = (name: string): Services => {
    const found = all.find((services) => services.database.shard === name);
    if (found) return found;
    throw refuseUnknownShard(name);
  };
  const findGroup = async (projectId: string, groupRef: string): Promise<GroupShard | undefined> =>
    groups.get(JSON.stringify([projectId, groupRef]), () =>
      findGroupShard(database.control, projectId, groupRef),
    );
  const chooseByGroup = async (projectId: string, groupRef: string): Promise<Services> => {
    if (all.length === 1) return chooseByName(database.shard);
    const found = await findGroup(projectId, groupRef);
    if (found?.isMoving) throw refuseMoving();
    return chooseByName(found?.shard ?? database.shard);
  };
  const chooseByRow: CustomerShards<Services>["chooseByRow"] = async (projectId, id, { shard }) => {
    if (all.length === 1) return chooseByName(database.shard);
    const groupRef = await findRowGroupRef(database.control, projectId, "installations", id);
    return groupRef === undefined ? chooseByName(shard) : chooseByGroup(projectId, groupRef);
  };
  return {
    all,
    chooseByGroup,
    async findHolders(projectId, groupRef) {
      const { shard = null, holders = [null] } = (await findGroup(projectId, groupRef)) ?? {};
      const find = (name: string | null): Database => chooseByName(name ?? database.shard).database;
      return { shards: holders.map(find), ...(holders.length > 1 && { decides: find(shard).shard }) };
    },
    choose: ({ shard }) => chooseByName(shard),
    chooseByRow,
    chooseByInstallation: (projectId, id) => chooseByRow(projectId, id, database),
  };
}

/** Two databases without migrations, which a first start or a restore can make a control and a data database. */
import { onBothSides } from "../../server/store/database/prepare-database.ts";
import { readPublishedSlot, stopReplicating } from "../../server/store/sides/replicate-shared.ts";
import { createEmptyDatabase, type Scope } from "./database.ts";
import { REPLICATING_ROLE } from "./side-roles.ts";

export interface EmptyPair {
  connectionString: string;
  dataUrl: string;
  replicationUrl: string;
}

export async function createEmptyPair(scope: Scope): Promise<EmptyPair> {
  const pair: EmptyPair = { connectionString: "", dataUrl: "", replicationUrl: "" };
  // Callbacks run in the order in which they are added, and a database with a slot cannot be dropped.
  scope.after(() => endReplication(pair));
  pair.connectionString = await createEmptyDatabase(scope);
  pair.dataUrl = await createEmptyDatabase(scope);
  pair.replicationUrl = asReplicator(pair.connectionString);
  return pair;
}

/** Returns the address with the role that replicates. */
export function asReplicator(url: string): string {
  const changed = new URL(url);
  changed.username = REPLICATING_ROLE.name;
  changed.password = REPLICATING_ROLE.password;
  return changed.href;
}

export const endReplication = (urls: EmptyPair): Promise<void> =>
  onBothSides(urls, async (sides) =>
    stopReplicating({ ...sides, slot: (await readPublishedSlot(sides.control)) ?? "" }),
  );

/** Finds out which encryption keys the stored values need, and whether the configured keys decrypt them. */
import type { Sealer } from "../../../ground/seal.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import {
  countByKey,
  listSealed,
  listSealedColumns,
  sampleSealedBy,
  type SealedColumn,
  type SealedValue,
} from "../../store/maintenance/sealed-values.ts";

export interface KeyUse {
  keyId: string;
  /** Number of values that are encrypted with it. */
  count: number;
  /** `missing`: this process does not have the key. */
  state: "current" | "old" | "missing";
}

/** Counts the values of each key. Keys without values are left out, except the current one. */
export async function listKeyUse(
  queries: ControlQueries,
  sealer: Sealer,
  { exceptTable }: { exceptTable?: string } = {},
): Promise<KeyUse[]> {
  const counts = new Map([[sealer.currentKeyId, 0]]);
  const columns = await listSealedColumns(queries);
  for (const column of columns.filter(({ table }) => table !== exceptTable)) {
    for (const { keyId, count } of await countByKey(queries, column)) {
      counts.set(keyId, (counts.get(keyId) ?? 0) + count);
    }
  }
  return [...counts].map(([keyId, count]) => ({ keyId, count, state: classifyKeyUse(sealer, keyId) }));
}

function classifyKeyUse(sealer: Sealer, keyId: string): KeyUse["state"] {
  if (keyId === sealer.currentKeyId) return "current";
  return sealer.has(keyId) ? "old" : "missing";
}

/**
 * Returns the names of keys that decrypt none of a few values which were encrypted under their name. One value that is damaged
 * is no proof that the key is wrong.
 */
export async function findWrongKeys(
  queries: ControlQueries,
  sealer: Sealer,
  uses: KeyUse[],
): Promise<string[]> {
  const columns = await listSealedColumns(queries);
  const wrong: string[] = [];
  for (const { keyId } of uses.filter(({ state, count }) => state !== "missing" && count > 0)) {
    const samples = await Promise.all(
      columns.map(async (column) =>
        (await sampleSealedBy(queries, column, keyId)).map((value) => canOpen(sealer, column, value)),
      ),
    );
    const opened = samples.flat();
    // None if another process rotates keys: they were encrypted again since they were counted.
    if (opened.length > 0 && !opened.includes(true)) wrong.push(keyId);
  }
  return wrong;
}

/** Decrypts every value and returns, by key, how many cannot be. Values whose key is missing are left out. */
export async function countUnreadable(queries: ControlQueries, sealer: Sealer): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const column of await listSealedColumns(queries)) {
    for await (const value of listSealed(queries, column)) {
      const keyId = value.sealed.split(".")[1] ?? "";
      if (sealer.has(keyId) && !canOpen(sealer, column, value))
        counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
    }
  }
  return counts;
}

function canOpen(sealer: Sealer, column: SealedColumn, { id, projectId, sealed }: SealedValue): boolean {
  try {
    sealer.open(sealed, { ...column, rowId: id, projectId });
    return true;
  } catch {
    return false;
  }
}

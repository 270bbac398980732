/** Moves sealed values from old encryption keys to the current one, while everything runs. */
import type { Log } from "../../ground/log.ts";
import type { Sealer } from "../../ground/seal.ts";
import type { Queries } from "../../store/database.ts";
import {
  countByKey,
  listSealedByOthers,
  listSealedColumns,
  replaceSealed,
  type SealedColumn,
} from "../../store/sealed-values.ts";

export interface KeyUse {
  keyId: string;
  /** How many sealed values need it. */
  count: number;
  /** `missing`: the values cannot be opened with the keys of this process. */
  state: "current" | "old" | "missing";
}

/** Which keys seal how much. A key with a count of 0 is not in the list, unless it is the current one. */
export async function listKeyUse(queries: Queries, sealer: Sealer): Promise<KeyUse[]> {
  const counts = new Map([[sealer.currentKeyId, 0]]);
  for (const column of await listSealedColumns(queries)) {
    for (const { keyId, count } of await countByKey(queries, column)) {
      counts.set(keyId, (counts.get(keyId) ?? 0) + count);
    }
  }
  return [...counts].map(([keyId, count]) => ({ keyId, count, state: stateOf(sealer, keyId) }));
}

function stateOf(sealer: Sealer, keyId: string): KeyUse["state"] {
  if (keyId === sealer.currentKeyId) return "current";
  return sealer.has(keyId) ? "old" : "missing";
}

const BATCH = 200;
/** Sorts before every id. */
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Seals everything anew that an old key has sealed. May be stopped and begun again at any time, and run beside
 * serving processes. Returns how many values it moved; what it could not move `listKeyUse` counts afterwards.
 */
export async function rotateKeys(deps: { queries: Queries; sealer: Sealer; log: Log }): Promise<number> {
  let moved = 0;
  for (const column of await listSealedColumns(deps.queries)) moved += await rotateColumn(deps, column);
  return moved;
}

async function rotateColumn(
  deps: { queries: Queries; sealer: Sealer; log: Log },
  column: SealedColumn,
): Promise<number> {
  const { queries, sealer } = deps;
  let moved = 0;
  for (let afterId = FIRST_ID; ;) {
    const values = await listSealedByOthers(queries, column, {
      keyId: sealer.currentKeyId,
      afterId,
      most: BATCH,
    });
    for (const value of values) {
      const place = { ...column, rowId: value.id, projectId: value.projectId };
      try {
        const resealed = sealer.seal(sealer.open(value.sealed, place), place);
        if (await replaceSealed(queries, column, value, resealed)) moved += 1;
      } catch (error) {
        // Sealed under a key that is not here, or damaged: the count says so in the end.
        deps.log.warn({ ...column, id: value.id, error: String(error) }, "a sealed value cannot be opened");
      }
    }
    const last = values.at(-1);
    if (!last) return moved;
    afterId = last.id;
  }
}

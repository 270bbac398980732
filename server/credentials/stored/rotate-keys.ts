/** Re-encrypts stored values from old encryption keys to the current one, while Busbar runs. */
import type { Log } from "../../../ground/log.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import {
  listSealed,
  listSealedColumns,
  replaceSealed,
  type SealedColumn,
} from "../../store/maintenance/sealed-values.ts";

/**
 * Re-encrypts all values of old keys and returns their number. Can be stopped and repeated at any time, and run beside
 * serving processes. Values that could not be moved still count for their old key in `listKeyUse`.
 */
export async function rotateKeys(deps: {
  queries: ControlQueries;
  sealer: Sealer;
  log: Log;
}): Promise<number> {
  let moved = 0;
  for (const column of await listSealedColumns(deps.queries)) moved += await rotateColumn(deps, column);
  return moved;
}

async function rotateColumn(
  deps: { queries: ControlQueries; sealer: Sealer; log: Log },
  column: SealedColumn,
): Promise<number> {
  const { queries, sealer } = deps;
  let moved = 0;
  for await (const value of listSealed(queries, column, sealer.currentKeyId)) {
    const place = { ...column, rowId: value.id, projectId: value.projectId };
    try {
      const resealed = sealer.seal(sealer.open(value.sealed, place), place);
      if (await replaceSealed(queries, column, value, resealed)) moved += 1;
    } catch (error) {
      // Its key is missing, or it is damaged: it still counts for its old key.
      deps.log.warn({ ...column, id: value.id, error: String(error) }, "a sealed value cannot be opened");
    }
  }
  return moved;
}

/** Detects that a newer version of Busbar has migrated the database while this one runs. */
import type { Changes } from "./changes.ts";
import type { Database } from "./database.ts";
import { readWorstState } from "./readiness.ts";

/**
 * Calls `onNewer` once, when a newer version's migration is committed with which this version is not compatible: what it would
 * take from a changed queue could be lost. Checks again whenever notifications may have been missed.
 */
export function watchSchema(deps: { database: Database; changes: Changes }, onNewer: () => void): void {
  let found = false;
  deps.changes.subscribe((change) => {
    if (found || (change && change.table !== "migrations")) return;
    readWorstState(deps.database).then(
      (state) => {
        if (found || state !== "ahead") return;
        found = true;
        onNewer();
      },
      () => {},
    );
  });
}

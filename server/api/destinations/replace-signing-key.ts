/** Replaces the signing key of a destination, for the operation that does it and for the deprecated parameter. */
import { getDestinationType } from "../../deliver/check-settings.ts";
import {
  openDestinationSecrets,
  rotateSigningKey,
  sealDestinationSecrets,
} from "../../deliver/destination-secrets.ts";
import { Problem, type Issue } from "../../../ground/errors.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { type Database, transact } from "../../store/database.ts";
import { updateDestination, type DestinationRow } from "../../store/destinations.ts";
import { getDestinationRow } from "./destination.ts";

/** Also enables a disabled destination. Throws a 422 Problem, whose issue is at `place`, for a type that does not sign. */
export const replaceSigningKey = (
  deps: { database: Database; sealer: Sealer },
  { projectId, idOrName }: { projectId: string; idOrName: string },
  place: Pick<Issue, "in" | "name">,
): Promise<DestinationRow> =>
  transact(deps.database, async (queries) => {
    const row = await getDestinationRow(queries, projectId, idOrName, "update");
    if (!getDestinationType(row.type).signs) {
      const detail = `A destination of the type \`${row.type}\` has no signing key to rotate.`;
      throw new Problem("semantically-invalid", { detail, issues: [{ ...place, detail }] });
    }
    const secrets = rotateSigningKey(openDestinationSecrets(deps.sealer, row));
    return updateDestination(queries, projectId, row.id, {
      name: row.name,
      metadata: row.metadata,
      secretsSealed: sealDestinationSecrets(deps.sealer, row, secrets),
      enable: true,
    });
  });

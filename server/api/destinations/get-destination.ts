/** GET /v1/projects/{projectIdOrName}/destinations/{destination} */
import { Type } from "typebox";
import { getDestinationType } from "../../deliver/check-settings.ts";
import {
  openDestinationSecrets,
  rotateSigningKey,
  sealDestinationSecrets,
} from "../../deliver/destination-secrets.ts";
import { Problem } from "../../ground/errors.ts";
import type { Sealer } from "../../ground/seal.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { type Database, transact } from "../../store/database.ts";
import { updateDestination, type DestinationRow } from "../../store/destinations.ts";
import { DestinationIdOrName } from "../members.ts";
import {
  DestinationWithSecretsSchema,
  getDestinationRow,
  toDestination,
  withSecrets,
} from "./destination.ts";

interface Needs {
  database: Database;
  sealer: Sealer;
}

export const getDestination = (deps: Needs) =>
  projectEndpoint({
    operationId: "getDestination",
    tag: "Destinations",
    summary: "Get a destination",
    description:
      "By id or name. `rotate=true` replaces the signing key first and enables a disabled destination. For " +
      "24 hours, messages are signed with both keys.",
    params: Type.Object({ destination: DestinationIdOrName }),
    query: Type.Object({
      includeSecrets: Type.Optional(
        Type.Boolean({ description: "Adds `secrets.webhookSigningKey`. Default false." }),
      ),
      rotate: Type.Optional(Type.Boolean({ description: "Replaces the signing key. Default false." })),
    }),
    success: { status: 200, description: "The destination.", schema: DestinationWithSecretsSchema },
    refusals: { 422: "`rotate` was sent for a destination without a signing key." },
    async handle({ project, params, query }) {
      const row = query.rotate
        ? await rotate(deps, project.id, params.destination)
        : await getDestinationRow(deps.database.queries, project.id, params.destination);
      return query.includeSecrets
        ? withSecrets(row, openDestinationSecrets(deps.sealer, row))
        : toDestination(row);
    },
  });

const rotate = (deps: Needs, projectId: string, idOrName: string): Promise<DestinationRow> =>
  transact(deps.database, async (queries) => {
    const row = await getDestinationRow(queries, projectId, idOrName, "update");
    if (!getDestinationType(row.type).signs) {
      const detail = `A destination of the type \`${row.type}\` has no signing key to rotate.`;
      throw new Problem("semantically-invalid", {
        detail,
        issues: [{ in: "query", name: "rotate", detail }],
      });
    }
    const secrets = rotateSigningKey(openDestinationSecrets(deps.sealer, row));
    return updateDestination(queries, projectId, row.id, {
      name: row.name,
      metadata: row.metadata,
      secretsSealed: sealDestinationSecrets(deps.sealer, row, secrets),
      enable: true,
    });
  });

/** POST /v1/projects/{projectIdOrName}/destinations/{destination}:rotate */
import { Type } from "typebox";
import { openDestinationSecrets } from "../../deliver/destination-secrets.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { DestinationIdOrName } from "../members.ts";
import { DestinationWithSecretsSchema, IncludeSecrets, toDestination, withSecrets } from "./destination.ts";
import { replaceSigningKey } from "./replace-signing-key.ts";

export const rotateDestination = (deps: { database: Database; sealer: Sealer }) =>
  projectEndpoint({
    operationId: "rotateDestination",
    tag: "Destinations",
    summary: "Rotate a signing key",
    description:
      "Replaces the signing key of a webhook and enables a disabled destination. For 24 hours, messages are signed " +
      "with both keys.",
    params: Type.Object({ destination: DestinationIdOrName }),
    query: Type.Object({ includeSecrets: IncludeSecrets }),
    success: { status: 200, description: "The destination.", schema: DestinationWithSecretsSchema },
    refusals: { 422: "The destination has no signing key." },
    async handle({ project, params, query }) {
      const named = { projectId: project.id, idOrName: params.destination };
      const row = await replaceSigningKey(deps, named, { in: "path", name: "destination" });
      return query.includeSecrets
        ? withSecrets(row, openDestinationSecrets(deps.sealer, row))
        : toDestination(row);
    },
  });

/** GET /v1/projects/{projectIdOrName}/destinations/{destination} */
import { Type } from "typebox";
import { openDestinationSecrets } from "../../deliver/destination-secrets.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { DestinationIdOrName } from "../members.ts";
import {
  DestinationWithSecretsSchema,
  getDestinationRow,
  IncludeSecrets,
  shownTo,
  withSecrets,
} from "./destination.ts";
import { withHealth } from "./shown-health.ts";
import { replaceSigningKey } from "./replace-signing-key.ts";

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
      "By id or name. The values of `metadata.headers` and secrets in `metadata.url` are shown to callers who may change them.",
    params: Type.Object({ destination: DestinationIdOrName }),
    query: Type.Object({
      includeSecrets: IncludeSecrets,
      rotate: Type.Optional(
        Type.Boolean({
          deprecated: true,
          description:
            "Replaces the signing key, as `POST …:rotate` does. A GET should change nothing: published clients " +
            "may still send it, new ones should not.",
        }),
      ),
    }),
    success: { status: 200, description: "The destination.", schema: DestinationWithSecretsSchema },
    refusals: { 422: "`rotate` was sent for a destination without a signing key." },
    async handle({ project, caller, params, query }) {
      const row = query.rotate
        ? await replaceSigningKey(
            deps,
            { projectId: project.id, idOrName: params.destination },
            { in: "query", name: "rotate" },
          )
        : await getDestinationRow(deps.database.queries, project.id, params.destination);
      const show = query.includeSecrets
        ? () => withSecrets(row, openDestinationSecrets(deps.sealer, row))
        : shownTo(caller);
      const [shown] = await withHealth(deps.database.queries, [row], show);
      return shown ?? show(row);
    },
  });

/** GET /v1/projects/{projectIdOrName}/destinations */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listDestinations as listRows } from "../../store/destinations.ts";
import { withHealth } from "./shown-health.ts";
import { DestinationSchema, shownTo } from "./destination.ts";

export const listDestinations = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listDestinations",
    tag: "Destinations",
    summary: "List destinations",
    description:
      "Without secrets; the values of `metadata.headers` and secrets in `metadata.url` are shown to callers who may change them. With `health`; disabled destinations have `disabledTime` and `disabledReason`.",
    hasEntityTag: true,
    success: {
      status: 200,
      description: "The destinations, without secrets.",
      schema: Type.Array(DestinationSchema),
    },
    async handle({ project, caller }) {
      const { queries } = deps.database;
      return withHealth(queries, await listRows(queries, project.id), shownTo(caller));
    },
  });

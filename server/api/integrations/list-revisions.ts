/** GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/revisions */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listRevisionEntries } from "../../store/revisions.ts";
import { getIntegrationRow } from "../integration.ts";
import { IntegrationIdOrName } from "../members.ts";
import { listQuery, onePage, pageSchema } from "../pages.ts";
import { RevisionEntrySchema, toRevisionEntry } from "./revision-entry.ts";

export const listRevisions = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listRevisions",
    tag: "Integrations",
    summary: "List the revisions of an integration",
    description: "Newest first, in pages, without their contents.",
    params: Type.Object({ integrationId: IntegrationIdOrName }),
    query: Type.Object(listQuery),
    hasEntityTag: true,
    success: { status: 200, description: "A page.", schema: pageSchema(RevisionEntrySchema) },
    async handle({ project, params, query }) {
      const { queries } = deps.database;
      const { id } = await getIntegrationRow(queries, project.id, params.integrationId);
      return onePage(query, {
        list: (range) => listRevisionEntries(queries, { projectId: project.id, integrationId: id }, range),
        show: toRevisionEntry,
      });
    },
  });

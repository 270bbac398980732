/** GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/revisions/{revisionId} */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import type { Database } from "../../store/database.ts";
import { findRevision, findRevisionEntry } from "../../store/revisions.ts";
import { getIntegrationRow, RevisionSchema } from "../integration.ts";
import { IntegrationIdOrName } from "../members.ts";
import { RevisionEntrySchema, toRevisionEntry } from "./revision-entry.ts";

const DeployedRevisionSchema = Type.Object(
  {
    ...RevisionEntrySchema.properties,
    specVersion: RevisionSchema.properties.specVersion,
    content: RevisionSchema.properties.content,
    source: Type.Optional(
      Type.String({
        description:
          "The whole `amp.yaml` as it was sent, with its comments and its other integrations. Absent if the revision " +
          "was not deployed from a file, or before the file was stored.",
      }),
    ),
  },
  { title: "DeployedRevision", description: "A revision with its content and the file that it came from." },
);

export const getRevision = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getRevision",
    tag: "Integrations",
    summary: "Get a revision",
    description:
      "Returns a revision, current or old, with its content and the file that it was deployed from.",
    params: Type.Object({
      integrationId: IntegrationIdOrName,
      revisionId: Type.String({ description: "Id of the revision." }),
    }),
    success: { status: 200, description: "The revision.", schema: DeployedRevisionSchema },
    async handle({ project, params }) {
      const { queries } = deps.database;
      const integration = await getIntegrationRow(queries, project.id, params.integrationId);
      const place = { projectId: project.id, integrationId: integration.id };
      const entry = await findRevisionEntry(queries, place, params.revisionId);
      const revision = await findRevision<ManifestIntegration>(
        queries,
        project.id,
        integration.id,
        params.revisionId,
      );
      if (!entry || !revision) {
        const detail = `\`${integration.name}\` has no revision \`${params.revisionId}\`.`;
        throw new Problem("not-found", { detail });
      }
      const { specVersion, content } = revision;
      return {
        ...toRevisionEntry(entry),
        specVersion,
        content,
        ...(entry.source !== null && { source: entry.source }),
      };
    },
  });

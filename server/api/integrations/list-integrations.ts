/** GET /v1/projects/{projectIdOrName}/integrations */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import type { Database } from "../../store/database.ts";
import { listIntegrationEntries, listIntegrations as listRows } from "../../store/integrations.ts";
import { IntegrationSchema, RevisionSchema, toIntegration } from "../integration.ts";
import { seesEveryGroup } from "../require-group.ts";
import { RevisionEntrySchema } from "./revision-entry.ts";

const MEMBERS = RevisionEntrySchema.properties;
const count = (description: string) =>
  Type.Optional(
    Type.Integer({ description: `${description} Only for persons and keys with the scope \`full\`.` }),
  );

const ListedIntegrationSchema = Type.Object(
  {
    ...IntegrationSchema.properties,
    latestRevision: Type.Object(
      {
        ...RevisionSchema.properties,
        number: Type.Optional(MEMBERS.number),
        createdBy: Type.Optional(MEMBERS.createdBy),
      },
      {
        description:
          "The current revision. For persons and keys with the scope `full` also its number and author.",
      },
    ),
    installationCount: count("Installations of the integration."),
    unhealthyInstallationCount: count("Those of them whose `healthStatus` is `unhealthy`."),
  },
  {
    title: "ListedIntegration",
    description: "An integration in the list, with its latest revision and the health of its installations.",
  },
);

export const listIntegrations = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listIntegrations",
    tag: "Integrations",
    summary: "List integrations",
    description: "All integrations of the project with their latest revisions.",
    hasEntityTag: true,
    success: { status: 200, description: "The integrations.", schema: Type.Array(ListedIntegrationSchema) },
    async handle({ project, caller }) {
      const { queries } = deps.database;
      // Others are browsers of customers, who learn neither how many customers there are nor who deployed.
      if (!seesEveryGroup(caller))
        return (await listRows<ManifestIntegration>(queries, project.id)).map(toIntegration);
      const rows = await listIntegrationEntries<ManifestIntegration>(queries, project.id);
      return rows.map((row) => {
        const { number, createdBy } = row.latestRevision;
        const { latestRevision, ...integration } = toIntegration(row);
        return {
          ...integration,
          latestRevision: { ...latestRevision, number, createdBy },
          installationCount: row.installationCount,
          unhealthyInstallationCount: row.unhealthyInstallationCount,
        };
      });
    },
  });

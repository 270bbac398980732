/** The integration as the API shows it, and its lookup. Beside the folders, because installations need it too. */
import { Type, type Static } from "typebox";
import { described } from "../../ground/described.ts";
import { ManifestIntegrationSchema, type ManifestIntegration } from "../../manifest/manifest.ts";
import { describeMissingIntegration } from "../operations/missing-integration.ts";
import type { SharedQueries } from "../store/database/sides.ts";
import { findIntegration, type IntegrationRow } from "../store/integrations/integrations.ts";
import { IntegrationId, ProjectId, ProviderName, CreateTime, toTimes, UpdateTime } from "./members.ts";

export const RevisionSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the revision." }),
    specVersion: Type.String({ description: "Version of the manifest format: `1.0.0`." }),
    createTime: CreateTime,
    content: described(ManifestIntegrationSchema, "The integration, as in the manifest."),
  },
  { title: "Revision", description: "One version of an integration, created by a deployment." },
);

export const IntegrationSchema = Type.Object(
  {
    id: IntegrationId,
    projectId: ProjectId,
    name: Type.String({ description: "Name of the integration, unique in the project." }),
    provider: ProviderName,
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
    latestRevision: described(RevisionSchema, "The current revision."),
  },
  { title: "Integration", description: "An integration with one provider, declared in a manifest." },
);

/** Parameter of deployments. */
export const Destructive = Type.Optional(
  Type.Boolean({
    description:
      "`true`: removes objects that the manifest no longer reads from the configuration of every installation. " +
      "`false`: refuses with 409 if names of objects or mapped fields that installations can write to are gone. " +
      "Default: neither; lost names are warnings.",
  }),
);

export type Integration = IntegrationRow<ManifestIntegration>;

export const toIntegration = (row: Integration): Static<typeof IntegrationSchema> => ({
  id: row.id,
  projectId: row.projectId,
  name: row.name,
  provider: row.provider,
  ...toTimes(row),
  latestRevision: {
    id: row.latestRevision.id,
    specVersion: row.latestRevision.specVersion,
    createTime: row.latestRevision.createTime.toISOString(),
    content: row.latestRevision.content,
  },
});

/** Finds it by id or name. Throws a 404 Problem. */
export async function getIntegrationRow(
  queries: SharedQueries,
  projectId: string,
  idOrName: string,
): Promise<Integration> {
  const row = await findIntegration<ManifestIntegration>(queries, projectId, idOrName);
  if (row) return row;
  throw await describeMissingIntegration(queries, projectId, idOrName);
}

/** The integration as the API shows it, and the lookup its endpoints share. */
import { Type, type Static } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { ManifestIntegrationSchema, type ManifestIntegration } from "../../manifest/manifest.ts";
import type { Queries } from "../../store/database.ts";
import { findIntegration, type IntegrationRow } from "../../store/integrations.ts";
import { times, TimeSchema } from "../times.ts";

export const RevisionSchema = Type.Object(
  {
    id: Type.String(),
    specVersion: Type.String(),
    createTime: TimeSchema,
    content: ManifestIntegrationSchema,
  },
  { title: "Revision" },
);

export const IntegrationSchema = Type.Object(
  {
    id: Type.String(),
    projectId: Type.String(),
    name: Type.String(),
    provider: Type.String(),
    createTime: TimeSchema,
    updateTime: Type.Optional(TimeSchema),
    latestRevision: RevisionSchema,
  },
  { title: "Integration" },
);

/** What `destructive` of a deploy means. */
export const DESTRUCTIVE =
  "Whether objects that the manifest no longer reads are taken out of the configuration of every installation. " +
  "Default false: they stay there.";

export type Integration = IntegrationRow<ManifestIntegration>;

export const toIntegration = (row: Integration): Static<typeof IntegrationSchema> => ({
  id: row.id,
  projectId: row.projectId,
  name: row.name,
  provider: row.provider,
  ...times(row),
  latestRevision: { ...row.latestRevision, createTime: row.latestRevision.createTime.toISOString() },
});

/** By id or name; throws a 404 Problem. */
export async function getIntegrationRow(
  queries: Queries,
  projectId: string,
  idOrName: string,
): Promise<Integration> {
  const row = await findIntegration<ManifestIntegration>(queries, projectId, idOrName);
  if (row) return row;
  throw new Problem("not-found", { detail: `There is no integration \`${idOrName}\` in this project.` });
}

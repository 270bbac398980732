/** The provider app as the API shows it: never with its secret. */
import { Type, type Static } from "typebox";
import { Problem } from "../../ground/errors.ts";
import type { Queries } from "../../store/database.ts";
import { findProviderApp, type ProviderAppRow } from "../../store/provider-apps.ts";
import { times, TimeSchema } from "../times.ts";

export const ProviderAppMetadataSchema = Type.Object(
  {
    authQueryParams: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
    providerParams: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { title: "ProviderAppMetadata" },
);

export const ProviderAppSchema = Type.Object(
  {
    id: Type.String(),
    projectId: Type.String(),
    externalRef: Type.Optional(Type.String()),
    provider: Type.String(),
    clientId: Type.String(),
    scopes: Type.Optional(Type.Array(Type.String())),
    metadata: Type.Optional(ProviderAppMetadataSchema),
    createTime: TimeSchema,
    updateTime: Type.Optional(TimeSchema),
  },
  { title: "ProviderApp" },
);

export const toProviderApp = (row: ProviderAppRow): Static<typeof ProviderAppSchema> => ({
  id: row.id,
  projectId: row.projectId,
  ...(row.externalRef !== null && { externalRef: row.externalRef }),
  provider: row.provider,
  clientId: row.clientId,
  scopes: row.scopes,
  metadata: row.metadata as Static<typeof ProviderAppMetadataSchema>,
  ...times(row),
});

/** Throws a 404 Problem. */
export async function getProviderAppRow(
  queries: Queries,
  projectId: string,
  id: string,
): Promise<ProviderAppRow> {
  const row = await findProviderApp(queries, projectId, id);
  if (row) return row;
  throw new Problem("not-found", { detail: `There is no provider app \`${id}\` in this project.` });
}

/** The provider app as the API shows it, without its secret. */
import { Type, type Static } from "typebox";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import type { SharedQueries } from "../../store/database/sides.ts";
import { findProviderApp, type ProviderAppRow } from "../../store/connections/provider-apps.ts";
import { ProjectId, ProviderAppId, ProviderName, CreateTime, toTimes, UpdateTime } from "../members.ts";

export const ProviderAppMetadataSchema = Type.Object(
  {
    authQueryParams: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: "Query parameters for the authorization URL, by name.",
      }),
    ),
    providerParams: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Further values, by name." }),
    ),
  },
  {
    title: "ProviderAppMetadata",
    description: "Values that the provider requires in addition to client id and secret.",
  },
);

export const ProviderAppSchema = Type.Object(
  {
    id: ProviderAppId,
    projectId: ProjectId,
    externalRef: Type.Optional(Type.String({ description: "Your own reference for the provider app." })),
    provider: ProviderName,
    clientId: Type.String({ description: "OAuth client id." }),
    scopes: Type.Optional(
      Type.Array(Type.String(), { description: "OAuth scopes to request from customers." }),
    ),
    metadata: Type.Optional(
      described(ProviderAppMetadataSchema, "Further values that the provider requires."),
    ),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "ProviderApp", description: "Your OAuth client at a provider. Customers sign in with it." },
);

export const toProviderApp = (row: ProviderAppRow): Static<typeof ProviderAppSchema> => ({
  id: row.id,
  projectId: row.projectId,
  ...(row.externalRef !== null && { externalRef: row.externalRef }),
  provider: row.provider,
  clientId: row.clientId,
  scopes: row.scopes,
  metadata: row.metadata as Static<typeof ProviderAppMetadataSchema>,
  ...toTimes(row),
});

/** Throws a 404 Problem. */
export async function getProviderAppRow(
  queries: SharedQueries,
  projectId: string,
  id: string,
): Promise<ProviderAppRow> {
  const row = await findProviderApp(queries, projectId, id);
  if (row) return row;
  throw new Problem("not-found", { detail: `There is no provider app \`${id}\` in this project.` });
}

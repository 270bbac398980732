/** PATCH /v1/projects/{projectIdOrName}/provider-apps/{providerAppId} */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { sealProviderAppSecret } from "../../credentials/stored/provider-app-secret.ts";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { transact, type Database, type Queries } from "../../store/database.ts";
import {
  countConnectionsOfApp,
  updateProviderApp as updateRow,
  type ProviderAppRow,
} from "../../store/provider-apps.ts";
import { retryWithApp } from "../../store/token-refreshes.ts";
import { ProviderAppId, ProviderName } from "../members.ts";
import { pickMasked } from "../update-mask.ts";
import { requireAppProvider, requireNewClient, requireScopes, requireSource } from "./app-provider.ts";
import {
  getProviderAppRow,
  ProviderAppMetadataSchema,
  ProviderAppSchema,
  toProviderApp,
} from "./provider-app.ts";

const MEMBERS = ["externalRef", "provider", "clientId", "clientSecret", "scopes", "metadata"] as const;

export const updateProviderApp = (deps: { database: Database; catalog: Catalog; sealer: Sealer }) =>
  projectEndpoint({
    operationId: "updateProviderApp",
    tag: "Provider apps",
    summary: "Update a provider app",
    description:
      `\`updateMask\` may list ${MEMBERS.join(", ")}. ` +
      "A new secret is used from the next token request on; new scopes apply to new connections.",
    params: Type.Object({ providerAppId: ProviderAppId }),
    body: Type.Object({
      updateMask: Type.Array(Type.String(), {
        description:
          "Paths of the members to change, with dots. Members of the body that it does not list are ignored.",
      }),
      providerApp: Type.Object(
        {
          externalRef: Type.Optional(
            Type.String({ description: "Your own reference for the provider app." }),
          ),
          provider: Type.Optional(ProviderName),
          clientId: Type.Optional(Type.String({ minLength: 1, description: "OAuth client id." })),
          clientSecret: Type.Optional(
            Type.String({
              minLength: 1,
              description: "OAuth client secret. Stored encrypted, never returned.",
            }),
          ),
          scopes: Type.Optional(
            Type.Array(Type.String(), { description: "OAuth scopes to request from customers." }),
          ),
          metadata: Type.Optional(
            described(ProviderAppMetadataSchema, "Further values that the provider requires."),
          ),
        },
        { description: "New values of the members listed in `updateMask`." },
      ),
    }),
    success: { status: 200, description: "The updated provider app.", schema: ProviderAppSchema },
    refusals: {
      409: "The project has another app with this provider and client id.",
      422: "Connections use the app; the new provider needs no OAuth client; or the provider needs scopes and the app would have none, or has no such `subscribeSource`.",
    },
    async handle({ project, params, body }) {
      const change = pickMasked(body.updateMask, body.providerApp, MEMBERS, "providerApp");
      const { clientSecret, ...columns } = change;
      return transact(deps.database, async (queries) => {
        const row = await getProviderAppRow(queries, project.id, params.providerAppId);
        const { provider = row.provider, scopes = row.scopes, clientId } = columns;
        if (provider !== row.provider) {
          requireAppProvider(deps.catalog.of(project.id), provider, "providerApp.provider");
          await requireUnused(queries, row);
        }
        if (columns.scopes || provider !== row.provider) {
          requireScopes(deps.catalog.of(project.id), { provider, scopes }, "providerApp.scopes");
        }
        requireSource(deps.catalog, { ...columns, provider }, "providerApp.metadata");
        if (clientId !== undefined || provider !== row.provider)
          await requireNewClient(queries, { ...row, ...columns }, "providerApp.clientId");
        const updated = await updateRow(queries, project.id, row.id, {
          ...columns,
          ...(clientSecret !== undefined && {
            clientSecretSealed: sealProviderAppSecret(deps.sealer, row, clientSecret),
          }),
        });
        await retryWithApp(queries, project.id, provider);
        return toProviderApp(updated ?? row);
      });
    },
  });

async function requireUnused(queries: Queries, { projectId, id }: ProviderAppRow): Promise<void> {
  const connections = await countConnectionsOfApp(queries, projectId, id);
  if (connections === 0) return;
  const detail = `${connections} connection${connections === 1 ? " uses" : "s use"} this app; its provider cannot change. Create another app.`;
  throw new Problem("semantically-invalid", {
    detail,
    issues: [{ in: "body", name: "providerApp.provider", detail }],
  });
}

/** PATCH /v1/projects/{projectIdOrName}/provider-apps/{providerAppId} */
import { Type } from "typebox";
import type { Catalog } from "../../../connectors/catalog.ts";
import { sealProviderAppSecret } from "../../credentials/stored/provider-app-secret.ts";
import { Problem } from "../../ground/errors.ts";
import type { Sealer } from "../../ground/seal.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { transact, type Database } from "../../store/database.ts";
import { countConnectionsOfApp, updateProviderApp as updateRow } from "../../store/provider-apps.ts";
import { retryWithApp } from "../../store/token-refreshes.ts";
import { pickMasked } from "../update-mask.ts";
import { requireAppProvider } from "./app-provider.ts";
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
      `\`updateMask\` names what changes: ${MEMBERS.join(", ")}. ` +
      "A new secret serves the next token request; new scopes serve the next connect.",
    params: Type.Object({ providerAppId: Type.String() }),
    body: Type.Object({
      updateMask: Type.Array(Type.String()),
      providerApp: Type.Object({
        externalRef: Type.Optional(Type.String()),
        provider: Type.Optional(Type.String()),
        clientId: Type.Optional(Type.String({ minLength: 1 })),
        clientSecret: Type.Optional(Type.String({ minLength: 1 })),
        scopes: Type.Optional(Type.Array(Type.String())),
        metadata: Type.Optional(ProviderAppMetadataSchema),
      }),
    }),
    success: { status: 200, description: "The provider app as it now is.", schema: ProviderAppSchema },
    refusals: {
      422: "Connections were made with it, so that its provider stays; or the new one needs no OAuth client.",
    },
    async handle({ project, params, body }) {
      const change = pickMasked(body.updateMask, body.providerApp, MEMBERS, "providerApp");
      const { clientSecret, ...columns } = change;
      return transact(deps.database, async (queries) => {
        const row = await getProviderAppRow(queries, project.id, params.providerAppId);
        const { provider = row.provider } = columns;
        if (provider !== row.provider) {
          requireAppProvider(deps.catalog, provider, "providerApp.provider");
          requireUnused(await countConnectionsOfApp(queries, project.id, row.id));
        }
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

function requireUnused(connections: number): void {
  if (connections === 0) return;
  const detail = `${connections} connection${connections === 1 ? " uses" : "s use"} this app; its provider cannot change. Create another app.`;
  throw new Problem("semantically-invalid", {
    detail,
    issues: [{ in: "body", name: "providerApp.provider", detail }],
  });
}

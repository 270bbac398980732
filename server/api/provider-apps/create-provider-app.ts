/** POST /v1/projects/{projectIdOrName}/provider-apps */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { sealProviderAppSecret } from "../../credentials/stored/provider-app-secret.ts";
import { described } from "../../../ground/described.ts";
import { newId } from "../../../ground/ids.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { transact, type Database } from "../../store/database.ts";
import { insertProviderApp } from "../../store/provider-apps.ts";
import { retryWithApp } from "../../store/token-refreshes.ts";
import { holdProvider } from "../hold-provider.ts";
import { ProviderName } from "../members.ts";
import { requireAppProvider, requireNewClient, requireScopes, requireSource } from "./app-provider.ts";
import { ProviderAppMetadataSchema, ProviderAppSchema, toProviderApp } from "./provider-app.ts";

export const createProviderApp = (deps: { database: Database; catalog: Catalog; sealer: Sealer }) =>
  projectEndpoint({
    operationId: "createProviderApp",
    tag: "Provider apps",
    summary: "Create a provider app",
    description:
      "The OAuth client that you registered with the provider. The secret is stored encrypted and never returned.",
    body: Type.Object({
      externalRef: Type.Optional(Type.String({ description: "Your own reference for the provider app." })),
      provider: ProviderName,
      clientId: Type.String({ minLength: 1, description: "OAuth client id." }),
      clientSecret: Type.String({
        minLength: 1,
        description: "OAuth client secret. Stored encrypted, never returned.",
      }),
      scopes: Type.Optional(
        Type.Array(Type.String(), { description: "OAuth scopes to request from customers." }),
      ),
      metadata: Type.Optional(
        described(ProviderAppMetadataSchema, "Further values that the provider requires."),
      ),
    }),
    success: { status: 200, description: "The provider app.", schema: ProviderAppSchema },
    refusals: {
      409: "The project has an app with this provider and client id.",
      422:
        "The provider is unknown, needs no OAuth client, needs scopes and `scopes` lists none, or has no such " +
        "`subscribeSource`.",
    },
    async handle({ project, body }) {
      const { provider, clientId, clientSecret, scopes = [], externalRef, metadata } = body;
      requireAppProvider(deps.catalog.of(project.id), provider, "provider");
      requireScopes(deps.catalog.of(project.id), { provider, scopes }, "scopes");
      requireSource(deps.catalog.of(project.id), { provider, metadata }, "metadata");
      const app = { id: newId(), projectId: project.id };
      const clientSecretSealed = sealProviderAppSecret(deps.sealer, app, clientSecret);
      const row = { ...app, provider, clientId, clientSecretSealed, scopes, externalRef, metadata };
      return transact(deps.database, async (queries) => {
        await holdProvider(queries, deps.catalog, row);
        await requireNewClient(queries, row, "clientId");
        const inserted = await insertProviderApp(queries, row);
        await retryWithApp(queries, project.id, provider);
        return toProviderApp(inserted);
      });
    },
  });

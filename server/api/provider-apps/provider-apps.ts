/** Provider apps, a project's OAuth clients at providers: endpoints. */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { sealProviderAppSecret } from "../../credentials/stored/provider-app-secret.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import { type Database, transactControl } from "../../store/database/database.ts";
import type { SharedQueries } from "../../store/database/sides.ts";
import {
  countConnectionsOfApp,
  insertProviderApp,
  listProviderApps as listRows,
  type ProviderAppRow,
  removeProviderApp,
  updateProviderApp as updateRow,
} from "../../store/connections/provider-apps.ts";
import { retryWithApp } from "../../store/connections/token-refreshes.ts";
import { holdProvider } from "../hold-provider.ts";
import { ProviderAppId, ProviderName } from "../members.ts";
import { PROJECT } from "../paths.ts";
import { pickMasked } from "../update-mask.ts";
import { requireAppProvider, requireNewClient, requireScopes, requireSource } from "./app-provider.ts";
import {
  getProviderAppRow,
  ProviderAppMetadataSchema,
  ProviderAppSchema,
  toProviderApp,
} from "./provider-app.ts";

export const listProviderAppRoutes = (deps: {
  database: Database;
  catalog: Catalog;
  sealer: Sealer;
}): Route[] => [
  route(`GET ${PROJECT}/provider-apps`, "frontend", listProviderApps(deps)),
  route(`GET ${PROJECT}/provider-apps/{providerAppId}`, "full", getProviderApp(deps)),
  route(`POST ${PROJECT}/provider-apps`, "full", createProviderApp(deps)),
  route(`PATCH ${PROJECT}/provider-apps/{providerAppId}`, "full", updateProviderApp(deps)),
  route(`DELETE ${PROJECT}/provider-apps/{providerAppId}`, "full", deleteProviderApp(deps)),
];

const listProviderApps = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listProviderApps",
    tag: "Provider apps",
    summary: "List provider apps",
    description: "Your OAuth clients at providers, without their secrets.",
    success: {
      status: 200,
      description: "The provider apps, without secrets.",
      schema: Type.Array(ProviderAppSchema),
    },
    handle: async ({ project }) => (await listRows(deps.database.control, project.id)).map(toProviderApp),
  });

const getProviderApp = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getProviderApp",
    tag: "Provider apps",
    summary: "Get a provider app",
    description: "By its id, without its secret.",
    params: Type.Object({ providerAppId: ProviderAppId }),
    success: { status: 200, description: "The provider app, without its secret.", schema: ProviderAppSchema },
    handle: async ({ project, params }) =>
      toProviderApp(await getProviderAppRow(deps.database.control, project.id, params.providerAppId)),
  });

const createProviderApp = (deps: { database: Database; catalog: Catalog; sealer: Sealer }) =>
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
      return transactControl(deps.database, async (queries) => {
        await holdProvider(queries, deps.catalog, row);
        await requireNewClient(queries, row, "clientId");
        const inserted = await insertProviderApp(queries, row);
        await retryWithApp(queries, project.id, provider);
        return toProviderApp(inserted);
      });
    },
  });

const MEMBERS = ["externalRef", "provider", "clientId", "clientSecret", "scopes", "metadata"] as const;

const updateProviderApp = (deps: { database: Database; catalog: Catalog; sealer: Sealer }) =>
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
      return transactControl(deps.database, async (queries) => {
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

async function requireUnused(queries: SharedQueries, { projectId, id }: ProviderAppRow): Promise<void> {
  const connections = await countConnectionsOfApp(queries, projectId, id);
  if (connections === 0) return;
  const detail = `${connections} connection${connections === 1 ? " uses" : "s use"} this app; its provider cannot change. Create another app.`;
  throw new Problem("semantically-invalid", {
    detail,
    issues: [{ in: "body", name: "providerApp.provider", detail }],
  });
}

const deleteProviderApp = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteProviderApp",
    tag: "Provider apps",
    summary: "Delete a provider app",
    description:
      "Refused with 422 while a connection uses it, because no other client can refresh its tokens.",
    params: Type.Object({ providerAppId: ProviderAppId }),
    success: { status: 204, description: "Deleted, with its secret." },
    refusals: { 422: "Connections use the app." },
    async handle({ project, params }) {
      await transactControl(deps.database, async (queries) => {
        const { id } = await getProviderAppRow(queries, project.id, params.providerAppId);
        const users = await countConnectionsOfApp(queries, project.id, id);
        if (users > 0) {
          const detail = `${users} connection${users === 1 ? " uses" : "s use"} this app. Delete ${users === 1 ? "it" : "them"} first.`;
          throw new Problem("semantically-invalid", {
            detail,
            issues: [{ in: "path", name: "providerAppId", detail }],
          });
        }
        await removeProviderApp(queries, project.id, id);
      });
    },
  });

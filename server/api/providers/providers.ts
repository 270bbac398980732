/** Providers: the catalog, and those that a project added. */
import { setImmediate } from "node:timers/promises";
import { type Static, Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { ProviderInfoSchema } from "../../../connector-kit/provider-info.ts";
import { Problem } from "../../../ground/errors.ts";
import type { JsonObject } from "../../../ground/json.ts";
import type { Log } from "../../../ground/log.ts";
import type { Egress } from "../../egress/egress.ts";
import { endpoint, projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import type { CustomProviderMemory } from "../../operations/custom-provider-memory.ts";
import { type Database, rehearse, transactControl } from "../../store/database/database.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import {
  findCustomProvider,
  listCustomProviders,
  lockCustomProvider,
  type ProviderUses,
  removeCustomProvider,
} from "../../store/connections/custom-providers.ts";
import { explainMissingProvider } from "../explain-missing-provider.ts";
import { PROJECT, PROVIDER } from "../paths.ts";
import {
  requireCustomProvider,
  refuseUnknownCustomProvider,
  CustomProviderKey,
  CustomProviderSchema,
  ProviderDocumentSchema,
  storeCustomProvider,
  toCustomProvider,
} from "./custom-provider.ts";

export const listProviderRoutes = (
  deps: PutProviderServices & {
    catalog: Catalog;
    database: Database;
    customProviders: CustomProviderMemory;
    log: Log;
  },
): Route[] => [
  route("GET /v1/providers", "public", listProviders(deps)),
  route("GET /v1/providers/{provider}", "public", getProvider(deps)),
  route(`GET ${PROJECT}/providers`, "full", listProjectProviders(deps)),
  route(`GET ${PROVIDER}`, "full", getProjectProvider(deps)),
  route(`PUT ${PROVIDER}`, "full", putProjectProvider(deps)),
  route(`DELETE ${PROVIDER}`, "full", deleteProjectProvider(deps)),
];

const listProviders = (deps: { catalog: Catalog }) =>
  endpoint({
    operationId: "listProviders",
    tag: "Providers",
    summary: "List providers",
    description:
      "All providers of the catalog, by name. `support` tells what this Busbar supports; with `declared=true`, what a " +
      "manifest may declare. Deploying checks a manifest with the latter, and warns where the former says less.",
    query: Type.Object({
      declared: Type.Optional(
        Type.Boolean({ description: "`true`: `support` is what a manifest may declare, built here or not." }),
      ),
    }),
    success: {
      status: 200,
      description: "The catalog of providers.",
      schema: Type.Record(Type.String(), ProviderInfoSchema),
    },
    handle: async ({ query }) => (query.declared ? deps.catalog.declared() : deps.catalog.all()),
  });

const getProvider = (deps: { catalog: Catalog }) =>
  endpoint({
    operationId: "getProvider",
    tag: "Providers",
    summary: "Get a provider",
    description:
      "Returns the provider's entry in the catalog: authentication, base URL, and actions that a manifest may declare. " +
      "A key or a customer's token of a project also finds the providers of the project's own.",
    params: Type.Object({
      provider: Type.String({ description: "Name of the provider, case-sensitive, for example `hubspot`." }),
    }),
    success: { status: 200, description: "The provider.", schema: ProviderInfoSchema },
    refusals: { 404: "No provider has this name." },
    recognizesProject: true,
    async handle({ caller, params }) {
      const catalog = caller.projectId === undefined ? deps.catalog : deps.catalog.of(caller.projectId);
      const info = catalog.find(params.provider);
      if (info) return info;
      const isHidden = caller.projectId === undefined && params.provider.startsWith("x-");
      const detail = isHidden
        ? `There is no provider \`${params.provider}\` in the catalog. A custom provider is shown to keys and customers' tokens of its project only, and this call has none that is valid.`
        : explainMissingProvider(catalog, params.provider);
      throw new Problem("not-found", { detail });
    },
  });

const listProjectProviders = (deps: { database: Database; catalog: Catalog }) =>
  projectEndpoint({
    operationId: "listProjectProviders",
    tag: "Providers",
    summary: "List providers of your own",
    description: "Busbar's own. The providers that were added to this project, by key.",
    hasEntityTag: true,
    success: { status: 200, description: "The providers.", schema: Type.Array(CustomProviderSchema) },
    async handle({ project }) {
      const rows = await listCustomProviders(deps.database.control, project.id);
      const shown: Static<typeof CustomProviderSchema>[] = [];
      for (const row of rows) {
        // Lets other requests run: a large document takes some tenths of a second.
        await setImmediate();
        const one = toCustomProvider(row, deps.catalog);
        if (one) shown.push(one);
      }
      return shown;
    },
  });

const getProjectProvider = (deps: { database: Database; catalog: Catalog }) =>
  projectEndpoint({
    operationId: "getProjectProvider",
    tag: "Providers",
    summary: "Get a provider of your own",
    description: "Busbar's own. The document as it was sent, and the provider as customers see it.",
    params: Type.Object({ provider: CustomProviderKey }),
    success: { status: 200, description: "The provider.", schema: CustomProviderSchema },
    async handle({ project, params }) {
      const row = await findCustomProvider(deps.database.control, project.id, params.provider);
      const shown = row && toCustomProvider(row, deps.catalog);
      if (shown) return shown;
      throw refuseUnknownCustomProvider(params.provider);
    },
  });

interface PutProviderServices {
  database: Database;
  catalog: Catalog;
  customProviders: CustomProviderMemory;
  egress: Egress;
  log: Log;
}

const putProjectProvider = (deps: PutProviderServices) =>
  projectEndpoint({
    operationId: "putProjectProvider",
    tag: "Providers",
    summary: "Add or replace a provider of your own",
    description:
      "Busbar's own. Customers can then be connected to the provider, and with a `connector` its records written and read. " +
      "The key begins with `x-`, so that it never replaces a provider of the catalog. The addresses of a provider never " +
      "change while it exists: stored credentials belong to them.",
    params: Type.Object({ provider: CustomProviderKey }),
    query: Type.Object({
      dryRun: Type.Optional(Type.Boolean({ description: "`true`: check the document and store nothing." })),
    }),
    body: ProviderDocumentSchema,
    success: { status: 200, description: "The provider.", schema: CustomProviderSchema },
    refusals: {
      409: "The document names other addresses than those that the provider was made for.",
      422: "The document is not valid: one issue per mistake, with its place.",
    },
    async handle({ project, params, query, body }) {
      const key = params.provider;
      const own = requireCustomProvider(deps, key, body);
      const put = async (queries: ControlQueries) => {
        await storeCustomProvider(queries, project.id, own, body as JsonObject);
        const row = await findCustomProvider(queries, project.id, key);
        const shown = row && toCustomProvider(row, deps.catalog);
        if (!shown) throw refuseUnknownCustomProvider(key);
        return shown;
      };
      if (query.dryRun) return rehearse(deps.database, put);
      const shown = await transactControl(deps.database, put);
      await deps.customProviders.load(deps, project.id);
      return shown;
    },
  });

const deleteProjectProvider = (deps: {
  database: Database;
  customProviders: CustomProviderMemory;
  log: Log;
}) =>
  projectEndpoint({
    operationId: "deleteProjectProvider",
    tag: "Providers",
    summary: "Delete a provider of your own",
    description:
      "Busbar's own. Refused while connections, integrations or provider apps use it. Ends the attempts of customers to connect.",
    params: Type.Object({ provider: CustomProviderKey }),
    success: { status: 204, description: "Deleted." },
    refusals: { 409: "Connections, integrations or provider apps use the provider." },
    async handle({ project, params: { provider: key } }) {
      await transactControl(deps.database, async (queries) => {
        const uses = await lockCustomProvider(queries, project.id, key);
        if (!uses) throw refuseUnknownCustomProvider(key);
        const used = usesIn(uses);
        if (used !== "")
          throw new Problem("conflict", { detail: `${key} is used by ${used}. Delete them first.` });
        await removeCustomProvider(queries, project.id, key);
      });
      await deps.customProviders.load(deps, project.id);
    },
  });

const usesIn = ({ connections, integrations, providerApps }: ProviderUses): string =>
  [
    [connections, "connection"] as const,
    [integrations, "integration"] as const,
    [providerApps, "provider app"] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, noun]) => `${count} ${noun}${count === 1 ? "" : "s"}`)
    .join(", ");

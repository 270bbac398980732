/** PUT /v1/projects/{projectIdOrName}/providers/{provider} */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import type { Egress } from "../../egress/open-egress.ts";
import type { JsonObject } from "../../../ground/json.ts";
import type { Log } from "../../../ground/log.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { OwnProviderMemory } from "../../operations/own-provider-memory.ts";
import { rehearse, transact, type Database, type Queries } from "../../store/database.ts";
import { findOwnProvider } from "../../store/own-providers.ts";
import {
  checkedOwnProvider,
  noOwnProvider,
  OwnProviderKey,
  OwnProviderSchema,
  ProviderDocumentSchema,
  storeOwnProvider,
  toOwnProvider,
} from "./own-provider.ts";

interface PutProviderServices {
  database: Database;
  catalog: Catalog;
  ownProviders: OwnProviderMemory;
  egress: Egress;
  log: Log;
}

export const putProjectProvider = (deps: PutProviderServices) =>
  projectEndpoint({
    operationId: "putProjectProvider",
    tag: "Providers",
    summary: "Add or replace a provider of your own",
    description:
      "Busbar's own. Customers can then be connected to the provider, and with a `connector` its records written and read. " +
      "The key begins with `x-`, so that it never replaces a provider of the catalog. The addresses of a provider never " +
      "change while it exists: stored credentials belong to them.",
    params: Type.Object({ provider: OwnProviderKey }),
    query: Type.Object({
      dryRun: Type.Optional(Type.Boolean({ description: "`true`: check the document and store nothing." })),
    }),
    body: ProviderDocumentSchema,
    success: { status: 200, description: "The provider.", schema: OwnProviderSchema },
    refusals: {
      409: "The document names other addresses than those that the provider was made for.",
      422: "The document is not valid: one issue per mistake, with its place.",
    },
    async handle({ project, params, query, body }) {
      const key = params.provider;
      const own = checkedOwnProvider(deps, key, body);
      const put = async (queries: Queries) => {
        await storeOwnProvider(queries, project.id, own, body as JsonObject);
        const row = await findOwnProvider(queries, project.id, key);
        const shown = row && toOwnProvider(row, deps.catalog);
        if (!shown) throw noOwnProvider(key);
        return shown;
      };
      if (query.dryRun) return rehearse(deps.database, put);
      const shown = await transact(deps.database, put);
      await deps.ownProviders.load(deps, project.id);
      return shown;
    },
  });

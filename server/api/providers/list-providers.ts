/** GET /v1/providers */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { ProviderInfoSchema } from "../../../connector-kit/provider-info.ts";
import { endpoint } from "../../http/endpoint.ts";

export const listProviders = (deps: { catalog: Catalog }) =>
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

/** GET /v1/providers */
import { Type } from "typebox";
import type { Catalog } from "../../../connectors/catalog.ts";
import { ProviderInfoSchema } from "../../../connector-kit/provider-info.ts";
import { endpoint } from "../../http/endpoint.ts";

export const listProviders = (deps: { catalog: Catalog }) =>
  endpoint({
    operationId: "listProviders",
    tag: "Providers",
    summary: "List providers",
    description: "All providers of the catalog, by name. `support` tells what this Busbar supports.",
    success: {
      status: 200,
      description: "The catalog of providers.",
      schema: Type.Record(Type.String(), ProviderInfoSchema),
    },
    handle: async () => deps.catalog.all(),
  });

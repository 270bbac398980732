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
    description: "Every provider of the catalog by its key. `support` tells what this Busbar can do.",
    success: {
      status: 200,
      description: "The catalog.",
      schema: Type.Record(Type.String(), ProviderInfoSchema),
    },
    handle: async () => deps.catalog.all(),
  });

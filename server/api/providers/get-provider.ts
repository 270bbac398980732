/** GET /v1/providers/{provider} */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { ProviderInfoSchema } from "../../../connector-kit/provider-info.ts";
import { Problem } from "../../../ground/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import { missingProvider } from "../missing-provider.ts";

export const getProvider = (deps: { catalog: Catalog }) =>
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
      throw new Problem("not-found", { detail: missingProvider(catalog, params.provider) });
    },
  });

/** The routes of providers: the catalog, those that builders add, and their OAuth clients. */
import { createProviderApp } from "./api/provider-apps/create-provider-app.ts";
import { deleteProjectProvider } from "./api/providers/delete-project-provider.ts";
import { deleteProviderApp } from "./api/provider-apps/delete-provider-app.ts";
import { getProjectProvider } from "./api/providers/get-project-provider.ts";
import { getProvider } from "./api/providers/get-provider.ts";
import { getProviderApp } from "./api/provider-apps/get-provider-app.ts";
import { listProjectProviders } from "./api/providers/list-project-providers.ts";
import { listProviderApps } from "./api/provider-apps/list-provider-apps.ts";
import { listProviders } from "./api/providers/list-providers.ts";
import { putProjectProvider } from "./api/providers/put-project-provider.ts";
import { updateProviderApp } from "./api/provider-apps/update-provider-app.ts";
import type { Catalog } from "../connector-kit/catalog.ts";
import type { Egress } from "./egress/open-egress.ts";
import type { Log } from "../ground/log.ts";
import type { Sealer } from "../ground/seal.ts";
import { route, type Route } from "./http/endpoint.ts";
import type { OwnProviderMemory } from "./operations/own-provider-memory.ts";
import type { Database } from "./store/database.ts";

export interface ProviderRouteServices {
  database: Database;
  catalog: Catalog;
  ownProviders: OwnProviderMemory;
  sealer: Sealer;
  egress: Egress;
  log: Log;
}

const P = "/v1/projects/{projectIdOrName}";
const PROVIDER = `${P}/providers/{provider}`;

/** Returns the routes. Describing them needs no services. */
export const providerRoutes = (deps: ProviderRouteServices): Route[] => [
  route("GET /v1/providers", "public", listProviders(deps)),
  route("GET /v1/providers/{provider}", "public", getProvider(deps)),
  route(`GET ${P}/providers`, "full", listProjectProviders(deps)),
  route(`GET ${PROVIDER}`, "full", getProjectProvider(deps)),
  route(`PUT ${PROVIDER}`, "full", putProjectProvider(deps)),
  route(`DELETE ${PROVIDER}`, "full", deleteProjectProvider(deps)),
  route(`GET ${P}/provider-apps`, "frontend", listProviderApps(deps)),
  route(`GET ${P}/provider-apps/{providerAppId}`, "full", getProviderApp(deps)),
  route(`POST ${P}/provider-apps`, "full", createProviderApp(deps)),
  route(`PATCH ${P}/provider-apps/{providerAppId}`, "full", updateProviderApp(deps)),
  route(`DELETE ${P}/provider-apps/{providerAppId}`, "full", deleteProviderApp(deps)),
];

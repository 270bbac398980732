/** Fetches from the server what the check of a manifest needs to know: providers, destinations, provider apps. */
import { Check } from "typebox/value";
import { ProviderInfoSchema, type ProviderInfo } from "../../connector-kit/provider-info.ts";
import { supports } from "../../connector-kit/provider/define-provider.ts";
import { requireObject, requireObjects, getTextAt, getValueAt, type JsonObject } from "../http/json.ts";
import type { Connected } from "../settings/connect.ts";
import type { Catalog } from "./catalog.ts";

export interface ServerFacts {
  destinations: string[];
  providerApps: string[];
  /** The server's providers. */
  providers: Catalog;
  built(provider: string, action: string): boolean;
}

export async function readServerFacts(deps: Pick<Connected, "api" | "inProject">): Promise<ServerFacts> {
  const [catalog, own, destinations, apps] = await Promise.all([
    deps.api("GET", "/v1/providers").then(requireObject),
    deps.inProject("GET", "/providers").then(requireObjects),
    deps.inProject("GET", "/destinations").then(requireObjects),
    deps.inProject("GET", "/provider-apps").then(requireObjects),
  ]);
  const ownEntries = own.flatMap((one) => {
    const [key, info] = [getTextAt(one, "key"), getValueAt(one, "provider")];
    return key === undefined || info === undefined ? [] : [[key, info] as const];
  });
  const providers: JsonObject = { ...Object.fromEntries(ownEntries), ...catalog };
  return {
    destinations: destinations.flatMap((destination) => getTextAt(destination, "name") ?? []),
    providerApps: apps.flatMap((app) => getTextAt(app, "provider") ?? []),
    providers: readProviders(providers),
    built: (provider, action) => getValueAt(providers[provider], `support.${action}`) === true,
  };
}

function readProviders(providers: JsonObject): Catalog {
  return Object.fromEntries(
    Object.entries(providers).flatMap(([key, info]) => {
      const read = readProvider(info);
      return read ? [[key, read]] : [];
    }),
  );
}

/** The server reports what is built, not what a manifest may declare. Only the deployment can check the latter. */
function readProvider(info: unknown): ProviderInfo | undefined {
  const support = supports("read", "write", "subscribe", "proxy");
  return Check(ProviderInfoSchema, info) ? { ...info, support } : undefined;
}

/** Merges an operator's overlay over the built-in providers and reports every fault in it. */
import { checkProvider, type ProviderFault } from "../connector-kit/provider/check-provider.ts";
import { completeProvider, OAUTH2_DEFAULTS, supports } from "../connector-kit/provider/define-provider.ts";
import type { ProviderInfo } from "../connector-kit/provider-info.ts";
import { isJsonObject, type Json, type JsonObject } from "../ground/json.ts";
import { PROVIDER_TABLE } from "./provider-table.ts";

/** The overlay has mistakes; `faults` lists all of them with their paths. */
export class CatalogError extends Error {
  override name = "CatalogError";
  readonly faults: ProviderFault[];

  constructor(faults: ProviderFault[]) {
    super(faults.map(({ path, message }) => `${path}: ${message}`).join("; "));
    this.faults = faults;
  }
}

/**
 * Returns the built-in providers with the overlay, a parsed `{providers: {<key>: …}}`, merged over them, in
 * alphabetical order. Objects merge member by member, everything else replaces; an unknown key adds a provider.
 * Where the overlay moves a provider's `baseURL`, addresses below the old one move along unless they are given too,
 * so that no credential goes to the old host; the address for streams is forgotten. Throws `CatalogError`.
 */
export function mergeOverlay(overlay: unknown): Map<string, ProviderInfo> {
  const builtIn = Object.entries(PROVIDER_TABLE).map(([key, facts]): [string, ProviderInfo] => [
    key,
    completeProvider(key, facts),
  ]);
  const merged = new Map(builtIn);
  const faults: ProviderFault[] = [];
  for (const [key, entry] of overlayEntries(overlay, faults)) {
    const path = `providers.${key}`;
    if (!isJsonObject(entry)) {
      faults.push({ path, message: "must be an object" });
      continue;
    }
    if (entry.name !== undefined && entry.name !== key) {
      faults.push({ path: `${path}.name`, message: `must be "${key}" or left out` });
    }
    const known = merged.get(key);
    const below = known ? moveAlong(known, entry.baseURL) : listDefaults(key, entry);
    const checked = checkProvider(merge(below, entry), path);
    if (checked.info) merged.set(key, checked.info);
    faults.push(...checked.faults);
  }
  if (faults.length > 0) throw new CatalogError(faults);
  return new Map([...merged].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function overlayEntries(overlay: unknown, faults: ProviderFault[]): [string, unknown][] {
  if (overlay === undefined || overlay === null) return [];
  if (!isJsonObject(overlay)) {
    faults.push({ path: "providers", message: "the overlay must be an object with the member providers" });
    return [];
  }
  for (const name of Object.keys(overlay)) {
    if (name !== "providers")
      faults.push({ path: name, message: "unknown member; the only one is providers" });
  }
  if (!isJsonObject(overlay.providers)) {
    faults.push({ path: "providers", message: "must be an object of providers by key" });
    return [];
  }
  for (const key of Object.keys(overlay.providers)) {
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(key)) {
      faults.push({
        path: `providers.${key}`,
        message: "a provider key is made of letters, digits, - and _",
      });
    }
  }
  return Object.entries(overlay.providers);
}

/** What a new provider need not say; `support` it must, though flags left out are false. */
function listDefaults(key: string, entry: JsonObject): object {
  const defaults: Record<string, unknown> = {
    name: key,
    displayName: key,
    defaultModule: "",
    providerOpts: {},
  };
  if (isJsonObject(entry.support)) defaults.support = supports();
  if (isJsonObject(entry.oauth2Opts)) defaults.oauth2Opts = OAUTH2_DEFAULTS;
  return defaults;
}

/** The provider with every address below its base URL moved below the new one. */
function moveAlong(info: ProviderInfo, baseURL: Json | undefined): ProviderInfo {
  if (typeof baseURL !== "string" || baseURL === info.baseURL) return info;
  const target = baseURL.replace(/\/$/, "");
  const move = (address: string) => {
    const rest = address.startsWith(info.baseURL) ? address.slice(info.baseURL.length) : undefined;
    return rest !== undefined && /^(\/|$)/.test(rest) ? target + rest : address;
  };
  const moved = structuredClone(info);
  // The tokens of a moved provider never go to the old address.
  delete moved.pubSubURL;
  const { oauth2Opts, authHealthCheck, accountInfo, customOpts, modules = {} } = moved;
  if (oauth2Opts) oauth2Opts.tokenURL = move(oauth2Opts.tokenURL);
  if (oauth2Opts?.authURL) oauth2Opts.authURL = move(oauth2Opts.authURL);
  if (authHealthCheck) authHealthCheck.url = move(authHealthCheck.url);
  if (accountInfo) accountInfo.url = move(accountInfo.url);
  for (const module of Object.values(modules)) module.baseURL = move(module.baseURL);
  const { connectSteps = [], refreshSteps = [] } = customOpts ?? {};
  for (const { redirect, request } of [
    ...connectSteps,
    ...refreshSteps.map((step) => ({ redirect: undefined, ...step })),
  ]) {
    if (redirect) redirect.url = move(redirect.url);
    if (request) request.url = move(request.url);
  }
  return moved;
}

/** A new value; neither argument changes. `__proto__` in a JSON text stays an ordinary member and is refused later. */
function merge(below: unknown, above: Json | undefined): unknown {
  if (above === undefined) return below;
  if (!isJsonObject(above)) return above;
  const members = new Map<string, unknown>(isJsonObject(below) ? Object.entries(below) : []);
  for (const [name, value] of Object.entries(above)) members.set(name, merge(members.get(name), value));
  return Object.fromEntries(members);
}

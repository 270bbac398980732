/** Everything Busbar knows about providers: the folders beside this file, with an operator's overlay merged over them. */
import { isJsonObject, type Json, type JsonObject } from "../server/ground/json.ts";
import { CONNECTORS, PROVIDERS } from "./index.gen.ts";
import { checkProvider, type Fault } from "../connector-kit/check-provider.ts";
import type { Connector } from "../connector-kit/connector.ts";
import {
  completeProvider,
  OAUTH2_DEFAULTS,
  supports,
  type ProviderInfo,
  type Support,
} from "../connector-kit/provider.ts";

export type CatalogAction = "read" | "write" | "proxy" | "subscribe" | "delete" | "search";

export interface Catalog {
  /** The provider as `GET /providers` shows it: `support` is true only for what this Busbar can do. */
  find(key: string): ProviderInfo | undefined;
  /** Every provider key, in alphabetical order. */
  keys(): string[];
  all(): Record<string, ProviderInfo>;
  /** The same with `support` as the providers' entries declare it: what a manifest may ask for. */
  declared(): Record<string, ProviderInfo>;
  connector(key: string): Connector | undefined;
  /** Whether the provider offers the action, built here or not: what a manifest may say. */
  declares(key: string, action: CatalogAction, module?: string): boolean;
  /** Whether a call of the action will be served: declared, and the code is here. */
  built(key: string, action: CatalogAction, module?: string): boolean;
}

/** The overlay has mistakes; `faults` lists them all with their paths. */
export class CatalogError extends Error {
  override name = "CatalogError";
  readonly faults: Fault[];

  constructor(faults: Fault[]) {
    super(faults.map(({ path, message }) => `${path}: ${message}`).join("; "));
    this.faults = faults;
  }
}

/**
 * The catalog. `overlay` is a parsed `{providers: {<key>: …}}`: objects merge member by member, everything else
 * replaces; a key of its own adds a provider. Where it moves a provider's `baseURL`, the addresses that lay below
 * the old one move along unless given too, so that no credential goes on to the old host. Throws `CatalogError`.
 */
export function buildCatalog(overlay?: unknown): Catalog {
  const declared = mergeOverlay(overlay);
  const shown = new Map(
    [...declared].map(([key, info]) => [key, honest(info, CONNECTORS[key])] satisfies [string, ProviderInfo]),
  );
  const flag = (
    providers: Map<string, ProviderInfo>,
    key: string,
    action: CatalogAction,
    module?: string,
  ) => {
    const info = providers.get(key);
    const support = module ? info?.modules?.[module]?.support : info?.support;
    if (!support) return false;
    return action === "search" ? support.search.operators.equals : support[action];
  };
  return {
    find: (key) => shown.get(key),
    keys: () => [...shown.keys()],
    all: () => Object.fromEntries(shown),
    declared: () => Object.fromEntries(declared),
    connector: (key) => (shown.has(key) && Object.hasOwn(CONNECTORS, key) ? CONNECTORS[key] : undefined),
    declares: (key, action, module) => flag(declared, key, action, module),
    built: (key, action, module) => flag(shown, key, action, module),
  };
}

function mergeOverlay(overlay: unknown): Map<string, ProviderInfo> {
  const builtIn = Object.entries(PROVIDERS).map(([key, facts]): [string, ProviderInfo] => [
    key,
    completeProvider(key, facts),
  ]);
  const merged = new Map(builtIn);
  const faults: Fault[] = [];
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
    const below = known ? moveAlong(known, entry.baseURL) : defaultsFor(key, entry);
    const checked = checkProvider(merge(below, entry), path);
    if (checked.info) merged.set(key, checked.info);
    faults.push(...checked.faults);
  }
  if (faults.length > 0) throw new CatalogError(faults);
  return new Map([...merged].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function overlayEntries(overlay: unknown, faults: Fault[]): [string, unknown][] {
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
function defaultsFor(key: string, entry: JsonObject): object {
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

/** The same provider with `support` cut down to what the code here can do. */
function honest(info: ProviderInfo, connector: Connector | undefined): ProviderInfo {
  const writes = (module: string) =>
    connector?.write && (connector.write.module === undefined || connector.write.module === module)
      ? connector.write
      : undefined;
  const shown = { ...info, support: cutDown(info.support, writes(info.defaultModule)) };
  if (info.modules) {
    shown.modules = Object.fromEntries(
      Object.entries(info.modules).map(([key, module]) => [
        key,
        { ...module, support: cutDown(module.support, writes(key)) },
      ]),
    );
  }
  return shown;
}

function cutDown(declared: Support, write: Connector["write"]): Support {
  const writes = declared.write && write !== undefined;
  const support: Support = supports();
  support.proxy = declared.proxy;
  support.write = writes;
  support.delete = writes && declared.delete && write.abilities.delete;
  const limit = writes ? write.abilities.batchLimit : undefined;
  if (declared.batchWrite) {
    support.batchWrite = {
      create: batch(declared.batchWrite.create, limit),
      update: batch(declared.batchWrite.update, limit),
      upsert: { supported: false },
      delete: { supported: false },
    };
  }
  return support;
}

type BatchAbility = NonNullable<NonNullable<Support["batchWrite"]>["create"]>;

function batch(declared: BatchAbility | undefined, limit: number | undefined): BatchAbility {
  if (!declared?.supported || limit === undefined) return { supported: false };
  return { supported: true, defaultRecordLimit: Math.min(declared.defaultRecordLimit ?? limit, limit) };
}

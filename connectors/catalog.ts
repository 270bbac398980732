/** Everything Busbar knows about providers: the folders beside this file, with an operator's overlay merged over them. */
import type { Connector } from "../connector-kit/connector.ts";
import { describeConnector } from "../connector-kit/described/describe-connector.ts";
import type { ProviderInfo } from "../connector-kit/provider-info.ts";
import { mergeOverlay } from "./catalog-overlay.ts";
import { builtSupport } from "./catalog-support.ts";
import { CONNECTORS } from "./connectors.gen.ts";
import type { OwnProvider } from "./own-provider.ts";

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
  /** The catalog as a project sees it: with the providers that its builder added. */
  of(projectId: string): Catalog;
  /** The same with further providers, before they are stored. */
  with(own: OwnProviders): Catalog;
}

/** A project's own providers, by key. */
export type OwnProviders = ReadonlyMap<string, OwnProvider>;

const NONE: OwnProviders = new Map();

/**
 * Builds the catalog with an operator's overlay, a parsed file, merged over it. `ownOf` returns a project's own providers, which
 * never replace a built-in one. Throws `CatalogError`.
 */
export function buildCatalog(
  overlay?: unknown,
  ownOf: (projectId: string) => OwnProviders = () => NONE,
): Catalog {
  const declared = mergeOverlay(overlay);
  const shown = new Map(
    [...declared].map(
      ([key, info]) => [key, builtSupport(info, CONNECTORS[key])] satisfies [string, ProviderInfo],
    ),
  );
  const builtIn = catalogOf({
    declared,
    shown,
    connector: (key) => (shown.has(key) && Object.hasOwn(CONNECTORS, key) ? CONNECTORS[key] : undefined),
    of: (projectId) => ownView(builtIn, ownOf(projectId)),
  });
  return builtIn;
}

interface Parts extends Pick<Catalog, "connector" | "of"> {
  declared: ReadonlyMap<string, ProviderInfo>;
  shown: ReadonlyMap<string, ProviderInfo>;
}

function catalogOf({ declared, shown, connector, of }: Parts): Catalog {
  const catalog: Catalog = {
    find: (key) => shown.get(key),
    keys: () => [...shown.keys()],
    all: () => Object.fromEntries(shown),
    declared: () => Object.fromEntries(declared),
    connector,
    declares: (key, action, module) => allows(declared.get(key), action, module),
    built: (key, action, module) => allows(shown.get(key), action, module),
    of,
    with: (own) => extended(catalog, own),
  };
  return catalog;
}

function allows(info: ProviderInfo | undefined, action: CatalogAction, module?: string): boolean {
  const support = module ? info?.modules?.[module]?.support : info?.support;
  if (!support) return false;
  return action === "search" ? support.search.operators.equals : support[action];
}

/** What was made of an own provider, as long as it is in memory. */
const made = new WeakMap<OwnProvider, { shown: ProviderInfo; connector?: Connector }>();

/** A project's catalog is asked for with every call, so it is made once. */
const views = new WeakMap<OwnProviders, Catalog>();

function ownView(below: Catalog, own: OwnProviders): Catalog {
  if (own.size === 0) return below;
  const known = views.get(own);
  if (known) return known;
  const view = extended(below, own);
  views.set(own, view);
  return view;
}

function extended(below: Catalog, own: OwnProviders): Catalog {
  if (own.size === 0) return below;
  const make = (key: string) => {
    const provider = below.find(key) ? undefined : own.get(key);
    if (!provider) return undefined;
    const known = made.get(provider);
    if (known) return known;
    const { info, description } = provider;
    const connector = description && describeConnector(info.displayName ?? key, description);
    const fresh = { shown: builtSupport(info, connector), ...(connector && { connector }) };
    made.set(provider, fresh);
    return fresh;
  };
  const all = (pick: (key: string, provider: OwnProvider) => ProviderInfo | undefined) =>
    Object.fromEntries(
      [...own].flatMap(([key, provider]) => {
        const info = below.find(key) ? undefined : pick(key, provider);
        return info ? [[key, info]] : [];
      }),
    );
  const catalog: Catalog = {
    find: (key) => below.find(key) ?? make(key)?.shown,
    keys: () => Object.keys(catalog.all()),
    all: () => ({ ...all((key) => make(key)?.shown), ...below.all() }),
    declared: () => ({ ...all((_, { info }) => info), ...below.declared() }),
    connector: (key) => below.connector(key) ?? make(key)?.connector,
    declares: (key, action, module) =>
      below.declares(key, action, module) || allows(own.get(key)?.info, action, module),
    built: (key, action, module) =>
      below.built(key, action, module) || allows(make(key)?.shown, action, module),
    of: () => catalog,
    with: (more) => extended(catalog, more),
  };
  return catalog;
}

/** Everything Busbar knows about providers: the folders beside this file, with an operator's overlay merged over them. */
import type { Connector } from "../connector-kit/connector.ts";
import { describeConnector } from "../connector-kit/described/describe-connector.ts";
import type { ProviderInfo } from "../connector-kit/provider-info.ts";
import { mergeOverlay } from "./catalog-overlay.ts";
import { builtSupport } from "./catalog-support.ts";
import { CONNECTORS } from "./connectors.gen.ts";
import { EVIDENCE } from "./evidence.gen.ts";
import type { OwnProvider } from "./own-provider.ts";

export type CatalogAction = "read" | "write" | "proxy" | "subscribe" | "delete" | "search";

export interface Catalog {
  /** The provider as `GET /providers` shows it: `support` is true only for what this Busbar can do. */
  find(key: string): ProviderInfo | undefined;
  /** Every provider key: the catalog's in alphabetical order, then the project's. */
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
  /** The same with further or changed providers of a project, before they are stored. */
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
      ([key, info]) =>
        [key, builtSupport(info, CONNECTORS[key], EVIDENCE[key])] satisfies [string, ProviderInfo],
    ),
  );
  const builtIn = catalogOf({
    declared,
    shown,
    connector: (key) => (shown.has(key) && Object.hasOwn(CONNECTORS, key) ? CONNECTORS[key] : undefined),
    of: (projectId) => ownView(builtIn, ownOf(projectId)),
    with: (own) => extended(builtIn, own),
  });
  return builtIn;
}

interface Parts extends Pick<Catalog, "connector" | "of" | "with"> {
  declared: ReadonlyMap<string, ProviderInfo>;
  shown: ReadonlyMap<string, ProviderInfo>;
}

function catalogOf({ declared, shown, ...parts }: Parts): Catalog {
  return {
    ...parts,
    find: (key) => shown.get(key),
    keys: () => [...shown.keys()],
    all: () => Object.fromEntries(shown),
    declared: () => Object.fromEntries(declared),
    declares: (key, action, module) => allows(declared.get(key), action, module),
    built: (key, action, module) => allows(shown.get(key), action, module),
  };
}

function allows(info: ProviderInfo | undefined, action: CatalogAction, module?: string): boolean {
  const support = module ? info?.modules?.[module]?.support : info?.support;
  if (!support) return false;
  return action === "search" ? support.search.operators.equals : support[action];
}

/** A project's catalog is asked for with every call, so it is made once. */
const views = new WeakMap<OwnProviders, Catalog>();

function ownView(builtIn: Catalog, own: OwnProviders): Catalog {
  if (own.size === 0) return builtIn;
  const known = views.get(own);
  if (known) return known;
  const view = extended(builtIn, own);
  views.set(own, view);
  return view;
}

/** Adds providers; those of the catalog are never replaced. */
function extended(builtIn: Catalog, own: OwnProviders): Catalog {
  const added = [...own].filter(([key]) => !builtIn.find(key));
  if (added.length === 0) return builtIn;
  const parts = new Map(added.map(([key, provider]) => [key, partsOf(key, provider)]));
  const catalog = catalogOf({
    declared: new Map([...Object.entries(builtIn.declared()), ...added.map(declaredOf)]),
    shown: new Map([...Object.entries(builtIn.all()), ...[...parts].map(shownOf)]),
    connector: (key) => builtIn.connector(key) ?? parts.get(key)?.connector,
    of: () => catalog,
    with: (more) => extended(builtIn, new Map([...own, ...more])),
  });
  return catalog;
}

interface OwnParts {
  shown: ProviderInfo;
  connector?: Connector;
}

const declaredOf = ([key, { info }]: [string, OwnProvider]): [string, ProviderInfo] => [key, info];
const shownOf = ([key, { shown }]: [string, OwnParts]): [string, ProviderInfo] => [key, shown];

/** Returns the same parts as long as the provider is in memory: a live connection compares them. */
function partsOf(key: string, provider: OwnProvider): OwnParts {
  const known = made.get(provider);
  if (known) return known;
  const { info, description } = provider;
  const connector = description && describeConnector(info.displayName ?? key, description);
  const parts = { shown: builtSupport(info, connector), ...(connector && { connector }) };
  made.set(provider, parts);
  return parts;
}

const made = new WeakMap<OwnProvider, OwnParts>();

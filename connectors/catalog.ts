/** Everything Busbar knows about providers: the folders beside this file, with an operator's overlay merged over them. */
import type { CustomProviders, CatalogAction, Catalog, CustomProvider } from "../connector-kit/catalog.ts";
import type { Connector } from "../connector-kit/connector.ts";
import { describeConnector } from "../connector-kit/declarative/describe-connector.ts";
import type { ProviderInfo } from "../connector-kit/provider-info.ts";
import { mergeOverlay } from "./catalog-overlay.ts";
import { buildSupport } from "./catalog-support.ts";
import { CONNECTORS } from "./connectors.gen.ts";
import { EVIDENCE } from "./evidence.gen.ts";

const NONE: CustomProviders = new Map();

/**
 * Builds the catalog with an operator's overlay, a parsed file, merged over it. `openCustomProviders` returns a project's custom providers, which
 * never replace a built-in one. Throws `CatalogError`.
 */
export function buildCatalog(
  overlay?: unknown,
  getCustomProviders: (projectId: string) => CustomProviders = () => NONE,
): Catalog {
  const declared = mergeOverlay(overlay);
  const shown = new Map(
    [...declared].map(
      ([key, info]) =>
        [key, buildSupport(info, CONNECTORS[key], EVIDENCE[key])] satisfies [string, ProviderInfo],
    ),
  );
  const builtIn = assembleCatalog({
    declared,
    shown,
    connector: (key) => (shown.has(key) && Object.hasOwn(CONNECTORS, key) ? CONNECTORS[key] : undefined),
    of: (projectId) => buildOwnView(builtIn, getCustomProviders(projectId)),
    with: (own) => extendCatalog(builtIn, own),
  });
  return builtIn;
}

interface Parts extends Pick<Catalog, "connector" | "of" | "with"> {
  declared: ReadonlyMap<string, ProviderInfo>;
  shown: ReadonlyMap<string, ProviderInfo>;
}

function assembleCatalog({ declared, shown, ...parts }: Parts): Catalog {
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
const views = new WeakMap<CustomProviders, Catalog>();

function buildOwnView(builtIn: Catalog, own: CustomProviders): Catalog {
  if (own.size === 0) return builtIn;
  const known = views.get(own);
  if (known) return known;
  const view = extendCatalog(builtIn, own);
  views.set(own, view);
  return view;
}

/** Adds providers; those of the catalog are never replaced. */
function extendCatalog(builtIn: Catalog, own: CustomProviders): Catalog {
  const added = [...own].filter(([key]) => !builtIn.find(key));
  if (added.length === 0) return builtIn;
  const parts = new Map(added.map(([key, provider]) => [key, openParts(key, provider)]));
  const catalog = assembleCatalog({
    declared: new Map([...Object.entries(builtIn.declared()), ...added.map(findDeclared)]),
    shown: new Map([...Object.entries(builtIn.all()), ...[...parts].map(showDeclared)]),
    connector: (key) => builtIn.connector(key) ?? parts.get(key)?.connector,
    of: () => catalog,
    with: (more) => extendCatalog(builtIn, new Map([...own, ...more])),
  });
  return catalog;
}

interface OwnParts {
  shown: ProviderInfo;
  connector?: Connector;
}

const findDeclared = ([key, { info }]: [string, CustomProvider]): [string, ProviderInfo] => [key, info];
const showDeclared = ([key, { shown }]: [string, OwnParts]): [string, ProviderInfo] => [key, shown];

/** Returns the same parts as long as the provider is in memory: a live connection compares them. */
function openParts(key: string, provider: CustomProvider): OwnParts {
  const known = made.get(provider);
  if (known) return known;
  const { info, description } = provider;
  const connector = description && describeConnector(info.displayName ?? key, description);
  const parts = { shown: buildSupport(info, connector), ...(connector && { connector }) };
  made.set(provider, parts);
  return parts;
}

const made = new WeakMap<CustomProvider, OwnParts>();

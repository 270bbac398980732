/** Everything Busbar knows about providers: the folders beside this file, with an operator's overlay merged over them. */
import type { Connector } from "../connector-kit/connector.ts";
import type { ProviderInfo } from "../connector-kit/provider-info.ts";
import { mergeOverlay } from "./catalog-overlay.ts";
import { builtSupport } from "./catalog-support.ts";
import { CONNECTORS } from "./connectors.gen.ts";

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

/** Builds the catalog with an operator's overlay, a parsed file, merged over it. Throws `CatalogError`. */
export function buildCatalog(overlay?: unknown): Catalog {
  const declared = mergeOverlay(overlay);
  const shown = new Map(
    [...declared].map(
      ([key, info]) => [key, builtSupport(info, CONNECTORS[key])] satisfies [string, ProviderInfo],
    ),
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

/** The catalog of providers as the server sees it. `connectors/catalog.ts` implements it; only the server's entrance imports that. */
import type { Connector } from "./connector.ts";
import type { Description } from "./declarative/rules/description.ts";
import type { ProviderInfo } from "./provider-info.ts";

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
  /** Returns whether the provider offers the action, built here or not: what a manifest may say. */
  declares(key: string, action: CatalogAction, module?: string): boolean;
  /** Returns whether a call of the action will be served: declared, and the code is here. */
  built(key: string, action: CatalogAction, module?: string): boolean;
  /** The catalog as a project sees it: with the providers that its builder added. */
  of(projectId: string): Catalog;
  /** The same with further or changed providers of a project, before they are stored. */
  with(own: CustomProviders): Catalog;
}

/** A provider that a builder added to a project. */
export interface CustomProvider {
  info: ProviderInfo;
  description?: Description;
  /** Schemes and hosts that may get credentials, as text: fixed as long as the provider exists. */
  origins: string;
}

/** A project's custom providers, by key. */
export type CustomProviders = ReadonlyMap<string, CustomProvider>;

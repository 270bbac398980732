/** Builders for the facts that a connector's folder declares, in its `description.ts` or `provider.ts`. */
import type { Oauth2Options } from "./auth-options.ts";
import type { ProviderInfo } from "../provider-info.ts";
import type { Support } from "../provider-support.ts";

type Oauth2Default = "explicitScopesRequired" | "explicitWorkspaceRequired" | "tokenMetadataFields";

/** The facts that a connector's folder declares. The folder gives the name, `completeProvider` the defaults. */
export type ProviderFacts = Omit<ProviderInfo, "name" | "providerOpts" | "defaultModule" | "oauth2Opts"> & {
  defaultModule?: string;
  oauth2Opts?: Omit<Oauth2Options, Oauth2Default> & Partial<Pick<Oauth2Options, Oauth2Default>>;
};

/** Declares a provider. A function, so that type errors show where the mistake is. */
export const defineProvider = (facts: ProviderFacts): ProviderFacts => facts;

/** Completes the facts of a folder to the form that the API shows. */
export function completeProvider(name: string, facts: ProviderFacts): ProviderInfo {
  const { oauth2Opts, ...rest } = facts;
  const info: ProviderInfo = { displayName: name, defaultModule: "", ...rest, name, providerOpts: {} };
  if (oauth2Opts) info.oauth2Opts = { ...OAUTH2_DEFAULTS, ...oauth2Opts };
  return info;
}

/** Defaults of OAuth2 providers. */
export const OAUTH2_DEFAULTS: Pick<Oauth2Options, Oauth2Default> = {
  explicitScopesRequired: false,
  explicitWorkspaceRequired: false,
  tokenMetadataFields: {},
};

export type Ability = "read" | "write" | "proxy" | "subscribe" | "delete" | "search";

/**
 * Returns the support flags of a provider from the actions it offers; `batchWrite()` and `bulkWrite()` give what needs
 * more than a flag.
 */
export function supports(...abilities: (Ability | Partial<Support>)[]): Support {
  const has = (action: Ability) => abilities.includes(action);
  const flags: Support = {
    bulkWrite: { insert: false, update: false, upsert: false, delete: false },
    proxy: has("proxy"),
    read: has("read"),
    subscribe: has("subscribe"),
    write: has("write"),
    delete: has("delete"),
    search: { operators: { equals: has("search") } },
  };
  return Object.assign(flags, ...abilities.filter((ability) => typeof ability === "object"));
}

/** Creates and updates can hold several records in one request, up to `recordLimit`. */
export const batchWrite = (recordLimit: number): Partial<Support> => ({
  batchWrite: {
    create: { supported: true, defaultRecordLimit: recordLimit },
    update: { supported: true, defaultRecordLimit: recordLimit },
    upsert: { supported: true, defaultRecordLimit: recordLimit },
    delete: { supported: false },
  },
});

/** The provider's asynchronous bulk interface supports these. */
export const bulkWrite = (...actions: (keyof Support["bulkWrite"])[]): Partial<Support> => ({
  bulkWrite: {
    insert: actions.includes("insert"),
    update: actions.includes("update"),
    upsert: actions.includes("upsert"),
    delete: actions.includes("delete"),
  },
});

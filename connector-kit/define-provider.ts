/** Builders for the facts that a connector's folder declares in its `provider.ts`. */
import type { Oauth2Options } from "./auth-options.ts";
import type { ProviderInfo, Support } from "./provider-info.ts";

type Oauth2Default = "explicitScopesRequired" | "explicitWorkspaceRequired" | "tokenMetadataFields";

/** What a connector folder writes: the folder gives the name, `completeProvider` what most providers share. */
export type ProviderFacts = Omit<ProviderInfo, "name" | "providerOpts" | "defaultModule" | "oauth2Opts"> & {
  defaultModule?: string;
  oauth2Opts?: Omit<Oauth2Options, Oauth2Default> & Partial<Pick<Oauth2Options, Oauth2Default>>;
};

/** Declares a provider; a function only so that mistakes show where they are made. */
export const defineProvider = (facts: ProviderFacts): ProviderFacts => facts;

/** The facts of a folder as the API shows them. */
export function completeProvider(name: string, facts: ProviderFacts): ProviderInfo {
  const { oauth2Opts, ...rest } = facts;
  const info: ProviderInfo = { displayName: name, defaultModule: "", ...rest, name, providerOpts: {} };
  if (oauth2Opts) info.oauth2Opts = { ...OAUTH2_DEFAULTS, ...oauth2Opts };
  return info;
}

/** What an OAuth2 provider is unless it says otherwise. */
export const OAUTH2_DEFAULTS: Pick<Oauth2Options, Oauth2Default> = {
  explicitScopesRequired: false,
  explicitWorkspaceRequired: false,
  tokenMetadataFields: {},
};

type Action = "read" | "write" | "proxy" | "subscribe" | "delete" | "search";

/**
 * The support flags of a provider: the actions it offers, and for what needs more than a flag `batchWrite()`,
 * `bulkWrite()`.
 */
export function supports(...abilities: (Action | Partial<Support>)[]): Support {
  const has = (action: Action) => abilities.includes(action);
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

/** Create and update take several records in one request, up to `recordLimit`. */
export const batchWrite = (recordLimit: number): Partial<Support> => ({
  batchWrite: {
    create: { supported: true, defaultRecordLimit: recordLimit },
    update: { supported: true, defaultRecordLimit: recordLimit },
    upsert: { supported: false },
    delete: { supported: false },
  },
});

/** The provider's own asynchronous bulk interface takes these. */
export const bulkWrite = (...actions: (keyof Support["bulkWrite"])[]): Partial<Support> => ({
  bulkWrite: {
    insert: actions.includes("insert"),
    update: actions.includes("update"),
    upsert: actions.includes("upsert"),
    delete: actions.includes("delete"),
  },
});

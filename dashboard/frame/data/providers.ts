/** Providers as forms need them: those of the catalog, and the project's own. */
import type { Schemas } from "../../api.gen.ts";
import { useCall } from "../../api/queries.ts";
import { useProjectName } from "../project.ts";

type Provider = Schemas["Provider"];

/** Returns all providers by key; undefined until they are known. */
export function useProviders(): Readonly<Record<string, Provider>> | undefined {
  const projectIdOrName = useProjectName();
  const catalog = useCall("listProviders", {}, { staysFresh: true }).data;
  const own = useCall("listProjectProviders", { projectIdOrName }).data;
  return catalog && own && withOwn(catalog, own);
}

/** Adds the project's custom providers to those of the catalog, which have other keys. */
export const withOwn = (
  catalog: Readonly<Record<string, Provider>>,
  own: readonly Schemas["OwnProvider"][],
): Readonly<Record<string, Provider>> => ({
  ...catalog,
  ...Object.fromEntries(own.map(({ key, provider }) => [key, provider])),
});

/** What the key of a project's custom provider begins with. */
const OWN = "x-";

export function useProvider(key: string): Provider | undefined {
  const projectIdOrName = useProjectName();
  const isOwn = key.startsWith(OWN);
  const catalog = useCall("getProvider", { provider: key }, { enabled: !isOwn, staysFresh: true });
  const own = useCall("getProjectProvider", { projectIdOrName, provider: key }, { enabled: isOwn });
  return isOwn ? own.data?.provider : catalog.data;
}

/** Returns what can be used beyond the flags of `support`; a module may differ from its provider. */
export const listFeatures = (
  provider: Provider | undefined,
  module: string | undefined,
): Schemas["ProviderFeatures"] => ({
  ...provider?.features,
  ...provider?.modules?.[module ?? provider.defaultModule]?.features,
});

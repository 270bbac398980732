/** Finds the installation that a proxied call names and whether its proxy is enabled; cached until one of them changes. */
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import type { Catalog } from "../../connector-kit/catalog.ts";
import { isJsonObject } from "../../ground/json.ts";
import type { Changes } from "../store/database/changes.ts";
import type { Database } from "../store/database/database.ts";
import {
  findProxiedInstallation,
  type ProxiedInstallation,
  type WhichInstallation,
} from "../store/integrations/proxied-installations.ts";
import { cacheUntilChanged } from "../store/processes/row-cache.ts";
import { readProjectId, getHeaderText, type ProxyRequestNames } from "./read-head.ts";

/** What every call of an installation needs to know about it. */
export interface ProxyPermit extends ProxiedInstallation {
  /** Why calls are refused; undefined when they are not. */
  disabledReason?: string;
  /** The module whose base URL applies. */
  moduleKey?: string;
}

interface ProxyPermits {
  byId(projectId: string, id: string): ProxyPermit | undefined | Promise<ProxyPermit | undefined>;
  /** Finds the installation by id or, without one, by integration and group. */
  byNames(names: ProxyRequestNames): Promise<ProxyPermit | undefined>;
}

interface ProxyPermitDeps {
  database: Database;
  changes: Changes;
  catalog: Catalog;
}

const MAX_INSTALLATIONS = 20_000;

export function openProxyPermits(deps: ProxyPermitDeps): ProxyPermits {
  const permits = cacheUntilChanged<ProxyPermit>(deps.changes, {
    max: MAX_INSTALLATIONS,
    tables: ["installations", "integrations", "projects", "own_providers", "groups"],
    listRowIds: ({ id, integrationId, projectId, groupId }) => [id, integrationId, projectId, groupId],
  });
  /** Ids by project, integration and group: a hint only, because names may move to another installation. */
  const idHints = keepRecentlyUsed<string>(MAX_INSTALLATIONS);
  const find = async (projectId: string, which: WhichInstallation) =>
    toPermit(deps.catalog, await findProxiedInstallation(deps.database.control, projectId, which));
  const byId: ProxyPermits["byId"] = (projectId, id) =>
    permits.get(id, () => find(projectId, { id }), projectId);
  return {
    byId,
    async byNames(names) {
      const projectId = readProjectId(names);
      if (names.installationId) return byId(projectId, names.installationId.toLowerCase());
      const integrationName = getHeaderText(names.integrationName ?? "");
      const groupRef = getHeaderText(names.groupRef ?? "");
      const key = JSON.stringify([projectId, integrationName, groupRef]);
      const hint = idHints.get(key);
      const hinted = hint && (await byId(projectId, hint));
      if (hinted) return hinted;
      const found = await find(projectId, { integrationName, groupRef });
      if (!found) return undefined;
      idHints.set(key, found.id);
      return byId(projectId, found.id);
    },
  };
}

/** Reads manifest and configuration once. Their shape was checked when they were stored; an unknown one is "disabled". */
function toPermit(catalog: Catalog, found: ProxiedInstallation | undefined): ProxyPermit | undefined {
  if (!found) return undefined;
  const manifest = isJsonObject(found.manifest) ? found.manifest : {};
  const proxy = isJsonObject(manifest.proxy) ? manifest.proxy : {};
  const module = typeof manifest.module === "string" ? manifest.module : undefined;
  const provider = typeof manifest.provider === "string" ? manifest.provider : "";
  const moduleKey =
    proxy.useModule === true
      ? module || catalog.of(found.projectId).find(provider)?.defaultModule || undefined
      : undefined;
  const disabledReason = explainDisabled(found, proxy);
  return { ...found, manifest: undefined, config: undefined, moduleKey, disabledReason };
}

function explainDisabled(found: ProxiedInstallation, proxy: { enabled?: unknown }): string | undefined {
  if (proxy.enabled !== true) {
    return `The manifest of \`${found.integrationName}\` does not enable the proxy. Deploy it with \`proxy: {enabled: true}\`.`;
  }
  const config = isJsonObject(found.config) && isJsonObject(found.config.proxy) ? found.config.proxy : {};
  if (config.enabled !== false) return undefined;
  return "The configuration of this installation disables the proxy. Update it with `proxy: {enabled: true}`.";
}

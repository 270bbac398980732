/** Rules that need the catalog: whether provider and module exist and support what is declared. */
import type { KnownObjects } from "../../connector-kit/known-objects.ts";
import { listFeatures, type ProviderInfo } from "../../connector-kit/provider-info.ts";
import { findClosest, suggestName } from "../../ground/closest.ts";
import type { Report } from "../finding.ts";
import type { Action } from "../manifest.ts";
import {
  readMap,
  readMember,
  listMaps,
  listObjects,
  joinPath,
  readText,
  type LocatedValue,
} from "../located-value.ts";

/** What the rules need of a provider. The dashboard has it from the API, without the rest. */
type CatalogEntry = Pick<
  ProviderInfo,
  "name" | "displayName" | "authType" | "defaultModule" | "support" | "features" | "modules"
> & { oauth2Opts?: { grantType: string } };

export type Catalog = Readonly<Record<string, CatalogEntry>>;

const ACTIONS: readonly Action[] = ["read", "write", "subscribe", "proxy"];

export function checkProvider(
  integration: LocatedValue,
  catalog: Catalog,
  built: ((provider: string, action: Action) => boolean) | undefined,
  report: Report,
): void {
  const name = readText(integration, "provider");
  if (name === undefined) return;
  const provider = findProvider(integration, catalog);
  if (!provider) {
    report.error(
      "provider-not-supported",
      joinPath(integration, "provider"),
      `There is no provider "${name.slice(0, 100)}".`,
      () => suggestName(name, Object.keys(catalog), "Name one of the catalog; upper and lower case matter."),
    );
    return;
  }
  checkModule(integration, provider, report);
  for (const action of ACTIONS) {
    if (!isDeclared(integration, action)) continue;
    if (!isSupported(integration, provider, action, report) || !built || built(name, action)) continue;
    const path = joinPath(integration, action);
    const message = `This Busbar cannot run \`${action}\` for ${showName(provider)} yet.`;
    const remedy = "Deploying works; the action has no effect until it is built.";
    report.warning("not-built-yet", path, message, remedy, "key");
  }
}

/** Objects that a declarative provider does not have, or not for this. */
export function checkObjects(
  integration: LocatedValue,
  catalog: Catalog,
  known: ((provider: string) => KnownObjects | undefined) | undefined,
  report: Report,
): void {
  const provider = findProvider(integration, catalog);
  const objects = provider && known?.(provider.name);
  const module = readText(integration, "module") ?? provider?.defaultModule;
  if (!objects || (objects.module !== undefined && objects.module !== module)) return;
  for (const action of ["read", "write"] as const)
    for (const object of listObjects(integration, action)) {
      const name = readText(object, "objectName");
      if (name === undefined || objects.can(action, name)) continue;
      const names = objects.names(action);
      report.warning(
        "not-built-yet",
        joinPath(object, "objectName"),
        `This Busbar cannot ${action} ${JSON.stringify(name.slice(0, 100))} of ${showName(provider)} yet.`,
        suggestName(name, names, `It knows ${names.slice(0, MAX_NAMES).join(", ") || "none"}.`),
      );
    }
}

/** Returns fields that no account has, because a declarative provider's fields are fixed: a required one keeps customers from installing, an optional one never comes. */
export function checkFields(
  integration: LocatedValue,
  catalog: Catalog,
  known: ((provider: string) => KnownObjects | undefined) | undefined,
  report: Report,
): void {
  const provider = findProvider(integration, catalog);
  const objects = provider && known?.(provider.name);
  const module = readText(integration, "module") ?? provider?.defaultModule;
  if (!objects || (objects.module !== undefined && objects.module !== module)) return;
  for (const object of listObjects(integration, "read")) {
    const objectName = readText(object, "objectName") ?? "";
    const names = objects.fields?.(objectName);
    if (!names) continue;
    const fixed = new Set(["id", ...names].map((name) => name.toLowerCase()));
    for (const field of [...listMaps(object, "requiredFields"), ...listMaps(object, "optionalFields")]) {
      const name = readText(field, "fieldName");
      // A path in brackets or with dots leads into a field.
      const first =
        name === undefined ? undefined : (/^\$\['([^']*)'\]/.exec(name)?.[1] ?? name.split(".")[0]);
      if (name === undefined || first === undefined || fixed.has(first.toLowerCase())) continue;
      report.warning(
        "unknown-field",
        joinPath(field, "fieldName"),
        `${showName(provider)} has no field ${JSON.stringify(first.slice(0, 100))} of ${JSON.stringify(objectName)}.`,
        suggestName(first, names, `It has ${names.slice(0, MAX_NAMES).join(", ") || "none"}.`),
      );
    }
  }
}

const MAX_NAMES = 20;

/** Shorter names resemble each other without being meant: `cars` and `carts`. */
const LEAST_LETTERS = 6;

/** Objects that are nearly spelt like one that every account has: the account may have such an object of its own. */
export function checkStandardObjects(integration: LocatedValue, catalog: Catalog, report: Report): void {
  const provider = findProvider(integration, catalog);
  const names = listFeatures(provider, readText(integration, "module")).standardObjects;
  if (!provider || !names) return;
  const known = new Set(names.map((name) => name.toLowerCase()));
  for (const action of ["read", "write", "subscribe"] as const)
    for (const object of listObjects(integration, action)) {
      const name = readText(object, "objectName") ?? "";
      const meant =
        name.length < LEAST_LETTERS || known.has(name.toLowerCase()) ? undefined : findClosest(name, names);
      if (meant === undefined) continue;
      report.warning(
        "unknown-object",
        joinPath(object, "objectName"),
        `${JSON.stringify(name.slice(0, 100))} is no standard object of ${showName(provider)}.`,
        `Did you mean "${meant}"? Ignore this if the accounts have an object of this name.`,
      );
    }
}

/** Checks that there is a provider app: an authorization-code flow needs an OAuth client that the builder registered. */
export function checkProviderApp(
  integration: LocatedValue,
  catalog: Catalog,
  providerApps: readonly string[] | undefined,
  report: Report,
): void {
  const provider = findProvider(integration, catalog);
  if (!providerApps || !provider || providerApps.includes(provider.name)) return;
  const grant = provider.authType === "oauth2" ? provider.oauth2Opts?.grantType : undefined;
  if (grant !== "authorizationCode" && grant !== "authorizationCodePKCE") return;
  report.warning(
    "provider-app-not-configured",
    joinPath(integration, "provider"),
    `The project has no provider app for "${provider.name}", so customers cannot connect.`,
    "Register an OAuth client with the provider and add it as a provider app.",
  );
}

function checkModule(integration: LocatedValue, provider: CatalogEntry, report: Report): void {
  const module = readText(integration, "module");
  const modules = Object.keys(provider.modules ?? {});
  if (module === undefined || modules.includes(module)) return;
  const otherwise = modules.length > 0 ? `Use one of ${modules.join(", ")}.` : "Remove `module`.";
  const message = `${showName(provider)} has no module "${module.slice(0, 100)}".`;
  report.error("provider-module", joinPath(integration, "module"), message, () =>
    suggestName(module, modules, otherwise),
  );
}

function isDeclared(integration: LocatedValue, action: Action): boolean {
  if (action !== "proxy") return listObjects(integration, action).length > 0;
  const proxy = readMap(integration, "proxy");
  return proxy !== undefined && readMember(proxy, "enabled") === true;
}

/** A module that the manifest names overrides the provider's flags; otherwise the default module's count as well. */
function isSupported(
  integration: LocatedValue,
  provider: CatalogEntry,
  action: Action,
  report: Report,
): boolean {
  const modules = provider.modules ?? {};
  const module = readText(integration, "module");
  const chosen = module !== undefined && Object.hasOwn(modules, module) ? modules[module] : undefined;
  const fallback = Object.hasOwn(modules, provider.defaultModule)
    ? modules[provider.defaultModule]
    : undefined;
  const supported = chosen
    ? chosen.support[action]
    : provider.support[action] || (module === undefined && fallback?.support[action] === true);
  if (supported) return true;
  const owner = chosen ? `The module ${module} of ${showName(provider)}` : showName(provider);
  const message = `${owner} does not support \`${action}\`.`;
  const path = joinPath(integration, action);
  const proxy = readMap(integration, "proxy");
  const leavesModule = action === "proxy" && (!proxy || readMember(proxy, "useModule") !== true);
  if (leavesModule && provider.support.proxy) {
    const remedy = "Calls go to the address of the provider, not of the module.";
    report.warning(`provider-capability-${action}`, path, message, remedy, "key");
    return true;
  }
  const can = ACTIONS.filter((other) => (chosen ?? provider).support[other]).join(", ");
  const remedy = can === "" ? "Choose another provider or module." : `It supports ${can}.`;
  report.error(`provider-capability-${action}`, path, message, remedy, "key");
  return false;
}

/** Limits of providers on how far back a backfill may go. */
export function checkProviderBackfill(integration: LocatedValue, catalog: Catalog, report: Report): void {
  const provider = findProvider(integration, catalog);
  const limits = listFeatures(provider, readText(integration, "module")).backfill;
  if (!provider || !limits) return;
  for (const object of listObjects(integration, "read")) {
    const backfill = readMap(object, "backfill");
    const period = backfill && readMap(backfill, "defaultPeriod");
    if (!period) continue;
    const days = readMember(period, "days");
    const full = readMember(period, "fullHistory") === true;
    if (limits.fullHistoryOnly && !full && typeof days === "number") {
      const message = `${showName(provider)} can only backfill the full history.`;
      report.error("snowflake-backfill", joinPath(period, "days"), message, "Write fullHistory: true.");
    }
    const name = readText(object, "objectName") ?? "";
    const mostDays = Object.hasOwn(limits.mostDays ?? {}, name) ? limits.mostDays?.[name] : undefined;
    if (mostDays !== undefined && (full || (typeof days === "number" && days > mostDays))) {
      report.error(
        "google-calendar-backfill",
        joinPath(period, full ? "fullHistory" : "days"),
        `A backfill of ${name} of ${showName(provider)} may have ${mostDays} days at most.`,
        `Write days: ${mostDays} or less. What is older can be read when it is asked for: busbar read with --since.`,
      );
    }
  }
}

/** Returns the provider that an integration names, undefined if there is none. */
export function findProvider(integration: LocatedValue, catalog: Catalog): CatalogEntry | undefined {
  const name = readText(integration, "provider");
  return name !== undefined && Object.hasOwn(catalog, name) ? catalog[name] : undefined;
}

export const showName = (provider: CatalogEntry): string => provider.displayName ?? provider.name;

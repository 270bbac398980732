/** Checks a manifest against every rule and returns all findings at once, in the order of the file. */
import { type TSchema, Type } from "typebox";
import { Check } from "typebox/value";
import type { KnownObjects } from "../connector-kit/known-objects.ts";
import { formatCount } from "../ground/sentences.ts";
import { isJsonObject, type Json } from "../ground/json.ts";
import { createReport, type Finding, MAX_FINDINGS, type Report } from "./finding.ts";
import { type Action, type Manifest, type ManifestIntegration, ManifestSchema } from "./manifest.ts";
import { parseManifest } from "./parse-manifest.ts";
import { listMaps, listObjects, type LocatedValue, readText } from "./located-value.ts";
import { checkDestinations } from "./rules/destination-rules.ts";
import {
  type Catalog,
  checkFields,
  checkObjects,
  checkProvider,
  checkProviderApp,
  checkProviderBackfill,
  checkStandardObjects,
} from "./rules/provider-rules.ts";
import { checkReadObjects } from "./rules/read-object-rules.ts";
import { checkManifestShape } from "./rules/shape-rules.ts";
import { checkDuplicates, checkStructure, requireText } from "./rules/structure-rules.ts";
import { checkSubscribe, checkWatchSchema } from "./rules/subscribe-rules.ts";
import { MINIMUM_INTERVAL_MINUTES } from "./schedule.ts";

export interface ManifestContext {
  /** Names of the project's destinations; if left out, a warning reports that they were not checked. */
  destinations?: readonly string[];
  /** Reports a missing destination as a warning: it can be created after the deployment. */
  destinationsMayFollow?: boolean;
  /** Providers that the project has a provider app for; if left out, provider apps are not checked. */
  providerApps?: readonly string[];
  /** Returns whether this Busbar can run an action; if left out, every action counts as built. */
  built?: (provider: string, action: Action) => boolean;
  /** The objects of a provider, where they are known without an account; if left out, objects are not checked. */
  objects?: (provider: string) => KnownObjects | undefined;
  minimumScheduleMinutes?: number;
  /** Providers of the builder's own whose files have faults, which are reported elsewhere: nothing is known of them. */
  faultyProviders?: readonly string[];
}

export interface ManifestVerdict {
  /** In its stored form; absent if there is an error. */
  manifest?: Manifest;
  findings: Finding[];
}

/** Never throws, whatever `source` contains. JSON is YAML, so a manifest as JSON text works too. */
export function checkManifest(
  source: string,
  catalog: Catalog,
  context: ManifestContext = {},
): ManifestVerdict {
  const { document, findings } = parseManifest(source);
  if (!document) return { findings: sortByPlace(findings) };
  const report = createReport(document.findPosition, findings);
  checkManifestShape(document.data, report);
  if (isJsonObject(document.data)) checkRules({ path: [], data: document.data }, catalog, context, report);
  const remaining = shorten(applyIgnoreComments(source, findings), report.dropped());
  if (remaining.some((finding) => finding.severity === "error")) return { findings: remaining };
  const manifest = normalizeManifest(document.data);
  if (manifest) return { manifest, findings: remaining };
  report.error("wrong-type", [], "The file is not a manifest.", "Compare it with an example.");
  return { findings: shorten(findings, report.dropped()) };
}

function checkRules(
  manifest: LocatedValue,
  catalog: Catalog,
  context: ManifestContext,
  report: Report,
): void {
  checkStructure(manifest, report);
  const integrations = listMaps(manifest, "integrations");
  for (const integration of integrations) {
    const provider = readText(integration, "provider") ?? "";
    if (!context.faultyProviders?.includes(provider))
      checkProvider(integration, catalog, context.built, report);
    checkObjects(integration, catalog, context.objects, report);
    checkFields(integration, catalog, context.objects, report);
    checkStandardObjects(integration, catalog, report);
    checkProviderApp(integration, catalog, context.providerApps, report);
    checkProviderBackfill(integration, catalog, report);
    checkReadObjects(integration, context.minimumScheduleMinutes ?? MINIMUM_INTERVAL_MINUTES, report);
    const writeObjects = listObjects(integration, "write");
    for (const object of writeObjects) {
      requireText(object, "objectName", report, "Name the object as the provider does.");
    }
    checkDuplicates(writeObjects, "duplicate-write-object", report);
    checkSubscribe(integration, catalog, report);
    checkWatchSchema(integration, report);
  }
  const { destinations: names, destinationsMayFollow: mayFollow } = context;
  checkDestinations(integrations, { names, mayFollow }, report);
}

const sortByPlace = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((one, other) => one.line - other.line || one.column - other.column);

/** Sorts by place in the file; if there are too many, keeps errors before warnings and counts the rest. */
function shorten(findings: Finding[], dropped: number): Finding[] {
  const surplus = findings.length - MAX_FINDINGS;
  if (surplus <= 0 && dropped === 0) return sortByPlace(findings);
  const errors = findings.filter((finding) => finding.severity === "error");
  const warnings = findings.filter((finding) => finding.severity === "warning");
  return [
    ...sortByPlace([...errors, ...warnings].slice(0, MAX_FINDINGS)),
    {
      severity: "warning",
      rule: "too-many-findings",
      message: `${formatCount(Math.max(surplus, 0) + dropped, "more finding")} not shown.`,
      line: 1,
      column: 1,
      path: "$",
      remedy: "Fix these first.",
    },
  ];
}

/** Suppressed rules by line number; undefined means every rule. */
type SuppressedRules = Map<number, Set<string> | undefined>;

/** Returns the findings that remain. Errors are never suppressed. */
function applyIgnoreComments(source: string, findings: readonly Finding[]): Finding[] {
  const suppressed = parseDirectives(source);
  if (suppressed.size === 0) return [...findings];
  return findings.filter((finding) => {
    if (finding.severity === "error" || !suppressed.has(finding.line)) return true;
    const rules = suppressed.get(finding.line);
    return rules !== undefined && !rules.has(finding.rule);
  });
}

function parseDirectives(source: string): SuppressedRules {
  const suppressed: SuppressedRules = new Map();
  /** A comment on a line of its own counts for the next line that is neither empty nor a comment. */
  let waiting: (Set<string> | undefined)[] = [];
  source.split(/\r\n|\r|\n/).forEach((line, index) => {
    const content = line.trim();
    const match = /(?:^|\s)#\s*amp:ignore(?:\[([^\]]*)\])?(?:$|[^\w[])/.exec(content);
    const rules =
      match?.[1] === undefined ? undefined : new Set(match[1].split(",").map((rule) => rule.trim()));
    if (match) waiting.push(rules);
    if (content === "" || content.startsWith("#")) return;
    if (waiting.length > 0) suppressed.set(index + 1, uniteRules(waiting));
    waiting = [];
  });
  return suppressed;
}

function uniteRules(all: readonly (Set<string> | undefined)[]): Set<string> | undefined {
  return all.includes(undefined) ? undefined : new Set(all.flatMap((rules) => [...(rules ?? [])]));
}

/**
 * Returns the manifest as revisions store it, or undefined if the data is not a manifest. Read objects always carry
 * `destination` and `schedule` (empty if the file has none) and both lists of fields: a published client cannot decode
 * them otherwise.
 */
function normalizeManifest(data: Json): Manifest | undefined {
  const known = pickKnown(ManifestSchema, data);
  if (!Check(ManifestSchema, known)) return undefined;
  return { specVersion: known.specVersion, integrations: known.integrations.map(normalizeIntegration) };
}

function normalizeIntegration(integration: ManifestIntegration): ManifestIntegration {
  const { read } = integration;
  if (!read) return integration;
  const objects = (read.objects ?? []).map((object) => ({
    ...object,
    destination: object.destination ?? "",
    schedule: object.schedule ?? "",
    requiredFields: object.requiredFields ?? [],
    optionalFields: object.optionalFields ?? [],
  }));
  return { ...integration, read: { ...read, objects } };
}

/** Drops members that the schema does not name and members that are null. */
function pickKnown(schema: TSchema, value: Json): Json {
  if (Type.IsArray(schema) && Array.isArray(value)) return value.map((item) => pickKnown(schema.items, item));
  if (!Type.IsObject(schema) || !isJsonObject(value)) return value;
  const members = Object.entries(schema.properties).flatMap(([key, member]): [string, Json][] => {
    const found = Object.hasOwn(value, key) ? value[key] : undefined;
    return found === undefined || found === null ? [] : [[key, pickKnown(member, found)]];
  });
  return Object.fromEntries(members);
}

/** Resolves what an installation reads of each object, from manifest and configuration. Pure. */
import type { ConfigContent, ConfigReadObject } from "../../../manifest/installation-config.ts";
import type { ManifestIntegration, OwnWrites, ReadObject } from "../../../manifest/manifest.ts";
import { findConfigObject, listFieldMappings } from "../../../manifest/object-fields.ts";

/** How one object is read for one installation. */
export interface ReadDefinition {
  /** The provider's name, as the manifest spells it. */
  objectName: string;
  /** The name in messages: the builder's, else the provider's. */
  messageName: string;
  /** The installation reads it: its configuration lists the object, or the manifest enables it for every customer. */
  installed: boolean;
  /** The configuration has disabled it: no schedule, no trigger, no search. */
  disabled: boolean;
  /** Name of the destination; empty if neither configuration nor manifest names one. */
  destination: string;
  /** Cron expression; absent: the object is not read by schedule. */
  schedule?: string;
  /** Period of the initial read; absent: there is none. */
  backfill?: { days: number } | { fullHistory: true };
  fields: FieldSelection;
  /** Mapped name to the provider's field; without mappings for which no field is chosen. */
  mappings: Map<string, string>;
  /** Mapped names that the manifest requires. */
  requiredMappings: string[];
  /** Keys: mapped names and provider fields. Values: from the delivered value to the provider's. */
  valueMappings: Map<string, Map<string, string>>;
  /** Filters by the names that the configuration uses, mapped or the provider's. */
  filters: ConfiguredFilter[];
  /** They replace `filters` during the backfill. */
  backfillFilters: ConfiguredFilter[];
  /** Names of objects whose associated ids are read. */
  associatedObjects: string[];
  /** Whether deletions are read and delivered. */
  deletedRecords: boolean;
  delivery: { mode: "auto" | "onRequest"; pageSize?: number };
  /** Whether changes that only show what Busbar wrote are delivered; undefined: the destination decides. */
  ownWrites?: OwnWrites | undefined;
}

/** The fields that are delivered under the provider's names. */
interface FieldSelection {
  /** For every customer. */
  required: string[];
  /** Chosen for this customer. May have mapped names, which `mappings` covers. */
  selected: string[];
  /** Every field of the object except `excluded`. */
  all: boolean;
  excluded: string[];
}

export type ConfiguredFilter = NonNullable<ConfigReadObject["fieldFilters"]>[number];

/** What the objects of an installation are resolved from. */
export interface ReadSources {
  /** The integration's manifests, newest first, back to the last destructive deploy; older ones only where needed. */
  revisions: readonly ManifestIntegration[];
  config: ConfigContent;
  /** Objects that the installation reads already, by the provider's names. */
  running?: ReadonlySet<string>;
}

/**
 * Returns every object that the installation reads now, disabled ones included. An object that the newest revision no
 * longer has goes on as the newest revision that had it defines it, if the configuration lists it, or if it was enabled
 * for every customer and the installation reads it already.
 */
export const readDefinitions = (sources: ReadSources): ReadDefinition[] =>
  listReadableDefinitions(sources).filter(({ installed }) => installed);

/** Returns every object that the installation could read, also those that it has not installed. */
export const listReadableDefinitions = (sources: ReadSources): ReadDefinition[] =>
  listReadableObjects(sources).map(define);

/**
 * Finds the object of that name, the provider's before a mapped one. It may be an object that is not installed: triggers
 * and searches need only the manifest.
 */
export function findReadDefinition(sources: ReadSources, name: string): ReadDefinition | undefined {
  const all = listReadableObjects(sources);
  const found =
    all.find(({ object }) => object.objectName === name) ??
    all.find(({ object }) => object.mapToName === name);
  return found && define(found);
}

/** Returns the provider's fields that the manifest requires, with those that customers chose for required mappings. */
export const listRequiredFieldNames = ({ fields, requiredMappings, mappings }: ReadDefinition): string[] => [
  ...fields.required,
  ...requiredMappings.flatMap((name) => mappings.get(name) ?? []),
];

interface DeclaredObject {
  revision: ManifestIntegration;
  object: ReadObject;
  config: ConfigContent;
  configured: ConfigReadObject | undefined;
}

function listReadableObjects({ revisions, config, running }: ReadSources): DeclaredObject[] {
  const found = new Map<string, DeclaredObject>();
  for (const [age, revision] of revisions.entries()) {
    for (const object of revision.read?.objects ?? []) {
      if (found.has(object.objectName)) continue;
      const configured = findConfigObject(config.read?.objects, object.objectName);
      const goesOn = object.enabled === "always" && running?.has(object.objectName);
      if (age === 0 || configured || goesOn)
        found.set(object.objectName, { revision, object, config, configured });
    }
  }
  return [...found.values()];
}

function define({ revision, object, config, configured }: DeclaredObject): ReadDefinition {
  const isAlways = object.enabled === "always";
  const schedule = configured?.schedule ?? object.schedule;
  const filters = configured?.fieldFilters ?? [];
  const { mappedToProvider, valueMappings } = listFieldMappings(revision, config, object.objectName);
  const leftOut = listUnchosenMappings(object, configured);
  const mappings = [...mappedToProvider].flatMap(([mapped, field]): [string, string][] =>
    field === undefined || leftOut.has(mapped) ? [] : [[mapped, field]],
  );
  const { mode = "auto", pageSize } = object.delivery ?? {};
  return {
    objectName: object.objectName,
    messageName: object.mapToName || object.objectName,
    installed: isAlways || configured !== undefined,
    disabled: configured?.disabled === true && !isAlways,
    destination: configured?.destination || (object.destination ?? ""),
    // Empty means none, and in the configuration it overrides the manifest.
    ...(schedule && { schedule }),
    ...readBackfill(configured?.backfill?.defaultPeriod ?? object.backfill?.defaultPeriod),
    fields: selectFields(object, configured),
    mappings: new Map(mappings),
    requiredMappings: (object.requiredFields ?? []).flatMap(({ mapToName }) => mapToName || []),
    valueMappings,
    filters,
    backfillFilters: configured?.backfill?.fieldFilters ?? filters,
    associatedObjects: [...new Set(configured?.associatedObjects ?? object.associatedObjects ?? [])],
    deletedRecords: (configured?.deletedRecords ?? object.deletedRecords) === "always",
    ownWrites: configured?.ownWrites ?? object.ownWrites,
    delivery: { mode, ...(mode === "onRequest" && pageSize !== undefined && { pageSize }) },
  };
}

function readBackfill(
  period: { days?: number; fullHistory?: boolean } | undefined,
): Pick<ReadDefinition, "backfill"> {
  if (period?.fullHistory === true) return { backfill: { fullHistory: true } };
  return period?.days ? { backfill: { days: period.days } } : {};
}

function selectFields(object: ReadObject, configured: ConfigReadObject | undefined): FieldSelection {
  const required = (object.requiredFields ?? []).flatMap(({ fieldName, mapToName }) =>
    fieldName && !mapToName ? [fieldName] : [],
  );
  const choices = Object.entries(configured?.selectedFields ?? {});
  const mapped = listMappedNames(object);
  return {
    required,
    selected: choices.flatMap(([name, isChosen]) => (isChosen && !mapped.has(name) ? [name] : [])),
    all: configured?.selectedFieldsAuto === "all",
    excluded: choices.flatMap(([name, isChosen]) => (isChosen ? [] : [name])),
  };
}

/** Returns the names that choose a mapping when they are selected, not a field of the provider. */
function listMappedNames(object: ReadObject): Set<string> {
  const { requiredFields = [], optionalFields = [], optionalFieldsAuto } = object;
  const names = new Set(
    listOptionalMappings(object).flatMap(({ fieldName, mapToName }) => [fieldName, mapToName]),
  );
  for (const { mapToName } of [...requiredFields, ...optionalFields]) {
    // Where every field is offered, the name is that of a field.
    if (mapToName && optionalFieldsAuto !== "all") names.add(mapToName);
  }
  for (const { fieldName, mapToName } of optionalFields) if (fieldName && !mapToName) names.delete(fieldName);
  return names;
}

/** Returns the names of optional fields mapped by the manifest that this customer has not chosen. */
function listUnchosenMappings(object: ReadObject, configured: ConfigReadObject | undefined): Set<string> {
  const choices = configured?.selectedFields ?? {};
  const mapped = new Set([
    ...Object.entries(configured?.selectedFieldMappings ?? {}).flatMap(([name, field]) => field && [name]),
    ...(configured?.dynamicMappingsInput ?? []).flatMap((entry) => entry.fieldName && [entry.mapToName]),
    ...(object.requiredFields ?? []).map(({ mapToName }) => mapToName),
  ]);
  const unchosen = listOptionalMappings(object).filter(({ fieldName, mapToName }) => {
    if (mapped.has(mapToName)) return false;
    const chosen = [fieldName, mapToName].map((name) =>
      Object.hasOwn(choices, name) ? choices[name] : undefined,
    );
    if (configured?.selectedFieldsAuto === "all") return chosen.includes(false);
    return !chosen.includes(true);
  });
  return new Set(unchosen.map(({ mapToName }) => mapToName));
}

/** Returns the optional fields that the manifest itself maps. */
const listOptionalMappings = (object: ReadObject): { fieldName: string; mapToName: string }[] =>
  (object.optionalFields ?? []).flatMap(({ fieldName, mapToName }) =>
    fieldName && mapToName ? [{ fieldName, mapToName }] : [],
  );

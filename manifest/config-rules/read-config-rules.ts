/** Rules for `read.objects` of a configuration: schedules, selected fields, mappings, backfill and filters. */
import type { Features } from "../../connector-kit/provider-support.ts";
import { findClosest } from "../../ground/closest.ts";
import { formatCount } from "../../ground/sentences.ts";
import type { Path } from "../finding.ts";
import { listChosenTexts, listConfigObjects, type AddIssue, type ConfigObject } from "../config-issue.ts";
import { isFieldPath, leadsIntoList, parseFieldPath, parseValuePath } from "../../ground/field-path.ts";
import type { ManifestIntegration, ReadObject } from "../manifest.ts";
import {
  has,
  readMap,
  listMaps,
  listMemberMaps,
  readMember,
  joinPath,
  readText,
  readTexts,
  type LocatedValue,
} from "../located-value.ts";
import { checkSchedule } from "../schedule.ts";

interface ReadLimits {
  minimumScheduleMinutes: number;
  features: Features;
}

export function checkReadConfig(
  content: LocatedValue,
  integration: ManifestIntegration,
  limits: ReadLimits,
  add: AddIssue,
): void {
  for (const object of listConfigObjects(content, "read")) {
    const declared = integration.read?.objects?.find(({ objectName }) => objectName === object.name);
    const mapped = mapFieldsByMappedName(object, declared);
    checkReadSchedule(object, limits, add);
    checkMappings(object, declared, add);
    checkValueMappings(object, add);
    checkBackfill(object, add);
    checkFilters(object, integration, limits, add);
    const backfill = readMap(object, "backfill");
    if (backfill) checkFilters(backfill, integration, limits, add);
    for (const place of backfill ? [object, backfill] : [object]) checkFilteredLists(place, mapped, add);
    checkAssociatedObjects(object, add);
    if (declared) checkSelection(object, declared, add);
  }
}

function checkReadSchedule(object: ConfigObject, limits: ReadLimits, add: AddIssue): void {
  // Empty is how manifests without a schedule are shown to clients, which may send it back.
  const schedule = readText(object, "schedule");
  if (schedule === undefined) return;
  const path = joinPath(object, "schedule");
  const verdict = checkSchedule(schedule);
  if (!verdict.valid)
    return add(path, `The schedule is not valid: ${verdict.reason}.`, verdict.remedy, schedule);
  if (verdict.shortestIntervalMinutes >= limits.minimumScheduleMinutes) return;
  const detail = `The schedule has runs ${formatCount(verdict.shortestIntervalMinutes, "minute")} apart; at least ${limits.minimumScheduleMinutes} must lie between them.`;
  add(path, detail, "Read less often.", schedule);
}

function checkMappings(object: ConfigObject, declared: ReadObject | undefined, add: AddIssue): void {
  const mappings = listChosenTexts(object, "selectedFieldMappings");
  const path = joinPath(object, "selectedFieldMappings");
  const takenBy = new Map<string, string>();
  for (const [mapped, field] of mappings) {
    const first = takenBy.get(field);
    if (first === undefined) takenBy.set(field, mapped);
    else {
      const detail = `"${first}" and "${mapped}" are both mapped to the field "${field}".`;
      add([...path, mapped], detail, "Map each name to a field of its own.", field);
    }
    checkPath([...path, mapped], { field, mapped }, add);
  }
  for (const entry of listMaps(object, "dynamicMappingsInput")) {
    const field = readText(entry, "fieldName") ?? "";
    checkPath(joinPath(entry, "fieldName"), { field, mapped: readText(entry, "mapToName") ?? "" }, add);
  }
  checkMappedNames(object, declared, add);
  for (const { fieldName, mapToName } of declared?.requiredFields ?? []) {
    if (fieldName !== undefined || mapToName === undefined || mappings.has(mapToName)) continue;
    const detail = `The integration requires a field for "${mapToName}", but none is chosen.`;
    add([...path, mapToName], detail, `Add "${mapToName}" with the name of the customer's field.`);
  }
}

function checkPath(path: Path, { field, mapped }: { field: string; mapped: string }, add: AddIssue): void {
  const remedy = "Write nested fields as $['outer']['inner'].";
  const source = isFieldPath(field) ? parseValuePath(field) : undefined;
  if (source && "fault" in source)
    add(path, `The field is not a well-formed path: ${source.fault}.`, remedy, field);
  const target = isFieldPath(mapped) ? parseFieldPath(mapped) : undefined;
  if (target && "fault" in target)
    add(path, `The mapped name is not a well-formed path: ${target.fault}.`, remedy, mapped);
}

/** Returns the provider's field of each mapped name for which one is chosen. */
function mapFieldsByMappedName(object: ConfigObject, declared: ReadObject | undefined): Map<string, string> {
  const dynamic = listMaps(object, "dynamicMappingsInput");
  return new Map([
    ...[...(declared?.requiredFields ?? []), ...(declared?.optionalFields ?? [])].flatMap(
      ({ mapToName, fieldName }): [string, string][] =>
        mapToName && fieldName ? [[mapToName, fieldName]] : [],
    ),
    ...dynamic.flatMap((entry): [string, string][] => {
      const [mapped, field] = [readText(entry, "mapToName"), readText(entry, "fieldName")];
      return mapped && field ? [[mapped, field]] : [];
    }),
    ...listChosenTexts(object, "selectedFieldMappings"),
  ]);
}

/** Providers filter by fields, not by entries of lists. */
function checkFilteredLists(place: LocatedValue, mapped: ReadonlyMap<string, string>, add: AddIssue): void {
  for (const filter of listMaps(place, "fieldFilters")) {
    const name = readText(filter, "fieldName") ?? "";
    const field = mapped.get(name) ?? name;
    if (!leadsIntoList(field)) continue;
    const detail = `"${field}" is the entry of a list, by which records cannot be filtered.`;
    add(joinPath(filter, "fieldName"), detail, "Filter by another field.", name);
  }
}

/**
 * Refuses a mapped name that is nearly one of the manifest for which nothing is chosen. Other unknown names are accepted:
 * builders may map more than the manifest declares.
 */
function checkMappedNames(object: ConfigObject, declared: ReadObject | undefined, add: AddIssue): void {
  const mappings = listChosenTexts(object, "selectedFieldMappings");
  const dynamic = listMaps(object, "dynamicMappingsInput").map((entry) => readText(entry, "mapToName"));
  const fields = [...(declared?.requiredFields ?? []), ...(declared?.optionalFields ?? [])];
  const names = fields.flatMap(({ mapToName }) => mapToName ?? []);
  const free = names.filter((name) => !mappings.has(name));
  for (const mapped of mappings.keys()) {
    if (names.includes(mapped) || dynamic.includes(mapped)) continue;
    const meant = findClosest(mapped, free);
    if (meant === undefined) continue;
    const path = [...joinPath(object, "selectedFieldMappings"), mapped];
    add(path, `"${mapped}" is not a mapped name of the manifest.`, `Did you mean "${meant}"?`, mapped);
  }
}

function checkValueMappings(object: ConfigObject, add: AddIssue): void {
  const byField = readMap(object, "selectedValueMappings");
  for (const field of Object.keys(byField?.data ?? {})) {
    if (!byField) return;
    const takenBy = new Map<string, string>();
    for (const [delivered, value] of listChosenTexts(byField, field)) {
      const first = takenBy.get(value);
      if (first === undefined) takenBy.set(value, delivered);
      else {
        const detail = `"${first}" and "${delivered}" are both mapped to the value "${value}".`;
        const remedy = "Map each value to one of its own; the way back must be clear.";
        add(joinPath(byField, field, delivered), detail, remedy, value);
      }
    }
  }
}

function checkBackfill(object: ConfigObject, add: AddIssue): void {
  const backfill = readMap(object, "backfill");
  const period = backfill && readMap(backfill, "defaultPeriod");
  if (!period) return;
  const days = readMember(period, "days");
  const full = readMember(period, "fullHistory") === true;
  const isUnclear = has(period, "fullHistory") && typeof readMember(period, "fullHistory") !== "boolean";
  if (!isUnclear && full === has(period, "days")) {
    const detail = full
      ? "Both `days` and `fullHistory` are given."
      : "Neither `days` nor `fullHistory` is given.";
    add(period.path, detail, "Give exactly one: `days` as a number from 0, or `fullHistory` as true.");
  }
  if (typeof days === "number" && days < 0) {
    add(joinPath(period, "days"), "`days` is below 0.", "Use 0 for none, or more.", days);
  }
}

function checkFilters(
  place: LocatedValue,
  { provider, module }: ManifestIntegration,
  { features }: ReadLimits,
  add: AddIssue,
): void {
  const filters = listMaps(place, "fieldFilters");
  if (filters.length > 0 && features.fieldFilters !== true) {
    const detail = `Filters are not supported for ${module === undefined ? provider : `${provider} (${module})`}.`;
    add(joinPath(place, "fieldFilters"), detail, "Leave `fieldFilters` out.");
  }
  const seen = new Set<string>();
  for (const filter of filters) {
    const field = readText(filter, "fieldName");
    if (readMember(filter, "fieldName") === "")
      add(joinPath(filter, "fieldName"), "The condition names no field.", "Name the field to compare.", "");
    if (field === undefined) continue;
    if (seen.has(field)) {
      const detail = `The field "${field}" has more than one condition.`;
      add(joinPath(filter, "fieldName"), detail, "Keep one condition for each field.", field);
    }
    seen.add(field);
  }
}

function checkAssociatedObjects(object: ConfigObject, add: AddIssue): void {
  for (const { path, text } of readTexts(object, "associatedObjects")) {
    if (text === "") add(path, "The name is empty.", "Name an object as the provider does.", text);
  }
}

/** The manifest's required fields are always read, so an empty selection is fine when there are any. */
function checkSelection(object: ConfigObject, declared: ReadObject, add: AddIssue): void {
  const chosen = readMap(object, "selectedFields");
  const isAnyChosen =
    (declared.requiredFields ?? []).length > 0 ||
    Object.values(chosen?.data ?? {}).includes(true) ||
    listChosenTexts(object, "selectedFieldMappings").size > 0 ||
    has(object, "selectedFieldsAuto") ||
    readMember(object, "disabled") === true ||
    // A choice of the wrong type has its issue already.
    (has(object, "selectedFields") && !chosen) ||
    listMemberMaps(object, "selectedFields").length > 0;
  if (isAnyChosen) return;
  const detail = `No field of "${object.name}" is selected, and the integration requires none.`;
  add(joinPath(object, "selectedFields"), detail, "Select at least one field, or leave the object out.");
}

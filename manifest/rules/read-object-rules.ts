/** Rules for `read`: fields, backfill, delivery, objects that are always read, schedules. */
import { describeValue } from "../check-shape.ts";
import type { Report } from "../finding.ts";
import { formatListStep, isFieldPath, parseFieldPath, parseValuePath } from "../../ground/field-path.ts";
import {
  has,
  readMap,
  listMaps,
  readMember,
  listObjects,
  joinPath,
  readText,
  readTexts,
  type LocatedValue,
} from "../located-value.ts";
import { checkScheduleAt } from "./schedule-rules.ts";
import { checkDuplicates, requireText } from "./structure-rules.ts";

export function checkReadObjects(integration: LocatedValue, minimumMinutes: number, report: Report): void {
  const objects = listObjects(integration, "read");
  const written = listWrittenByMapping(integration);
  for (const object of objects) {
    requireText(object, "objectName", report, "Name the object as the provider does.");
    requireText(object, "destination", report, "Name the destination that receives the records.");
    checkScheduleAt(object, minimumMinutes, report);
    checkFields(object, "requiredFields", report);
    checkFields(object, "optionalFields", report);
    if (written.has(readText(object, "objectName") ?? "")) checkCreates(object, report);
    checkBackfill(object, report);
    checkDelivery(object, report);
    checkAlwaysEnabled(object, report);
    checkAssociatedObjects(object, report);
  }
  checkDuplicates(objects, "duplicate-read-object", report);
}

function checkFields(object: LocatedValue, list: "requiredFields" | "optionalFields", report: Report): void {
  for (const field of listMaps(object, list)) {
    if (!["fieldName", "mapToName"].some((key) => has(field, key) && readMember(field, key) !== "")) {
      report.error(
        "required-field",
        field.path,
        "This field entry has neither `fieldName` nor `mapToName`.",
        "Give `fieldName` for a field of the provider, or `mapToName` for one that the customer chooses.",
      );
    }
    for (const key of ["fieldName", "mapToName", "default"]) {
      const name = readText(field, key);
      if (name === undefined || !isFieldPath(name)) continue;
      const parsed = key === "mapToName" ? parseFieldPath(name) : parseValuePath(name);
      if (!("fault" in parsed)) continue;
      const message = `\`${key}\` is not a well-formed path: ${parsed.fault} in "${name.slice(0, 100)}".`;
      report.error(
        "field-mapping-jsonpath",
        joinPath(field, key),
        message,
        key === "mapToName"
          ? "Write it as $['outer']['inner']."
          : "Write it as $['outer']['inner'], through a list as $['emails'][0]['value'] or $['emails'][?primary]['value'].",
      );
    }
  }
}

/** Returns the names of objects that are written under the names of their read mapping. */
const listWrittenByMapping = (integration: LocatedValue): Set<string> =>
  new Set(
    listObjects(integration, "write")
      .filter((object) => readMember(object, "inheritMapping") === true)
      .flatMap((object) => readText(object, "objectName") ?? []),
  );

/** Warns of mappings to an entry of a list that a new record cannot have. */
function checkCreates(object: LocatedValue, report: Report): void {
  for (const field of [...listMaps(object, "requiredFields"), ...listMaps(object, "optionalFields")]) {
    const path = parseValuePath(readText(field, "fieldName") ?? "");
    const steps = "steps" in path ? path.steps : [];
    const beyond = steps.find((step) => typeof step !== "string" && "at" in step && step.at > 0);
    if (beyond === undefined || typeof beyond === "string") continue;
    const message = `A create cannot set ${formatListStep(beyond)} of a list, and is refused if it tries; an update can.`;
    const remedy = "Map it to [0] or to a condition such as [?primary], or set it in updates only.";
    report.warning("list-entry-write", joinPath(field, "fieldName"), message, remedy);
  }
}

const LARGE_BACKFILL_DAYS = 180;

function checkBackfill(object: LocatedValue, report: Report): void {
  const backfill = readMap(object, "backfill");
  if (!backfill) return;
  const period = readMap(backfill, "defaultPeriod");
  if (!period) {
    if (has(backfill, "defaultPeriod")) return;
    const remedy = "Add `defaultPeriod` with `days` or `fullHistory: true`.";
    report.error(
      "backfill-config",
      joinPath(backfill, "defaultPeriod"),
      "`backfill` has no `defaultPeriod`.",
      remedy,
    );
    return;
  }
  const days = readMember(period, "days");
  const full = readMember(period, "fullHistory") === true;
  // A `fullHistory` that is no boolean has a finding already.
  const isUnclear = has(period, "fullHistory") && typeof readMember(period, "fullHistory") !== "boolean";
  if (!isUnclear && full === has(period, "days")) {
    report.error(
      "backfill-config",
      period.path,
      full ? "Both `days` and `fullHistory` are given." : "Neither `days` nor `fullHistory: true` is given.",
      "Give exactly one: `days` as a number from 0, or `fullHistory: true`.",
    );
  }
  if (typeof days === "number" && days < 0) {
    report.error(
      "backfill-config",
      joinPath(period, "days"),
      `\`days\` is ${days}.`,
      "Use 0 for none, or more.",
    );
  }
  if (full || (typeof days === "number" && days > LARGE_BACKFILL_DAYS)) {
    report.warning(
      "large-backfill-risk",
      joinPath(period, full ? "fullHistory" : "days"),
      `The backfill covers ${full ? "the full history" : `${days} days`}; it can take long and use much API quota.`,
      `Consider at most ${LARGE_BACKFILL_DAYS} days.`,
    );
  }
}

function checkDelivery(object: LocatedValue, report: Report): void {
  const delivery = readMap(object, "delivery");
  if (!delivery) return;
  const mode = readMember(delivery, "mode") ?? "auto";
  const pageSize = readMember(delivery, "pageSize") ?? undefined;
  const fail = (key: string, message: string, remedy: string) =>
    report.error("delivery-mode", joinPath(delivery, key), message, remedy);
  if (mode === "auto" && pageSize !== undefined) {
    fail(
      "pageSize",
      "`pageSize` has no effect in the mode `auto`.",
      "Remove it, or use the mode `onRequest`.",
    );
  }
  if (mode !== "onRequest") return;
  if (pageSize === undefined) fail("pageSize", "The mode `onRequest` needs `pageSize`.", "Give 50 to 500.");
  else if (typeof pageSize === "number" && (pageSize < 50 || pageSize > 500)) {
    fail("pageSize", `\`pageSize\` is ${pageSize}.`, "Give 50 to 500.");
  }
}

function checkAlwaysEnabled(object: LocatedValue, report: Report): void {
  if (readMember(object, "enabled") !== "always") return;
  const fail = (place: LocatedValue, keys: string[], message: string, remedy: string) =>
    report.error("always-enabled-fields", joinPath(place, ...keys), message, remedy);
  const fields = readMember(object, "requiredFields") ?? [];
  if (Array.isArray(fields) && fields.length === 0) {
    const message = "An object that is always read needs `requiredFields`.";
    fail(object, ["requiredFields"], message, "List the fields that every customer delivers.");
  }
  for (const field of listMaps(object, "requiredFields")) {
    if (!has(field, "mapToName")) continue;
    const found = describeValue(readMember(field, "mapToName"));
    const message = `An object that is always read cannot map fields, but \`mapToName\` is ${found}.`;
    fail(field, ["mapToName"], message, "Name the provider's field only, or remove enabled: always.");
  }
  if (!has(object, "schedule") || readMember(object, "schedule") === "") {
    const message = "An object that is always read needs a `schedule`.";
    fail(object, ["schedule"], message, 'Add one, for example schedule: "0 * * * *".');
  }
}

function checkAssociatedObjects(object: LocatedValue, report: Report): void {
  for (const { path, text } of readTexts(object, "associatedObjects")) {
    if (text !== "") continue;
    const remedy = "Name an object as the provider does, or remove the entry.";
    report.error("required-field", path, "This entry of `associatedObjects` is empty.", remedy);
  }
}

/** Rules for `subscribe` and `watchSchema`: events, watched fields, and the read objects they need. */
import { listFeatures } from "../../connector-kit/provider-info.ts";
import { suggestName } from "../../ground/closest.ts";
import type { Report } from "../finding.ts";
import {
  has,
  readMap,
  readMember,
  listObjects,
  joinPath,
  readText,
  readTexts,
  type LocatedValue,
} from "../located-value.ts";
import { findProvider, showName, type Catalog } from "./provider-rules.ts";
import { checkScheduleAt } from "./schedule-rules.ts";
import { checkDuplicates, requireText } from "./structure-rules.ts";

/** Events whose payload is a record, so that fields and mapping must come from the read object. */
const RECORD_EVENTS = ["createEvent", "updateEvent", "deleteEvent", "associationChangeEvent"];

export function checkSubscribe(integration: LocatedValue, catalog: Catalog, report: Report): void {
  if (!has(integration, "subscribe")) return;
  const objects = listObjects(integration, "subscribe");
  if (!has(integration, "read")) {
    report.error(
      "subscribe-requires-read",
      joinPath(integration, "subscribe"),
      "`subscribe` needs a `read` block in the same integration.",
      "Add `read` with the objects whose fields are delivered; they need no schedule.",
    );
  }
  const readNames = new Set(
    listObjects(integration, "read").flatMap((object) => readText(object, "objectName") ?? []),
  );
  for (const object of objects) {
    requireText(object, "objectName", report, "Name the object as the provider does.");
    requireText(object, "destination", report, "Name the destination that receives the events.");
    checkEvents(object, has(integration, "read") ? readNames : undefined, report);
    checkUpdateEvent(object, report);
  }
  checkDuplicates(objects, "duplicate-subscribe-object", report);
  checkLimit(integration, objects, catalog, report);
}

function checkLimit(
  integration: LocatedValue,
  objects: readonly LocatedValue[],
  catalog: Catalog,
  report: Report,
): void {
  const provider = findProvider(integration, catalog);
  const limit = listFeatures(provider, readText(integration, "module")).subscribeObjectLimit;
  const surplus = limit === undefined ? undefined : objects[limit];
  if (!provider || !surplus) return;
  report.error(
    "salesforce-subscribe-limit",
    surplus.path,
    `${showName(provider)} allows subscriptions to ${limit} objects, but ${objects.length} are listed.`,
    "Read the others on a schedule instead.",
  );
}

function checkEvents(object: LocatedValue, readNames: ReadonlySet<string> | undefined, report: Report): void {
  const recordEvents = RECORD_EVENTS.filter((event) => has(object, event));
  const others = readMember(object, "otherEvents");
  if (recordEvents.length === 0 && !(Array.isArray(others) && others.length > 0)) {
    const message = "This object subscribes to no event; each installation has to enable events itself.";
    report.warning("subscribe-minimum-events", object.path, message, "Add for example `createEvent`.");
  }
  if (recordEvents.length === 0) return;
  const inherits = readMember(object, "inheritFieldsAndMapping") ?? false;
  if (inherits === false) {
    report.error(
      "subscribe-inherit-fields",
      joinPath(object, "inheritFieldsAndMapping"),
      `\`${recordEvents[0]}\` needs the fields of the read object.`,
      "Write inheritFieldsAndMapping: true.",
    );
  }
  const name = readText(object, "objectName");
  if (name === undefined || !readNames || readNames.has(name)) return;
  report.error(
    "subscribe-requires-read",
    joinPath(object, "objectName"),
    `"${name}" is not an object of \`read\`; its events need the fields of the read object.`,
    () => suggestName(name, readNames, `Add "${name}" to \`read.objects\`; it needs no schedule.`),
  );
}

function checkUpdateEvent(object: LocatedValue, report: Report): void {
  const event = readMap(object, "updateEvent");
  if (!event) return;
  const fields = readMember(event, "requiredWatchFields") ?? undefined;
  const listed = Array.isArray(fields) && fields.length > 0;
  const auto = has(event, "watchFieldsAuto");
  const fail = (key: string, message: string, remedy: string) =>
    report.error("update-event-watch-fields", joinPath(event, key), message, remedy);
  if (auto && fields !== undefined) {
    const message = "`watchFieldsAuto` and `requiredWatchFields` exclude each other.";
    fail("requiredWatchFields", message, "Keep one of them.");
  } else if (!auto && fields === undefined) {
    const remedy = "Add `requiredWatchFields` with field names, or watchFieldsAuto: all or selected.";
    report.error(
      "update-event-watch-fields",
      event.path,
      "`updateEvent` does not list the fields to watch.",
      remedy,
    );
  } else if (!auto && Array.isArray(fields) && !listed) {
    fail("requiredWatchFields", "`requiredWatchFields` is empty.", "List at least one field.");
  }
  for (const { path, text } of readTexts(event, "requiredWatchFields")) {
    if (!/[.[\]]/.test(text)) continue;
    const message = `The watched field "${text.slice(0, 100)}" is nested.`;
    report.error(
      "watch-fields-no-nesting",
      path,
      message,
      "Watch the outer field; nested ones cannot be watched.",
    );
  }
}

const SCHEMA_EVENTS = ["fieldCreated", "fieldDeleted", "fieldChanged"];

export function checkWatchSchema(integration: LocatedValue, report: Report): void {
  const watch = readMap(integration, "watchSchema");
  if (!watch) return;
  requireText(watch, "destination", report, "Name the destination that receives the changes.");
  checkScheduleAt(watch, 60, report);
  if (!has(watch, "allObjects")) {
    const remedy = `Add \`allObjects\` with ${SCHEMA_EVENTS.map((event) => `\`${event}\``).join(", ")} as wanted.`;
    report.error("required-field", joinPath(watch, "allObjects"), "`allObjects` is missing.", remedy);
  }
  const allObjects = readMap(watch, "allObjects");
  for (const name of allObjects ? SCHEMA_EVENTS : []) {
    const event = allObjects && readMap(allObjects, name);
    if (!event || has(event, "enabled")) continue;
    report.error(
      "required-field",
      joinPath(event, "enabled"),
      "`enabled` is missing.",
      "Write enabled: always.",
    );
  }
}

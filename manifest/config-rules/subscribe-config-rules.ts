/** Rules for `subscribe.objects` of a configuration: events, watched fields, quota optimisation. */
import type { Features } from "../../connector-kit/provider-support.ts";
import { listConfigObjects, type AddIssue, type ConfigObject } from "../config-issue.ts";
import type { ManifestIntegration, SubscribeObject } from "../manifest.ts";
import { has, readMap, readMember, joinPath, readTexts, type LocatedValue } from "../located-value.ts";

const RECORD_EVENTS = ["createEvent", "updateEvent", "deleteEvent"];

export function checkSubscribeConfig(
  content: LocatedValue,
  integration: ManifestIntegration,
  features: Features,
  add: AddIssue,
): void {
  for (const object of listConfigObjects(content, "subscribe")) {
    const declared = integration.subscribe?.objects?.find(({ objectName }) => objectName === object.name);
    checkInheritance(object, add);
    checkUpdateEvent(object, declared, add);
    if (features.quotaOptimization === true) checkQuotaOptimization(object, declared, add);
    else refuseQuotaOptimization(object, integration.provider, add);
  }
}

function checkInheritance(object: ConfigObject, add: AddIssue): void {
  if (readMember(object, "inheritFieldsAndMappings") !== false) return;
  const event = RECORD_EVENTS.find((name) => {
    const settings = readMap(object, name);
    return settings && readMember(settings, "enabled") === "always";
  });
  if (event === undefined) return;
  const detail = `\`${event}\` needs the fields and mappings of the read object.`;
  add(joinPath(object, "inheritFieldsAndMappings"), detail, "Set it to true.", false);
}

function checkUpdateEvent(object: ConfigObject, declared: SubscribeObject | undefined, add: AddIssue): void {
  const event = readMap(object, "updateEvent");
  if (!event) return;
  const fields = countWatchedFields(event);
  if (has(event, "watchFieldsAuto") && fields > 0) {
    const detail = "`watchFieldsAuto` and `requiredWatchFields` exclude each other.";
    add(joinPath(event, "requiredWatchFields"), detail, "Keep one of them.");
  }
  const auto = readMember(event, "watchFieldsAuto");
  if (auto === "selected") {
    const detail = '`watchFieldsAuto` of a configuration can only be "all".';
    const remedy = "List `requiredWatchFields`, or leave both out: then the manifest applies.";
    add(joinPath(event, "watchFieldsAuto"), detail, remedy, auto);
  }
  const inherited = declared?.updateEvent;
  const isInherited =
    inherited?.watchFieldsAuto !== undefined || (inherited?.requiredWatchFields ?? []).length > 0;
  const isGiven = has(event, "watchFieldsAuto") || fields > 0;
  if (readMember(event, "enabled") === "always" && !isGiven && !isInherited) {
    const remedy = "Add `requiredWatchFields` with field names, or `watchFieldsAuto`.";
    add(event.path, "Neither the configuration nor the manifest says which fields to watch.", remedy);
  }
  for (const { path, text } of readTexts(event, "requiredWatchFields")) {
    if (!/[.[\]]/.test(text)) continue;
    add(path, "Nested fields cannot be watched.", "Watch the outer field.", text);
  }
}

function readQuotaOptimization(object: ConfigObject): LocatedValue | undefined {
  const options = readMap(object, "providerOptions");
  return options && readMap(options, "quotaOptimization");
}

function refuseQuotaOptimization(object: ConfigObject, provider: string, add: AddIssue): void {
  const optimization = readQuotaOptimization(object);
  if (!optimization) return;
  add(optimization.path, `Quota optimization is not supported for ${provider}.`, "Leave it out.");
}

function checkQuotaOptimization(
  object: ConfigObject,
  declared: SubscribeObject | undefined,
  add: AddIssue,
): void {
  const optimization = readQuotaOptimization(object);
  if (!optimization || readMember(optimization, "enabled") !== true) return;
  const event = readMap(object, "updateEvent");
  const inherited = declared?.updateEvent;
  const own = event ? countWatchedFields(event) : 0;
  const auto = event && has(event, "watchFieldsAuto") ? readMember(event, "watchFieldsAuto") : undefined;
  const fields = own > 0 || auto !== undefined ? own : (inherited?.requiredWatchFields ?? []).length;
  const watchesAll = (auto ?? (own > 0 ? undefined : inherited?.watchFieldsAuto)) === "all";
  if (fields > 0 && !watchesAll) return;
  const detail = "Quota optimization needs a list of watched fields and does not go with watching all.";
  add(optimization.path, detail, "List `updateEvent.requiredWatchFields`, or switch the optimization off.");
}

const countWatchedFields = (event: LocatedValue): number => readTexts(event, "requiredWatchFields").length;

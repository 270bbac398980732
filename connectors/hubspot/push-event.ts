/** Reads the events that HubSpot pushes. */
import { isTooDeep, readItemTexts, parseExactly } from "../../connector-kit/calls/exact-json.ts";
import type {
  ProviderEvent,
  PushedEvents,
  SubscribeConnector,
  SubscribeEventType,
} from "../../connector-kit/subscribe-connector.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { changeReport, toEventTime, readId, readWord } from "./event-values.ts";
import { toPlural, toSingular, findTypeId } from "./event-objects.ts";

const TYPES: Record<string, SubscribeEventType> = {
  creation: "create",
  propertyChange: "update",
  deletion: "delete",
  privacyDeletion: "delete",
  associationChange: "associationUpdate",
};

export function countItems(body: string): number | undefined {
  try {
    const items: unknown = JSON.parse(body);
    // An item that is no object is no event of HubSpot, whatever else the list has.
    return Array.isArray(items) && items.every(isJsonObject) ? items.length : undefined;
  } catch {
    return undefined;
  }
}

export function readEvents(body: string): PushedEvents | undefined {
  let texts: string[] | undefined;
  try {
    texts = readItemTexts(body);
  } catch {
    return undefined;
  }
  if (!texts || texts.some((text) => !text.startsWith("{"))) return undefined;
  const events = texts.flatMap((text) => readEvent(text) ?? []);
  return { events, dropped: texts.length - events.length };
}

export function readEvent(raw: string): ProviderEvent | undefined {
  if (isTooDeep(raw)) return undefined;
  const event = parseExactly(raw);
  if (!isJsonObject(event)) return undefined;
  // Some documents of HubSpot name it `eventType`.
  const providerEventType = readWord(event.subscriptionType) ?? readWord(event.eventType);
  const [prefix = "", action = ""] = providerEventType?.split(".") ?? [];
  const accountRef = readId(event.portalId);
  const type = (Object.hasOwn(TYPES, action) ? TYPES[action] : undefined) ?? "other";
  const recordId = readId(
    type === "associationUpdate" ? event.fromObjectId : (getSurvivor(event) ?? event.objectId),
  );
  const objectKey = readObject(
    prefix,
    type === "associationUpdate" ? event.fromObjectTypeId : undefined,
    event,
  );
  if (!providerEventType || action === "" || !accountRef || !recordId || !objectKey) return undefined;
  const property = readWord(event.propertyName);
  const to = type === "associationUpdate" ? readOtherEnd(event) : undefined;
  const report = changeReport("push", {
    type,
    providerEventType,
    to,
    properties: property === undefined ? [] : [property],
    isRemoved: event.associationRemoved === true,
  });
  return {
    accountRef,
    objectKey,
    type,
    providerEventType,
    recordId,
    ...readTime(event.occurredAt),
    ...(type === "update" && property !== undefined && { changedFields: [property] }),
    ...(isByOwnApp(event)
      ? { ownValues: property === undefined ? {} : { [property]: event.propertyValue ?? null } }
      : readWord(event.changeSource) !== undefined && { isByAnother: true as const }),
    dedupeKey: dedupeKey(event, providerEventType),
    raw,
    ...(to && { to }),
    ...(report && { report }),
    ...(action === "privacyDeletion" && { erases: true }),
  };
}

/**
 * `appId` is the app that gets the event, `sourceId` of an integration the app that made the change. Captured pushes have both equal for
 * an app's own writes (`contact.creation` of meetime's receiver, 2025-03) and different for those of another (n8n template, 2024-02).
 */
const isByOwnApp = ({ changeSource, sourceId, appId }: JsonObject): boolean =>
  changeSource === "INTEGRATION" && readId(appId) !== undefined && readId(sourceId) === readId(appId);

/** `eventId` is not unique, and `attemptNumber` differs between the attempts of one event. */
const dedupeKey = (event: JsonObject, providerEventType: string): string =>
  JSON.stringify([
    providerEventType,
    ...[
      "subscriptionId",
      "portalId",
      "objectTypeId",
      "objectId",
      "propertyName",
      "fromObjectId",
      "toObjectId",
    ].map((name) => event[name] ?? null),
    ...[
      "associationType",
      "associationTypeId",
      "associationRemoved",
      "messageId",
      "newObjectId",
      "occurredAt",
    ].map((name) => event[name] ?? null),
  ]);

/** The record that is left of a merge. */
const getSurvivor = (event: JsonObject): Json | undefined => event.newObjectId ?? event.primaryObjectId;

function readObject(prefix: string, ownTypeId: Json | undefined, event: JsonObject): string | undefined {
  if (prefix !== "object") return findTypeId(prefix);
  const named = readWord(ownTypeId) ?? readWord(event.objectTypeId);
  return named && findTypeId(named);
}

function readOtherEnd(event: JsonObject): ProviderEvent["to"] {
  const id = readId(event.toObjectId);
  const [, name] = /_TO_(\w+)$/.exec(readWord(event.associationType) ?? "") ?? [];
  const objectKey = readWord(event.toObjectTypeId) ?? (name && findTypeId(name));
  return id && objectKey ? { id, objectKey, objectName: toPlural(objectKey) } : undefined;
}

function readTime(value: Json | undefined): Pick<ProviderEvent, "occurredTime"> {
  return typeof value === "number" ? toEventTime(new Date(value)) : {};
}

/** Public samples have these forms, too. */
const SPELLINGS: Record<string, string> = { merged: "merge", restored: "restore" };
const chooseAction = (word: string): string =>
  (Object.hasOwn(SPELLINGS, word) ? SPELLINGS[word] : undefined) ?? word;

/** `contact.merge`, `object.merge` and `merge` are the same in the list of contacts. */
export function isListed(
  otherEvents: readonly string[],
  { providerEventType, objectKey }: Pick<ProviderEvent, "providerEventType" | "objectKey">,
): boolean {
  const action = chooseAction(providerEventType.split(".").at(-1) ?? "");
  return otherEvents.some((listed) => {
    const parts = listed.split(".");
    const object = parts.length > 1 ? parts[0] : undefined;
    const isSameObject = object === undefined || object === "object" || findTypeId(object) === objectKey;
    return isSameObject && chooseAction(parts.at(-1) ?? "") === action;
  });
}

const ACTIONS: Record<SubscribeEventType, string> = {
  create: "creation",
  update: "propertyChange",
  delete: "deletion",
  associationUpdate: "associationChange",
  other: "merge",
};

export function sampleEvent(
  objectName: string,
  type: SubscribeEventType,
  recordId: string,
): { providerEventType: string; raw: JsonObject } {
  const typeId = findTypeId(objectName) ?? objectName;
  const isStandard = typeId !== toSingular(objectName);
  const providerEventType = `${isStandard ? toSingular(objectName) : "object"}.${ACTIONS[type]}`;
  const members: JsonObject = { subscriptionType: providerEventType, attemptNumber: 0 };
  if (!isStandard) members.objectTypeId = typeId;
  if (type === "associationUpdate") Object.assign(members, { fromObjectId: recordId, toObjectId: recordId });
  else members.objectId = recordId;
  return { providerEventType, raw: members };
}

/**
 * Returns what HubSpot would push of the change, as far as reading tells, in the form of the subscriptions that
 * `registration` makes and of the journal.
 */
export const polledEvent: NonNullable<SubscribeConnector["polledEvent"]> = ({
  objectName,
  type,
  recordId,
  occurredTime,
}) => {
  const providerEventType = `object.${ACTIONS[type]}`;
  const number = Number(recordId);
  return {
    providerEventType,
    raw: {
      subscriptionType: providerEventType,
      objectTypeId: findTypeId(objectName) ?? objectName,
      objectId: Number.isSafeInteger(number) ? number : recordId,
      occurredAt: occurredTime.getTime(),
      changeSource: "POLL",
    },
  };
};

/**
 * Reads the events of HubSpot's webhooks journal. They get the words of pushes, so that receivers need not know the way on which
 * a change became known. Pure.
 */
import {
  isTooDeep,
  readItemTexts,
  readMemberTexts,
  parseExactly,
} from "../../connector-kit/calls/exact-json.ts";
import type { ProviderEvent, SubscribeEventType } from "../../connector-kit/subscribe-connector.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { changeReport, toEventTime, readId, readWord } from "./event-values.ts";
import { toPlural, findTypeId } from "./event-objects.ts";

const ACTIONS: Record<string, { type: SubscribeEventType; word: string }> = {
  CREATE: { type: "create", word: "object.creation" },
  UPDATE: { type: "update", word: "object.propertyChange" },
  DELETE: { type: "delete", word: "object.deletion" },
  GDPR_DELETE: { type: "delete", word: "contact.privacyDeletion" },
  MERGE: { type: "other", word: "object.merge" },
  RESTORE: { type: "other", word: "object.restore" },
  ASSOCIATION_ADDED: { type: "associationUpdate", word: "object.associationChange" },
  ASSOCIATION_REMOVED: { type: "associationUpdate", word: "object.associationChange" },
};

/**
 * Returns the events of a file of the journal, without those that concern no record, such as an app's removal. Undefined for a
 * text that is no such file.
 */
export function readJournalFile(text: string, offset: string): ProviderEvent[] | undefined {
  let texts: string[] | undefined;
  try {
    texts = readItemTexts(readMemberTexts(text)?.get("journalEvents") ?? "null");
  } catch {
    return undefined;
  }
  // The place in the journal tells events apart: two of one record may be equal.
  return texts?.flatMap((raw, index) => readJournalEvent(raw, JSON.stringify([offset, index])) ?? []);
}

export function readJournalEvent(raw: string, dedupeKey = raw): ProviderEvent | undefined {
  if (isTooDeep(raw)) return undefined;
  const event = parseExactly(raw);
  if (!isJsonObject(event)) return undefined;
  const action = readWord(event.action) ?? "";
  const known = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (!known) return undefined;
  const { type, word } = known;
  const isAssociation = type === "associationUpdate";
  const accountRef = readId(event.portalId);
  // Of a merge, `objectId` is the record that is left.
  const recordId = readId(isAssociation ? event.fromObjectId : event.objectId);
  const objectKey = readObject(isAssociation ? event.fromObjectTypeId : event.objectTypeId);
  if (!accountRef || !recordId || !objectKey) return undefined;
  const properties = isJsonObject(event.propertyChanges) ? Object.keys(event.propertyChanges) : undefined;
  const to = isAssociation ? readOtherEnd(event) : undefined;
  const report = changeReport("journal", {
    type,
    providerEventType: word,
    to,
    properties: properties ?? [],
    isRemoved: action === "ASSOCIATION_REMOVED",
  });
  return {
    accountRef,
    objectKey,
    type,
    providerEventType: word,
    recordId,
    ...readTime(event.occurredAt),
    ...(type === "update" && properties && { changedFields: properties }),
    dedupeKey: JSON.stringify([accountRef, dedupeKey]),
    raw,
    ...(to && { to }),
    ...(report && { report }),
    ...(action === "GDPR_DELETE" && { erases: true }),
  };
}

const readObject = (value: Json | undefined): string | undefined => findTypeId(readWord(value) ?? "");

function readOtherEnd(event: JsonObject): ProviderEvent["to"] {
  const id = readId(event.toObjectId);
  const objectKey = readObject(event.toObjectTypeId);
  return id && objectKey ? { id, objectKey, objectName: toPlural(objectKey) } : undefined;
}

/** A text in ISO form, or milliseconds since the epoch as in pushes. */
function readTime(value: Json | undefined): Pick<ProviderEvent, "occurredTime"> {
  return typeof value === "number" || typeof value === "string" ? toEventTime(new Date(value)) : {};
}

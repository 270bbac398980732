/** Builds the requests that write and read HubSpot records. */
import type { JsonObject } from "../../ground/json.ts";
import type { RecordToWrite, RecordWrite } from "../../connector-kit/connector.ts";
import { joinChoices } from "../../connector-kit/calls/join-choices.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";

/**
 * HubSpot's version of all addresses of the CRM, GA since 2026-03-30. `/crm/v3` with the same answers ends in September 2027
 * (HubSpot-public-api-spec-collection, 2026-08-21); from 2026-09 on HubSpot also enforces each account's validation rules.
 */
export const CRM_VERSION = "2026-03";

export const OBJECTS = `/crm/objects/${CRM_VERSION}`;

/** Inputs of one batch request. */
export const BATCH_LIMIT = 100;

/** Returns why an object name cannot be used; undefined if it can. */
export const findObjectFault = (objectName: string): ProviderError | undefined =>
  isPathWord(objectName) ? undefined : buildInvalid(`"${objectName}" is not the name of a HubSpot object`);

/** Returns why a record id cannot be used; undefined if it can. */
export const findIdFault = (id: string | undefined): ProviderError | undefined =>
  id !== undefined && isPathWord(id) ? undefined : buildInvalid(`"${id ?? ""}" is not a HubSpot record id`);

export const createOne = (objectName: string, record: RecordToWrite): ProviderRequest => ({
  method: "POST",
  path: `${OBJECTS}/${objectName}`,
  body: toInput(record),
  repeatable: false,
});

export const updateOne = (objectName: string, record: RecordToWrite): ProviderRequest => ({
  method: "PATCH",
  path: `${OBJECTS}/${objectName}/${record.id ?? ""}`,
  body: { properties: toProperties(record.fields) },
  repeatable: true,
});

export const deleteOne = (objectName: string, record: RecordToWrite): ProviderRequest => ({
  method: "DELETE",
  path: `${OBJECTS}/${objectName}/${record.id ?? ""}`,
  repeatable: true,
});

/**
 * Creates a batch. If every input has a trace id, HubSpot writes what it can and names the inputs that failed; without
 * trace ids it writes all or nothing. So they decide about `allOrNone`.
 */
export const createBatch = (write: RecordWrite, indexes: number[]): ProviderRequest => ({
  method: "POST",
  path: `${OBJECTS}/${write.objectName}/batch/create`,
  body: {
    inputs: pick(write.records, indexes).map(([index, record]) => ({
      ...toInput(record),
      ...(write.allOrNone ? {} : { objectWriteTraceId: String(index) }),
    })),
  },
  repeatable: false,
});

/** Updates are always partial; `allOrNone` has no effect. */
export const updateBatch = (write: RecordWrite, indexes: number[]): ProviderRequest => ({
  method: "POST",
  path: `${OBJECTS}/${write.objectName}/batch/update`,
  body: {
    inputs: pick(write.records, indexes).map(([index, record]) => ({
      id: record.id ?? "",
      properties: toProperties(record.fields),
      objectWriteTraceId: String(index),
    })),
  },
  repeatable: true,
});

/**
 * `histories` are properties whose earlier values are wanted, too. HubSpot's file requires all three members (`BatchReadInputSimplePublicObjectId`,
 * HubSpot-public-api-spec-collection, 2026-08-21).
 */
export const readBatch = (
  objectName: string,
  ids: string[],
  fields: string[],
  histories: string[] = [],
): ProviderRequest => ({
  method: "POST",
  path: `${OBJECTS}/${objectName}/batch/read`,
  body: {
    properties: fields,
    propertiesWithHistory: histories,
    inputs: ids.map((id) => ({ id })),
  },
  repeatable: true,
});

/**
 * Clears values with empty text, because null is not reliable, and joins the values of a multiple choice with semicolons
 * (https://developers.hubspot.com/docs/faq/how-do-i-set-multiple-values-for-checkbox-properties). The id is part of the
 * address, not a property.
 */
export function toProperties(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => name !== "id")
      .map(([name, value]) => [name, joinChoices(value) ?? ""]),
  );
}

function toInput(record: RecordToWrite): JsonObject {
  const written: JsonObject = { properties: toProperties(record.fields) };
  if (!record.associations?.length) return written;
  written.associations = record.associations.map(({ to, types }) => ({
    to: { id: to.id },
    types: types.map(({ associationCategory, associationTypeId }) => ({
      associationCategory,
      associationTypeId,
    })),
  }));
  return written;
}

/** Returns these records with their positions. */
export const pick = (records: RecordToWrite[], indexes: number[]): [number, RecordToWrite][] =>
  indexes.flatMap((index): [number, RecordToWrite][] => {
    const record = records[index];
    return record ? [[index, record]] : [];
  });

/** Whether a text (object name, type id such as `2-123456`, record id) cannot change the path. */
export const isPathWord = (text: string): boolean => /^[A-Za-z0-9_-]{1,255}$/.test(text);

export const buildInvalid = (message: string): ProviderError =>
  new ProviderError({ kind: "invalid", message });

/** Builds the requests that write and read Salesforce records. */
import type { JsonObject } from "../../ground/json.ts";
import type { RecordToWrite, RecordWrite } from "../../connector-kit/connector.ts";
import { joinChoices } from "../../connector-kit/calls/join-choices.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { readClient } from "./change-origin.ts";
import { readUpsertKey, withoutUpsertKey } from "../../connector-kit/calls/upsert-key.ts";

export const DATA = "/services/data/v60.0";

/** Records of one collections request. */
export const BATCH_LIMIT = 200;

/** Records of one collections read. */
export const READ_LIMIT = 2000;

/** Longer addresses of a read-back would be refused, so the whole record is read. */
const LONGEST_FIELD_LIST = 8000;

/** Names of the two parts of a write with read-back. */
export const WRITE_PART = "write";
export const READ_PART = "read";

/** Returns why an object name cannot be used; undefined if it can. */
export const findObjectFault = (objectName: string): ProviderError | undefined =>
  /^[A-Za-z][A-Za-z0-9_]{0,254}$/.test(objectName)
    ? undefined
    : new ProviderError({
        kind: "invalid",
        message: `"${objectName}" is not the name of a Salesforce object`,
      });

/**
 * Names the operation as the client of the call, which change events repeat in `changeOrigin`. Salesforce's REST API Developer Guide
 * (Call Options Header) has it for rows of sObjects, also by external id, and not for collections. A caller's own header stays.
 */
const callOptions = ({ operationId, headers }: RecordWrite): Record<string, string> =>
  operationId === undefined || Object.keys(headers).some((name) => name.toLowerCase() === CALL_OPTIONS)
    ? {}
    : { "Sforce-Call-Options": `client=${readClient(operationId)}` };

const CALL_OPTIONS = "sforce-call-options";

/** Writes one record without reading it back. */
export function writeOne(write: RecordWrite, record: RecordToWrite): ProviderRequest {
  const path = `${DATA}/sobjects/${write.objectName}`;
  const headers = { ...callOptions(write), ...write.headers };
  switch (write.type) {
    case "create":
      return { method: "POST", path, headers, body: keepWritable(record.fields), repeatable: false };
    case "update":
      return {
        method: "PATCH",
        path: `${path}/${record.id ?? ""}`,
        headers,
        body: keepWritable(record.fields),
        repeatable: true,
      };
    case "delete":
      return { method: "DELETE", path: `${path}/${record.id ?? ""}`, headers, repeatable: true };
    case "upsert":
      // Salesforce refuses the external id in the body as well.
      return {
        method: "PATCH",
        path: `${path}/${buildKeyStep(write, record)}`,
        headers,
        body: keepWritable(withoutUpsertKey(write, record)),
        repeatable: true,
      };
  }
}

/** Returns the end of a path that names a record by its external id. */
export const buildKeyStep = (write: RecordWrite, record: RecordToWrite): string =>
  `${write.key ?? ""}/${encodeURIComponent(readUpsertKey(write, record) ?? "")}`;

export const readOne = (objectName: string, id: string, fields: JsonObject): ProviderRequest => ({
  method: "GET",
  path: readPath(objectName, id, fields),
  repeatable: true,
});

/**
 * Writes one record and reads it back in one call against the quota. `allOrNone` is off, so that a failed read does not
 * undo the write; collation is off, so that the read comes after the write.
 */
export function writeAndRead(write: RecordWrite, record: RecordToWrite): ProviderRequest {
  const { method, path, body = {}, headers = {}, repeatable } = writeOne(write, record);
  const part: JsonObject = { method, url: path, referenceId: WRITE_PART, body };
  if (Object.keys(headers).length > 0) part["httpHeaders"] = headers;
  return {
    method: "POST",
    path: `${DATA}/composite`,
    body: {
      allOrNone: false,
      collateSubrequests: false,
      compositeRequest: [
        part,
        {
          method: "GET",
          url: readPath(write.objectName, buildWrittenStep(write, record), record.fields),
          referenceId: READ_PART,
        },
      ],
    },
    repeatable,
  };
}

/** Returns the end of the path of a record that the same composite request writes. */
function buildWrittenStep(write: RecordWrite, record: RecordToWrite): string {
  if (write.type === "create") return `@{${WRITE_PART}.id}`;
  return write.type === "upsert" ? buildKeyStep(write, record) : (record.id ?? "");
}

/** Writes several records of one object; results come in this order. */
export const writeMany = (write: RecordWrite, indexes: number[]): ProviderRequest => ({
  method: write.type === "create" ? "POST" : "PATCH",
  path: `${DATA}/composite/sobjects${write.type === "upsert" ? `/${write.objectName}/${write.key ?? ""}` : ""}`,
  headers: write.headers,
  body: {
    allOrNone: write.allOrNone,
    records: indexes.flatMap((index) => {
      const record = write.records[index];
      if (!record) return [];
      const attributes = { type: write.objectName };
      return write.type === "update"
        ? { attributes, id: record.id ?? "", ...keepWritable(record.fields) }
        : { attributes, ...keepWritable(record.fields) };
    }),
  },
  repeatable: write.type !== "create",
});

export const readMany = (objectName: string, ids: string[], fields: string[]): ProviderRequest => ({
  method: "POST",
  path: `${DATA}/composite/sobjects/${objectName}`,
  body: { ids, fields },
  repeatable: true,
});

/**
 * Drops the id, which is part of the address: Salesforce refuses it among the fields. Joins the values of a multi-select picklist with semicolons,
 * as Salesforce's Object Reference says of this type of field.
 */
function keepWritable(fields: JsonObject): JsonObject {
  const written = Object.entries(fields).filter(([name]) => !/^(id|attributes)$/i.test(name));
  return Object.fromEntries(written.map(([name, value]) => [name, joinChoices(value)]));
}

/**
 * Returns the address that reads the written fields and the id. A value that is an object refers to a related record
 * and cannot be read that way.
 */
function readPath(objectName: string, id: string, fields: JsonObject): string {
  const names = Object.entries(keepWritable(fields))
    .filter(([name, value]) => /^\w+$/.test(name) && (typeof value !== "object" || value === null))
    .map(([name]) => name);
  const list = ["Id", ...names].join(",");
  const path = `${DATA}/sobjects/${objectName}/${id}`;
  return list.length > LONGEST_FIELD_LIST ? path : `${path}?fields=${list}`;
}

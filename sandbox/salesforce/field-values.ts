// Checks a value against its field, and returns what is stored.

import { isData } from "../exchange.ts";
import type { SaveError } from "./errors.ts";
import type { Field, Scalar } from "./fields.ts";
import { normalizeId } from "./ids.ts";
import { parseInstant } from "./instant.ts";
import { toStamp, type Org } from "./org.ts";

type CheckedValue = { value: Scalar } | { error: SaveError };

const EMAIL = /^[^\s@<>,;]+@[^\s@<>,;.]+(\.[^\s@<>,;.]+)+$/;

export function checkValue(org: Org, field: Field, input: unknown): CheckedValue {
  if (input === null || (input === "" && isText(field)))
    return { value: field.type === "boolean" ? false : null };
  switch (field.type) {
    case "boolean":
      return checkBoolean(field, input);
    case "int":
    case "double":
    case "currency":
    case "percent":
      return checkNumber(field, input);
    case "date":
    case "datetime":
      return checkTime(field, input);
    case "reference":
      return checkReference(org, field, input);
    case "picklist":
    case "multipicklist":
      return checkPicklist(field, input);
    default:
      return checkText(field, input);
  }
}

function isText(field: Field): boolean {
  return ["string", "textarea", "email", "phone", "url", "picklist", "multipicklist", "reference"].includes(
    field.type,
  );
}

function refuseValue(field: Field, code: string, message: string): CheckedValue {
  return { error: { code, message, fields: [field.name] } };
}

/** Refuses a value of another JSON type, before Salesforce reads the record. */
function refuseType(type: string, input: unknown): CheckedValue {
  const token =
    typeof input === "number"
      ? Number.isInteger(input)
        ? "NUMBER_INT"
        : "NUMBER_FLOAT"
      : TOKENS[typeof input];
  const shown = typeof input === "object" ? "" : ` ${String(input)}`;
  const message = `Cannot deserialize instance of ${type} from VALUE_${token ?? "STRING"} value${shown} or request may be missing a required field at [line:1, column:1]`;
  return { error: { code: "JSON_PARSER_ERROR", message } };
}

const TOKENS: Record<string, string> = { boolean: "TRUE", object: "EMBEDDED_OBJECT" };

function checkBoolean(field: Field, input: unknown): CheckedValue {
  if (typeof input === "boolean") return { value: input };
  if (input === "true" || input === "false") return { value: input === "true" };
  return refuseType(field.type, input);
}

function checkNumber(field: Field, input: unknown): CheckedValue {
  const number =
    typeof input === "number"
      ? input
      : typeof input === "string" && input.trim() !== ""
        ? Number(input)
        : Number.NaN;
  if (!Number.isFinite(number)) return refuseType(field.type === "int" ? "int" : "double", input);
  const whole = field.type === "int" ? 10 : field.precision - field.scale;
  if (Math.abs(number) >= 10 ** whole) {
    return refuseValue(
      field,
      "NUMBER_OUTSIDE_VALID_RANGE",
      `${field.label}: value outside of valid range on numeric field: ${number}`,
    );
  }
  return { value: Number(number.toFixed(field.type === "int" ? 0 : field.scale)) };
}

function checkTime(field: Field, input: unknown): CheckedValue {
  if (typeof input !== "string") return refuseType(field.type, input);
  const shape = field.type === "date" ? /^\d{4}-\d{2}-\d{2}/ : /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;
  const at = parseInstant(input);
  if (!shape.test(input) || Number.isNaN(at)) return refuseType(field.type, input);
  return { value: field.type === "date" ? input.slice(0, 10) : toStamp(at) };
}

function checkReference(org: Org, field: Field, input: unknown): CheckedValue {
  if (typeof input !== "string") return refuseType("reference", input);
  const id = normalizeId(input);
  if (id === undefined)
    return refuseValue(field, "MALFORMED_ID", `${field.label}: id value of incorrect type: ${input}`);
  const store = org.ofId(id);
  const polymorphic = field.name === "WhoId" || field.name === "WhatId" || field.name === "OwnerId";
  if (store === undefined || (!polymorphic && !field.referenceTo.includes(store.definition.name))) {
    return refuseValue(
      field,
      "FIELD_INTEGRITY_EXCEPTION",
      `${field.label}: id value of incorrect type: ${input}`,
    );
  }
  const record = store.lookup(id);
  if (record === undefined || record.deleted)
    return refuseValue(field, "INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id");
  return { value: id };
}

function checkPicklist(field: Field, input: unknown): CheckedValue {
  if (typeof input !== "string") return refuseType("string", input);
  if (field.restricted) {
    const parts = field.type === "multipicklist" ? input.split(";") : [input];
    const bad = parts.find(
      (part) => !field.picklist.some((option) => option.active && option.value === part),
    );
    if (bad !== undefined) {
      const message = `${field.label}: bad value for restricted picklist field: ${bad}`;
      return refuseValue(field, "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST", message);
    }
  }
  return checkText(field, input);
}

function checkText(field: Field, input: unknown): CheckedValue {
  if (typeof input !== "string")
    return isData(input) || Array.isArray(input) ? refuseType("string", {}) : refuseType("string", input);
  if (field.length > 0 && input.length > field.length) {
    const shown = input.length > 120 ? `${input.slice(0, 120)}...` : input;
    return refuseValue(
      field,
      "STRING_TOO_LONG",
      `${field.label}: data value too large: ${shown} (max length=${field.length})`,
    );
  }
  if (field.type === "email" && !EMAIL.test(input)) {
    return refuseValue(field, "INVALID_EMAIL_ADDRESS", `${field.label}: invalid email address: ${input}`);
  }
  return { value: input };
}

// Checks values by property type, and converts them to the strings that HubSpot stores.

import { asText, type Data } from "../exchange.ts";
import type { ValueProblem } from "./errors.ts";
import type { Property } from "./property-definitions.ts";

type CheckedValues = {
  /** Values to store; an empty string clears the property. */
  values: Record<string, string>;
  problems: ValueProblem[];
};

const EMAIL = /^[^\s@<>,;]+@[^\s@<>,;.]+(\.[^\s@<>,;.]+)+$/;
const DAY_MS = 86_400_000;

/** Checks values. `present` is the stored record, for appending to multiple choices. */
export function checkValues(
  properties: Map<string, Property>,
  input: Data,
  present: Record<string, string> = {},
): CheckedValues {
  const values: Record<string, string> = {};
  const problems: ValueProblem[] = [];
  for (const [name, raw] of Object.entries(input)) {
    const property = properties.get(name.toLowerCase());
    if (property === undefined || property.archived) {
      problems.push({ name, message: `Property "${name}" does not exist`, error: "PROPERTY_DOESNT_EXIST" });
      continue;
    }
    // Null keeps the value; only an empty string clears it.
    if (raw === null) continue;
    const text = asText(raw);
    if (text === undefined) {
      problems.push({
        name,
        message: `${JSON.stringify(raw)} was not a valid value.`,
        error: "INVALID_VALUE",
      });
    } else if (property.modificationMetadata.readOnlyValue) {
      const message = `"${name}" is a read only property; its value cannot be set.`;
      problems.push({ name, message, error: "READ_ONLY_VALUE" });
    } else if (text === "") values[property.name] = "";
    else {
      const checked = checkValue(property, text, present[property.name]);
      if (typeof checked === "string") values[property.name] = checked;
      else problems.push({ name, ...checked });
    }
  }
  return { values, problems };
}

type Problem = Omit<ValueProblem, "name">;

function checkValue(property: Property, text: string, present: string | undefined): string | Problem {
  switch (property.type) {
    case "number":
      return readNumber(text);
    case "datetime":
      return readDatetime(text);
    case "date":
      return readDate(text);
    case "bool":
      return readOption(property, text.toLowerCase());
    case "enumeration":
      return property.fieldType === "checkbox"
        ? readOptions(property, text, present)
        : readOption(property, text);
    default:
      return property.name === "email" ? readEmail(text) : text;
  }
}

function readEmail(text: string): string | Problem {
  if (EMAIL.test(text.trim())) return text.trim().toLowerCase();
  return { message: `Email address ${text} is invalid`, error: "INVALID_EMAIL" };
}

function readNumber(text: string): string | Problem {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return /^-?\d+$/.test(text) ? text : String(number);
  return { message: `${text} was not a valid number.`, error: "INVALID_INTEGER" };
}

/** Parses milliseconds since the epoch, or an ISO time. */
export function parseInstant(text: string): number {
  return /^-?\d+$/.test(text) ? Number(text) : Date.parse(text);
}

function readDatetime(text: string): string | Problem {
  const at = parseInstant(text);
  if (!Number.isNaN(at) && Math.abs(at) < 8.64e15) return new Date(at).toISOString();
  return { message: `${text} was not a valid long.`, error: "INVALID_LONG" };
}

function readDate(text: string): string | Problem {
  const at = parseInstant(text);
  if (Number.isNaN(at) || Math.abs(at) > 8.64e15) {
    return { message: `${text} was not a valid date.`, error: "INVALID_DATE" };
  }
  if (at % DAY_MS !== 0) {
    const time = new Date(at).toISOString().slice(11, 19);
    return { message: `${text} is at ${time} UTC, not midnight!`, error: "INVALID_DATE" };
  }
  return new Date(at).toISOString().slice(0, 10);
}

function readOption(property: Property, text: string): string | Problem {
  if (property.externalOptions || property.options.some((option) => option.value === text)) return text;
  const allowed = property.options.map((option) => option.value).join(", ");
  return { message: `${text} was not one of the allowed options: [${allowed}]`, error: "INVALID_OPTION" };
}

/** Checks options, which are joined by ";". A leading ";" appends to the stored ones. */
function readOptions(property: Property, text: string, present: string | undefined): string | Problem {
  const given = text.split(";").filter((part) => part !== "");
  for (const part of given) {
    const checked = readOption(property, part);
    if (typeof checked !== "string") return checked;
  }
  const kept = text.startsWith(";") && present !== undefined ? present.split(";") : [];
  return [...new Set([...kept, ...given])].join(";");
}

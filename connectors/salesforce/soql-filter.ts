/** Writes comparisons in Salesforce's query language, with values quoted and escaped by the field's type. */
import { toIso } from "./soql-time.ts";
import type { FieldMetadata, ObjectMetadata } from "../../connector-kit/fields.ts";
import type { FieldFilter } from "../../connector-kit/read-connector.ts";
import { buildRefusedField } from "../../connector-kit/calls/build-refused-field.ts";
import { findIdFault } from "./id.ts";
import { findField, getName } from "./soql-field.ts";

const LONGEST_TEXT = 4_000;

type Value = FieldFilter["value"];

/** Returns `Field = value`. Throws `ProviderError` with the field's name if the value is not one of its type. */
export function writeComparison(
  { fieldName, value }: FieldFilter,
  metadata: ObjectMetadata | undefined,
): string {
  const name = getName(fieldName, metadata);
  if (metadata?.unfilterable?.includes(name)) {
    throw buildRefusedField(fieldName, `Salesforce cannot compare the field \`${fieldName}\` in a filter`);
  }
  return `${name} = ${writeLiteral(fieldName, value, findField(fieldName, metadata))}`;
}

/** Without a description of the field, the type of the value decides. */
function writeLiteral(fieldName: string, value: Value, field: FieldMetadata | undefined): string {
  const type = field?.providerType ?? typeof value;
  const written = WRITERS[type] ?? quoteText;
  const text = written(String(value));
  if (text === undefined)
    throw buildRefusedField(
      fieldName,
      `\`${String(value)}\` cannot be compared with the field \`${fieldName}\` of the type ${type}`,
    );
  return text;
}

const writeBareNumber = (text: string): string | undefined =>
  /^[+-]?\d+(\.\d+)?$/.test(text) ? text.replace(/^\+/, "") : writePlainNumber(Number(text));

/** The query language takes no exponents. */
const writePlainNumber = (value: number): string | undefined => {
  if (!Number.isFinite(value)) return undefined;
  const text = String(value);
  return text.includes("e") ? undefined : text;
};

const writeBareBoolean = (text: string): string | undefined =>
  /^(true|false)$/i.test(text) ? text.toLowerCase() : undefined;

const quoteId = (text: string): string | undefined => (findIdFault(text) ? undefined : `'${text}'`);

/** Writers of literals by the type in the object's description; every other type is text. */
const WRITERS: Record<string, (text: string) => string | undefined> = {
  boolean: writeBareBoolean,
  number: writeBareNumber,
  int: writeBareNumber,
  long: writeBareNumber,
  double: writeBareNumber,
  currency: writeBareNumber,
  percent: writeBareNumber,
  date: (text) => (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined),
  datetime: (text) => toIso(text),
  id: quoteId,
  reference: quoteId,
};

/** Returns a text literal; undefined if Salesforce would refuse it for its length. */
function quoteText(text: string): string | undefined {
  if (text.length > LONGEST_TEXT) return undefined;
  return `'${text.replaceAll(/[\\'\n\r\t\b\f]/g, (char) => ESCAPES[char] ?? char)}'`;
}

const ESCAPES: Record<string, string> = {
  "\\": "\\\\",
  "'": "\\'",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\b": "\\b",
  "\f": "\\f",
};

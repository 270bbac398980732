/** Formats default values as Salesforce stores them: as formulas, except for checkboxes and picklists. */
import { isChoice, toFieldKind } from "../../connector-kit/field-definitions.ts";
import type { FieldDefinition } from "../../connector-kit/fields.ts";

/** Returns the member of the custom field, none without a default; a text gives the reason why there can be none. */
export function readDefaultMembers(definition: FieldDefinition): { defaultValue?: string } | string {
  const { stringOptions, numericOptions } = definition;
  const kind = toFieldKind(definition);
  const text = stringOptions?.defaultValue;
  if (kind === "int" || kind === "float") {
    const number = numericOptions?.defaultValue;
    if (number !== undefined) return { defaultValue: formatDecimal(number) };
    if (text === undefined) return {};
    return /^-?\d+(\.\d+)?$/.test(text) ? { defaultValue: text } : "the default of a number is a number";
  }
  // Values of a choice carry the default themselves; a reference has none.
  if (text === undefined || isChoice(kind) || kind === "reference") return {};
  if (kind === "boolean") return { defaultValue: text };
  if (kind === "date") return buildDateFormula(text);
  if (kind === "datetime") return buildTimeFormula(text);
  return { defaultValue: `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` };
}

/** Formats a number without an exponent. */
const formatDecimal = (number: number): string =>
  /e/i.test(String(number)) ? number.toFixed(Math.abs(number) < 1 ? 18 : 0) : String(number);

function buildDateFormula(text: string): { defaultValue: string } | string {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (Number.isNaN(Date.parse(text)) || !year || !month || !day)
    return "the default of a date is a date such as 2026-01-31";
  return { defaultValue: `DATE(${Number(year)}, ${Number(month)}, ${Number(day)})` };
}

/** The formula reads its text as UTC. */
function buildTimeFormula(text: string): { defaultValue: string } | string {
  const moment = Date.parse(text);
  if (Number.isNaN(moment) || !/T.*(Z|[+-]\d\d:\d\d)$/.test(text))
    return "the default of a datetime is a moment such as 2026-01-31T09:00:00Z";
  const written = new Date(moment).toISOString().slice(0, 19).replace("T", " ");
  return { defaultValue: `DATETIMEVALUE("${written}")` };
}

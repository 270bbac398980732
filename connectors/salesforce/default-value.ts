/** Writes default values the way Salesforce keeps them: as formulas, except for checkboxes and picklists. */
import { isChoice, kindOf } from "../../connector-kit/field-definitions.ts";
import type { FieldDefinition } from "../../connector-kit/fields.ts";

/** The member of the custom field, none where the definition gives no default; a text tells why there can be none. */
export function defaultMembers(definition: FieldDefinition): { defaultValue?: string } | string {
  const { stringOptions, numericOptions } = definition;
  const kind = kindOf(definition);
  const text = stringOptions?.defaultValue;
  if (kind === "int" || kind === "float") {
    const number = numericOptions?.defaultValue;
    if (number !== undefined) return { defaultValue: decimal(number) };
    if (text === undefined) return {};
    return /^-?\d+(\.\d+)?$/.test(text) ? { defaultValue: text } : "the default of a number is a number";
  }
  // The values of a choice carry their default themselves; a reference has none.
  if (text === undefined || isChoice(kind) || kind === "reference") return {};
  if (kind === "boolean") return { defaultValue: text };
  if (kind === "date") return dateFormula(text);
  if (kind === "datetime") return timeFormula(text);
  return { defaultValue: `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` };
}

/** Never in the form with an exponent. */
const decimal = (number: number): string =>
  /e/i.test(String(number)) ? number.toFixed(Math.abs(number) < 1 ? 18 : 0) : String(number);

function dateFormula(text: string): { defaultValue: string } | string {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (Number.isNaN(Date.parse(text)) || !year || !month || !day)
    return "the default of a date is a date such as 2026-01-31";
  return { defaultValue: `DATE(${Number(year)}, ${Number(month)}, ${Number(day)})` };
}

/** The formula reads its text as UTC. */
function timeFormula(text: string): { defaultValue: string } | string {
  const moment = Date.parse(text);
  if (Number.isNaN(moment) || !/T.*(Z|[+-]\d\d:\d\d)$/.test(text))
    return "the default of a datetime is a moment such as 2026-01-31T09:00:00Z";
  const written = new Date(moment).toISOString().slice(0, 19).replace("T", " ");
  return { defaultValue: `DATETIMEVALUE("${written}")` };
}

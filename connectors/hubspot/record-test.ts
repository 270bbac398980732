/** Tests records where HubSpot cannot: objects without search, and more filters than a search takes. */
import type { Json } from "../../ground/json.ts";
import type { FieldFilter, ReadPlan, SourceRecord } from "../../connector-kit/read-connector.ts";

type Tested = Pick<ReadPlan, "since" | "until" | "metadata">;

/** Returns a test of the time of change; a record without one passes. */
export function createTimeTest({ since, until }: Tested): (record: SourceRecord) => boolean {
  const from = since?.getTime() ?? -Infinity;
  const to = until?.getTime() ?? Infinity;
  return ({ changeTime }) => {
    const time = changeTime?.getTime();
    return time === undefined || (time >= from && time <= to);
  };
}

/** Returns a test of values as HubSpot's `EQ` compares them: numbers by size, times by moment, texts without case. */
export function filterTest(filters: FieldFilter[], { metadata }: Tested): (record: SourceRecord) => boolean {
  const tests = filters.map(({ fieldName, value }) => {
    const field = metadata?.fields[fieldName] ?? metadata?.fields[fieldName.toLowerCase()];
    const normal = NORMAL[field?.providerType ?? ""] ?? normalizeText;
    return { name: fieldName, lower: fieldName.toLowerCase(), normal, wanted: normal(String(value)) };
  });
  return ({ values }) =>
    tests.every(({ name, lower, normal, wanted }) => {
      const own = values[name] ?? values[lower];
      return own !== undefined && own !== null && normal(toText(own)) === wanted;
    });
}

const normalizeText = (text: string): string => text.toLowerCase();
const normalizeTime = (text: string): string | number =>
  /^-?\d+$/.test(text) ? Number(text) : Date.parse(text) || text;

/** Compares by the type of the property. Choices are compared with case. */
const NORMAL: Record<string, (text: string) => string | number> = {
  enumeration: (text) => text,
  number: (text) => (text === "" || Number.isNaN(Number(text)) ? text : Number(text)),
  date: normalizeTime,
  datetime: normalizeTime,
};

const toText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

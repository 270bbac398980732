/** Compares data with a schema and lists every member that is missing, unknown or of the wrong type. */
import { Type, type TObject, type TSchema } from "typebox";
import { isJsonObject, type Json, type JsonObject } from "../ground/json.ts";
import type { Path } from "./finding.ts";

export type ShapeFault =
  | { kind: "wrong-type"; path: Path; expected: string; value: Json; remedy: string }
  | { kind: "not-allowed"; path: Path; allowed: string[]; value: Json }
  | { kind: "missing"; path: Path; key: string }
  | { kind: "unknown-key"; path: Path; key: string; known: string[] };

/** Lists all faults of `value`. A member that is `null` or undefined counts as absent. */
export function checkShape(schema: TSchema, value: Json, path: Path = []): ShapeFault[] {
  const wrong = (expected: string, remedy: string): ShapeFault[] => [
    { kind: "wrong-type", path, expected, value, remedy },
  ];
  if (Type.IsObject(schema)) {
    if (!isJsonObject(value))
      return wrong("a map", `Write members such as ${quoteFirstKeys(schema.properties)}.`);
    return checkMembers(schema, value, path);
  }
  if (Type.IsRecord(schema)) {
    if (!isJsonObject(value)) return wrong("a map", "Write names and values.");
    const valueSchema = Type.RecordValue(schema);
    return Object.entries(value).flatMap(([key, member]) =>
      isAbsent(member) ? [] : checkShape(valueSchema, member, [...path, key]),
    );
  }
  if (Type.IsArray(schema)) {
    if (!Array.isArray(value)) return wrong("a list", "Begin each entry with a dash.");
    return value.flatMap((item, index) => checkShape(schema.items, item, [...path, index]));
  }
  const allowed = listLiterals(schema);
  if (allowed)
    return allowed.some((text) => text === value) ? [] : [{ kind: "not-allowed", path, allowed, value }];
  if (Type.IsUnion(schema)) {
    const faults = schema.anyOf.map((member) => checkShape(member, value, path));
    if (faults.some((found) => found.length === 0)) return [];
    const expected = faults.flat().flatMap((fault) => (fault.kind === "wrong-type" ? fault.expected : []));
    return wrong(expected.join(" or "), "Write one of these.");
  }
  return checkScalar(schema, value, wrong);
}

function checkMembers(schema: TObject, value: JsonObject, path: Path): ShapeFault[] {
  const { properties } = schema;
  const missing = Object.entries(properties).flatMap(([key, member]): ShapeFault[] =>
    Type.IsOptional(member) || !isAbsent(value[key]) ? [] : [{ kind: "missing", path: [...path, key], key }],
  );
  const others = Object.entries(value).flatMap(([key, member]): ShapeFault[] => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const memberPath = [...path, key];
    if (known) return isAbsent(member) ? [] : checkShape(known, member, memberPath);
    return [{ kind: "unknown-key", path: memberPath, key, known: Object.keys(properties) }];
  });
  return [...missing, ...others];
}

function checkScalar(
  schema: TSchema,
  value: Json,
  wrong: (expected: string, remedy: string) => ShapeFault[],
): ShapeFault[] {
  if (Type.IsString(schema) && typeof value !== "string") {
    const isPlain = typeof value === "number" || typeof value === "boolean";
    return wrong("text", isPlain ? `If ${String(value)} is meant, put it in quotes.` : "Write a text.");
  }
  if (Type.IsBoolean(schema) && typeof value !== "boolean") {
    return wrong("true or false", "Write true or false, without quotes.");
  }
  if (Type.IsInteger(schema) && !Number.isSafeInteger(value)) {
    return wrong("a whole number", "Write a whole number, without quotes.");
  }
  if (Type.IsNumber(schema) && typeof value !== "number")
    return wrong("a number", "Write a number, without quotes.");
  return [];
}

/** JSON has no undefined members, objects made in code may. */
const isAbsent = (member: Json | undefined): boolean => (member ?? null) === null;

/** Returns the texts of a literal or of a union of literals. */
function listLiterals(schema: TSchema): string[] | undefined {
  if (Type.IsLiteral(schema)) return typeof schema.const === "string" ? [schema.const] : undefined;
  if (!Type.IsUnion(schema)) return undefined;
  const texts = schema.anyOf.flatMap((member) => listLiterals(member) ?? []);
  return texts.length === schema.anyOf.length ? texts : undefined;
}

const quoteFirstKeys = (properties: Record<string, TSchema>): string =>
  Object.keys(properties)
    .slice(0, 3)
    .map((key) => `\`${key}\``)
    .join(", ");

/** Describes a value for a sentence: `the text "abc"`, `a list`. */
export function describeValue(value: Json | undefined): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "string")
    return `the text "${value.length > 60 ? `${value.slice(0, 57)}...` : value}"`;
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "a list" : "a map";
}

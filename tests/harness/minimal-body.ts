/** Builds the smallest body that a schema accepts, plus chosen members wherever the schema has them. */

type Schema = Record<string, unknown>;

export function minimalBody(schema: unknown, chosen: Record<string, unknown> = {}): unknown {
  if (!isSchema(schema)) return {};
  if ("const" in schema) return schema["const"];
  const [first] = list(schema["enum"]);
  if (first !== undefined) return first;
  const [alternative] = [...list(schema["anyOf"]), ...list(schema["oneOf"])];
  if (alternative !== undefined) return minimalBody(alternative, chosen);
  switch (schema["type"]) {
    case "string":
      return schema["format"] === "date-time"
        ? "2026-01-01T00:00:00Z"
        : "x".repeat(readLeast(schema, "minLength"));
    case "integer":
    case "number":
      return readLeast(schema, "minimum");
    case "boolean":
      return false;
    case "array":
      return Array.from({ length: Number(schema["minItems"] ?? 0) }, () =>
        minimalBody(schema["items"], chosen),
      );
    default:
      return members(schema, chosen);
  }
}

function members(schema: Schema, chosen: Record<string, unknown>): Record<string, unknown> {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(list(schema["required"]));
  const body: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(properties)) {
    if (name in chosen) body[name] = chosen[name];
    else if (required.has(name)) body[name] = minimalBody(member, chosen);
  }
  if (schema["minProperties"] && isSchema(schema["patternProperties"])) {
    body["x"] = minimalBody(Object.values(schema["patternProperties"])[0], chosen);
  }
  return body;
}

const readLeast = (schema: Schema, bound: string): number => Math.max(1, Number(schema[bound] ?? 1));
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Makes a schema of openapi.json stricter for tests: undeclared members are refused. */

export type Schema = Record<string, unknown>;

/**
 * Closes a schema and its references. `open` leaves the outermost shape open, for parts of an `allOf`, which is closed as a
 * whole. A schema with its own `additionalProperties` is unchanged.
 */
export function closed(schema: Schema, outermost: "closed" | "open" = "closed"): Schema {
  if (typeof schema["$ref"] === "string") {
    const name = schema["$ref"].split("/").at(-1) ?? "";
    return { $ref: outermost === "open" ? `${name}.open` : name };
  }
  const strict: Schema = { ...schema };
  for (const [keyword, value] of Object.entries(schema)) strict[keyword] = closedPart(keyword, value);
  const isComplete = "additionalProperties" in schema || !("properties" in schema || "allOf" in schema);
  if (outermost === "closed" && !isComplete) strict["unevaluatedProperties"] = false;
  return strict;
}

function closedPart(keyword: string, value: unknown): unknown {
  if (keyword === "allOf") return schemas(value).map((part) => closed(part, "open"));
  if (keyword === "anyOf" || keyword === "oneOf") return schemas(value).map((part) => closed(part));
  if (keyword === "items" || keyword === "additionalProperties")
    return isSchema(value) ? closed(value) : value;
  if (keyword !== "properties" || !isSchema(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isSchema(member) ? closed(member) : member]),
  );
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const schemas = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

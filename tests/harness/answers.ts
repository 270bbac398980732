/** Compares every answer of a Busbar under test with openapi.json. */
import addFormats from "ajv-formats";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { SentAnswer } from "../../server/http/server-options.ts";

interface Media {
  schema?: Schema;
}
interface Response {
  $ref?: string;
  content?: Record<string, Media>;
}
interface Operation {
  operationId: string;
  responses: Record<string, Response>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
}

interface AnswerCheck {
  onAnswer(answer: SentAnswer): void;
  /** Throws if the answer to this request (by default: any answer) was not as declared. Reports each fault once. */
  requireGood(requestId?: string | null): void;
}

/** Checks status, media type and body; an undeclared member is a fault too. */
export function checkAnswers(): AnswerCheck {
  const faults = new Map<string, string>();
  return {
    onAnswer(answer) {
      const fault = describeFault(answer);
      if (!fault) return;
      const { requestId, method, path, status, body } = answer;
      faults.set(requestId, `${method} ${path} answered ${status}: ${fault}\n${body.slice(0, 1_000)}`);
    },
    requireGood(requestId) {
      const ids = requestId === undefined ? [...faults.keys()] : [requestId ?? ""];
      const reported = ids.flatMap((id) => faults.get(id) ?? []);
      for (const id of ids) faults.delete(id);
      if (reported.length > 0) throw new Error(`not as in openapi.json: ${reported.join("\n")}`);
    },
  };
}

let loaded: { document: Document; ajv: Ajv2020 } | undefined;
const compiled = new Map<string, ValidateFunction>();

function load() {
  if (loaded) return loaded;
  const document: Document = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../openapi.json"), "utf8"),
  );
  // Each process of the tests compiles what it meets: that takes half as long without a check of the schemas, which the tests of
  // openapi.json make, and without optimised code, which is run a few times.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: true,
    validateSchema: false,
    code: { optimize: false },
  });
  // The package has two module forms; the bundler chooses one.
  (addFormats as unknown as { default: typeof addFormats.default }).default(ajv);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema(closed(schema), name);
    ajv.addSchema(closed(schema, "open"), `${name}.open`);
  }
  loaded = { document, ajv };
  return loaded;
}

function describeFault({ method, path, status, mediaType, body }: SentAnswer): string | undefined {
  const { document, ajv } = load();
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (!operation) return "the operation is not in openapi.json. Run: npm run generate";
  const declared = operation.responses[String(status)];
  if (!declared) return `the status is not declared (${Object.keys(operation.responses).join(", ")})`;
  const { content } = declared.$ref ? findResponse(document, declared.$ref) : declared;
  if (!content) return body === "" ? undefined : "there is a body, and none is declared";
  const type = mediaType.split(";")[0]?.trim() ?? "";
  const media = content[type];
  if (!media) return `the media type is \`${type}\`, not ${Object.keys(content).join(" or ")}`;
  if (!type.endsWith("json") || !media.schema) return undefined;
  const key = `${operation.operationId} ${status} ${type}`;
  const check = compiled.get(key) ?? ajv.compile(closed(media.schema));
  compiled.set(key, check);
  return check(JSON.parse(body))
    ? undefined
    : ajv.errorsText(check.errors, { dataVar: "body", separator: "; " });
}

function findResponse({ components }: Document, ref: string): Response {
  const found = components.responses[ref.split("/").at(-1) ?? ""];
  if (!found) throw new Error(`openapi.json has no ${ref}`);
  return found;
}

type Schema = Record<string, unknown>;

/**
 * Makes a schema of openapi.json and its references stricter for tests: undeclared members are refused. `open` leaves the outermost shape open, for parts of an `allOf`, which is closed as a
 * whole. A schema with its own `additionalProperties` is unchanged.
 */
function closed(schema: Schema, outermost: "closed" | "open" = "closed"): Schema {
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

/** Validates input against an endpoint's schemas and reports each fault in a sentence, with its place. */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { TSchema } from "typebox";
import { suggestName } from "../../ground/closest.ts";
import { Problem, type Issue } from "../../ground/errors.ts";
import { adviseOnName, findUnknownNames, type Names } from "./unknown-names.ts";

type Place = Issue["in"];

/** Clients send nanoseconds at most. */
const TOO_EXACT = /\.\d{10}/;

/** The schemas are our own. To compile the schema of schemas, in order to check them, would take a tenth of a start. */
const UNCHECKED = { meta: false, validateSchema: false };

const isTime = withFormats(new Ajv(UNCHECKED)).compile<string>({ type: "string", format: "date-time" });

/** Path and query are text, so numbers and booleans are converted as the schema requires; bodies never are. */
const compilers = { text: createCompiler(true), body: createCompiler(false) };

function createCompiler(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    coerceTypes,
    allErrors: true,
    strict: false,
    useDefaults: false,
    removeAdditional: false,
    ...UNCHECKED,
  });
  return withFormats(ajv).addFormat("date-time", (text) => isTime(text) && !TOO_EXACT.test(text));
}

function withFormats(ajv: Ajv): Ajv {
  // The package has two module forms; which one is loaded depends on the bundler.
  (addFormats as unknown as { default: typeof addFormats.default }).default(ajv, {});
  return ajv;
}

/** Compiled validators, keyed by the schema's JSON text. */
const compiled = { text: new Map<string, ValidateFunction>(), body: new Map<string, ValidateFunction>() };

/**
 * Compiles a schema when it is first used. To compile those of all endpoints takes half of a start, and most are never used; many are
 * equal.
 */
function compile(schema: TSchema, kind: keyof typeof compilers): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiled[kind].get(text) ?? compilers[kind].compile(schema);
  compiled[kind].set(text, known);
  return known;
}

/** Enough to correct a request; the faults of 100 broken records need not all be listed. */
const MAX_ISSUES = 50;
/** A choice between shapes has several errors for one fault. A body can have hundreds of thousands of faults. */
const MAX_ERRORS = 1_000;

/**
 * Returns a function that returns a valid value and throws a Problem with one issue per fault otherwise. With `names`, the
 * names that the request may have, unknown ones are faults. Compiles the schema and the names when it is first called.
 */
export function createValidator(schema: TSchema, place: Place, names?: Names): (value: unknown) => unknown {
  let check: ValidateFunction | undefined;
  let unknown: ((value: unknown) => Issue[]) | undefined;
  return (value) => {
    check ??= compile(schema, place === "body" ? "body" : "text");
    unknown ??= names && createUnknownCheck(schema, place === "body" ? "body" : "query", names);
    const issues = unknown?.(value) ?? [];
    if (check(value) && issues.length === 0) return value;
    const errors = dropRepeats((check.errors ?? []).slice(0, MAX_ERRORS)).slice(0, MAX_ISSUES);
    issues.push(...errors.map((error) => toIssue(error, place, value)));
    throw buildInvalid(issues.slice(0, MAX_ISSUES), place);
  };
}

function createUnknownCheck(
  schema: TSchema,
  place: "body" | "query",
  names: Names,
): (value: unknown) => Issue[] {
  const find = findUnknownNames(schema);
  const detail = place === "body" ? "is not a member of this request" : "is not a parameter of this endpoint";
  return (value) =>
    find(value)
      .slice(0, MAX_ISSUES)
      .map((found) => ({
        in: place,
        name: found.path,
        detail,
        remedy: adviseOnName(found, place, names),
      }));
}

/** Faults that the sentence names; the others are in `issues`. */
const MAX_NAMED = 3;

function buildInvalid(issues: Issue[], place: Place): Problem {
  const prefix = place === "body" ? "" : `${place} `;
  const named = issues
    .slice(0, MAX_NAMED)
    .map(({ name, detail, remedy }) => `${prefix}${name || "body"}: ${detail}${remedy ? `. ${remedy}` : ""}`);
  const rest = issues.length - named.length;
  const more = rest > 0 ? ` (and ${rest} more, see \`issues\`)` : "";
  const text = named.join("; ").replaceAll(/([.?]);/g, "$1") || "The request is not valid.";
  return new Problem("invalid-request", { detail: `${text}${more}`, issues });
}

/** Drops the errors of `anyOf`, `oneOf` and `if`, which repeat those of their branches; types to choose from are one error. */
function dropRepeats(errors: ErrorObject[]): ErrorObject[] {
  const plain = errors.filter(
    ({ keyword }) => keyword !== "anyOf" && keyword !== "oneOf" && keyword !== "if",
  );
  return plain.length > 0 ? joinTypes(plain) : errors;
}

function joinTypes(errors: ErrorObject[]): ErrorObject[] {
  const joined = new Map<string, ErrorObject>();
  for (const [index, error] of errors.entries()) {
    const isType = error.keyword === "type";
    const key = isType ? error.instancePath : `#${index}`;
    const first = joined.get(key);
    const types = first && new Set([...listTypes(first), ...listTypes(error)]);
    joined.set(key, types ? { ...error, params: { type: [...types].join(",") } } : error);
  }
  return [...joined.values()];
}

const listTypes = ({ params }: ErrorObject): string[] => String(params["type"]).split(",");

function toIssue(error: ErrorObject, place: Place, root: unknown): Issue {
  const value = getShownValue(root, error.instancePath);
  const remedy =
    error.keyword === "enum" ? suggestValue(value, error.params["allowedValues"] as unknown[]) : "";
  return {
    in: place,
    name: formatPath(error),
    detail: formatFault(error, value),
    value,
    ...(remedy && { remedy }),
  };
}

const suggestValue = (value: unknown, allowed: unknown[]): string =>
  typeof value === "string" ? suggestName(value, allowed.map(String), "") : "";

/** Turns `/batch/3/record` and a missing `id` into `batch[3].record.id`. */
function formatPath({ instancePath, params, keyword }: ErrorObject): string {
  const segments = instancePath.split("/").slice(1).map(unescape);
  if (keyword === "required") segments.push(String(params["missingProperty"]));
  if (keyword === "additionalProperties") segments.push(String(params["additionalProperty"]));
  return segments.reduce(
    (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part),
    "",
  );
}

const unescape = (segment: string): string => segment.replaceAll("~1", "/").replaceAll("~0", "~");

function formatFault({ keyword, params, message = "is not valid" }: ErrorObject, value: unknown): string {
  switch (keyword) {
    case "required":
      return "is missing";
    case "additionalProperties":
      return "is not a member of this request";
    case "type":
      return `must be ${addArticle(String(params["type"]))}`;
    case "enum":
      return `must be one of ${(params["allowedValues"] as unknown[]).join(", ")}`;
    case "const":
      return `must be ${JSON.stringify(params["allowedValue"])}`;
    case "minItems":
      return `must hold at least ${formatCount(params["limit"], "item")}`;
    case "maxItems":
      return `must hold at most ${formatCount(params["limit"], "item")}`;
    case "minProperties":
    case "maxProperties":
      return `must hold at ${keyword === "minProperties" ? "least" : "most"} ${formatCount(params["limit"], "member")}`;
    case "minLength":
      return params["limit"] === 1
        ? "must not be empty"
        : `must be at least ${params["limit"]} characters long`;
    case "maxLength":
      return `must be at most ${params["limit"]} characters long`;
    case "minimum":
    case "maximum":
      return `must be ${keyword === "minimum" ? "at least" : "at most"} ${params["limit"]}`;
    case "format":
      if (params["format"] === "date-time" && TOO_EXACT.test(String(value)))
        return "must have at most 9 digits for the fraction of the second";
      return `must be ${FORMATS[String(params["format"])] ?? `of the format ${params["format"]}`}`;
    default:
      return message;
  }
}

const formatCount = (limit: unknown, what: string): string => `${limit} ${what}${limit === 1 ? "" : "s"}`;

const FORMATS: Record<string, string> = {
  "date-time": "a time with its zone such as 2026-01-31T12:00:00Z",
  email: "a mail address",
  uri: "an address such as https://example.com/path",
};

const addArticle = (type: string): string =>
  type
    .split(",")
    .map((one) => (/^[aeiou]/.test(one) ? `an ${one}` : `a ${one}`))
    .join(" or ");

/** Values under such a name are not repeated, because answers end up in callers' logs. */
const SECRET_NAME = /key|secret|token|password|auth|credential/i;

/** Returns the faulty value if it is short; never a whole document, never a secret. */
function getShownValue(root: unknown, pointer: string): unknown {
  if (SECRET_NAME.test(pointer)) return undefined;
  let value = root;
  for (const segment of pointer.split("/").slice(1).map(unescape)) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.hasOwn(value, segment) ? (value as Record<string, unknown>)[segment] : undefined;
  }
  return typeof value === "object" || (typeof value === "string" && value.length > 100) ? undefined : value;
}

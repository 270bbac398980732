/** Reads HubSpot's error bodies: of refused requests and the entries of partly refused batches. */
import { parseBody } from "../../connector-kit/calls/send-request.ts";
import { ProviderError, type ProviderErrorKind } from "../../connector-kit/calls/provider-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";

export interface PropertyFault {
  name: string;
  code: string;
  message: string;
}

/** Every member is optional at HubSpot. */
export interface HubspotFault {
  message: string;
  category?: string;
  code?: string;
  /** The quota that was used up, on a 429. */
  policy?: string;
  /** Faults of single properties, if HubSpot names them. */
  properties: PropertyFault[];
  /** Required properties that were not set. */
  missing: string[];
  /** Record ids that the fault is about. */
  ids: string[];
  /** Trace ids of the inputs that the fault is about. */
  traceIds: string[];
}

/** Returns undefined for a body that is not an error of HubSpot's form. */
export function readFault(body: Json | undefined): HubspotFault | undefined {
  if (!isJsonObject(body) || (typeof body.message !== "string" && typeof body.category !== "string"))
    return undefined;
  const details = Array.isArray(body.errors) ? body.errors.filter(isJsonObject) : [];
  const contexts = [body, ...details].map((part) => part.context).filter(isJsonObject);
  const properties = readPropertyFaults(readText(body.message), details);
  return {
    message: writeMessage(body, properties, contexts),
    category: readText(body.category),
    code:
      properties[0]?.code ??
      details.map((detail) => readText(detail.code)).find(Boolean) ??
      readText(body.category),
    policy: readText(body.policyName),
    properties,
    missing: listMissing(body),
    ids: collect(contexts, "ids"),
    traceIds: collect(contexts, "objectWriteTraceId"),
  };
}

/** Beside its message every error of HubSpot has one of these (its files demand `category`, `correlationId` and `message` of each). */
const MARKS = ["category", "correlationId", "status", "errors", "errorType", "policyName", "requestId"];

/** Returns whether a body is an error of HubSpot, and not one of something in between, such as `{"message": "Forbidden"}`. */
export const isOwnFault = (body: Json | undefined): boolean =>
  isJsonObject(body) && MARKS.some((name) => Object.hasOwn(body, name));

/** Returns the error of the record that an entry of `errors[]` is about. */
export function toRecordError(fault: HubspotFault, rawResponse?: string): ProviderError {
  return new ProviderError({
    kind: classifyKind(fault.category),
    message: fault.message,
    code: fault.code,
    fields: listFields(fault),
    rawResponse,
  });
}

/** Returns the names of the properties that a fault is about. */
export const listFields = (fault: HubspotFault | undefined): string[] => [
  ...new Set([...(fault?.properties.map(({ name }) => name) ?? []), ...(fault?.missing ?? [])]),
];

function classifyKind(category: string | undefined): ProviderErrorKind {
  switch (category) {
    case "CONFLICT":
    case "OBJECT_ALREADY_EXISTS":
      return "conflict";
    case "OBJECT_NOT_FOUND":
      return "not_found";
    case "MISSING_SCOPES":
    case "FORBIDDEN":
      return "forbidden";
    case "RATE_LIMITS":
      return "rate_limited";
    default:
      return SERVER_FAULT.test(category ?? "") ? "unavailable" : "invalid";
  }
}

/** Categories that blame HubSpot's servers: its files name none of them, and any text is one. */
const SERVER_FAULT = /(?:^|_)(?:INTERNAL|SERVER|TIMEOUT|UNAVAILABLE)(?:_|$)/;

/**
 * Returns the required properties that were not set: `context.properties` of "Error creating NOTE. Some required properties were not
 * set." (hubspot-api-nodejs issue 124). Other errors have other things there.
 */
function listMissing(body: JsonObject): string[] {
  if (!readText(body.message)?.includes("required properties were not set")) return [];
  return isJsonObject(body.context) ? readStrings(body.context.properties) : [];
}

/**
 * Reads faults of properties. The message of a 400 holds the full list as JSON text; `errors[]` may hold fewer, but is
 * left if the text is cut.
 */
function readPropertyFaults(detail: string | undefined, details: JsonObject[]): PropertyFault[] {
  const listed = parseBody(detail?.slice(detail.indexOf("[")) ?? "");
  const fromText = (Array.isArray(listed) ? listed : []).filter(isJsonObject).map((entry) => ({
    name: readText(entry.name) ?? "",
    code: readText(entry.error) ?? "",
    message: readText(entry.message) ?? "",
  }));
  const fromDetails = details.map((one) => ({
    name: (isJsonObject(one.context) ? readStrings(one.context.propertyName) : [])[0] ?? "",
    code: readText(one.code) ?? "",
    message: readText(one.message) ?? "",
  }));
  return (fromText.length > 0 ? fromText : fromDetails).filter(({ name }) => name !== "");
}

function writeMessage(body: JsonObject, properties: PropertyFault[], contexts: JsonObject[]): string {
  const [existingId] = collect(contexts, "existingId");
  const scopes = SCOPES.flatMap((name) => collect(contexts, name));
  const own = readText(body.message) ?? readText(body.category) ?? "";
  const said =
    properties.length > 0 ? [...new Set(properties.map((fault) => fault.message))].join("; ") : own;
  if (existingId && !said.includes(existingId)) return `${said}. Existing ID: ${existingId}`;
  return scopes.length > 0 ? `${said} Missing: ${scopes.join(", ")}` : said;
}

/** Answers have the first, HubSpot's files the second (`Error` of HubSpot-public-api-spec-collection, 2026-08-21). */
const SCOPES = ["requiredGranularScopes", "missingScopes"];

const collect = (contexts: JsonObject[], name: string): string[] => [
  ...new Set(contexts.flatMap((context) => readStrings(context[name]))),
];

const readText = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const readStrings = (value: Json | undefined): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((item) =>
    typeof item === "string" || typeof item === "number" ? [String(item)] : [],
  );

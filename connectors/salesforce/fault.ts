/** Reads Salesforce's errors: `errorCode` in a refused request, `statusCode` in the result of a record. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { addToNow } from "../../connector-kit/calls/send-request.ts";
import { ProviderError, type ProviderErrorKind } from "../../connector-kit/calls/provider-error.ts";
import { findChildElement, getChildText, readXml, XmlError } from "./xml.ts";

interface SalesforceFault {
  code: string;
  message: string;
  /** API names of the fields that it is about. */
  fields?: string[];
}

const LOCKED = "UNABLE_TO_LOCK_ROW";
const LOCKED_ROW_MS = 3_000;
const CONCURRENT_MS = 10_000;
/** The daily quota is a rolling window without a reset time, so it is retried every hour. */
const DAILY_MS = 3_600_000;

const KIND_BY_CODE: Record<string, ProviderErrorKind> = {
  INVALID_SESSION_ID: "unauthorized",
  INVALID_AUTH_HEADER: "unauthorized",
  Missing_OAuth_Token: "unauthorized",
  Bad_OAuth_Token: "unauthorized",
  REQUEST_LIMIT_EXCEEDED: "rate_limited",
  LOGIN_RATE_EXCEEDED: "locked_out",
  [LOCKED]: "unavailable",
  SERVER_UNAVAILABLE: "unavailable",
  UNKNOWN_EXCEPTION: "unavailable",
  QUERY_TIMEOUT: "unavailable",
  // A policy of transaction security could not be evaluated in time.
  TXN_SECURITY_METERING_ERROR: "unavailable",
  Server: "unavailable",
  // `ExceptionCode` and `StatusCode` of Salesforce's WSDL (jsforce 3.10, src/api/soap/wsdl.xml): these pass.
  REQUEST_RUNNING_TOO_LONG: "unavailable",
  ORG_IN_MAINTENANCE: "unavailable",
  INSERT_UPDATE_DELETE_NOT_ALLOWED_DURING_MAINTENANCE: "unavailable",
  FUNCTIONALITY_TEMPORARILY_UNAVAILABLE: "unavailable",
  PLATFORM_EVENT_PUBLISHING_UNAVAILABLE: "unavailable",
  TERRITORY_REALIGN_IN_PROGRESS: "unavailable",
  MATCH_SERVICE_TIMED_OUT: "unavailable",
  MATCH_SERVICE_UNAVAILABLE_ERROR: "unavailable",
  // "Because of a system problem, API functionality is temporarily unavailable" (SOAP API guide, ExceptionCode).
  API_CURRENTLY_DISABLED: "unavailable",
  API_DISABLED_FOR_ORG: "forbidden",
  FUNCTIONALITY_NOT_ENABLED: "forbidden",
  CANNOT_MODIFY_MANAGED_OBJECT: "forbidden",
  STORAGE_LIMIT_EXCEEDED: "forbidden",
  DUPLICATE_VALUE: "conflict",
  DUPLICATES_DETECTED: "conflict",
  NOT_FOUND: "not_found",
  ENTITY_IS_DELETED: "not_found",
};

/** The place in a query, which Busbar wrote and nobody sees: a part of it, a mark below, and row and column. The reason follows. */
const QUERY_PLACE = /^\s*\n[^\n]*\n *\^\nERROR at Row:\d+:Column:\d+\n/;

/** `{"error": "access denied"}` is of something in between. */
const IS_CODE = /^[\w:.-]+$/;

/** Returns the errors of a refused request (a list) or of a token endpoint; empty if there are none. */
export function readFaults(body: Json | undefined): SalesforceFault[] {
  const entries = Array.isArray(body) ? body : [body];
  return entries.filter(isJsonObject).flatMap((entry) => {
    const code = entry.errorCode ?? entry.error;
    const message = entry.message ?? entry.error_description;
    if (typeof code !== "string" || !IS_CODE.test(code)) return [];
    const said =
      typeof message === "string" ? message.replace(QUERY_PLACE, "") + listDuplicates(entry) : code;
    return [{ code, message: said, fields: listNamedFields(entry) }];
  });
}

/** Returns the fault of an answer that is nothing but a known code, as some hosts answer `/userinfo`. */
export function readPlainFault(text: string): SalesforceFault[] {
  const code = text.trim();
  return Object.hasOwn(KIND_BY_CODE, code) ? [{ code, message: code }] : [];
}

/** Returns the fault of a SOAP call with its code without prefix; empty if the text is no fault. */
export function readSoapFaults(text: string): SalesforceFault[] {
  if (!text.includes("faultcode")) return [];
  try {
    const fault = findChildElement(findChildElement(readXml(text), "Body"), "Fault");
    const code = getChildText(fault, "faultcode")?.replace(/^.*:/, "");
    if (!code) return [];
    const message = getChildText(fault, "faultstring") ?? code;
    return [{ code, message: message.replace(`${code}: `, "") }];
  } catch (error) {
    if (error instanceof XmlError) return [];
    throw error;
  }
}

/** Returns the errors of a record in a result with `success: false`. */
export function readRecordFaults(result: JsonObject): SalesforceFault[] {
  const errors = Array.isArray(result.errors) ? result.errors.filter(isJsonObject) : [];
  return errors.map((entry) => ({
    code: typeof entry.statusCode === "string" ? entry.statusCode : "UNKNOWN",
    message:
      (typeof entry.message === "string" ? entry.message : "Salesforce gave no reason") +
      listDuplicates(entry),
    fields: listNamedFields(entry),
  }));
}

/** Combines several faults to one error: the first with a known code decides the kind. */
export function toError(
  faults: SalesforceFault[],
  answer: { status?: number; rawResponse?: string; otherwise: ProviderErrorKind; retryAt?: Date },
): ProviderError {
  const deciding = faults.find((fault) => classifyKind(fault) !== undefined) ?? faults[0];
  const kind = (deciding && classifyKind(deciding)) ?? answer.otherwise;
  return new ProviderError({
    kind,
    message:
      faults.length > 0
        ? [...new Set(faults.map(explain))].join("; ")
        : "Salesforce refused without a reason",
    code: deciding?.code,
    fields: [...new Set(faults.flatMap(({ fields = [] }) => fields))],
    status: answer.status,
    retryAt: (deciding && retryAt(deciding)) ?? answer.retryAt,
    rawResponse: answer.rawResponse,
  });
}

function classifyKind({ code, message }: SalesforceFault): ProviderErrorKind | undefined {
  // The same code is given for a user without the permission (Marketo's Salesforce diagnostics, read 2026-11-28).
  if (code === "API_CURRENTLY_DISABLED" && /disabled for this user/i.test(message)) return "forbidden";
  if (Object.hasOwn(KIND_BY_CODE, code)) return KIND_BY_CODE[code];
  if (isLocked({ code, message })) return "unavailable";
  return code.startsWith("INSUFFICIENT_ACCESS") ? "forbidden" : undefined;
}

/** A trigger or flow that met a locked row tells it in its message, under a code of its own. All of the transaction is rolled back. */
const isLocked = ({ code, message }: SalesforceFault): boolean =>
  code === LOCKED || /\berror: UNABLE_TO_LOCK_ROW\b|\bUNABLE_TO_LOCK_ROW[,:]/.test(message);

/** Tells the two request limits apart, which share a code, by their message. */
function retryAt({ code, message }: SalesforceFault): Date | undefined {
  if (isLocked({ code, message })) return addToNow(LOCKED_ROW_MS);
  if (code !== "REQUEST_LIMIT_EXCEEDED") return undefined;
  return addToNow(/concurrent/i.test(message) ? CONCURRENT_MS : DAILY_MS);
}

/** For example "Implementation restriction: ContentDocumentLink requires a filter by a single Id …", "a filter on a reified column is required". */
const NEEDS_FILTER = /requires a filter|filter on a reified column is required/i;

function explain({ code, message }: SalesforceFault): string {
  if (code === "MALFORMED_QUERY" && NEEDS_FILTER.test(message))
    return (
      `${message} (Salesforce does not let this object be read as a whole: read the object that its records belong to, and query these ` +
      "through the proxy, by ids)"
    );
  if (code === "QUERY_TOO_COMPLICATED")
    return `${message} (name the fields to read instead of all: formulas count with all that they refer to)`;
  if (code !== "INVALID_FIELD" || !message.includes("No such column")) return message;
  return `${message} (the name is wrong, lacks its __c, or the connected user may not see the field)`;
}

/** Returns the ids of the records that a duplicate rule found; the message does not contain them. */
function listDuplicates(entry: JsonObject): string {
  const result = isJsonObject(entry.duplicateResult) ? entry.duplicateResult : {};
  const matches = pickObjects(result.matchResults).flatMap((match) => pickObjects(match.matchRecords));
  const ids = matches.flatMap(({ record }) =>
    isJsonObject(record) && typeof record.Id === "string" ? [record.Id] : [],
  );
  return ids.length > 0 ? ` Existing: ${[...new Set(ids)].join(", ")}` : "";
}

const listNamedFields = ({ fields }: JsonObject): string[] =>
  Array.isArray(fields) ? fields.filter((name) => typeof name === "string") : [];

const pickObjects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

// Metadata API over SOAP: upsertMetadata, readMetadata and deleteMetadata of custom fields and permission sets.

import { readHeader, Refused, type SandboxAnswer, type SandboxExchange } from "../exchange.ts";
import type { Grants } from "../oauth/grants.ts";
import type { Router } from "../router.ts";
import { buildFieldMetadata, locateField, planCustomField } from "./custom-fields.ts";
import { ROLLED_BACK, type SaveError } from "./errors.ts";
import type { Org } from "./org.ts";
import {
  deletePermissionSet,
  findPermissionSet,
  buildSetMetadata,
  upsertPermissionSet,
} from "./permission-sets.ts";
import type { OrgSource } from "./sobjects.ts";
import { findChild, listChildren, readChildText, parseXml, toXml, type Element } from "./xml.ts";

const MAX_COMPONENTS = 10;
const TYPES = new Set(["CustomField", "PermissionSet"]);

/** Adds the routes. `countCall` counts one API call, and throws the REST form of a limit error. */
export function addMetadataRoutes(
  router: Router,
  org: OrgSource,
  grants: Grants,
  countCall: () => void,
): void {
  const handle = (exchange: SandboxExchange): SandboxAnswer => {
    try {
      return answer(org(), exchange, grants, countCall);
    } catch (error) {
      if (error instanceof SoapFault) return error.answer();
      throw error;
    }
  };
  router.add("POST", "/services/Soap/m/:version", handle);
  router.add("POST", "/services/Soap/m/:version/:org", handle);
}

class SoapFault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }

  answer(): SandboxAnswer {
    const body = toXml("soapenv:Fault", { faultcode: this.code, faultstring: this.message });
    return {
      status: 500,
      headers: { "content-type": "text/xml; charset=utf-8" },
      body: wrapInEnvelope(body),
    };
  }
}

function wrapInEnvelope(content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns="http://soap.sforce.com/2006/04/metadata" xmlns:sf="http://soap.sforce.com/2006/04/metadata" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>${content}</soapenv:Body></soapenv:Envelope>`;
}

function answer(org: Org, exchange: SandboxExchange, grants: Grants, countCall: () => void): SandboxAnswer {
  if (exchange.headers["soapaction"] === undefined)
    throw new SoapFault("soapenv:Client", "SOAPAction HTTP header missing");
  if (!readHeader(exchange, "content-type").includes("xml")) {
    throw new SoapFault("soapenv:Client", "Content-Type must be text/xml");
  }
  const root = parseRequest(exchange.body);
  const head = findChild(root, "Header");
  const session = readChildText(findChild(head, "SessionHeader"), "sessionId") ?? "";
  if (grants.check(session).state !== "valid") {
    const message = "INVALID_SESSION_ID: Invalid Session ID found in SessionHeader: Illegal Session";
    throw new SoapFault("sf:INVALID_SESSION_ID", message);
  }
  try {
    countCall();
  } catch (error) {
    if (error instanceof Refused)
      throw new SoapFault(
        "sf:REQUEST_LIMIT_EXCEEDED",
        "REQUEST_LIMIT_EXCEEDED: TotalRequests Limit exceeded.",
      );
    throw error;
  }
  const call = findChild(root, "Body")?.children[0];
  if (call === undefined) throw new SoapFault("soapenv:Client", "The body holds no operation");
  const allOrNone = readChildText(findChild(head, "AllOrNoneHeader"), "allOrNone") === "true";
  const content = `<${call.name}Response>${runOperation(org, call, allOrNone)}</${call.name}Response>`;
  return {
    status: 200,
    headers: { "content-type": "text/xml; charset=utf-8" },
    body: wrapInEnvelope(content),
  };
}

function parseRequest(text: string): Element {
  try {
    const root = parseXml(text);
    if (root.name === "Envelope") return root;
    throw new SyntaxError("the root element must be Envelope");
  } catch (error) {
    if (error instanceof SyntaxError) throw new SoapFault("soapenv:Client", error.message);
    throw error;
  }
}

function runOperation(org: Org, call: Element, allOrNone: boolean): string {
  switch (call.name) {
    case "upsertMetadata":
      return upsert(org, call, allOrNone);
    case "readMetadata":
      return read(org, call);
    case "deleteMetadata":
      return remove(org, call, allOrNone);
    default:
      throw new SoapFault(
        "soapenv:Client",
        `No operation available for request {http://soap.sforce.com/2006/04/metadata}${call.name}`,
      );
  }
}

type Outcome = { fullName: string; created?: boolean; error?: SaveError };

function upsert(org: Org, call: Element, allOrNone: boolean): string {
  const components = listChildren(call, "metadata");
  const types = new Set(
    components.map((component) => (component.attributes["type"] ?? "").replace(/^.*:/, "")),
  );
  const [type = ""] = types;
  if (types.size > 1)
    throw new SoapFault("sf:INVALID_TYPE", "INVALID_TYPE: all components of a call must have the same type");
  checkCall(type, components.length);
  return saveAll(org, allOrNone, components, (component) => {
    const fullName = readChildText(component, "fullName") ?? "";
    const result = type === "CustomField" ? upsertField(org, component) : upsertPermissionSet(org, component);
    return "error" in result
      ? { fullName, created: false, error: result.error }
      : { fullName, created: result.created };
  });
}

function checkCall(type: string, count: number): void {
  if (!TYPES.has(type))
    throw new SoapFault(
      "sf:INVALID_TYPE",
      `INVALID_TYPE: This type of metadata is not available here: ${type}`,
    );
  if (count > MAX_COMPONENTS) {
    const message = `EXCEEDED_ID_LIMIT: record limit reached. cannot submit more than ${MAX_COMPONENTS} records in this operation`;
    throw new SoapFault("sf:EXCEEDED_ID_LIMIT", message);
  }
}

/** Saves components, with one result for each; under all-or-none, one error reverts everything. */
function saveAll<T>(org: Org, allOrNone: boolean, inputs: T[], save: (input: T) => Outcome): string {
  let outcomes: Outcome[] = [];
  const run = (): boolean => {
    outcomes = inputs.map((input) => save(input));
    return !allOrNone || outcomes.every((outcome) => outcome.error === undefined);
  };
  const kept = allOrNone ? org.atomically(run) : run();
  org.refreshAccess();
  return outcomes
    .map((outcome) => writeResult(kept ? outcome : { ...outcome, error: outcome.error ?? ROLLED_BACK }))
    .join("");
}

function writeResult({ fullName, created, error }: Outcome): string {
  const reported = created === undefined ? {} : { created: error === undefined && created };
  if (error === undefined) return toXml("result", { ...reported, fullName, success: true });
  const { code, message } = error;
  return toXml("result", { ...reported, errors: { message, statusCode: code }, fullName, success: false });
}

function upsertField(org: Org, component: Element): { created: boolean } | { error: SaveError } {
  const plan = planCustomField(org, component);
  if ("error" in plan) return plan;
  const { store, field, existing } = plan;
  const key = field.name.toLowerCase();
  store.definition.fields.set(key, field);
  if (field.unique || field.externalId) store.index(field.name);
  org.onUndo(() => {
    if (existing === undefined) store.definition.fields.delete(key);
    else store.definition.fields.set(key, existing);
  });
  return { created: existing === undefined };
}

/** Reads components; one that does not exist is answered with a nil record. */
function read(org: Org, call: Element): string {
  const type = readChildText(call, "type") ?? "";
  const names = listChildren(call, "fullNames").map((name) => name.text.trim());
  checkCall(type, names.length);
  const records = names.map((name) => {
    const content = type === "CustomField" ? writeField(org, name) : writePermissionSet(org, name);
    return content === undefined
      ? '<records xsi:nil="true"/>'
      : toXml("records", content, ` xsi:type="${type}"`);
  });
  return `<result>${records.join("")}</result>`;
}

function writeField(org: Org, fullName: string): unknown {
  const place = locateField(org, fullName);
  const field = "error" in place ? undefined : place.store.definition.fields.get(place.name.toLowerCase());
  return field === undefined ? undefined : { fullName, ...buildFieldMetadata(field) };
}

function writePermissionSet(org: Org, name: string): unknown {
  const record = findPermissionSet(org, name);
  return record === undefined ? undefined : buildSetMetadata(org, record);
}

function remove(org: Org, call: Element, allOrNone: boolean): string {
  const type = readChildText(call, "type") ?? "";
  const names = listChildren(call, "fullNames").map((name) => name.text.trim());
  checkCall(type, names.length);
  return saveAll(org, allOrNone, names, (fullName) => {
    const error = type === "CustomField" ? deleteField(org, fullName) : deletePermissionSet(org, fullName);
    return error === undefined ? { fullName } : { fullName, error };
  });
}

function deleteField(org: Org, fullName: string): SaveError | undefined {
  const place = locateField(org, fullName);
  const fields = "error" in place ? undefined : place.store.definition.fields;
  const key = "error" in place ? "" : place.name.toLowerCase();
  const field = fields?.get(key);
  if (fields === undefined || field === undefined) {
    return {
      code: "INVALID_CROSS_REFERENCE_KEY",
      message: "This custom field does not exist or is not accessible",
    };
  }
  fields.delete(key);
  org.onUndo(() => fields.set(key, field));
  return undefined;
}

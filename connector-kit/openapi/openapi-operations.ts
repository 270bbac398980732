/** Reads the operations of a vendor's API out of its OpenAPI 2 or 3 document, or out of a Google discovery document. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { resolveReference, type Schema } from "./openapi-schema.ts";

export interface OpenapiParameter {
  name: string;
  place: "query" | "header" | "path" | "body";
  required: boolean;
  type?: string;
  format?: string;
  enum?: string[];
  default?: Json;
  minimum?: number;
  maximum?: number;
}

export interface OpenapiOperation {
  method: string;
  /** The operation's path, behind that of the server if it has one. */
  path: string;
  /** Without it. */
  bare: string;
  parameters: OpenapiParameter[];
  /** What the vendor says of it. */
  words?: string;
  /** Absent: the operation takes no body. */
  body?: { schema: Schema; encodings: ("json" | "form" | "other")[]; required: boolean };
  /** Statuses of a success with the schema of their JSON; undefined: it has no body. */
  success: Map<number, Schema | undefined>;
}

export interface OpenapiDocument {
  title: string;
  version: string;
  operations: OpenapiOperation[];
  /** The whole, in which references are found. */
  root: JsonObject;
}

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Returns the operations. Throws an `Error` that says what the document is not. */
export function readOpenapi(document: unknown): OpenapiDocument {
  if (!isJsonObject(document)) throw new Error("the file is no OpenAPI document: it is not an object");
  if (isJsonObject(document["resources"]) && document["kind"] === "discovery#restDescription")
    return readDiscovery(document);
  const { paths, info } = document;
  const isKnown = String(document["openapi"]).startsWith("3.") || String(document["swagger"]).startsWith("2");
  if (!isKnown || !isJsonObject(paths))
    throw new Error("the file is no OpenAPI document: it needs `openapi: 3…` or `swagger: 2.0`, and `paths`");
  const about = isJsonObject(info) ? info : {};
  const operations: OpenapiOperation[] = [];
  for (const [bare, given] of Object.entries(paths)) {
    const item = resolveReference(document, given);
    for (const method of METHODS) {
      const operation = item[method];
      if (isJsonObject(operation))
        operations.push(buildOperation(document, { bare, method: method.toUpperCase(), item, operation }));
    }
  }
  return {
    title: String(about["title"] ?? ""),
    version: String(about["version"] ?? ""),
    operations,
    root: document,
  };
}

interface GivenOperation {
  bare: string;
  method: string;
  item: JsonObject;
  operation: JsonObject;
}

function buildOperation(
  root: JsonObject,
  { bare, method, item, operation }: GivenOperation,
): OpenapiOperation {
  const given = [...readList(item["parameters"]), ...readList(operation["parameters"])].map((one) =>
    resolveReference(root, one),
  );
  const parameters = given
    .filter((one) => !["body", "formData"].includes(String(one["in"])))
    .map((one) => buildParameter(root, one));
  const body = readBodies(root, operation, given);
  return {
    method,
    path: `${readServerPath(root, item, operation)}${bare}`,
    bare,
    parameters,
    ...(typeof operation["description"] === "string" && { words: operation["description"] }),
    ...(body && { body }),
    success: findSuccess(root, operation),
  };
}

const readList = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

function readServerPath(root: JsonObject, item: JsonObject, operation: JsonObject): string {
  if (typeof root["basePath"] === "string") return root["basePath"].replace(/\/$/, "");
  const [server] = [operation, item, root].flatMap((one) => readList(one["servers"]));
  const url = isJsonObject(server) ? String(server["url"] ?? "") : "";
  return url.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/\/$/, "");
}

function buildParameter(root: JsonObject, given: JsonObject): OpenapiParameter {
  const schema = isJsonObject(given["schema"]) ? resolveReference(root, given["schema"]) : given;
  const items = isJsonObject(schema["items"]) ? resolveReference(root, schema["items"]) : undefined;
  const values = readList(schema["enum"] ?? items?.["enum"]);
  const number = (name: string) => (typeof schema[name] === "number" ? { [name]: schema[name] } : {});
  const place = String(given["in"]);
  return {
    name: String(given["name"] ?? ""),
    place: place === "header" || place === "path" ? place : "query",
    required: given["required"] === true,
    ...(typeof schema["type"] === "string" && { type: schema["type"] }),
    ...(typeof schema["format"] === "string" && { format: schema["format"] }),
    ...(values.length > 0 && { enum: values.map(String) }),
    ...(schema["default"] !== undefined && { default: schema["default"] }),
    ...number("minimum"),
    ...number("maximum"),
  };
}

function readBodies(
  root: JsonObject,
  operation: JsonObject,
  parameters: JsonObject[],
): OpenapiOperation["body"] {
  const old = parameters.find((one) => one["in"] === "body");
  if (old)
    return {
      schema: resolveReference(root, old["schema"] ?? {}),
      encodings: ["json"],
      required: old["required"] === true,
    };
  const fields = parameters.filter((one) => one["in"] === "formData");
  if (fields.length > 0) {
    const required = fields.filter((one) => one["required"] === true).map((one) => String(one["name"]));
    const properties = Object.fromEntries(fields.map((one) => [String(one["name"]), one]));
    return {
      schema: { type: "object", properties, required },
      encodings: ["form"],
      required: required.length > 0,
    };
  }
  const body = resolveReference(root, operation["requestBody"] ?? {});
  if (!isJsonObject(body["content"])) return undefined;
  const contents = Object.entries(body["content"]);
  const encodings = contents.map(([type]) =>
    /json/.test(type) ? "json" : /urlencoded|form-data/.test(type) ? "form" : "other",
  );
  const best = contents.find(([type]) => /json/.test(type)) ?? contents[0];
  const schema = best && isJsonObject(best[1]) ? resolveReference(root, best[1]["schema"] ?? {}) : {};
  return { schema, encodings, required: body["required"] === true };
}

function findSuccess(root: JsonObject, operation: JsonObject): Map<number, Schema | undefined> {
  const success = new Map<number, Schema | undefined>();
  for (const [status, given] of Object.entries(
    isJsonObject(operation["responses"]) ? operation["responses"] : {},
  )) {
    const number = /^2\d\d$/.test(status)
      ? Number(status)
      : /^2XX$/i.test(status) || status === "default"
        ? 200
        : undefined;
    if (number === undefined || (status === "default" && success.size > 0)) continue;
    const response = resolveReference(root, given);
    const contents = isJsonObject(response["content"]) ? Object.entries(response["content"]) : [];
    const content = contents.find(([type]) => /json|\*/.test(type))?.[1];
    const schema = response["schema"] ?? (isJsonObject(content) ? content["schema"] : undefined);
    success.set(number, schema === undefined ? undefined : resolveReference(root, schema));
  }
  return success;
}

/** Google's own form: methods of resources, nested. */
function readDiscovery(root: JsonObject): OpenapiDocument {
  const operations: OpenapiOperation[] = [];
  const base = String(root["servicePath"] ?? "")
    .replace(/^\/?/, "/")
    .replace(/\/$/, "");
  const take = (holder: JsonObject): void => {
    for (const method of Object.values(isJsonObject(holder["methods"]) ? holder["methods"] : {}))
      if (isJsonObject(method)) operations.push(readDiscoveryMethod(root, base, method));
    for (const resource of Object.values(isJsonObject(holder["resources"]) ? holder["resources"] : {}))
      if (isJsonObject(resource)) take(resource);
  };
  take(root);
  return {
    title: String(root["title"] ?? ""),
    version: String(root["revision"] ?? root["version"] ?? ""),
    operations,
    root,
  };
}

function readDiscoveryMethod(root: JsonObject, base: string, method: JsonObject): OpenapiOperation {
  const own = {
    ...(isJsonObject(root["parameters"]) ? root["parameters"] : {}),
    ...(isJsonObject(method["parameters"]) ? method["parameters"] : {}),
  };
  const bare = `/${String(method["flatPath"] ?? method["path"])}`.replace("//", "/");
  const findJsonSchema = (holder: Json | undefined): Schema | undefined =>
    isJsonObject(holder) ? resolveReference(root, holder) : undefined;
  const body = findJsonSchema(method["request"]);
  return {
    method: String(method["httpMethod"]),
    path: `${base}${bare}`,
    bare,
    parameters: Object.entries(own).flatMap(([name, given]) =>
      isJsonObject(given) ? [buildParameter(root, { ...given, name, in: given["location"] ?? "query" })] : [],
    ),
    ...(body && { body: { schema: body, encodings: ["json" as const], required: true } }),
    success: new Map([[200, findJsonSchema(method["response"])]]),
  };
}

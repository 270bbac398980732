/** Reads an OpenAPI document into comparable operations: parameters, bodies and answers, with references resolved. */

export type Schema = Record<string, unknown>;

export interface Parameter {
  place: string;
  name: string;
  required: boolean;
  schema: Schema;
}

/** The schema of a body for one media type. */
export interface Content {
  media: string;
  schema: Schema;
}

export interface Operation {
  /** `POST /write/v1/projects/{}/…`: without the names in braces, which differ between documents. */
  name: string;
  parameters: Parameter[];
  request?: { required: boolean; content: Content[] };
  /** Contents by status, or `default`. */
  responses: Map<string, Content[]>;
}

export interface Document {
  root: Schema;
  operations: Map<string, Operation>;
}

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Reads a document and adds `prefix` to every path, by default that of its server. Throws for other JSON. */
export function readDocument(json: unknown, prefix = nameSurface(json)): Document {
  const root = asSchema(json);
  if (!isSchema(root["paths"])) throw new Error("this is no OpenAPI document: it has no `paths`");
  const operations = new Map<string, Operation>();
  for (const [path, item] of Object.entries(root["paths"])) {
    for (const method of METHODS) {
      const described = asSchema(item)[method];
      if (!isSchema(described)) continue;
      const name = `${method.toUpperCase()} ${prefix}${path.replaceAll(/\{\w+\}/g, "{}")}`;
      operations.set(name, readOperation(root, name, asSchema(item), described));
    }
  }
  return { root, operations };
}

/** `https://write.example.com/v1` serves what Busbar serves at `/write/v1`. */
function nameSurface(json: unknown): string {
  const [server] = asList(asSchema(json)["servers"]);
  const url = URL.parse(String(asSchema(server)["url"] ?? ""));
  if (!url) return "";
  const [label = ""] = url.hostname.split(".");
  const path = url.pathname.replace(/\/$/, "");
  return ["write", "read", "search"].includes(label) ? `/${label}${path}` : path;
}

function readOperation(root: Schema, name: string, item: Schema, described: Schema): Operation {
  const parameters = [...asList(item["parameters"]), ...asList(described["parameters"])].map((given) => {
    const parameter = resolve(root, asSchema(given));
    return {
      place: String(parameter["in"]),
      name: String(parameter["name"]),
      required: parameter["required"] === true,
      schema: asSchema(parameter["schema"]),
    };
  });
  const body = isSchema(described["requestBody"]) ? resolve(root, described["requestBody"]) : undefined;
  const responses = Object.entries(asSchema(described["responses"])).map(
    ([status, response]) => [status, readContent(resolve(root, asSchema(response)))] as const,
  );
  return {
    name,
    parameters,
    ...(body && { request: { required: body["required"] === true, content: readContent(body) } }),
    responses: new Map(responses),
  };
}

const readContent = (described: Schema): Content[] =>
  Object.entries(asSchema(described["content"])).map(([media, value]) => ({
    media,
    schema: asSchema(asSchema(value)["schema"]),
  }));

/** Returns the target of a `$ref`, or the value itself. Throws if the target does not exist. */
export function resolve(root: Schema, value: Schema): Schema {
  const ref = value["$ref"];
  if (typeof ref !== "string") return value;
  let found: unknown = root;
  for (const part of ref.replace(/^#\//, "").split("/")) {
    found = asSchema(found)[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  if (!isSchema(found)) throw new Error(`${ref} leads nowhere`);
  return resolve(root, found);
}

export const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const asSchema = (value: unknown): Schema => (isSchema(value) ? value : {});
export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

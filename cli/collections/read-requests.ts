/** Reads what a collection needs from the server's description: one request per operation, by tag. */
import {
  isObject,
  listObjectsAt,
  requireObject,
  getTextAt,
  getValueAt,
  type Json,
  type JsonObject,
} from "../http/json.ts";

export interface CollectionFolder {
  name: string;
  description: string;
  requests: CollectionRequest[];
}

export interface CollectionRequest {
  name: string;
  operationId: string;
  description: string;
  method: string;
  /** The address, with path parameters as variables, `{{groupRef}}`, which Postman and Bruno write alike. */
  path: string;
  /** Names of the path parameters. */
  variables: string[];
  query: CollectionParameter[];
  headers: CollectionParameter[];
  needsCredential: boolean;
  /** Media type of the body; undefined without a body. Only JSON has an example. */
  media?: string;
  body?: Json;
  answers: { name: string; status: number; body: Json }[];
}

export interface CollectionParameter {
  name: string;
  value: string;
  description: string;
  isRequired: boolean;
}

/** Returns the folders in the order of the description's tags; without those that have no requests. */
export function readRequests(description: JsonObject): CollectionFolder[] {
  const all = Object.entries(requireObject(description["paths"])).flatMap(([path, item]) =>
    Object.entries(requireObject(item)).map(([method, operation]) => ({
      tag: findFirstText(getValueAt(operation, "tags")),
      request: readRequest(method, path, requireObject(operation)),
    })),
  );
  return listObjectsAt(description, "tags").flatMap((tag) => {
    const name = getTextAt(tag, "name") ?? "";
    const requests = all.filter((one) => one.tag === name).map(({ request }) => request);
    return requests.length > 0 ? [{ name, description: getTextAt(tag, "description") ?? "", requests }] : [];
  });
}

const findFirstText = (value: Json | undefined): string | undefined =>
  Array.isArray(value) ? value.find((one) => typeof one === "string") : undefined;

function readRequest(method: string, path: string, operation: JsonObject): CollectionRequest {
  const parameters = listObjectsAt(operation, "parameters");
  const readParameters = (place: string) =>
    parameters.filter((one) => one["in"] === place).map(readParameter);
  const content = getValueAt(operation, "requestBody.content");
  const media = isObject(content) ? Object.keys(content)[0] : undefined;
  const [example] = media === undefined ? [] : readExamples(isObject(content) ? content[media] : undefined);
  return {
    name: getTextAt(operation, "summary") ?? "",
    operationId: getTextAt(operation, "operationId") ?? "",
    description: getTextAt(operation, "description") ?? "",
    method: method.toUpperCase(),
    path: path.replaceAll(/\{(\w+)\}/g, "{{$1}}"),
    variables: readParameters("path").map(({ name }) => name),
    query: readParameters("query"),
    headers: readParameters("header"),
    needsCredential: !Array.isArray(operation["security"]) || operation["security"].length > 0,
    ...(media !== undefined && { media }),
    ...(example && { body: example.value }),
    answers: Object.entries(requireObject(operation["responses"])).flatMap(([status, answer]) =>
      readExamples(isObject(answer) ? toJson(answer) : undefined).map(({ name, value }) => ({
        name: name || (getTextAt(answer, "description") ?? status),
        status: Number(status),
        body: value,
      })),
    ),
  };
}

/** Names of media types have dots and slashes, so they are no path. */
function toJson(answer: JsonObject): Json | undefined {
  const { content } = answer;
  return isObject(content) ? content["application/json"] : undefined;
}

function readParameter(parameter: JsonObject): CollectionParameter {
  const { example } = parameter;
  return {
    name: getTextAt(parameter, "name") ?? "",
    value: typeof example === "string" ? example : example === undefined ? "" : JSON.stringify(example),
    description: getTextAt(parameter, "description") ?? "",
    isRequired: parameter["required"] === true,
  };
}

function readExamples(media: Json | undefined): { name: string; value: Json }[] {
  if (!isObject(media)) return [];
  const { example, examples } = media;
  if (example !== undefined) return [{ name: "", value: example }];
  return Object.entries(isObject(examples) ? examples : {}).flatMap(([name, one]) =>
    isObject(one) && one["value"] !== undefined ? [{ name, value: one["value"] }] : [],
  );
}

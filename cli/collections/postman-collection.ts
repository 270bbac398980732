/** Writes a collection for Postman, in its format 2.1. */
import type { JsonObject } from "../http/json.ts";
import type { CollectionFolder, CollectionParameter, CollectionRequest } from "./read-requests.ts";

/** The format: github.com/postmanlabs/schemas. Postman recognises a collection by this address. */
const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

export function buildPostmanCollection(
  folders: CollectionFolder[],
  variables: Record<string, string>,
): JsonObject {
  return {
    info: { name: "Busbar", schema: SCHEMA },
    auth: {
      type: "apikey",
      apikey: Object.entries({ key: "X-Api-Key", value: "{{apiKey}}", in: "header" }).map(([key, value]) => ({
        key,
        value,
        type: "string",
      })),
    },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value, type: "string" })),
    item: folders.map(({ name, description, requests }) => ({
      name,
      description,
      item: requests.map((request) => ({
        name: request.name,
        request: writeRequest(request),
        response: request.answers.map(({ name: title, status, body }) => ({
          name: title,
          originalRequest: writeRequest(request),
          code: status,
          _postman_previewlanguage: "json",
          header: [{ key: "Content-Type", value: "application/json" }],
          body: JSON.stringify(body, null, 2),
        })),
      })),
    })),
  };
}

function writeRequest(request: CollectionRequest): JsonObject {
  const { method, path, query, headers, media, body, description, needsCredential } = request;
  const type = media === undefined ? [] : [{ key: "Content-Type", value: media }];
  const sent = query.filter(({ isRequired }) => isRequired).map(({ name, value }) => `${name}=${value}`);
  return {
    method,
    description,
    ...(!needsCredential && { auth: { type: "noauth" } }),
    header: [...type, ...headers.map(writeParameter)],
    url: {
      raw: `{{baseUrl}}${path}${sent.length > 0 ? `?${sent.join("&")}` : ""}`,
      host: ["{{baseUrl}}"],
      path: path.slice(1).split("/"),
      query: query.map(writeParameter),
    },
    ...(body !== undefined && {
      body: { mode: "raw", raw: JSON.stringify(body, null, 2), options: { raw: { language: "json" } } },
    }),
  };
}

/** Writes a parameter. Optional ones are listed, but not sent until they are ticked. */
const writeParameter = ({ name, value, description, isRequired }: CollectionParameter): JsonObject => ({
  key: name,
  value,
  description,
  ...(!isRequired && { disabled: true }),
});

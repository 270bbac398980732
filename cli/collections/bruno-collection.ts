/** Writes a collection for Bruno: a folder of text files in its language, one per request. */
import type { CollectionFolder, CollectionParameter, CollectionRequest } from "./read-requests.ts";

/** Returns the text of every file by its path in the collection. The language: docs.usebruno.com, "Bru Lang". */
export function buildBrunoCollection(
  folders: CollectionFolder[],
  variables: Record<string, string>,
): Record<string, string> {
  const { apiKey = "", ...plain } = variables;
  const files: Record<string, string> = {
    "bruno.json": `${JSON.stringify({ version: "1", name: "Busbar", type: "collection", ignore: [] }, null, 2)}\n`,
    "collection.bru": formatBlock("auth", ["mode: apikey"]) + apiKeyBlock,
    // Bruno keeps the values of secret variables outside the folder, so the key is not committed with it.
    "environments/Busbar.bru":
      formatBlock("vars", [
        ...Object.entries(plain).map(([name, value]) => `${name}: ${value}`),
        ...(apiKey ? [`apiKey: ${apiKey}`] : []),
      ]) + (apiKey ? "" : "vars:secret [\n  apiKey\n]\n"),
  };
  for (const [index, { name, description, requests }] of folders.entries()) {
    files[`${name}/folder.bru`] =
      formatBlock("meta", [`name: ${name}`, `seq: ${index + 1}`]) +
      formatBlock("docs", description.split("\n"));
    for (const [at, request] of requests.entries())
      files[`${name}/${request.operationId}.bru`] = writeRequest(request, at + 1);
  }
  return files;
}

const formatBlock = (name: string, lines: string[]): string =>
  `${name} {\n${lines.map((line) => (line === "" ? "" : `  ${line}`)).join("\n")}\n}\n\n`;

const apiKeyBlock = formatBlock("auth:apikey", ["key: X-Api-Key", "value: {{apiKey}}", "placement: header"]);

function writeRequest(request: CollectionRequest, seq: number): string {
  const { name, method, path, query, headers, media, body, description, needsCredential } = request;
  const sent = query.filter(({ isRequired }) => isRequired).map((one) => `${one.name}=${one.value}`);
  const url = `{{baseUrl}}${path}${sent.length > 0 ? `?${sent.join("&")}` : ""}`;
  const type = media === undefined || body !== undefined ? [] : [`Content-Type: ${media}`];
  return [
    formatBlock("meta", [`name: ${name}`, "type: http", `seq: ${seq}`]),
    formatBlock(method.toLowerCase(), [
      `url: ${url}`,
      `body: ${body === undefined ? "none" : "json"}`,
      `auth: ${needsCredential ? "inherit" : "none"}`,
    ]),
    query.length > 0 ? formatBlock("params:query", query.map(writeParameter)) : "",
    headers.length + type.length > 0 ? formatBlock("headers", [...type, ...headers.map(writeParameter)]) : "",
    body === undefined ? "" : formatBlock("body:json", JSON.stringify(body, null, 2).split("\n")),
    description ? formatBlock("docs", description.split("\n")) : "",
  ].join("");
}

/** Writes a parameter. Optional ones are listed, but not sent until they are ticked. */
const writeParameter = ({ name, value, isRequired }: CollectionParameter): string =>
  `${isRequired ? "" : "~"}${name}: ${value}`;

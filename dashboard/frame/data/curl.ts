/** Shows a call of the API as curl; the key stays a variable of the shell. */
import { buildRequest, type OperationId } from "../../api/call.ts";

export function buildCurl(
  origin: string,
  operationId: OperationId,
  input: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): string {
  const { method, url, body } = buildRequest(operationId, input);
  const json: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
  return writeCurl({ method, url: origin + url, headers: { ...json, ...headers }, body });
}

/** Shows a request to any address of Busbar, as that of the proxy. */
export function writeCurl(request: {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}): string {
  const { method, url, headers, body } = request;
  const way = { GET: "", HEAD: "--head " }[method] ?? `-X ${method} `;
  const lines = [
    `curl ${way}${quote(url)}`,
    `-H "X-Api-Key: $BUSBAR_API_KEY"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ];
  return lines.join(" \\\n  ");
}

/** A word of a POSIX shell in which nothing is special. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

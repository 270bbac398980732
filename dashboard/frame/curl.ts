/** Shows a call of the API as curl; the key stays a variable of the shell. */
import { requestOf, type OperationId } from "../api/call.ts";

export function curlOf(
  origin: string,
  operationId: OperationId,
  input: Readonly<Record<string, unknown>>,
): string {
  const { method, url, body } = requestOf(operationId, input);
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(origin + url)}`,
    `-H "X-Api-Key: $BUSBAR_API_KEY"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(body)}`]),
  ];
  return lines.join(" \\\n  ");
}

/** A word of a POSIX shell in which nothing is special. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

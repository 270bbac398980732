/**
 * Writes the examples of the API reference: requests and answers of a real Busbar, from calls of every
 * operation, with ids, times, secrets and addresses replaced and long lists shortened. Run it with `npm run examples`.
 */
import { writeFile } from "node:fs/promises";
import type { Example } from "../server/http/openapi/openapi-examples.ts";
import { recordEveryOperation } from "../tests/journeys/every-operation/every-operation.ts";
import { formatCompactly } from "./compact-json.ts";
import { anonymize } from "./examples/anonymous.ts";
import { shorten } from "./examples/shorten.ts";

const examples: Record<string, Example[]> = {};
const calls = await recordEveryOperation();
// Left out: the document contains the examples, so it would grow with every run.
for (const { operationId, refusedWith: _refusedWith, ...said } of calls.filter(
  (one) => one.operationId !== "getOpenApi",
)) {
  const known = (examples[operationId] ??= []);
  if (known.length === 0 || said.title !== undefined) known.push(shorten(said) as Example);
}
const ordered = Object.fromEntries(Object.entries(examples).toSorted(([a], [b]) => (a < b ? -1 : 1)));
await writeFile(
  "server/api/docs/examples.json",
  `${formatCompactly(JSON.parse(anonymize(JSON.stringify(ordered, null, 2))))}\n`,
);

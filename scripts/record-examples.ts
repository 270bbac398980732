/**
 * Writes the examples of openapi.json: requests and answers of a real Busbar, from the walk through every operation,
 * with ids, times, secrets and addresses of that run replaced and long lists cut. Run it with `npm run examples`, and `npm run generate` afterwards.
 */
import { writeFile } from "node:fs/promises";
import type { Example } from "../server/http/openapi.ts";
import { walkEveryOperation } from "../tests/journeys/every-operation/every-operation.ts";
import { anonymous } from "./examples/anonymous.ts";
import { shortened } from "./examples/shortened.ts";

const examples: Record<string, Example[]> = {};
const heard = await walkEveryOperation();
// What contains itself would grow with every run.
for (const { operationId, refusedWith: _refusedWith, ...said } of heard.filter(
  (one) => one.operationId !== "getOpenApi",
)) {
  const known = (examples[operationId] ??= []);
  if (known.length === 0 || said.title !== undefined) known.push(shortened(said) as Example);
}
const ordered = Object.fromEntries(Object.entries(examples).toSorted(([a], [b]) => (a < b ? -1 : 1)));
await writeFile("server/api/docs/examples.json", `${anonymous(JSON.stringify(ordered, null, 2))}\n`);

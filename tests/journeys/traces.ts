/** Counts what a request could have left behind, in the database and at the provider. */
import type { TestBusbar } from "../harness/busbar.ts";
import { queryOnce } from "../harness/database.ts";

const TABLES = [
  "integrations",
  "revisions",
  "groups",
  "connections",
  "installations",
  "configs",
  "operations",
];

export async function readTraces(busbar: TestBusbar): Promise<Record<string, unknown>> {
  const counts = TABLES.map((table) => `(select count(*) from ${table}) as ${table}`);
  const [row] = await queryOnce(busbar.connectionString, `select ${counts.join(", ")}`);
  return { ...row, sent: busbar.sandbox.requests().length };
}

/** Counts what a request could have left behind, in the database and at the provider. */
import { Client } from "pg";
import type { TestBusbar } from "../harness/busbar.ts";

async function query(
  busbar: TestBusbar,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: busbar.connectionString });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}

const TABLES = [
  "integrations",
  "revisions",
  "groups",
  "connections",
  "installations",
  "configs",
  "operations",
];

export async function traces(busbar: TestBusbar): Promise<Record<string, unknown>> {
  const counts = TABLES.map((table) => `(select count(*) from ${table}) as ${table}`);
  const [row] = await query(busbar, `select ${counts.join(", ")}`);
  return { ...row, sent: busbar.sandbox.requests().length };
}

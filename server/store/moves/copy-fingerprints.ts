/**
 * Copies what a customer may have a million of: the fingerprints of its records, with the objects that they belong to. It can be
 * repeated, and then copies what has changed only, so that all is copied while the customer is served, and the rest while it is refused.
 */
import { DatabaseError, type ClientBase } from "pg";
import { copyRows, insertLines } from "./copy-rows.ts";
import { CUSTOMER_TABLES, matchCustomer, type MovedCustomer } from "./customer-tables.ts";

/** Fewer changed rows than that are left to the copy while the customer is refused. */
const FEW_ROWS = 1_000;
const MAX_PASSES = 3;

/** Copies while the customer is served, in a transaction of each database for each pass. Returns the number of rows. */
export async function copyAhead(from: ClientBase, to: ClientBase, customer: MovedCustomer): Promise<number> {
  let count = 0;
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    const copied = await copyOnce(from, to, customer);
    count += copied;
    if (copied < FEW_ROWS) break;
  }
  return count;
}

async function copyOnce(from: ClientBase, to: ClientBase, customer: MovedCustomer): Promise<number> {
  await from.query("begin isolation level repeatable read read only");
  await to.query("begin");
  try {
    const count = await copyFingerprints(from, to, customer);
    await to.query("commit");
    return count;
  } catch (error) {
    await to.query("rollback");
    // An installation was made or removed just now, whose copy is in one of the databases only: its rows are copied later.
    if (error instanceof DatabaseError && error.code === "23503") return 0;
    throw error;
  } finally {
    await from.query("rollback");
  }
}

/** Makes the rows of the new shard equal to those of the old one. Call it in a transaction of each. Returns the number of copied rows. */
export async function copyFingerprints(
  from: ClientBase,
  to: ClientBase,
  customer: MovedCustomer,
): Promise<number> {
  await copyObjects(from, to, customer);
  const mine = matchCustomer(from, CUSTOMER_TABLES.readFingerprints, customer);
  const [wanted, present] = await Promise.all([sumUp(from, mine), sumUp(to, mine)]);
  const differing = [...new Set([...wanted.keys(), ...present.keys()])].filter(
    (bucket) => wanted.get(bucket) !== present.get(bucket),
  );
  if (differing.length === 0) return 0;
  const where = present.size === 0 ? mine : `${mine} and ${BUCKET} = any('{${differing.join()}}'::integer[])`;
  // All of them before any is inserted: servers may divide the rows differently.
  await to.query(`delete from read_fingerprints where ${where}`);
  return copyRows(from, to, { table: "read_fingerprints", where });
}

/** About 15 rows of a million are in one of the 65,536. */
const BUCKET = "(hashtext(record_id) & 65535)";

/** Returns a hash of the rows in each bucket. */
async function sumUp(client: ClientBase, mine: string): Promise<Map<number, string>> {
  const { rows } = await client.query<{ bucket: number; sum: string }>(
    `select ${BUCKET} as bucket, count(*) || ' ' || bit_xor(hash_record_extended(entry, 0)) as sum
     from read_fingerprints as entry where ${mine} group by 1`,
  );
  return new Map(rows.map(({ bucket, sum }) => [bucket, sum]));
}

/** Replaces the objects; the fingerprints of one that is left stay. */
async function copyObjects(from: ClientBase, to: ClientBase, customer: MovedCustomer): Promise<void> {
  const mine = matchCustomer(from, CUSTOMER_TABLES.readObjects, customer);
  const { rows } = await from.query<{ line: string }>(
    `select row_to_json(entry)::text as line from read_objects as entry where ${mine}`,
  );
  const lines = rows.map(({ line }) => line);
  await to.query(
    `delete from read_objects where ${mine} and (installation_id, object_name) not in (
       select installation_id, object_name from json_populate_recordset(null::read_objects, $1))`,
    [`[${lines.join(",")}]`],
  );
  await insertLines(to, { table: "read_objects", key: "installation_id, object_name" }, lines);
}

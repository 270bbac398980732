/** Copies rows of a table from one database into another, in batches that fit into memory. */
import type { ClientBase } from "pg";

/** Rows fetched at once: few enough for rows with whole messages. */
const FETCHED_ROWS = 200;

interface CopiedRows {
  table: string;
  /** Condition, and order if it matters. */
  where: string;
  orderBy?: string;
  /** Column whose value the target gives. */
  numbered?: string;
  /** Columns of the primary key: a row that is there already gets the other values. By default it stays as it is. */
  key?: string;
  /** Column that is greater in the row that counts. */
  laterBy?: string | undefined;
}

/** Copies within a transaction of each database. Returns the number of rows read. */
export async function copyRows(from: ClientBase, to: ClientBase, rows: CopiedRows): Promise<number> {
  const { table, where, orderBy } = rows;
  let count = 0;
  await from.query(
    `declare moved no scroll cursor for select row_to_json(entry)::text as line from ${table} as entry
     where ${where} ${orderBy === undefined ? "" : `order by ${orderBy}`}`,
  );
  for (;;) {
    const { rows: found } = await from.query<{ line: string }>(`fetch ${FETCHED_ROWS} from moved`);
    if (found.length === 0) break;
    count += found.length;
    await insertLines(
      to,
      rows,
      found.map(({ line }) => line),
    );
  }
  await from.query("close moved");
  return count;
}

/** Inserts rows, each the JSON of one. */
export async function insertLines(
  to: ClientBase,
  { table, numbered, key, laterBy }: Omit<CopiedRows, "where" | "orderBy">,
  lines: string[],
): Promise<void> {
  if (lines.length === 0) return;
  const json = `[${lines.join(",")}]`;
  if (table === "write_keys") {
    // The write has got another number here.
    await to.query(
      `insert into write_keys (record_key, seq, operation_id)
       select record_key, writes.seq, operation_id from json_populate_recordset(null::write_keys, $1::json) as key
         join writes using (operation_id)`,
      [json],
    );
    return;
  }
  const { rows } = await to.query<{ columns: string; values: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns,
       string_agg('excluded.' || quote_ident(attname), ', ' order by attnum) as values from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attname is distinct from $2`,
    [table, numbered ?? null],
  );
  const { columns = "", values = "" } = rows[0] ?? {};
  await to.query(
    `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1::json)
     on conflict ${key === undefined ? "do nothing" : `(${key}) do update set (${columns}) = row(${values})`}
       ${laterBy === undefined ? "" : `where ${table}.${laterBy} < excluded.${laterBy}`}`,
    [json],
  );
}

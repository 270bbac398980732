/**
 * The lines of a backup. The first character says what a line is:
 *
 *     H {"format": 1, "version": "0.1.0", "time": …, "migrations": […]}    once, first
 *     T operations                                                        the rows that follow belong to this table
 *     R {"id": …}                                                         one row; no line break inside
 *     S a                                                                 the tables that follow are those of a shard (format 2)
 *     E {"rows": 12, "sequences": {"worker_ids": "7"}}                     once, last: the backup is complete
 */
import type { Client } from "pg";

/** Format 2 has rows of several shards; versions that know format 1 alone cannot restore those. */
export const [FORMAT, SHARDED_FORMAT] = [1, 2];

export interface BackupHead {
  format: number;
  version: string;
  time: string;
  migrations: string[];
}

export interface BackupEnd {
  rows: number;
  /** Last value of each sequence that was used. */
  sequences: Record<string, string>;
}

/**
 * Lists the tables of a backup in an order in which no row refers to a later table: all tables that survive a crash, except the
 * list of migrations, and those of shards and of moves between them, which belong to this database and not to a restored one. Partitions belong to their table.
 */
export async function listBackupTables(client: Client): Promise<string[]> {
  const tables = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relpersistence = 'p'
       and not relispartition and relname not in ('migrations', 'shards', 'shard_moves', 'moving_customers')
     order by relname`,
  );
  const references = await client.query<{ name: string; target: string }>(
    `select conrelid::regclass::text as name, confrelid::regclass::text as target from pg_constraint
     where contype = 'f' and connamespace = current_schema()::regnamespace and conrelid <> confrelid`,
  );
  const ordered = new Set<string>();
  const visit = (name: string, path: string[]): void => {
    if (path.includes(name)) throw new Error(`tables refer to each other: ${[...path, name].join(", ")}`);
    for (const reference of references.rows)
      if (reference.name === name) visit(reference.target, [...path, name]);
    ordered.add(name);
  };
  for (const { name } of tables.rows) visit(name, []);
  return [...ordered];
}

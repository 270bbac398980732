/** Finds sealed values, which are on the control side: in every column whose name ends in `_sealed`. */
import { sql } from "kysely";
import type { ControlQueries } from "../database/sides.ts";
import { FIRST_ID } from "../../../ground/ids.ts";

/** Names in PostgreSQL's spelling, to which the seal is bound. */
export interface SealedColumn {
  table: string;
  column: string;
  /** Column whose value is bound as the project: the id itself, if a row belongs to no project. */
  owner: "project_id" | "id";
}

export interface SealedValue {
  id: string;
  projectId: string;
  sealed: string;
}

export async function listSealedColumns(queries: ControlQueries): Promise<SealedColumn[]> {
  const { rows } = await sql<{ tableName: string; columnName: string; owner: SealedColumn["owner"] }>`
    select table_name, column_name, case when exists (
        select from information_schema.columns as other
        where other.table_schema = sealed.table_schema and other.table_name = sealed.table_name and column_name = 'project_id'
      ) then 'project_id' else 'id' end as owner
    from information_schema.columns as sealed
    where table_schema = current_schema() and column_name like '%\\_sealed'
    order by table_name, column_name
  `.execute(queries);
  return rows.map(({ tableName, columnName, owner }) => ({ table: tableName, column: columnName, owner }));
}

/** Counts the values of the column by the key that sealed them. */
export async function countByKey(
  queries: ControlQueries,
  { table, column }: SealedColumn,
): Promise<{ keyId: string; count: number }[]> {
  const { rows } = await sql<{ keyId: string; count: number }>`
    select split_part(${sql.ref(column)}, '.', 2) as key_id, count(*)::int as count
    from ${sql.table(table)} where ${sql.ref(column)} is not null
    group by 1 order by 1
  `.execute(queries);
  return rows;
}

/** Returns the oldest and the newest value of the column that this key has sealed. */
export async function sampleSealedBy(
  queries: ControlQueries,
  { table, column, owner }: SealedColumn,
  keyId: string,
): Promise<SealedValue[]> {
  const sealedBy = sql`
    select id, ${sql.ref(owner)} as project_id, ${sql.ref(column)} as sealed
    from ${sql.table(table)}
    where split_part(${sql.ref(column)}, '.', 2) = ${keyId}`;
  const { rows } = await sql<SealedValue>`
    (${sealedBy} order by id limit 1) union (${sealedBy} order by id desc limit 1)`.execute(queries);
  return rows;
}

const BATCH = 500;

/** Yields the values of the column in the order of the rows' ids, except those sealed with `exceptKeyId`. */
export async function* listSealed(
  queries: ControlQueries,
  { table, column, owner }: SealedColumn,
  exceptKeyId: string | null = null,
): AsyncGenerator<SealedValue> {
  for (let afterId = FIRST_ID; ;) {
    const { rows } = await sql<SealedValue>`
      select id, ${sql.ref(owner)} as project_id, ${sql.ref(column)} as sealed
      from ${sql.table(table)}
      where ${sql.ref(column)} is not null and split_part(${sql.ref(column)}, '.', 2) is distinct from ${exceptKeyId}
        and id > ${afterId}::uuid
      order by id limit ${BATCH}
    `.execute(queries);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    afterId = last.id;
  }
}

/** Replaces a value if it has not changed since it was read; returns whether it has replaced it. */
export async function replaceSealed(
  queries: ControlQueries,
  { table, column }: SealedColumn,
  { id, sealed }: SealedValue,
  resealed: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${resealed}
    where id = ${id}::uuid and ${sql.ref(column)} = ${sealed}
  `.execute(queries);
  return numAffectedRows === 1n;
}

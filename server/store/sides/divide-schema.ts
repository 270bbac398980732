/**
 * Leaves a database with the tables of its side. Migrations create all tables in each database, so that each migration stays one
 * file; the tables of the other side, which are empty, are moved to a schema that no session searches.
 */
import type { ClientBase } from "pg";
import { StartError } from "../../../ground/errors.ts";

/** Schema of the tables that a database does not use. */
export const UNUSED = "busbar_unused";

/** Tables of a database, by their names in PostgreSQL. */
export interface Division {
  side: "control" | "data";
  unused: readonly string[];
  /** Tables that the data side has copies of. */
  shared: readonly string[];
  /** Tables whose rows go with rows of shared tables. */
  data: readonly string[];
}

/** Throws `StartError` if the database has the tables of one side only. */
export async function requireUndivided(client: ClientBase): Promise<void> {
  if (!(await isDivided(client))) return;
  throw new StartError(
    "the database of DATABASE_URL has the tables of one side only, and the other database is not named: set BUSBAR_DATA_DATABASE_URL to it",
  );
}

async function isDivided(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query("select from pg_namespace where nspname = $1", [UNUSED]);
  return rows.length > 0;
}

/** Lets the session find the unused tables, too, so that migrations can change them. */
export async function searchUnused(client: ClientBase): Promise<void> {
  if (!(await isDivided(client))) return;
  await client.query(
    "select set_config('search_path', quote_ident(current_schema()) || ', busbar_unused', false)",
  );
}

/**
 * Moves the unused tables away, drops references that the copies cannot have, and prepares the copies of the data side. Does
 * nothing in a database that is divided. Throws `StartError` for one with rows in a table that it is not to use.
 */
export async function divideSchema(client: ClientBase, division: Division): Promise<void> {
  const found = await findUnused(client, division.unused);
  if (found.length === 0) return;
  const { rows: filled } = await client.query<{ name: string }>(
    found.map((name) => `(select '${name}' as name from ${name} limit 1)`).join(" union all "),
  );
  if (filled[0])
    throw new StartError(
      `the database of DATABASE_URL has rows that belong into the other one (in ${filled[0].name}): a database that is in use ` +
        "cannot be divided; name an empty one",
    );
  await client.query("begin");
  try {
    await client.query(`create schema if not exists ${UNUSED}`);
    await client.query(found.map((name) => `alter table ${name} set schema ${UNUSED};`).join(" "));
    await dropReferences(client);
    if (division.side === "data") await prepareCopies(client, division);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** Lists those of the tables that are still in use, with their partitions. */
async function findUnused(client: ClientBase, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v') and (
       relname = any($1) or oid in (
         select inhrelid from pg_inherits join pg_class as parent on parent.oid = inhparent where parent.relname = any($1)))
     order by relkind = 'v' desc, relname`,
    [tables],
  );
  return rows.map(({ name }) => name);
}

/** Drops the foreign keys between tables in use and unused ones. */
async function dropReferences(client: ClientBase): Promise<void> {
  await client.query(`
    do $$
    declare reference record;
    begin
      for reference in
        select conrelid::regclass as name, conname from pg_constraint
          join pg_class as child on child.oid = conrelid join pg_class as parent on parent.oid = confrelid
        where contype = 'f' and child.relnamespace <> parent.relnamespace
          and '${UNUSED}'::regnamespace in (child.relnamespace, parent.relnamespace)
      loop
        execute format('alter table %s drop constraint %I', reference.name, reference.conname);
      end loop;
    end $$`);
}

/**
 * References to copies stay: a row cannot be stored before the copy of what it belongs to is there. But replication removes a copy
 * without what belongs to it, so a trigger notes it, and `remove_dependents` does the deletes in an ordinary session, in which
 * triggers and further references work. The triggers that tell caches of changes also fire for copies.
 */
async function prepareCopies(client: ClientBase, { shared, data }: Division): Promise<void> {
  const list = (names: readonly string[]) => names.map((name) => `'${name}'`).join(", ");
  await client.query(`
    create table if not exists removed_copies (
      position bigint generated always as identity primary key, table_name text not null, id uuid not null
    );
    create or replace function note_removed_copy() returns trigger language plpgsql as $$
    begin
      -- Replication runs without a search path.
      execute format('insert into %I.removed_copies (table_name, id) values ($1, $2)', tg_table_schema) using tg_table_name, old.id;
      return null;
    end $$;
    create or replace function remove_dependents() returns integer language plpgsql as $$
    declare
      removed record;
      dependent record;
      done integer := 0;
    begin
      for removed in select * from removed_copies order by position limit 100 for update skip locked loop
        for dependent in
          select conrelid::regclass as name, attname, confdeltype from pg_constraint
            join pg_class as child on child.oid = conrelid join pg_class as parent on parent.oid = confrelid
            join pg_attribute on attrelid = conrelid and attnum = conkey[1]
          where contype = 'f' and parent.relname = removed.table_name and child.relname in (${list(data)})
        loop
          if dependent.confdeltype = 'n' then
            execute format('update %s set %I = null where %2$I = $1', dependent.name, dependent.attname) using removed.id;
          else
            execute format('delete from %s where %I = $1', dependent.name, dependent.attname) using removed.id;
          end if;
        end loop;
        delete from removed_copies where position = removed.position;
        done := done + 1;
      end loop;
      return done;
    end $$;
    do $$
    declare one record;
    begin
      for one in
        select tgrelid::regclass as name, tgname from pg_trigger
          join pg_proc on pg_proc.oid = tgfoid join pg_class on pg_class.oid = tgrelid
        where not tgisinternal and proname in ('notify_change', 'notify_parent_change') and relname in (${list(shared)})
      loop
        execute format('alter table %s enable always trigger %I', one.name, one.tgname);
      end loop;
      for one in
        select distinct confrelid::regclass as name from pg_constraint
          join pg_class as child on child.oid = conrelid join pg_class as parent on parent.oid = confrelid
        where contype = 'f' and parent.relname in (${list(shared)}) and child.relname in (${list(data)})
      loop
        execute format(
          'create or replace trigger removed after delete on %s for each row execute function note_removed_copy()', one.name);
        execute format('alter table %s enable replica trigger removed', one.name);
      end loop;
    end $$`);
}

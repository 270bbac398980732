/** Writes that fail at the provider one after the other: counted until the next success, for the health of installations. */
import { sql } from "kysely";
import type { DataQueries } from "../database/sides.ts";

/** Writes of one kind. */
export interface WriteKind {
  installationId: string;
  /** The provider's name. */
  objectName: string;
  writeType: "create" | "update" | "upsert" | "delete";
}

/** Result of an ended write or batch, as evidence for all writes of its kind. */
export interface WriteVerdict extends WriteKind {
  operationId: string;
  /** Whether the provider wrote at least one record; false: it failed, or nobody knows. */
  works: boolean;
  time: Date;
}

/** Fewer in a row may be an accident of one record. */
export const FAILURES_IN_A_ROW = sql.lit(3);
/** How long after the last failure the streak counts. A customer who writes once a day is not healthy in between. */
export const FAILURES_COUNT_FOR = sql.lit("7 days");

interface Streak extends WriteKind {
  /** Whether there was a success; if so, the failures came after the last one. */
  healed: boolean;
  failures: number;
  since: Date;
  lastTime: Date;
  operationId: string;
}

/**
 * Counts what has ended, in its order. A batch whose commit had no answer is given again, perhaps with more behind it: what a streak
 * has counted of it is left out.
 */
export const noteWriteVerdicts = (queries: DataQueries, verdicts: WriteVerdict[]): Promise<void> =>
  queries.transaction().execute(async (inside) => {
    // One process at a time: of two that take the same rows in different orders, each would wait for the other.
    await sql`select pg_advisory_xact_lock(hashtext('failing_writes'))`.execute(inside);
    await storeStreaks(inside, joinVerdicts(await leaveOutCounted(inside, verdicts)));
  });

/** Ends the streaks of objects that the installation does not write any more: no success could end them. */
export const dropUnwrittenStreaks = async (
  queries: DataQueries,
  installationId: string,
  written: readonly string[],
): Promise<void> => {
  await sql`delete from failing_writes
    where installation_id = ${installationId} and object_name <> all(${written}::text[])`.execute(queries);
};

const nameKind = ({ installationId, objectName, writeType }: WriteKind): string =>
  JSON.stringify([installationId, objectName, writeType]);

/** Leaves out the verdicts up to the one with which the streak of their kind ends. */
async function leaveOutCounted(queries: DataQueries, verdicts: WriteVerdict[]): Promise<WriteVerdict[]> {
  const { rows } = await sql<WriteKind & { operationId: string }>`
    select installation_id, object_name, write_type, operation_id from failing_writes
    where operation_id = any(${verdicts.map(({ operationId }) => operationId)}::uuid[])
      and installation_id = any(${verdicts.map(({ installationId }) => installationId)}::uuid[])
  `.execute(queries);
  const counted = new Map(rows.map((row) => [nameKind(row), row.operationId]));
  const last = new Map<string, number>();
  for (const [index, verdict] of verdicts.entries())
    if (counted.get(nameKind(verdict)) === verdict.operationId) last.set(nameKind(verdict), index);
  return verdicts.filter((verdict, index) => index > (last.get(nameKind(verdict)) ?? -1));
}

async function storeStreaks(queries: DataQueries, streaks: readonly Streak[]): Promise<void> {
  const healed = streaks.filter((streak) => streak.healed);
  if (healed.length > 0)
    await sql`
      delete from failing_writes using unnest(
        ${healed.map(({ installationId }) => installationId)}::uuid[], ${healed.map(({ objectName }) => objectName)}::text[],
        ${healed.map(({ writeType }) => writeType)}::text[]) as healed (installation_id, object_name, write_type)
      where failing_writes.installation_id = healed.installation_id and failing_writes.object_name = healed.object_name
        and failing_writes.write_type = healed.write_type
    `.execute(queries);
  const failing = streaks.filter(({ failures }) => failures > 0);
  if (failing.length === 0) return;
  const isOld = sql`failing_writes.last_time < excluded.last_time - interval ${FAILURES_COUNT_FOR}`;
  await sql`
    insert into failing_writes (installation_id, object_name, write_type, failures, since, last_time, operation_id)
    select * from unnest(
      ${failing.map(({ installationId }) => installationId)}::uuid[], ${failing.map(({ objectName }) => objectName)}::text[],
      ${failing.map(({ writeType }) => writeType)}::text[], ${failing.map(({ failures }) => failures)}::integer[],
      ${failing.map(({ since }) => since)}::timestamptz[], ${failing.map(({ lastTime }) => lastTime)}::timestamptz[],
      ${failing.map(({ operationId }) => operationId)}::uuid[]
    ) as failing (installation_id, object_name, write_type, failures, since, last_time, operation_id)
    where exists (select from installations where installations.id = failing.installation_id)
    on conflict (installation_id, object_name, write_type) do update set
      failures = case when ${isOld} then 0 else failing_writes.failures end + excluded.failures,
      since = case when ${isOld} then excluded.since else failing_writes.since end,
      last_time = excluded.last_time, operation_id = excluded.operation_id
  `.execute(queries);
}

/** Returns one row for each kind. */
function joinVerdicts(verdicts: readonly WriteVerdict[]): Streak[] {
  const streaks = new Map<string, Streak>();
  for (const { works, time, operationId, ...kind } of verdicts) {
    const key = nameKind(kind);
    const known = streaks.get(key) ?? {
      ...kind,
      healed: false,
      failures: 0,
      since: time,
      lastTime: time,
      operationId,
    };
    streaks.set(key, {
      ...known,
      healed: known.healed || works,
      failures: works ? 0 : known.failures + 1,
      since: known.failures === 0 ? time : known.since,
      lastTime: time,
      operationId,
    });
  }
  return [...streaks.values()];
}

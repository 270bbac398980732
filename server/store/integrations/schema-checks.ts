/**
 * Schema watch: which integrations ask for changes of fields, and which installations are to be checked.
 *
 *     watched   a row of `schema_watches`, from the deployment that asks for it to the one that no longer does
 *     due       a row of `schema_looks`, made at each tick of the schedule for every installation without one, spread over
 *               an hour
 *     checking   claimed: `due_time` lies ahead by the length of a lease; when the process dies, the check is due again
 *     ended     the row is gone until the next tick
 */
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { isDatabaseAway } from "../database/database-outage.ts";
import { IS_OWN_INSTALLATION, isHere } from "../database/own-customers.ts";
import { queueOutbox } from "../database/outbox.ts";
import type { ControlQueries, DataQueries } from "../database/sides.ts";

/** Schedule if the manifest names none. */
const DAILY = "0 */24 * * *";

/**
 * Starts or ends the watch of a deployed integration. The end removes the baselines: fields that change meanwhile are not
 * reported later.
 */
export async function followDeployedWatch(
  queries: ControlQueries,
  { projectId, integrationId, content }: { projectId: string; integrationId: string; content: unknown },
): Promise<void> {
  const { rows } = await sql<{ ended: boolean }>`
    with manifest as (
      select ${JSON.stringify(content)}::json -> 'watchSchema' as watch
    ), ended as (
      delete from schema_watches using manifest
      where integration_id = ${integrationId} and json_typeof(watch) is distinct from 'object'
      returning integration_id
    ), begun as (
      insert into schema_watches as known (integration_id, schedule)
      select ${integrationId}::uuid, coalesce(nullif(watch ->> 'schedule', ''), ${DAILY})
      from manifest where json_typeof(watch) = 'object'
      on conflict (integration_id) do update set
        schedule = excluded.schedule,
        next_time = case when known.schedule = excluded.schedule then known.next_time else now() end
    )
    select exists (select from ended) as ended
  `.execute(queries);
  if (rows[0]?.ended)
    await queueOutbox(queries, [{ projectId, kind: "ended-watch", content: { integrationId } }]);
}

/**
 * Finds up to `max` integrations whose tick has come, creates checks for their installations, each at its own time within
 * `spreadMs`, and sets the next ticks. An installation with an unfinished check gets no other one. So two processes may do this
 * at once, and it can be repeated after a crash. Customers of a shard that is away are checked at the next tick. Returns the number of
 * integrations.
 */
export async function startDueChecks(
  { control, shards }: Pick<Database, "control" | "shards">,
  { max, spreadMs, nextTick }: { max: number; spreadMs: number; nextTick: (schedule: string) => Date },
): Promise<number> {
  const due = await control
    .selectFrom("schemaWatches")
    .select(["integrationId", "schedule"])
    .where("nextTime", "<=", sql<Date>`now()`)
    .orderBy("nextTime")
    .limit(max)
    .execute();
  if (due.length === 0) return 0;
  const ids = due.map(({ integrationId }) => integrationId);
  const created = await Promise.allSettled(shards.map(({ data }) => createChecks(data, ids, spreadMs)));
  for (const one of created)
    if (one.status === "rejected" && (shards.length === 1 || !isDatabaseAway(one.reason))) throw one.reason;
  await sql`
    update schema_watches set next_time = tick.next_time
    from unnest(${ids}::uuid[], ${due.map(({ schedule }) => nextTick(schedule))}::timestamptz[])
      as tick (integration_id, next_time)
    where schema_watches.integration_id = tick.integration_id and schema_watches.next_time <= now()
  `.execute(control);
  return due.length;
}

/** Creates checks for the customers of one shard. */
const createChecks = (queries: DataQueries, ids: string[], spreadMs: number) =>
  sql`
    insert into schema_looks (installation_id, integration_id, due_time)
    select id, integration_id,
      -- Fraction of the hour that is always the same for the installation.
      now() + make_interval(secs => ('x' || right(id::text, 8))::bit(32)::bigint / 4294967296.0
        * ${spreadMs}::double precision / 1000)
    from installations where integration_id = any(${ids}::uuid[]) and ${IS_OWN_INSTALLATION}
    on conflict do nothing
  `.execute(queries);

export interface SchemaCheck {
  installationId: string;
  integrationId: string;
  projectId: string;
  /** Number of attempts, this one included. */
  attempts: number;
}

/** Claims the check that is due for longest, with a lease. Skips projects that are `full`. */
export async function claimSchemaCheck(
  queries: DataQueries,
  { leaseMs, full }: { leaseMs: number; full: string[] },
): Promise<SchemaCheck | undefined> {
  const { rows } = await sql<SchemaCheck>`/* prepare claim-schema-check */
    with due as (
      select installation_id from schema_looks join installations on installations.id = installation_id
      where due_time <= now() and project_id <> all(${full}::uuid[]) and ${isHere(sql`installation_id`)}
      order by due_time limit 1 for update of schema_looks skip locked
    )
    update schema_looks
    set attempts = attempts + 1, due_time = now() + make_interval(secs => ${leaseMs}::double precision / 1000)
    from due, installations
    where schema_looks.installation_id = due.installation_id and installations.id = due.installation_id
    returning schema_looks.installation_id, schema_looks.integration_id, installations.project_id, attempts
  `.execute(queries);
  return rows[0];
}

export async function endSchemaCheck(
  queries: DataQueries,
  { installationId, attempts }: SchemaCheck,
): Promise<void> {
  await queries
    .deleteFrom("schemaLooks")
    .where("installationId", "=", installationId)
    // Otherwise another process has taken over the check.
    .where("attempts", "=", attempts)
    .execute();
}

/** Makes a check due again after a delay. */
export async function postponeSchemaCheck(
  queries: DataQueries,
  { installationId, attempts }: SchemaCheck,
  delayMs: number,
): Promise<void> {
  await queries
    .updateTable("schemaLooks")
    .set({ dueTime: sql<Date>`now() + make_interval(secs => ${delayMs}::double precision / 1000)` })
    .where("installationId", "=", installationId)
    .where("attempts", "=", attempts)
    .execute();
}

/** Stores why an object's fields cannot be read, with the time of the first refusal in a row; null: they can be. */
export async function saveSchemaRefusal(
  queries: DataQueries,
  {
    installationId,
    objectName,
    detail,
  }: { installationId: string; objectName: string; detail: string | null },
): Promise<void> {
  await sql`
    update read_objects set schema_refusal = case when ${detail}::text is not null then jsonb_build_object(
      'detail', ${detail}::text, 'since', coalesce(schema_refusal -> 'since', to_jsonb(now()))) end
    where installation_id = ${installationId} and object_name = ${objectName}
      and schema_refusal ->> 'detail' is distinct from ${detail}
      -- Not after the end of the watch, which forgets what was refused.
      and exists (select from schema_looks where schema_looks.installation_id = ${installationId} for key share)
  `.execute(queries);
}

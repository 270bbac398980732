/** Commits pages of reads: messages, checkpoint, progress and fingerprints in one commit. */
import { sql, type RawBuilder } from "kysely";
import type { JsonObject } from "../../../ground/json.ts";
import type { DataQueries } from "../database/sides.ts";
import type { EventRow } from "../deliveries/events.ts";
import { buildDatedFields } from "../integrations/installation-health.ts";
import { addTimes, type LogEntry } from "../operations/operations.ts";
import { ReusedBuffers } from "./reused-buffers.ts";
import type { SeenRow } from "./seen-records.ts";
import { toStorableJson, toStoredJson } from "../database/stored-json.ts";
import { buildWakeColumn } from "../database/wake-ups.ts";

export interface Fingerprint {
  recordId: string;
  changeTime: Date;
  hash: Buffer;
}

/** End of a run. */
export interface RunEnd {
  status: "success" | "failure";
  result: string;
  /** New cursor of the object. */
  cursor?: { cursorTime: Date; settled: boolean; deletionsTime?: Date; forgetBefore: Date };
  /** Pauses the object automatically, for this reason. */
  pause?: { error: string; time: string };
  /** Whether it counts as one of the failures that pause an object; a success resets their number. */
  countsAsFailure?: boolean;
  /** Subject of a failure, which the installation's health reports until the next success. */
  failure?: { type: "field" | "object" | "read"; name: string; detail: string };
  /** Set for a success: optional fields that the provider refused or does not have. */
  missingFields?: string[];
  event?: EventRow;
}

export interface PageMessage {
  id: string;
  projectId: string;
  type: string;
  /** JSON text. */
  data: string;
  destinationId: string;
  /** Whether the message is held until it is requested (`held-messages.ts`); call `releaseHeld` after the commit. */
  held: boolean;
  traceparent?: string | undefined;
}

export interface ReadPageCommit {
  operationId: string;
  workerId: number;
  untilTime: Date | null;
  stage: "records" | "deletions";
  checkpoint: JsonObject | null;
  /** Merged into the metadata of the operation. */
  metadata: JsonObject;
  log: LogEntry[];
  messages: PageMessage[];
  /** Records of each message, and those that the page left out. */
  seen: SeenRow[];
  fingerprints: Fingerprint[];
  /** Records whose fingerprints are removed: they are delivered when they appear again. */
  forgotten: string[];
  /** Whether the run goes back to the end of the queue. */
  release: boolean;
  end?: RunEnd;
}

const buffers = new ReusedBuffers();

/**
 * Commits pages of different runs in one statement and returns the operations of runs that this worker still had. The other
 * pages change nothing: their runs were stopped, or claimed by another process.
 */
export async function commitReadPages(queries: DataQueries, pages: ReadPageCommit[]): Promise<Set<string>> {
  const events = pages.flatMap(listMessageEvents);
  const bytes = buffers.take(events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0));
  const parts = [...buildParts(pages), ...(events.length > 0 ? [insertEvents(events, bytes)] : [])];
  // Planning the statement takes several times as long as carrying it out for a small page, so each combination of parts is prepared.
  const name = ["read-pages", ...parts.map((part) => part.name)].join("-");
  const { rows } = await sql<{ operationId: string }>`${sql.raw(`/* prepare ${name} */`)}
    with input as materialized (
      select * from jsonb_to_recordset(${toStoredJson(pages.map(toInput))}::jsonb) as x(
        operation_id uuid, worker_id integer, until_time timestamptz, stage text, checkpoint jsonb, metadata jsonb, log jsonb,
        release boolean, status text, result text, cursor_time timestamptz, settled boolean, deletions_time timestamptz,
        forget_before timestamptz, pause jsonb, failed boolean, failure jsonb, missing_fields text[])
    ), mine as materialized (
      select read_runs.operation_id, read_runs.installation_id, read_runs.object_name
      from read_runs join input on input.operation_id = read_runs.operation_id and read_runs.claimed_by = input.worker_id
      where read_runs.operation_id = any(${pages.map(({ operationId }) => operationId)}::uuid[])
      for update of read_runs
    ), ${sql.join([SHOW_PROGRESS, ...parts.map((part) => part.sql)])}
    select operation_id${events.length > 0 ? sql`, ${buildWakeColumn("events")}` : sql``} from mine
  `.execute(queries);
  // Only after a success: a failed statement may still wait to be sent.
  buffers.giveBack(bytes);
  return new Set(rows.map((row) => row.operationId));
}

/** A part of the statement, whose text depends on its name only. */
interface Part {
  name: string;
  sql: RawBuilder<unknown>;
}

/** Builds only the parts that pages need: most incremental reads find nothing. */
const buildParts = (pages: ReadPageCommit[]): Part[] => [
  ...(pages.some(({ end }) => !end) ? [{ name: "moved", sql: MOVE_RUNS }] : []),
  ...(pages.some(({ end }) => end) ? [{ name: "ended", sql: END_RUNS }] : []),
  ...(pages.some(({ end }) => end?.cursor) ? [{ name: "pruned", sql: PRUNE_FINGERPRINTS }] : []),
  ...(pages.some(({ fingerprints }) => fingerprints.length > 0)
    ? [{ name: "marked", sql: markRecords(pages) }]
    : []),
  ...(pages.some(({ forgotten }) => forgotten.length > 0)
    ? [{ name: "dropped", sql: forgetRecords(pages) }]
    : []),
  ...(pages.some(({ seen }) => seen.length > 0) ? [{ name: "seen", sql: rememberSeen(pages) }] : []),
];

const toInput = (page: ReadPageCommit) => ({
  operation_id: page.operationId,
  worker_id: page.workerId,
  until_time: page.untilTime,
  stage: page.stage,
  checkpoint: page.checkpoint,
  metadata: page.metadata,
  log: addTimes(page.log),
  release: page.release,
  status: page.end?.status,
  result: page.end?.result,
  cursor_time: page.end?.cursor?.cursorTime,
  settled: page.end?.cursor?.settled,
  deletions_time: page.end?.cursor?.deletionsTime,
  forget_before: page.end?.cursor?.forgetBefore,
  pause: page.end?.pause && { by: "auto", ...page.end.pause },
  failed: page.end?.countsAsFailure ?? false,
  failure: page.end?.failure,
  missing_fields: page.end?.missingFields,
});

const SHOW_PROGRESS = sql`shown as (
      update operations set update_time = now(), metadata = operations.metadata || input.metadata,
        log = operations.log || input.log, status = coalesce(input.status, operations.status),
        result = coalesce(input.result, operations.result)
      from input join mine using (operation_id)
      where operations.id = any(array(select operation_id from mine)) and operations.id = input.operation_id
    )`;

/** Stores checkpoints. */
const MOVE_RUNS = sql`moved as (
      update read_runs set until_time = input.until_time, stage = input.stage, checkpoint = input.checkpoint, attempts = 0,
        page_time = now(), due_time = case when input.release then now() else due_time end,
        claimed_by = case when input.release then null else claimed_by end
      from input join mine using (operation_id)
      where read_runs.operation_id = input.operation_id and input.status is null
    )`;

/**
 * A read outside the schedule has succeeded after scheduled ones that failed. Whether those work again, and what they missed, only the
 * schedule can tell: it is tried at once, and the reason stays until then.
 */
const SCHEDULE_STILL_FAILS = sql`(input.status = 'success' and input.cursor_time is null and failures > 0 and next_tick is not null)`;

/** Each try counts towards the pause of the schedule: at most this many of them may come before their time. */
const EARLY_TRIES = 2;

/** Removes runs, moves cursors (never into the future, which no read has seen), makes up for missed ticks, and counts failures. */
const END_RUNS = sql`ended as (
      delete from read_runs using input, mine
      where mine.operation_id = input.operation_id and read_runs.operation_id = input.operation_id
        and input.status is not null
    ), turned as (
      update read_objects set
        cursor_time = case when input.cursor_time is null then read_objects.cursor_time
          else least(greatest(input.cursor_time, read_objects.cursor_time), now()) end,
        settled_time = case when input.settled then least(input.cursor_time, now()) else read_objects.settled_time end,
        deletions_time = case when input.deletions_time is null then read_objects.deletions_time
          else least(input.deletions_time, now()) end,
        next_tick = case when next_tick is not null and (missed_tick and input.cursor_time is not null
            or ${SCHEDULE_STILL_FAILS} and failures <= ${EARLY_TRIES})
          then now() else next_tick end,
        missed_tick = missed_tick and input.cursor_time is null,
        pause = coalesce(read_objects.pause, input.pause),
        failures = case when input.failed then failures + 1 when input.cursor_time is not null then 0 else failures end,
        failing_since = case when input.failure is not null then coalesce(failing_since, now())
          when input.status = 'success' and not ${SCHEDULE_STILL_FAILS} then null
          else failing_since end,
        failure = case when input.status = 'success' and not ${SCHEDULE_STILL_FAILS} then null
          else coalesce(input.failure, read_objects.failure) end,
        missing_fields = case when input.status <> 'success' then read_objects.missing_fields
          when cardinality(input.missing_fields) > 0
          then ${buildDatedFields(sql`read_objects.missing_fields`, sql`input.missing_fields`)} end
      from input join mine using (operation_id)
      where input.status is not null and read_objects.installation_id = mine.installation_id
        and read_objects.object_name = mine.object_name
    )`;

/** Removes fingerprints that are older than the overlap of any run. */
const PRUNE_FINGERPRINTS = sql`pruned as (
      delete from read_fingerprints using input join mine using (operation_id)
      where input.forget_before is not null and read_fingerprints.installation_id = mine.installation_id
        and read_fingerprints.object_name = mine.object_name and change_time < input.forget_before
    )`;

/** Stores the fingerprints of delivered records. */
function markRecords(pages: ReadPageCommit[]): RawBuilder<unknown> {
  const marks = pages.flatMap(({ operationId, fingerprints }) => {
    // One statement can write a row only once: for a record that came twice, the last one counts.
    const byRecord = new Map(fingerprints.map((fingerprint) => [fingerprint.recordId, fingerprint]));
    return [...byRecord.values()].map((fingerprint) => ({ ...fingerprint, operationId }));
  });
  return sql`marked as (
      insert into read_fingerprints (installation_id, object_name, record_id, change_time, hash)
      select mine.installation_id, mine.object_name, record_id, change_time, hash
      from unnest(
        ${marks.map((one) => one.operationId)}::uuid[], ${marks.map((one) => one.recordId)}::text[],
        ${marks.map((one) => one.changeTime)}::timestamptz[], ${marks.map((one) => one.hash)}::bytea[]
      ) as mark (operation_id, record_id, change_time, hash)
      join mine using (operation_id)
      join read_objects on read_objects.installation_id = mine.installation_id
        and read_objects.object_name = mine.object_name
      on conflict (installation_id, object_name, record_id)
        do update set change_time = excluded.change_time, hash = excluded.hash, marked_time = now()
    )`;
}

/** Removes the fingerprints of deleted records. */
function forgetRecords(pages: ReadPageCommit[]): RawBuilder<unknown> {
  const gone = pages.flatMap(({ operationId, forgotten }) =>
    forgotten.map((recordId) => ({ operationId, recordId })),
  );
  return sql`dropped as (
      delete from read_fingerprints using unnest(
        ${gone.map((one) => one.operationId)}::uuid[], ${gone.map((one) => one.recordId)}::text[]
      ) as gone (operation_id, record_id) join mine using (operation_id)
      where read_fingerprints.installation_id = mine.installation_id
        and read_fingerprints.object_name = mine.object_name and read_fingerprints.record_id = gone.record_id
    )`;
}

/** Stores which records the messages contain, and which ones no message contains. */
function rememberSeen(pages: ReadPageCommit[]): RawBuilder<unknown> {
  const rows = pages.flatMap(({ operationId, seen }) => seen.map((row) => ({ ...row, operationId })));
  return sql`seen as (
      insert into seen_records (id, installation_id, object_name, operation_id, is_message, entries)
      select id, mine.installation_id, mine.object_name, mine.operation_id, is_message, entries
      from unnest(
        ${rows.map(({ id }) => id)}::uuid[], ${rows.map((row) => row.operationId)}::uuid[],
        ${rows.map(({ isMessage }) => isMessage)}::boolean[], ${rows.map(({ entries }) => entries)}::bytea[]
      ) as one (id, operation_id, is_message, entries) join mine using (operation_id)
    )`;
}

/** Lists the messages of a page, and the event of a run that ends with it. */
const listMessageEvents = ({ operationId, messages, end }: ReadPageCommit) => [
  ...messages.map((message) => ({ ...message, operationId })),
  ...(end?.event
    ? [{ ...end.event, data: toStorableJson(end.event.data), operationId, destinationId: null, held: false }]
    : []),
];

/**
 * Inserts messages and the events of ended runs. Their data is one parameter, `bytes`, which PostgreSQL cuts into texts: an
 * array of texts would escape every quote of their JSON, and with one parameter for each, pg would copy the earlier ones for
 * each further one. For the same reason it is the last parameter of the statement.
 */
function insertEvents(events: ReturnType<typeof listMessageEvents>, bytes: Buffer): Part {
  let end = 0;
  const rows = events.map(({ data, ...event }, position) => {
    const begin = end;
    end += bytes.write(data, begin);
    return {
      id: event.id,
      operation_id: event.operationId,
      project_id: event.projectId,
      type: event.type,
      first_byte: begin,
      size_bytes: end - begin,
      destination_id: event.destinationId,
      held: event.held,
      position,
      traceparent: event.traceparent,
    };
  });
  const inserted = sql`event as materialized (
      select event.id, operation_id, project_id, type, destination_id, held, position, traceparent, installation_id, object_name,
        size_bytes, convert_from(substring(bytes from first_byte + 1 for size_bytes), 'UTF8') as data
      from jsonb_to_recordset(${toStoredJson(rows)}::jsonb) as event(
        id uuid, operation_id uuid, project_id uuid, type text, first_byte integer, size_bytes integer, destination_id uuid,
        held boolean, position integer, traceparent text)
      join mine using (operation_id)
      cross join (select ${bytes}::bytea as bytes) as page
    ), told as (
      insert into events (id, project_id, type, data, destination_id, traceparent)
      select id, project_id, type, data::json, destination_id, traceparent from event
      returning id
    ), queued as (
      insert into unrouted_events (event_id, destination_id, size_bytes)
      select id, destination_id, size_bytes from event where not held
    ), kept as (
      insert into held_messages (installation_id, object_name, operation_id, event_id, destination_id, size_bytes)
      select installation_id, object_name, operation_id, id, destination_id, size_bytes
      from event where held order by position
    )`;
  return { name: "events", sql: inserted };
}

/** Stored fingerprint of a record. */
export interface KnownFingerprint extends Fingerprint {
  /** Time of its commit. */
  markedTime: Date;
}

/** Lists the stored fingerprints of these records, by id. */
export async function listFingerprints(
  queries: DataQueries,
  {
    installationId,
    objectName,
    recordIds,
  }: { installationId: string; objectName: string; recordIds: string[] },
): Promise<Map<string, KnownFingerprint>> {
  if (recordIds.length === 0) return new Map();
  const { rows } = await sql<KnownFingerprint>`
    select record_id, change_time, hash, marked_time from read_fingerprints
    where installation_id = ${installationId} and object_name = ${objectName} and record_id = any(${recordIds}::text[])
  `.execute(queries);
  return new Map(rows.map((row) => [row.recordId, row]));
}

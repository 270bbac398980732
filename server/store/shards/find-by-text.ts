/** Finds a project's resources by a whole id or a part of a name. */
import { sql, type RawBuilder } from "kysely";
import { buildFirstId, isUuid, readTimeOfId } from "../../../ground/ids.ts";
import type { Database } from "../database/database.ts";
import type { ControlQueries, DataQueries } from "../database/sides.ts";
import { askPresent } from "./ask-shards.ts";

interface FoundThing {
  kind: string;
  id: string;
  name: string;
  /** Id of the resource that contains it. */
  within: string | null;
}

/** Maximum number of operations searched for a record's id, and of rows around the time of a request id. */
const MAX_SCANNED = 20_000;
const LEAST_NAME = 2;

/** What one side found. The best have the lowest rank, and among them the newest come first, whose ids are the highest. */
interface RankedThing extends FoundThing {
  rank: number;
  recent: string;
}

/**
 * Finds resources by text, the best matches first: whole ids, equal names, beginnings of names, other parts of names; `recordIds` are the
 * forms of the text as the id of a record. Each database is asked for its own; what goes over to
 * another shard may be in two. Names the shards that are away.
 */
export async function findByText(
  database: Pick<Database, "control" | "shards">,
  projectId: string,
  { text, recordIds }: { text: string; recordIds: string[] },
  max: number,
): Promise<{ things: FoundThing[]; unavailable: string[] }> {
  const [onControl, { answers, unavailable }] = await Promise.all([
    findOnControl(database.control, projectId, text, max),
    askPresent(database, (data) => findOnData(data, projectId, { text, recordIds }, max)),
  ]);
  return { things: [...onControl, ...answers.flat()].toSorted(compareRanks).slice(0, max), unavailable };
}

const compareRanks = (one: RankedThing, other: RankedThing): number =>
  one.rank - other.rank || (one.recent > other.recent ? -1 : one.recent < other.recent ? 1 : 0);

async function findOnControl(
  queries: ControlQueries,
  projectId: string,
  text: string,
  max: number,
): Promise<RankedThing[]> {
  const parts = [
    ...(isUuid(text) ? [selectWholeId(projectId, text)] : []),
    ...(text.length >= LEAST_NAME ? [selectByName(projectId, text)] : []),
  ];
  if (parts.length === 0) return [];
  return (await selectBest(parts, max).execute(queries)).rows;
}

async function findOnData(
  queries: DataQueries,
  projectId: string,
  { text, recordIds }: { text: string; recordIds: string[] },
  max: number,
): Promise<RankedThing[]> {
  const byIds = isUuid(text) ? [selectByTrafficId(projectId, text), selectByRequestId(projectId, text)] : [];
  return (await selectBest([...byIds, selectByRecordId(projectId, recordIds)], max).execute(queries)).rows;
}

const selectBest = (parts: RawBuilder<unknown>[], max: number): RawBuilder<RankedThing> => sql<RankedThing>`
  select kind, id, name, within, rank, recent from (
    select distinct on (kind, id, within) * from (
      select null::text as kind, null::text as id, null::text as name, null::text as within, 9 as rank,
        null::text as recent
      where false union all ${sql.join(parts, sql` union all `)}
    ) as found
    order by kind, id, within, rank
  ) as best order by rank, recent desc, name limit ${max}`;

/** Selects a resource with this id. Columns of each part: kind, id, name, container, rank, and the id again for putting the newest first. */
const selectById =
  (projectId: string, id: string) =>
  (
    kind: string,
    table: string,
    name: RawBuilder<unknown>,
    within = sql`null`,
    shownId = sql`id::text`,
  ): RawBuilder<unknown> =>
    sql`select ${sql.lit(kind)} as kind, ${shownId} as id, ${name} as name, ${within}::text as within, 0 as rank, id::text as recent
      from ${sql.table(table)} as thing where project_id = ${projectId} and id = ${id}::uuid`;

function selectWholeId(projectId: string, id: string): RawBuilder<unknown> {
  const one = selectById(projectId, id);
  return sql.join(
    [
      one("connection", "connections", sql`provider`),
      one(
        "installation",
        "installations",
        sql`(select group_name from groups where groups.id = group_id)`,
        sql`integration_id`,
      ),
      one("integration", "integrations", sql`name`),
      one("group", "groups", sql`group_name`, sql`null`, sql`group_ref`),
      one("destination", "destinations", sql`name`),
      one("topic", "topics", sql`name`),
      one("apiKey", "api_keys", sql`label`),
      one("request", "refused_requests", sql`method || ' ' || path`),
    ],
    sql` union all `,
  );
}

/** Selects what the traffic of customers left. */
function selectByTrafficId(projectId: string, id: string): RawBuilder<unknown> {
  const one = selectById(projectId, id);
  return sql.join(
    [
      one("operation", "operations", sql`action_type || ' ' || object_name`),
      one("event", "events", sql`type`),
      sql`select 'delivery', event_id::text, destinations.name, destinations.id::text, 0, event_id::text
        from destinations join deliveries on destination_id = destinations.id and event_id = ${id}::uuid
        where project_id = ${projectId}`,
    ],
    sql` union all `,
  );
}

const BEFORE_MS = 1_000;
const AFTER_MS = 60_000;

/** Selects what began soon after the request, whose id contains its time. */
function selectByRequestId(projectId: string, id: string): RawBuilder<unknown> {
  const requestMs = readTimeOfId(id).getTime();
  const [fromMs, toMs] = [requestMs - BEFORE_MS, requestMs + AFTER_MS];
  return sql`
    select 'operation', id::text, action_type || ' ' || object_name, null::text, 0, id::text from (
      select * from operations
      where project_id = ${projectId} and id >= ${buildFirstId(fromMs)}::uuid and id < ${buildFirstId(toMs)}::uuid
      order by id limit ${MAX_SCANNED}
    ) as near where request_id = ${id}::uuid
    union all
    select 'proxyCall', id::text, method || ' ' || path, installation_id::text, 0, id::text from (
      select * from proxy_usage
      where project_id = ${projectId} and time >= ${new Date(fromMs)} and time < ${new Date(toMs)}
      order by time limit ${MAX_SCANNED}
    ) as near where request_id = ${id}`;
}

function selectByName(projectId: string, text: string): RawBuilder<unknown> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const one = (
    kind: string,
    table: string,
    names: string[],
    shown: { id?: string; within?: string } = {},
  ) => {
    const name = sql.ref(names[0] ?? "");
    const tests = sql.join(
      names.map((column) => sql`${sql.ref(column)} ilike ${pattern}`),
      sql` or `,
    );
    const equals = sql.join(
      names.map((column) => sql`lower(${sql.ref(column)}) = lower(${text}::text)`),
      sql` or `,
    );
    return sql`
      (select ${sql.lit(kind)}, ${sql.ref(shown.id ?? "id")}::text, ${name}, null::text,
        case when ${equals} then 1 when starts_with(lower(${name}), lower(${text}::text)) then 2 else 3 end, id::text
      from ${sql.table(table)} where project_id = ${projectId} and (${tests})
      order by 5, id desc limit 20)`;
  };
  return sql.join(
    [
      one("group", "groups", ["group_name", "group_ref"], { id: "group_ref" }),
      one("integration", "integrations", ["name"]),
      one("destination", "destinations", ["name"]),
      one("topic", "topics", ["name"]),
      one("apiKey", "api_keys", ["label"]),
    ],
    sql` union all `,
  );
}

/** Selects the operations that wrote a record under one of these ids, or failed to. */
const selectByRecordId = (projectId: string, recordIds: string[]): RawBuilder<unknown> => sql`
  (select 'operation', id::text, action_type || ' ' || object_name, null::text, 1, id::text from (
    select * from operations where project_id = ${projectId} order by id desc limit ${MAX_SCANNED}
  ) as newest
  where metadata -> 'successfulRecordIds' ?| ${recordIds}::text[] or metadata -> 'failedRecordIds' ?| ${recordIds}::text[]
  order by id desc limit 10)`;

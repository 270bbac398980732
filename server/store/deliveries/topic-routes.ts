/** The two kinds of routes: event type → topic, and topic → destination. */
import { sql } from "kysely";
import { isUuid, newId } from "../../../ground/ids.ts";
import type { ControlQueries } from "../database/sides.ts";

interface RouteRow {
  id: string;
  projectId: string;
  topicId: string;
  createTime: Date;
}

export interface EventTopicRouteRow extends RouteRow {
  eventType: string;
  updateTime: Date | null;
}

export interface TopicDestinationRouteRow extends RouteRow {
  destinationId: string;
}

/** Routes from event types to topics. A second insert violates `event_topic_routes_topic_id_event_type_key`. */
export const eventTopicRoutes = openRoutes<EventTopicRouteRow, "eventType">("eventTopicRoutes", "eventType");

/** Routes from topics to destinations. A second insert violates `topic_destination_routes_topic_id_destination_id_key`. */
export const topicDestinationRoutes = openRoutes<TopicDestinationRouteRow, "destinationId">(
  "topicDestinationRoutes",
  "destinationId",
);

/** Opens one kind of route: `end` is the column with the event type or the destination. */
function openRoutes<Row extends RouteRow, End extends string>(table: string, end: End) {
  type Ends = Record<"topicId" | End, string>;
  const matches = ([column, value]: [string, unknown]) => sql`and ${sql.ref(column)} = ${value}`;
  return {
    /** Lists routes. The filters combine; a malformed id matches nothing. */
    async list(queries: ControlQueries, projectId: string, filter: Partial<Ends>): Promise<Row[]> {
      const asked = Object.entries<string | undefined>(filter).filter(([, value]) => value !== undefined);
      if (asked.some(([column, value]) => column.endsWith("Id") && !isUuid(value ?? ""))) return [];
      const { rows } = await sql<Row>`
        select * from ${sql.table(table)} where project_id = ${projectId} ${sql.join(asked.map(matches), sql` `)}
        order by id
      `.execute(queries);
      return rows;
    },

    /** Inserts a route. Topic and destination must belong to the project, and may be deleted meanwhile: call it in `transact`. */
    async insert(queries: ControlQueries, projectId: string, ends: Ends): Promise<Row> {
      const { rows } = await sql<Row>`
        insert into ${sql.table(table)} (id, project_id, topic_id, ${sql.ref(end)})
        values (${newId()}, ${projectId}, ${ends.topicId}, ${ends[end]})
        returning *
      `.execute(queries);
      const [row] = rows;
      if (!row) throw new Error(`nothing was inserted into ${table}`);
      return row;
    },

    /** Replaces the ends of a topic's routes; existing routes to them stay. Call it in `transact`. */
    async replace(
      queries: ControlQueries,
      projectId: string,
      topicId: string,
      ends: string[],
    ): Promise<void> {
      const ids = ends.map(() => newId());
      const type = sql.raw(end.endsWith("Id") ? "uuid[]" : "text[]");
      await sql`
        delete from ${sql.table(table)}
        where project_id = ${projectId} and topic_id = ${topicId} and ${sql.ref(end)} <> all(${ends}::${type})
      `.execute(queries);
      await sql`
        insert into ${sql.table(table)} (id, project_id, topic_id, ${sql.ref(end)})
        select id, ${projectId}, ${topicId}, "end" from unnest(${ids}::uuid[], ${ends}::${type}) as wanted (id, "end")
        on conflict (topic_id, ${sql.ref(end)}) do nothing
      `.execute(queries);
    },

    /** Removes a route, and returns whether there was one. */
    async remove(queries: ControlQueries, projectId: string, id: string): Promise<boolean> {
      if (!isUuid(id)) return false;
      const { numAffectedRows = 0n } = await sql`
        delete from ${sql.table(table)} where project_id = ${projectId} and id = ${id}
      `.execute(queries);
      return numAffectedRows > 0n;
    },
  };
}

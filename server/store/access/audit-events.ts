/** The audit: who changed what in an organisation. */
import { sql } from "kysely";
import type { ControlQueries } from "../database/sides.ts";
import { limitToIdRange, type IdRange } from "../database/id-range.ts";
import { removeRows } from "../database/remove-rows.ts";

export const ACTOR_KINDS = ["person", "apiKey", "system", "agent"] as const;
type ActorKind = (typeof ACTOR_KINDS)[number];
/** Outcomes of an agent's call that did not change anything. */
export const AUDIT_OUTCOMES = ["approval_required", "refused", "dry_run"] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

export interface AuditEventRow {
  id: string;
  orgId: string;
  projectId: string | null;
  operationId: string;
  actorKind: ActorKind;
  actorId: string | null;
  actorName: string | null;
  /** Group for which a customer acted. */
  actorGroup: string | null;
  targetKind: string | null;
  targetId: string | null;
  targetName: string | null;
  changed: string[];
  /** Set for an agent's call that needs approval, was refused or was a dry run. */
  outcome: AuditOutcome | null;
  requestId: string;
  /** Number of equal calls that the row stands for. Its other columns describe the first of them. */
  count: number;
  /** Time of the last of several equal calls; null for a single call. */
  lastTime: Date | null;
}

export type NewAuditEvent = Omit<AuditEventRow, "actorName" | "outcome" | "count" | "lastTime"> & {
  /** Name of the agent's credential or program. */
  agentName?: string | undefined;
  outcome?: AuditOutcome;
};

/** Inserts an event, or increases the count of the event with the same key. */
export async function countAuditEvent(
  queries: ControlQueries,
  { agentName, ...event }: NewAuditEvent,
  foldKey: string,
): Promise<void> {
  await queries
    .insertInto("auditEvents")
    .values({ ...event, actorName: agentName ?? null, foldKey })
    .onConflict((conflict) =>
      conflict
        .column("foldKey")
        .where("foldKey", "is not", null)
        .doUpdateSet({ count: sql`audit_events.count + 1`, lastTime: sql`now()` }),
    )
    .execute();
}

/** Inserts an event with the actor's present name. Does nothing if the event is stored already. */
export async function insertAuditEvent(
  queries: ControlQueries,
  { agentName, ...event }: NewAuditEvent,
): Promise<void> {
  const actorName = event.actorKind === "agent" ? (agentName ?? null) : selectActorName(event);
  await queries
    .insertInto("auditEvents")
    .values({ ...event, actorName })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

function selectActorName({ actorKind, actorId }: Pick<NewAuditEvent, "actorKind" | "actorId">) {
  if (actorKind === "person")
    return sql<string>`(select coalesce(full_name, primary_email) from builders where id = ${actorId}::uuid)`;
  if (actorKind === "apiKey") return sql<string>`(select label from api_keys where id = ${actorId}::uuid)`;
  return sql<string | null>`null`;
}

/** Adds what the transaction could not know yet: id and name of a resource that it created. */
export async function completeAuditEvent(
  queries: ControlQueries,
  id: string,
  target: { targetId: string | null; targetName: string | null },
): Promise<void> {
  await queries.updateTable("auditEvents").set(target).where("id", "=", id).execute();
}

interface AuditFilter {
  orgId: string;
  actor?: string;
  actorKind?: ActorKind;
  outcome?: AuditOutcome;
  operationId?: string;
  projectId?: string;
  target?: string;
}

/** Lists events, newest first. */
export const listAuditEvents = (
  queries: ControlQueries,
  { orgId, actor, actorKind, outcome, operationId, projectId, target }: AuditFilter,
  range: IdRange,
): Promise<AuditEventRow[]> =>
  queries
    .selectFrom("auditEvents")
    .selectAll()
    .select(sql<ActorKind>`actor_kind`.as("actorKind"))
    .select(sql<AuditOutcome | null>`outcome`.as("outcome"))
    .where("orgId", "=", orgId)
    .$if(actor !== undefined, (query) => query.where("actorId", "=", actor ?? ""))
    .$if(actorKind !== undefined, (query) => query.where("actorKind", "=", actorKind ?? ""))
    .$if(outcome !== undefined, (query) => query.where("outcome", "=", outcome ?? ""))
    .$if(operationId !== undefined, (query) => query.where("operationId", "=", operationId ?? ""))
    .$if(projectId !== undefined, (query) => query.where(sql`project_id::text`, "=", projectId ?? ""))
    .$if(target !== undefined, (query) => query.where("targetId", "=", target ?? ""))
    .where(limitToIdRange("audit_events.id", range))
    .orderBy("id", "desc")
    .limit(range.limit)
    .execute();

/** Removes up to `max` events from before a time, and returns their number. */
export const removeAuditEventsBefore = (queries: ControlQueries, id: string, max: number): Promise<number> =>
  removeRows(queries, "audit_events", sql`id < ${id}`, max);

/** The audit log of an organisation. */
import { type Static, Type } from "typebox";
import { readTimeOfId } from "../../../ground/ids.ts";
import { endpoint, route, type Route } from "../../http/endpoint.ts";
import {
  ACTOR_KINDS,
  AUDIT_OUTCOMES,
  type AuditEventRow,
  listAuditEvents as listRows,
} from "../../store/access/audit-events.ts";
import type { Database } from "../../store/database/database.ts";
import { OrgParams } from "../orgs/org.ts";
import { listQuery, listPage, describePage, periodQuery } from "../pages.ts";
import { describeTime } from "../../../ground/described.ts";

export const listAuditRoutes = (deps: { database: Database }): Route[] => [
  route("GET /v1/orgs/{orgId}/audit-events", "full", listAuditEvents(deps)),
];

const AuditEventSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the event." }),
    time: describeTime("When it happened."),
    actor: Type.Object(
      {
        kind: Type.Enum([...ACTOR_KINDS], {
          description:
            "`agent`: a call of a tool, with whatever credential. `system`: a customer with a token, or Busbar itself.",
        }),
        id: Type.Optional(
          Type.String({ description: "Id of the person or key; of an agent as in its operations." }),
        ),
        name: Type.Optional(Type.String({ description: "Name that the person or key had." })),
      },
      { description: "Who did it." },
    ),
    operationId: Type.String({
      description:
        "What was called, as in this reference; of an agent, the tool or the operation that it called.",
    }),
    projectId: Type.Optional(Type.String({ description: "Id of the project. Absent for the organisation." })),
    target: Type.Optional(
      Type.Object(
        {
          kind: Type.String({ description: "For example `destination` or `apiKey`." }),
          id: Type.String({ description: "Id of the resource, or how the call named it." }),
          name: Type.Optional(Type.String({ description: "Name that the resource had." })),
        },
        { description: "What it was done to." },
      ),
    ),
    changed: Type.Optional(
      Type.Array(Type.String(), { description: "Names of the members that were sent; never values." }),
    ),
    outcome: Type.Optional(
      Type.Enum([...AUDIT_OUTCOMES], {
        description:
          "Of an agent's call that did nothing at once: it waits for a decision, was refused by the policy, a budget or the scope of its credential, or was a dry run.",
      }),
    ),
    requestId: Type.String({ description: "Id of the request in the log." }),
    count: Type.Optional(
      Type.Integer({
        description:
          "Of an agent that repeated itself: how many calls of the tool within the hour had this outcome for the same reason. The event is " +
          "that of the first. Absent: one.",
      }),
    ),
    lastTime: Type.Optional(describeTime("When the last of them was. Absent for one.")),
  },
  { title: "AuditEvent", description: "A change, or a view of a secret." },
);

const describeFilter = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));

const listAuditEvents = (deps: { database: Database }) =>
  endpoint({
    operationId: "listAuditEvents",
    tag: "Organisations",
    summary: "List who changed what",
    description:
      "Changes by the management API and views of secrets, newest first; the values are not kept. An API key sees the " +
      "events of its own project. Writes of records are operations, and not listed here; what agents asked for, were refused, or tried " +
      "as a dry run is.",
    params: OrgParams,
    query: Type.Object({
      actor: describeFilter("Return only what this person, key or agent did (an id)."),
      actorKind: Type.Optional(
        Type.Enum([...ACTOR_KINDS], { description: "Return only what actors of this kind did." }),
      ),
      outcome: Type.Optional(
        Type.Enum([...AUDIT_OUTCOMES], { description: "Return only calls of agents with this outcome." }),
      ),
      operationId: describeFilter("Return only calls of this operation, for example `deleteDestination`."),
      projectId: describeFilter("Return only events of this project (an id)."),
      target: describeFilter("Return only what was done to this resource (an id)."),
      ...periodQuery,
      ...listQuery,
    }),
    hasEntityTag: true,
    success: { status: 200, description: "A page.", schema: describePage(AuditEventSchema) },
    async handle({ caller, params, query }) {
      const orgId = params.orgId.toLowerCase();
      const own = caller.kind === "person" ? query.projectId : caller.projectId;
      if (own !== undefined && query.projectId !== undefined && own !== query.projectId.toLowerCase()) {
        return { results: [], pagination: { done: true } };
      }
      return listPage(query, {
        list: (range) =>
          listRows(deps.database.control, { ...query, orgId, projectId: own?.toLowerCase() }, range),
        show: toAuditEvent,
      });
    },
  });

const toAuditEvent = (row: AuditEventRow): Static<typeof AuditEventSchema> => ({
  id: row.id,
  time: readTimeOfId(row.id).toISOString(),
  actor: {
    kind: row.actorKind,
    ...(row.actorId !== null && { id: row.actorId }),
    ...(row.actorName !== null && { name: row.actorName }),
  },
  operationId: row.operationId,
  ...(row.projectId !== null && { projectId: row.projectId }),
  ...(row.targetKind !== null &&
    row.targetId !== null && {
      target: {
        kind: row.targetKind,
        id: row.targetId,
        ...(row.targetName !== null && { name: row.targetName }),
      },
    }),
  ...(row.changed.length > 0 && { changed: row.changed }),
  ...(row.outcome !== null && { outcome: row.outcome }),
  requestId: row.requestId,
  ...(row.lastTime !== null && { count: row.count, lastTime: row.lastTime.toISOString() }),
});

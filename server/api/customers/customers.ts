/** Customers, as groups and their consumers: shapes and endpoints. */
import { type Static, Type } from "typebox";
import { now } from "../../../ground/clock.ts";
import { Problem } from "../../../ground/errors.ts";
import { readTimeOfId } from "../../../ground/ids.ts";
import { HealthReasonsSchema } from "../../events/event-data.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import type { ConnectionRow } from "../../store/connections/connections.ts";
import type { GroupRow } from "../../store/connections/customer-lists.ts";
import { findGroup, upsertConsumer, upsertGroup } from "../../store/access/customers.ts";
import type { Database } from "../../store/database/database.ts";
import type { SharedQueries } from "../../store/database/sides.ts";
import { listCustomers } from "./list-customers.ts";
import { describeMissingGroup } from "./missing-group.ts";
import {
  ConsumerName,
  ConsumerRef,
  GroupName,
  GroupRef,
  ProjectId,
  CreateTime,
  toTimes,
  UpdateTime,
} from "../members.ts";
import { listQuery, listPage, describePage, describeTextQuery } from "../pages.ts";
import { PROJECT } from "../paths.ts";
import { eraseGroup } from "./erasing.ts";
import { describeTime } from "../../../ground/described.ts";

export const listCustomerRoutes = (deps: { database: Database }): Route[] => [
  route(`GET ${PROJECT}/groups`, "full", listGroups(deps)),
  route(`GET ${PROJECT}/groups/{groupRef}`, "full", getGroup(deps)),
  route(`POST ${PROJECT}/groups`, "full", createGroup(deps)),
  route(`DELETE ${PROJECT}/groups/{groupRef}`, "full", deleteGroup(deps)),
  route(`POST ${PROJECT}/consumers`, "full", createConsumer(deps)),
];

export const GroupSchema = Type.Object(
  {
    groupRef: Type.String({ description: "Your own id for the customer." }),
    groupName: Type.String({ description: "Display name of the group." }),
    projectId: ProjectId,
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  {
    title: "Group",
    description:
      "A customer of yours, for example a company. Its people share connections and installations.",
  },
);

export const ConsumerSchema = Type.Object(
  {
    consumerRef: Type.String({ description: "Your own id for the person." }),
    consumerName: Type.String({ description: "Display name of the person." }),
    projectId: ProjectId,
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "Consumer", description: "The person in a group who created a connection." },
);

const count = (what: string) => Type.Integer({ description: `Number of ${what}.` });

/** A group with what is known of its connections and installations. */
const CustomerSchema = Type.Object(
  {
    ...GroupSchema.properties,
    connectionCount: count("connections"),
    installationCount: count("installations"),
    healthStatus: Type.Optional(
      Type.Enum(["healthy", "unhealthy", "unknown"], {
        description:
          "`unhealthy` while there is any of `healthReasons`. `unknown` while the database (shard) with the customer's data is away. Absent without connections.",
      }),
    ),
    healthReasons: HealthReasonsSchema,
    lastActivityTime: Type.Optional(describeTime("When the latest operation began.")),
  },
  { title: "Customer", description: "A group, and what is known of its connections and installations." },
);

const toCustomer = (row: GroupRow): Static<typeof CustomerSchema> => ({
  ...toGroup(row),
  connectionCount: row.connectionCount,
  installationCount: row.installationCount,
  ...(row.healthStatus && { healthStatus: row.healthStatus }),
  healthReasons: (row.healthReasons ?? []).map(({ since, ...reason }) => ({
    ...reason,
    since: new Date(since).toISOString(),
  })),
  ...(row.lastOperationId && { lastActivityTime: readTimeOfId(row.lastOperationId).toISOString() }),
});

export const toGroup = (group: ConnectionRow["group"]): Static<typeof GroupSchema> => ({
  groupRef: group.groupRef,
  groupName: group.groupName,
  projectId: group.projectId,
  ...toTimes(group),
});

export const toConsumer = (consumer: ConnectionRow["consumer"]): Static<typeof ConsumerSchema> => ({
  consumerRef: consumer.consumerRef,
  consumerName: consumer.consumerName,
  projectId: consumer.projectId,
  ...toTimes(consumer),
});

const listGroups = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listGroups",
    tag: "Customers",
    summary: "List groups",
    description:
      "All customers of the project in the order of `groupRef` (by code points), also those without a connection. The id that `after` " +
      "takes is a `groupRef`: only groups that were created later are returned.",
    query: Type.Object({
      healthStatus: Type.Optional(
        Type.Enum(["healthy", "unhealthy"], { description: "Return only groups of this health." }),
      ),
      ...describeTextQuery("`groupRef` or `groupName`"),
      ...listQuery,
    }),
    hasEntityTag: true,
    success: { status: 200, description: "A page.", schema: describePage(CustomerSchema) },
    handle: async ({ project, query }) =>
      listPage(query, {
        isToken: (token) => readGroupRef(token) !== undefined,
        isId: () => true,
        getPageToken: ({ groupRef }) => getPageToken(groupRef),
        list: async ({ before, after: newerThanRef, limit }) => {
          if (newerThanRef !== undefined) await requireKnown(deps.database.data, project.id, newerThanRef);
          const behindRef = before === undefined ? undefined : readGroupRef(before);
          const range = { behindRef, newerThanRef, limit };
          return listCustomers(deps.database, { ...query, projectId: project.id }, range);
        },
        show: toCustomer,
      }),
  });

/** Throws a 400 Problem for a group that is not there: without its age nobody knows what is newer. */
async function requireKnown(queries: SharedQueries, projectId: string, groupRef: string): Promise<void> {
  if (await findGroup(queries, projectId, groupRef)) return;
  const detail = `There is no group \`${groupRef}\`. Send one that is there, or read the list from its beginning.`;
  throw new Problem("invalid-request", {
    detail: `after: ${detail}`,
    issues: [{ in: "query", name: "after", detail }],
  });
}

const PREFIX = "behind:";

/** References are not ordered by time, so a page token is the last reference, encoded so that it fits into a URL. */
const getPageToken = (groupRef: string): string => Buffer.from(`${PREFIX}${groupRef}`).toString("base64url");

function readGroupRef(token: string): string | undefined {
  const text = Buffer.from(token, "base64url").toString();
  return text.startsWith(PREFIX) && !text.includes("\0") ? text.slice(PREFIX.length) : undefined;
}

const getGroup = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getGroup",
    tag: "Customers",
    summary: "Get a group",
    description: "Returns the group with the numbers of its connections and installations, and their health.",
    params: Type.Object({ groupRef: Type.String({ description: "Your own id for the customer." }) }),
    success: { status: 200, description: "The group.", schema: CustomerSchema },
    async handle({ project, params: { groupRef } }) {
      const filter = { projectId: project.id, groupRef };
      const [row] = (await listCustomers(deps.database, filter, { limit: 1 })).rows;
      if (row) return toCustomer(row);
      throw await describeMissingGroup(deps.database.control, project.id, groupRef);
    },
  });

const createGroup = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createGroup",
    tag: "Customers",
    summary: "Create or rename a group",
    description: "Optional: connecting creates a group if it does not exist.",
    body: Type.Object({
      groupRef: GroupRef,
      groupName: GroupName,
    }),
    success: { status: 201, description: "Created or renamed." },
    async handle({ project, body }) {
      const { control, mainWeight } = deps.database;
      await upsertGroup(
        control,
        { projectId: project.id, groupRef: body.groupRef, groupName: body.groupName },
        mainWeight,
      );
    },
  });

const countSchema = (description: string) => Type.Integer({ description });

const ReceiptSchema = Type.Object(
  {
    groupRef: Type.String({ description: "Your own id for the customer." }),
    done: Type.Boolean({
      description:
        "Whether nothing is left. If false, send the request again: it continues where it stopped.",
    }),
    eraseTime: describeTime("When this answer was made."),
    erased: Type.Object(
      {
        installations: countSchema(
          "Installations, with their configuration, read cursors, fingerprints and subscriptions.",
        ),
        connections: countSchema("Connections, with their credentials."),
        consumers: countSchema("People who had connected for this group only."),
        consents: countSchema("Attempts to connect an account."),
        operations: countSchema("Operations, with their logs and results."),
        queuedWrites: countSchema("Writes that waited, with their records."),
        idempotencyKeys: countSchema("Answers kept for repeated requests."),
        events: countSchema("Events and data messages, with the records in them."),
        deliveries: countSchema("Deliveries, with their attempts."),
        proxyCalls: countSchema("Lines about proxied calls, with their paths."),
        refusedRequests: countSchema("Refused requests that named the group."),
        auditNames: countSchema(
          "Audit entries whose target, or whose actor with a customer token, was made anonymous; what was done and when stays.",
        ),
      },
      { description: "Number of rows that this request erased." },
    ),
  },
  { title: "ErasureReceipt", description: "What was erased of a group." },
);

/** Below the usual timeouts of load balancers. */
const WITHIN_MS = 20_000;

const deleteGroup = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteGroup",
    tag: "Customers",
    summary: "Erase a group",
    description:
      "Erases everything that Busbar has of a customer, at once and for good: credentials, configuration, queued records, " +
      "operations and logs, events and deliveries. No event is sent. Work that is in progress ends without a result. " +
      "Nothing is changed in the customer's account at the provider. Large groups need several requests, see `done`.",
    params: Type.Object({ groupRef: Type.String({ description: "Your own id for the customer." }) }),
    success: { status: 200, description: "The receipt.", schema: ReceiptSchema },
    async handle({ project, params: { groupRef } }) {
      const wanted = { projectId: project.id, groupRef, withinMs: WITHIN_MS };
      const result = await eraseGroup(deps, wanted);
      return { groupRef, ...result, eraseTime: now().toISOString() };
    },
  });

const createConsumer = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createConsumer",
    tag: "Customers",
    summary: "Create or rename a consumer",
    description: "Optional: connecting creates a consumer if it does not exist.",
    body: Type.Object({
      consumerRef: ConsumerRef,
      consumerName: ConsumerName,
    }),
    success: { status: 201, description: "Created or renamed." },
    async handle({ project, body }) {
      const { consumerRef, consumerName } = body;
      await upsertConsumer(deps.database.control, { projectId: project.id, consumerRef, consumerName });
    },
  });

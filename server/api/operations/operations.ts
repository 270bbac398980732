/** Operations: the endpoints that list, show and cancel them. */
import { Type } from "typebox";
import { described, describeTime } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { seesEveryGroup } from "../../access/actor.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import type { CustomerShards } from "../../operations/customer-shards.ts";
import type { InstallationCache } from "../../operations/installation-cache.ts";
import { cancelRead } from "../../read/schedule/cancel-read.ts";
import type { SyncNowServices } from "../../read/schedule/sync-read-objects.ts";
import { findRowGroupRef } from "../../store/access/customers.ts";
import type { Database } from "../../store/database/database.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import type { IdRange } from "../../store/database/id-range.ts";
import { findInShards, listInShards } from "../../store/shards/ask-shards.ts";
import {
  findListedOperation,
  listProjectOperations as listRows,
} from "../../store/operations/operation-lists.ts";
import { findOperationLog } from "../../store/operations/operations.ts";
import { cancelWrite } from "../../write/queue/cancel-write.ts";
import { InstallationPath, requireInstallation } from "../installation-path.ts";
import { OperationId } from "../members.ts";
import {
  listQuery,
  listPage,
  describePageQuery,
  describePage,
  periodQuery,
  describeTextQuery,
} from "../pages.ts";
import { chooseShards, findOfCustomer, type InShards, runInShardOfInstallation } from "../run-in-shard.ts";
import { INSTALLATION, PROJECT } from "../paths.ts";
import { getBackfillProgress } from "./get-backfill-progress.ts";
import { getOperationRow, refuseUnknownOperation, OperationSchema, toOperation } from "./operation.ts";

interface OperationServices {
  database: Database;
  shards: CustomerShards<{ database: Database; installations: InstallationCache }>;
}

export const listOperationRoutes = (deps: SyncNowServices & OperationServices): Route[] => [
  route(`GET ${INSTALLATION}/operations`, "frontend", listOperations(deps)),
  route(
    `GET ${INSTALLATION}/objects/{objectName}/backfill-progress`,
    "full",
    runInShardOfInstallation(deps, getBackfillProgress),
  ),
  route(`GET ${PROJECT}/operations`, "full", listProjectOperations(deps)),
  route(`GET ${PROJECT}/operations/{operationId}`, "full", getOperation(deps)),
  route(`POST ${PROJECT}/operations/{operationId}:cancel`, "full", cancelOperation(deps)),
  route(`GET ${PROJECT}/operations/{operationId}/logs`, "full", listOperationLogs(deps)),
];

const describeFilter = (what: string) =>
  Type.Optional(Type.String({ description: `Return only operations ${what}.` }));

const listProjectOperations = (deps: OperationServices) =>
  projectEndpoint({
    operationId: "listProjectOperations",
    tag: "Operations",
    summary: "List operations of the project",
    description:
      "Newest first, of all installations, deleted ones included. All filters must match. One call reads at most " +
      "100,000 operations, 25,000 with `text`, so a page can be short or empty and still have a `nextPageToken`, where the search continues.",
    query: Type.Object({
      status: Type.Optional(
        Type.Enum(["in_progress", "success", "failure"], {
          description: "Return only operations in this status.",
        }),
      ),
      integration: describeFilter("of the integration of this id or name"),
      installationId: describeFilter("of this installation"),
      groupRef: describeFilter("of this customer"),
      object: describeFilter("about this object"),
      type: Type.Optional(
        Type.Enum(["write", "read"], { description: "Return only operations of this kind (`actionType`)." }),
      ),
      actor: describeFilter("that this key, person, customer or agent asked for (`actor.id`)"),
      ...periodQuery,
      ...describeTextQuery(
        "the result, the object, the name of integration or customer, or the id of the operation, of a record or of the request",
      ),
      ...listQuery,
    }),
    hasEntityTag: true,
    success: { status: 200, description: "A page.", schema: describePage(OperationSchema) },
    async handle({ project, query }) {
      const shards = await chooseShards(deps, project.id, query);
      return listPage(query, {
        list: (range) =>
          listInShards(shards, (data) => listRows(data, { ...query, projectId: project.id }, range), {
            ...range,
            getPosition: ({ id }) => id,
          }),
        show: toOperation,
      });
    },
  });

const PAGE = { usual: 200, maximum: 1000 };

const listOperations = (deps: OperationServices) =>
  projectEndpoint({
    operationId: "listOperations",
    tag: "Operations",
    summary: "List operations of an installation",
    description:
      "Newest first, in pages. Those of a deleted installation can still be listed, but not with a customer's token. Customers' " +
      "tokens and `frontend` keys see neither `actor` nor `requestId`, which are of the builder's side.",
    params: InstallationPath,
    query: Type.Object(describePageQuery(PAGE)),
    success: {
      status: 200,
      description: "A page.",
      schema: describePage(OperationSchema),
    },
    async handle({ project, params, query, caller }) {
      const shards = await chooseShards(deps, project.id, params);
      const list = async (data: DataQueries, installationId: string, range: IdRange) =>
        (await listRows(data, { projectId: project.id, installationId }, range)).rows;
      const { control } = deps.database;
      const installationId = await requireInstallation(control, project.id, params, async (place) => {
        const newest = await findInShards(shards, async (data) => {
          const [row] = await list(data, place.installationId, { limit: 1 });
          return row;
        });
        return newest?.row.integrationId === place.integrationId;
      });
      return listPage(query, {
        ...PAGE,
        list: (range) =>
          listInShards(shards, (data) => list(data, installationId, range), {
            ...range,
            getPosition: ({ id }) => id,
          }),
        show: seesEveryGroup(caller) ? toOperation : toCustomersOperation,
      });
    },
  });

/** Returns the operation as a customer sees it: without the person or key of the builder that requested it. */
function toCustomersOperation(row: Parameters<typeof toOperation>[0]): ReturnType<typeof toOperation> {
  const { actor: _actor, requestId: _requestId, ...shown } = toOperation(row);
  return shown;
}

const getOperation = (deps: InShards) =>
  projectEndpoint({
    operationId: "getOperation",
    tag: "Operations",
    summary: "Get an operation",
    description: "Returns the operation with its status. Its steps are in its logs.",
    params: Type.Object({ operationId: OperationId }),
    success: { status: 200, description: "The operation.", schema: OperationSchema },
    handle: async ({ project, params }) =>
      toOperation((await getOperationRow(deps, project.id, params.operationId)).row),
  });

const cancelOperation = (services: OperationServices) =>
  projectEndpoint({
    operationId: "cancelOperation",
    tag: "Operations",
    summary: "Cancel an operation",
    description:
      "Ends a waiting asynchronous write before it is sent, or a read after its current page. The operation is then a " +
      "`failure`, and the event of its end is recorded. A write that is being sent at this moment cannot be cancelled.",
    role: "support",
    params: Type.Object({ operationId: OperationId }),
    success: { status: 200, description: "The cancelled operation.", schema: OperationSchema },
    refusals: { 409: "The operation has ended, or its write is being sent." },
    async handle({ project, params }) {
      const { row: operation, shard } = await getOperationRow(services, project.id, params.operationId);
      if (operation.status !== "in_progress") throw hasEnded(operation.status);
      // Two shards have the operations of a customer who moves: the one that decides is asked.
      const deps = await services.shards.chooseByRow(project.id, operation.installationId, shard);
      const isCancelled =
        operation.actionType === "read"
          ? await cancelRead(deps, operation)
          : await cancelWrite(deps, project.id, operation.id);
      const after = await findListedOperation(deps.database.data, project.id, operation.id);
      if (!after) throw refuseUnknownOperation(operation.id);
      if (isCancelled) return toOperation(after);
      throw after.status === "in_progress" ? isBeingSent() : hasEnded(after.status);
    },
  });

const hasEnded = (status: string): Problem =>
  new Problem("conflict", {
    detail: `The operation has already ended (\`${status}\`). It cannot be cancelled.`,
  });

const isBeingSent = (): Problem =>
  new Problem("conflict", {
    detail:
      "The write is being sent to the provider. Cancel it again if the attempt fails and another one follows.",
    retryable: true,
  });

const MessageSchema = Type.Object({
  msg: Type.String({ description: "Description of the step." }),
  error: Type.Optional(Type.String({ description: "Error message." })),
  operation_id: Type.Optional(OperationId),
  details: Type.Optional(Type.Record(Type.String(), Type.String(), { description: "Details, by name." })),
});

const LogSchema = Type.Object(
  {
    timestamp: describeTime("When the step happened."),
    severity: Type.String({ description: "`DEBUG`, `INFO`, `WARNING` or `ERROR`." }),
    message: described(MessageSchema, "What happened in this step."),
  },
  { title: "OperationLog", description: "One step of an operation." },
);

const listOperationLogs = (deps: InShards) =>
  projectEndpoint({
    operationId: "listOperationLogs",
    tag: "Operations",
    summary: "List the steps of an operation",
    description: "The plan, withheld fields with reasons, each request to the provider, and the outcome.",
    params: Type.Object({ operationId: OperationId }),
    success: {
      status: 200,
      description: "The steps, oldest first.",
      schema: Type.Array(LogSchema),
    },
    async handle({ project, params }) {
      const id = params.operationId;
      const found = await findOfCustomer(
        deps,
        project.id,
        (data) => findOperationLog(data, project.id, id),
        ({ installationId }) =>
          findRowGroupRef(deps.database.control, project.id, "installations", installationId),
      );
      if (!found) throw refuseUnknownOperation(id);
      return found.row.log.map(({ time: timestamp, severity, ...message }) => ({
        timestamp,
        severity,
        message: { ...message, operation_id: id },
      }));
    },
  });

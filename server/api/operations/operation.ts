/** The operation as the API shows it. */
import { Type, type Static } from "typebox";
import { ActorSchema } from "../../events/approval-schema.ts";
import { described, describeTime } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { readTimeOfId } from "../../../ground/ids.ts";
import { isJsonObject, type JsonObject } from "../../../ground/json.ts";
import type { Database } from "../../store/database/database.ts";
import type { FoundInShard } from "../../store/shards/ask-shards.ts";
import { findListedOperation, type ListedOperation } from "../../store/operations/operation-lists.ts";
import type { OperationRow } from "../../store/operations/operations.ts";
import { findOfCustomer, type InShards } from "../run-in-shard.ts";
import {
  InstallationId,
  IntegrationId,
  OperationId,
  ProjectId,
  CreateTime,
  toTimes,
  UpdateTime,
} from "../members.ts";

export const PaceMembers = {
  recordsPerSecond: Type.Optional(
    Type.Number({
      description:
        "Records read per second, earlier waiting left out. Absent before the first page, and while it waits.",
    }),
  ),
  secondsLeft: Type.Optional(
    Type.Integer({
      description:
        "At that rate, until all records are read. Absent while it waits, and where the total is unknown.",
    }),
  ),
};

const ReadProgressSchema = Type.Object(
  {
    installationId: InstallationId,
    objectName: Type.String({ description: "The object's name in messages." }),
    operationId: OperationId,
    recordsProcessed: Type.Integer({ description: "Records read so far, in messages or unchanged." }),
    recordsEstimatedTotal: Type.Optional(
      Type.Integer({ description: "Estimated number of all records, where the provider tells it." }),
    ),
    ...PaceMembers,
  },
  { title: "ReadProgress", description: "How far a read is." },
);

const count = (description: string) => Type.Optional(Type.Integer({ description }));

const ReadFactsSchema = Type.Object(
  {
    readType: Type.Enum(["backfill", "scheduled", "triggered"], { description: "Why it was read." }),
    since: Type.Optional(describeTime("Lower bound of the last change; absent: all records.")),
    until: Type.Optional(describeTime("Upper bound of the last change.")),
    pages: count("Pages read."),
    records: count("Records read."),
    inMessages: count(
      "Records in messages. The deliveries of these say whether a receiver has accepted them.",
    ),
    unchanged: count("Records that were in a message like this before."),
    deleted: count("Deletions in messages."),
    providerCalls: count("Requests sent to the provider."),
    waitedMs: count("Milliseconds that the read has waited, for whatever reason."),
    waitsFor: Type.Optional(
      Type.Enum(["provider", "rate_limit", "destination", "calls", "credentials"], {
        description:
          "What the read waits for now: a provider that fails, the end of a rate limit, a destination that is behind or disabled, free daily calls of the account, or new credentials.",
      }),
    ),
    waitingSince: Type.Optional(describeTime("Since when it waits for that.")),
  },
  { title: "ReadFacts", description: "What a read has done." },
);

export const OperationSchema = Type.Object(
  {
    id: OperationId,
    projectId: ProjectId,
    integrationId: IntegrationId,
    integrationName: Type.Optional(Type.String({ description: "Name of the integration." })),
    installationId: InstallationId,
    groupRef: Type.Optional(Type.String({ description: "Your own id for the customer." })),
    groupName: Type.Optional(Type.String({ description: "Display name of the customer." })),
    configId: Type.String({
      description: "Id of the installation's configuration when the operation was accepted.",
    }),
    actionType: Type.String({ description: "Kind of action: `write` or `read`." }),
    resource: Type.String({
      description:
        "The object that the operation is about, by the provider's name. `metadata.objects` and the result have your name for it, as messages do.",
    }),
    status: Type.Enum(["in_progress", "success", "failure"], {
      description:
        "`in_progress`, then `success` or `failure` (final). A partly written batch is a `success`.",
    }),
    result: Type.Optional(
      Type.String({ description: "Result of the operation; after a failure the object and the error." }),
    ),
    metadata: Type.Object(
      {
        objects: Type.Optional(
          Type.Array(Type.String(), { description: "Objects that the operation is about." }),
        ),
        successfulRecordIds: Type.Optional(
          Type.Array(Type.String(), { description: "The provider's ids of the written records." }),
        ),
        failedRecordIds: Type.Optional(
          Type.Array(Type.String(), {
            description: "Ids of the records to update or delete that were not written.",
          }),
        ),
        progress: Type.Optional(described(ReadProgressSchema, "Of a read: how far it is.")),
        read: Type.Optional(described(ReadFactsSchema, "Of a read: what it has read so far.")),
        retry: Type.Optional(
          Type.Object(
            {
              attempts: Type.Integer({ description: "Number of attempts so far." }),
              lastAttempt: Type.Optional(describeTime("When the latest attempt started.")),
            },
            { description: "Retries of the operation." },
          ),
        ),
      },
      { description: "Further facts about the operation." },
    ),
    actor: Type.Optional(
      described(ActorSchema, "Who asked for it. Absent where Busbar began it itself, as a scheduled read."),
    ),
    requestId: Type.Optional(
      Type.String({ description: "The request that began it: `X-Request-Id` of its answer." }),
    ),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "Operation", description: "An action in a customer's account, running or ended." },
);

type Operation = Static<typeof OperationSchema>;

/** `createTime` is the time of the id, by which lists are ordered and limited to periods. */
export const toOperation = (row: OperationRow & Partial<ListedOperation>): Operation => ({
  id: row.id,
  projectId: row.projectId,
  integrationId: row.integrationId,
  ...(row.integrationName && { integrationName: row.integrationName }),
  installationId: row.installationId,
  ...(row.groupRef && { groupRef: row.groupRef }),
  ...(row.groupName && { groupName: row.groupName }),
  configId: row.configId,
  actionType: row.actionType,
  resource: row.objectName,
  status: row.status as Operation["status"],
  ...(row.result !== null && { result: row.result }),
  metadata: withPace(row, nameCounts(row.metadata as JsonObject) as Operation["metadata"]),
  ...(row.actor && { actor: row.actor }),
  ...(row.requestId && { requestId: row.requestId }),
  ...toTimes({ ...row, createTime: readTimeOfId(row.id) }),
});

function withPace(row: OperationRow, metadata: Operation["metadata"]): Operation["metadata"] {
  const { progress, read } = metadata;
  if (!progress) return metadata;
  const pace = computePace({
    ...row,
    records: progress.recordsProcessed,
    total: progress.recordsEstimatedTotal,
    waitedMs: read?.waitedMs ?? 0,
    waits: read?.waitsFor !== undefined,
  });
  return { ...metadata, progress: { ...progress, ...pace } };
}

/** Throws a 404 Problem. */
export async function getOperationRow(
  deps: InShards,
  projectId: string,
  id: string,
): Promise<FoundInShard<ListedOperation, Database>> {
  const found = await findOfCustomer(
    deps,
    projectId,
    (data) => findListedOperation(data, projectId, id),
    ({ groupRef }) => groupRef ?? undefined,
  );
  if (found) return found;
  throw refuseUnknownOperation(id);
}

export const refuseUnknownOperation = (id: string): Problem =>
  new Problem("not-found", { detail: `There is no operation \`${id}\` in this project.` });

/** A record in a message has not arrived yet: the API does not call it by the word of the stored counts. */
function nameCounts(metadata: JsonObject): JsonObject {
  const { read } = metadata;
  if (!isJsonObject(read)) return metadata;
  const { delivered, ...counts } = read;
  return { ...metadata, read: { ...counts, ...(delivered !== undefined && { inMessages: delivered }) } };
}

/** A read, as its operation has it. */
interface Progress {
  status: string;
  createTime: Date;
  updateTime: Date | null;
  records: number;
  total: number | undefined;
  /** How long it has waited before. */
  waitedMs: number;
  /** It waits now. */
  waits: boolean;
}

interface Pace {
  recordsPerSecond?: number;
  secondsLeft?: number;
}

/** Rounded to three digits; at least a second, so that the first page is no burst. */
function computePace({ status, createTime, updateTime, records, total, waitedMs, waits }: Progress): Pace {
  const isRunning = status === "in_progress";
  if (records === 0 || !updateTime || (isRunning && waits)) return {};
  const activeMs = updateTime.getTime() - createTime.getTime() - waitedMs;
  const recordsPerSecond = Number((records / Math.max(1, activeMs / 1_000)).toPrecision(3));
  if (!isRunning || total === undefined || recordsPerSecond === 0) return { recordsPerSecond };
  return { recordsPerSecond, secondsLeft: Math.ceil(Math.max(0, total - records) / recordsPerSecond) };
}

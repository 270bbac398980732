/** What happened to one record: shape and endpoint. */
import { writeIsoTime } from "../../../ground/iso-time.ts";
import { type Static, Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { suggestName } from "../../../ground/closest.ts";
import { described, describeTime } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { readTimeOfId } from "../../../ground/ids.ts";
import type { LeftOut } from "../../../ground/pack-seen.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import { listReadObjects, type ReadObjectRow } from "../../store/reads/read-objects.ts";
import { listSeen, type SeenAgain } from "../../store/reads/seen-records.ts";
import {
  listSubscriptionEvents,
  type SubscriptionEventRow,
} from "../../store/subscriptions/subscription-events.ts";
import { type Outcome, OUTCOMES } from "../../store/subscriptions/subscription-outcomes.ts";
import {
  listTracedMessages,
  listWritesOfRecord,
  type TracedMessage,
  type TracedWrite,
} from "../../store/operations/traced-records.ts";
import { awaitPushes, LIST_WAIT_MS } from "../../subscribe/receive/await-pushes.ts";
import { StatusSchema } from "../deliveries/delivery.ts";
import { getInstallationRow } from "../installations/installation.ts";
import { runInShardOfInstallation, type InShards } from "../run-in-shard.ts";
import { getIntegrationRow } from "../integration.ts";
import { InstallationId, IntegrationIdOrName, OperationId } from "../members.ts";
import { INSTALLATION } from "../paths.ts";
import { listObstacles, type Obstacle } from "./obstacles.ts";
import { endSentence } from "../../../ground/sentences.ts";

interface TraceServices {
  database: Database;
  catalog: Catalog;
}

export const recordRoutes = (deps: InShards & TraceServices): Route[] => [
  route(
    `GET ${INSTALLATION}/records/{objectName}/{recordId}`,
    "frontend",
    runInShardOfInstallation(deps, getRecordTrace),
  ),
];

const MessageId = Type.String({ description: "Id of the message, `webhook-id` of its deliveries." });

const SeenSchema = Type.Object(
  {
    time: describeTime("When its page or its event arrived."),
    by: Type.Enum(["read", "subscribe"], {
      description: "Whether it was read, or a change of it was reported.",
    }),
    changeTime: Type.Optional(
      describeTime(
        "When it was changed at the provider: of a read the record's own time, of a change that of the event.",
      ),
    ),
    operationId: Type.Optional(Type.String({ description: "The operation that read it." })),
    eventId: Type.Optional(Type.String({ description: "The event of the subscription." })),
    outcome: Type.Enum([...OUTCOMES], {
      description: "What it came to, in the words of subscription events.",
    }),
    reason: Type.Optional(
      Type.String({ description: "Why it was left out, what stands for it, or that it was deleted." }),
    ),
    messageId: Type.Optional(MessageId),
  },
  { title: "RecordSeen", description: "One time that a record was seen." },
);

const MessageSchema = Type.Object(
  {
    messageId: MessageId,
    destination: Type.String({ description: "Name of the destination; empty if it was deleted." }),
    status: StatusSchema,
    attempts: Type.Array(
      Type.Object({
        time: describeTime("When the attempt started."),
        status: Type.Optional(Type.Integer({ description: "HTTP status of the answer, if there was one." })),
        durationMs: Type.Integer({ description: "Duration in milliseconds." }),
        detail: Type.Optional(Type.String({ description: "Why it failed." })),
      }),
      { description: "The latest 40 attempts, oldest first." },
    ),
  },
  { title: "RecordMessage", description: "A message that contains a record." },
);

const WriteSchema = Type.Object(
  {
    operationId: OperationId,
    type: Type.Enum(["create", "update", "delete", "upsert", "write"], {
      description: "What was asked for; `write` where that is no longer known.",
    }),
    status: Type.Enum(["in_progress", "success", "failure"], { description: "Status of the operation." }),
    time: describeTime("When it was accepted."),
  },
  { title: "RecordWrite", description: "An operation that wrote a record, or tried to." },
);

const ObstacleSchema = Type.Object(
  {
    detail: Type.String({ description: "What keeps records from arriving." }),
    remedy: Type.String({ description: "What to do." }),
  },
  { title: "RecordObstacle", description: "Something that keeps records of an object from arriving." },
);

const RecordTraceSchema = Type.Object(
  {
    installationId: InstallationId,
    object: Type.String({ description: "The provider's name of the object." }),
    recordId: Type.String({ description: "The provider's id of the record." }),
    seen: Type.Array(described(SeenSchema, "One time."), {
      description: "When it was read, or reported as changed; the newest first.",
    }),
    messages: Type.Array(described(MessageSchema, "A message."), {
      description: "Messages that contain it, with what their receivers answered; the newest first.",
    }),
    writes: Type.Array(described(WriteSchema, "A write."), {
      description: "Writes of it; the newest first.",
    }),
    obstacles: Type.Array(ObstacleSchema, {
      description:
        "Busbar's own: what is known that keeps records of the object from being read, reported or delivered at the moment; empty if nothing is.",
    }),
  },
  { title: "RecordTrace", description: "What happened to one record of a customer's account." },
);

interface TraceParts {
  obstacles: Obstacle[];
  seen: SeenAgain[];
  events: SubscriptionEventRow[];
  writes: TracedWrite[];
}

/** Adds the messages to what was found of a record. */
async function toTrace(
  queries: DataQueries,
  of: { installationId: string; objectName: string; recordId: string },
  { obstacles, seen, events, writes }: TraceParts,
): Promise<Static<typeof RecordTraceSchema>> {
  const reported = new Set(events.map(({ messageId }) => messageId));
  // Messages with changes are in the events, too, as long as these are kept.
  const others = seen.filter(({ operationId, rowId }) => operationId !== null || !reported.has(rowId));
  const ids = [...others.map(({ rowId }) => rowId), ...events.flatMap(({ messageId }) => messageId ?? [])];
  const messages = await listTracedMessages(queries, of, [...new Set(ids)]);
  const byId = new Map(messages.map((message) => [message.messageId, message]));
  const all = [...others.map((one) => toSeen(one, byId)), ...events.map(toReported)];
  return {
    installationId: of.installationId,
    object: of.objectName,
    recordId: of.recordId,
    seen: all.toSorted((one, other) => (one.time < other.time ? 1 : -1)),
    messages: messages.map(toMessage),
    writes: writes.map(({ operationId, type, status }) => ({
      operationId,
      type: type ?? "write",
      status,
      time: readTimeOfId(operationId).toISOString(),
    })),
    obstacles,
  };
}

const REASONS: Record<LeftOut, [outcome: Outcome, reason: string]> = {
  unchanged: ["repeated", "the same state of the record is in a message already"],
  overtaken: ["repeated", "a newer state of the record, or its deletion, is in a message already"],
  restored: ["filtered", "the record was deleted at the provider, and has changed since: it exists again"],
  ownWrite: ["filtered", "own write"],
};

const DELETED = "the record was deleted at the provider";
const DELETED_ALREADY = "the deletion of the record is in a message already";

function toSeen(
  { rowId, operationId, changeTime, leftOut, deleted }: SeenAgain,
  messages: ReadonlyMap<string, TracedMessage>,
): Static<typeof SeenSchema> {
  const [outcome, reason] = leftOut
    ? deleted && leftOut === "unchanged"
      ? (["repeated", DELETED_ALREADY] as const)
      : REASONS[leftOut]
    : // A message that is gone was removed with its destination.
      [messages.get(rowId)?.outcome ?? ("given_up" as const), deleted && DELETED];
  return {
    time: readTimeOfId(rowId).toISOString(),
    by: operationId === null ? "subscribe" : "read",
    ...(changeTime && { changeTime: writeIsoTime(changeTime) }),
    ...(operationId !== null && { operationId }),
    outcome,
    ...(reason !== undefined && { reason }),
    ...(!leftOut && { messageId: rowId }),
  };
}

const toReported = (row: SubscriptionEventRow): Static<typeof SeenSchema> => ({
  time: row.receivedTime.toISOString(),
  by: "subscribe",
  changeTime: writeIsoTime(row.occurredTime),
  eventId: row.id,
  outcome: row.outcome,
  ...(row.reason !== null ? { reason: row.reason } : row.wasGone && { reason: DELETED }),
  ...(row.messageId !== null && { messageId: row.messageId }),
});

const toMessage = ({
  messageId,
  destinationName,
  state,
  attempts,
}: TracedMessage): Static<typeof MessageSchema> => ({
  messageId,
  destination: destinationName ?? "",
  status: state,
  attempts: attempts.map(({ time: attemptTime, status, durationMs, error }) => ({
    time: attemptTime,
    ...(status !== undefined && { status }),
    durationMs,
    ...(error !== undefined && { detail: error }),
  })),
});

/** Maximum number of entries in each part of the answer. */
const MAX = 200;

const getRecordTrace = (deps: TraceServices) =>
  projectEndpoint({
    operationId: "getRecordTrace",
    tag: "Installations",
    summary: "Trace a record",
    description:
      "Where a record of the customer's account was seen, by reading or by subscription; why it was left out, or in which " +
      "message it is; what each receiver answered; and the writes to it. The newest first, 200 of each. It is kept as long as the " +
      "deliveries are. `obstacles`, and the `causes` of a 404, say what keeps records of the object away at the moment.",
    params: Type.Object({
      integrationId: IntegrationIdOrName,
      installationId: InstallationId,
      objectName: Type.String({ description: "The provider's name of the object, or your own." }),
      recordId: Type.String({ description: "The provider's id of the record." }),
    }),
    success: { status: 200, description: "The trace.", schema: RecordTraceSchema },
    async handle({ project, params }) {
      const { control, data } = deps.database;
      const integration = await getIntegrationRow(control, project.id, params.integrationId);
      const installation = await getInstallationRow(data, project.id, integration.id, params.installationId);
      const readOn = await listReadObjects(data, project.id, installation.id);
      const objectName = requireObject(integration.latestRevision.content, readOn, params.objectName);
      await awaitPushes(deps, project.id, LIST_WAIT_MS);
      const place = { installationId: installation.id, objectName };
      const read = deps.catalog.of(project.id).connector(integration.provider)?.read;
      // A caller may have written it under another form of its id.
      const forms = read?.listIdForms?.(params.recordId) ?? ([params.recordId] as const);
      const of = { ...place, recordId: forms[0] };
      const [seen, { rows: events }, writes] = await Promise.all([
        listSeen(data, of, MAX),
        listSubscriptionEvents(data, {
          ...place,
          recordIds: forms,
          projectId: project.id,
          range: { limit: MAX },
        }),
        listWritesOfRecord(data, { ...place, recordIds: [...forms] }, MAX),
      ]);
      const neverSeen = seen.length + events.length === 0;
      const traced = { integration, installation, objectName };
      const obstacles = await listObstacles(data, traced, { neverSeen });
      if (neverSeen && writes.length === 0) throw refuseUnknownRecord(objectName, params.recordId, obstacles);
      return toTrace(data, of, { obstacles, seen, events, writes });
    },
  });

/** Returns the provider's name. Throws a 404 Problem for an object that the manifest does not have, and that is not read any more. */
function requireObject(
  { read, write, subscribe }: ManifestIntegration,
  readOn: Pick<ReadObjectRow, "objectName" | "messageName">[],
  name: string,
): string {
  const objects = [...(read?.objects ?? []), ...(write?.objects ?? []), ...(subscribe?.objects ?? [])];
  // A deployment may have taken objects out of the manifest that installations go on to read.
  const names = new Map(readOn.map(({ objectName, messageName }) => [messageName, objectName]));
  for (const object of objects)
    if ("mapToName" in object && object.mapToName !== undefined)
      names.set(object.mapToName, object.objectName);
  for (const { objectName } of [...readOn, ...objects]) names.set(objectName, objectName);
  const found = names.get(name);
  if (found !== undefined) return found;
  const known = [...names.keys()].map((one) => `\`${one}\``).join(", ");
  const hint = suggestName(name, names.keys(), `Its objects: ${known || "none"}.`);
  throw new Problem("not-found", { detail: `The integration has no object \`${name}\`. ${hint}` });
}

const refuseUnknownRecord = (objectName: string, recordId: string, obstacles: Obstacle[]): Problem =>
  new Problem("not-found", {
    // A provider's words may end without a full stop.
    causes: obstacles.map(({ detail, remedy }) => `${endSentence(detail)} ${remedy}`),
    detail:
      `Nothing is known of a record \`${recordId}\` of \`${objectName}\`: it was neither read, reported nor written for this ` +
      `installation in the time for which deliveries are kept.${obstacles.length > 0 ? " `causes` lists what may keep it away." : ""}`,
  });

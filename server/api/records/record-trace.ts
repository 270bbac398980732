/** The trace of a record as the API shows it. */
import { Type, type Static } from "typebox";
import { described } from "../../../ground/described.ts";
import { timeOfId } from "../../../ground/ids.ts";
import type { LeftOut } from "../../../ground/pack-seen.ts";
import type { Queries } from "../../store/database.ts";
import { listTracedMessages, type TracedMessage, type TracedWrite } from "../../store/traced-records.ts";
import type { SeenAgain } from "../../store/seen-records.ts";
import type { SubscriptionEventRow } from "../../store/subscription-events.ts";
import { OUTCOMES, type Outcome } from "../../store/subscription-outcomes.ts";
import { StatusSchema } from "../deliveries/delivery.ts";
import { InstallationId, OperationId } from "../members.ts";

const time = (description: string) => Type.String({ format: "date-time", description });
const MessageId = Type.String({ description: "Id of the message, `webhook-id` of its deliveries." });

const SeenSchema = Type.Object(
  {
    time: time("When its page or its event arrived."),
    by: Type.Enum(["read", "subscribe"], {
      description: "Whether it was read, or a change of it was reported.",
    }),
    changeTime: Type.Optional(
      time(
        "When it was changed at the provider: of a read the record's own time, of a change that of the event.",
      ),
    ),
    operationId: Type.Optional(Type.String({ description: "The operation that read it." })),
    eventId: Type.Optional(Type.String({ description: "The event of the subscription." })),
    outcome: Type.Enum([...OUTCOMES], {
      description: "What it came to, in the words of subscription events.",
    }),
    reason: Type.Optional(Type.String({ description: "Why it was left out, or what stands for it." })),
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
        time: time("When the attempt started."),
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
    time: time("When it was accepted."),
  },
  { title: "RecordWrite", description: "An operation that wrote a record, or tried to." },
);

export const RecordTraceSchema = Type.Object(
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
  },
  { title: "RecordTrace", description: "What happened to one record of a customer's account." },
);

interface TraceParts {
  seen: SeenAgain[];
  events: SubscriptionEventRow[];
  writes: TracedWrite[];
}

/** Adds the messages to what was found of a record. */
export async function toTrace(
  queries: Queries,
  of: { installationId: string; objectName: string; recordId: string },
  { seen, events, writes }: TraceParts,
): Promise<Static<typeof RecordTraceSchema>> {
  const told = new Set(events.map(({ messageId }) => messageId));
  // Messages with changes are in the events, too, as long as these are kept.
  const others = seen.filter(({ operationId, rowId }) => operationId !== null || !told.has(rowId));
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
      time: timeOfId(operationId).toISOString(),
    })),
  };
}

const REASONS: Record<LeftOut, [outcome: Outcome, reason: string]> = {
  unchanged: ["repeated", "the same state of the record was delivered already"],
  overtaken: ["repeated", "a newer state of the record was delivered already"],
  restored: ["filtered", "the record changed after its deletion"],
  ownWrite: ["filtered", "own write"],
};

function toSeen(
  { rowId, operationId, changeTime, leftOut }: SeenAgain,
  messages: ReadonlyMap<string, TracedMessage>,
): Static<typeof SeenSchema> {
  const [outcome, reason] = leftOut
    ? REASONS[leftOut]
    : // A message that is gone was removed with its destination.
      [messages.get(rowId)?.outcome ?? ("given_up" as const)];
  return {
    time: timeOfId(rowId).toISOString(),
    by: operationId === null ? "subscribe" : "read",
    ...(changeTime && { changeTime: changeTime.toISOString() }),
    ...(operationId !== null && { operationId }),
    outcome,
    ...(reason !== undefined && { reason }),
    ...(!leftOut && { messageId: rowId }),
  };
}

const toReported = (row: SubscriptionEventRow): Static<typeof SeenSchema> => ({
  time: row.receivedTime.toISOString(),
  by: "subscribe",
  changeTime: row.occurredTime.toISOString(),
  eventId: row.id,
  outcome: row.outcome,
  ...(row.reason !== null && { reason: row.reason }),
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
  attempts: attempts.map(({ time, status, durationMs, error }) => ({
    time,
    ...(status !== undefined && { status }),
    durationMs,
    ...(error !== undefined && { detail: error }),
  })),
});

/** Builds messages about changes from entries. */
import { buildMessageHead } from "../../events/message-head.ts";
import type { SubscribeMessageHead } from "../../events/subscribe-message-schema.ts";
import { newId } from "../../../ground/ids.ts";
import { formatTraceparent } from "../../../ground/span.ts";
import { cutMessages } from "../../read/records/cut-messages.ts";
import type { MessageDestination } from "../../read/definition/read-target.ts";
import type { EventRow } from "../../store/deliveries/events.ts";
import type { SubscriptionTarget } from "../definition/subscription-target.ts";

/** Entries of one message. */
const MAX_ENTRIES = 100;

interface MessagePlace {
  target: SubscriptionTarget;
  destination: MessageDestination;
  /** The provider's name of the object, as in the manifest. */
  objectName: string;
  /** Workspace of the connection. */
  workspace: string | undefined;
}

export interface CutEntries {
  messages: EventRow[];
  /** Ids of the messages that hold the entries, in the order of the entries. */
  messageIds: string[];
}

/** Puts entries (`subscribeEntryText`) into as few messages as the limits allow. */
export function subscribeMessages(place: MessagePlace, entries: string[]): CutEntries {
  const messages: EventRow[] = [];
  const messageIds: string[] = [];
  const { target, destination } = place;
  const limits = { pageSize: MAX_ENTRIES, maxBytes: destination.maxBytes };
  for (const { data, numRecords } of cutMessages(buildHead(place), entries, limits)) {
    const id = newId();
    const { projectId } = target.fields;
    const traceparent = formatTraceparent();
    messages.push({ id, projectId, type: "subscribe", data, destinationId: destination.id, traceparent });
    for (let entry = 0; entry < numRecords; entry++) messageIds.push(id);
  }
  return { messages, messageIds };
}

function buildHead({ target, objectName, workspace }: MessagePlace): SubscribeMessageHead {
  const { fields, installed, definition } = target;
  const { updateTime, createTime } = installed.installation;
  return {
    action: "subscribe",
    ...buildMessageHead({
      ...fields,
      installationUpdateTime: updateTime ?? createTime,
      messageName: definition?.read?.messageName ?? objectName,
      objectName,
      workspace,
    }),
  };
}

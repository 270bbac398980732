/** Selects an object on the stream of its connection, and checks whether the stream is open. */
import { createHash } from "node:crypto";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { StreamConnector } from "../../../connector-kit/stream-connector.ts";
import { callProvider } from "../../operations/call-provider.ts";
import { putEventStream, type EventStreamRow } from "../../store/subscriptions/event-streams.ts";
import type { ClaimedSubscription } from "../../store/subscriptions/subscriptions.ts";
import type { SubscribeServices } from "../definition/subscribe-services.ts";

export interface SelectedObject {
  /** False while the stream has never been opened: what happens now would not be reported. */
  isOpen: boolean;
  warnings: string[];
}

/** After this many attempts (half a minute), a stream that was never open counts as one that cannot be opened. */
const MAX_ATTEMPTS = 5;

/** Throws `ProviderError`, also for a stream that the provider refuses, or that cannot be opened. */
export async function selectObject(
  deps: SubscribeServices,
  { projectId, connectionId, provider, objectName }: ClaimedSubscription,
  { stream, objectKey }: { stream: StreamConnector; objectKey: string },
): Promise<SelectedObject> {
  const ref = buildStreamRef(connectionId);
  const { warnings, ...selected } = await callProvider(deps, { projectId, connectionId }, ({ fetch }) =>
    stream.select({ ref, objectName }, fetch),
  );
  const row = await putEventStream(deps.database.data, {
    connectionId,
    projectId,
    provider,
    ref,
    selected: [objectKey],
    ...selected,
  });
  return { isOpen: hasStreamOpened(row), warnings };
}

/** Returns whether the stream has ever been open. Throws `ProviderError` for one that is refused, or that cannot be opened. */
export function hasStreamOpened({ startTime, state, reason, attempts }: EventStreamRow): boolean {
  if (state !== "failed" && (startTime !== null || attempts < MAX_ATTEMPTS)) return startTime !== null;
  throw new ProviderError({
    kind: "forbidden",
    message: reason ?? "The provider refuses the stream of events.",
  });
}

/** A name that providers accept: letters and digits, a letter first. */
const buildStreamRef = (connectionId: string): string =>
  `Busbar_${createHash("sha256").update(connectionId).digest("hex").slice(0, 16)}`;

/** One event of a provider in a dialog: why it was delivered or not, and how its message fared. */
import type { JSX } from "react";
import { Modal, Stack } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { encodePart, ProjectLink, toRecordPath } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import type { InstallationInput } from "./configuration/installation-input.ts";

type SubscriptionEvent = Schemas["SubscriptionEvent"];

const MEANINGS: Record<SubscriptionEvent["outcome"], string> = {
  received: "It is not processed yet.",
  queued: "It waits, because the subscription, its account or its destination does not work.",
  filtered: "It was not wanted, so no message has it.",
  repeated: "The receiver has that state of the record, so no message has it.",
  in_message: "A message has an entry for it, which the receiver has not answered.",
  delivered: "The receiver has accepted the message with its entry.",
  refused: "The receiver has not accepted the message with its entry. Another attempt follows.",
  given_up: "It was not delivered, and no further attempt follows unless somebody resends the message.",
};

interface SubscriptionEventDialogProps {
  event: SubscriptionEvent;
  input: InstallationInput;
  onClose: () => void;
}

export const SubscriptionEventDialog = ({
  event,
  input,
  onClose,
}: SubscriptionEventDialogProps): JSX.Element => (
  <Modal opened onClose={onClose} title={`Event of record ${event.recordId}`} size="lg">
    <Facts
      facts={{
        Outcome: (
          <>
            <Status status={event.outcome} /> {MEANINGS[event.outcome]}
          </>
        ),
        Why: event.reason,
        Event: `${event.providerEventType} of ${event.objectName}`,
        Record: (
          <ProjectLink to={toRecordPath(input, event.objectName, event.recordId)}>
            All that happened to the record
          </ProjectLink>
        ),
        Happened: <TimeAgo time={event.occurredTime} focusable />,
        Received: <TimeAgo time={event.receivedTime} focusable />,
        Processed: event.endTime && <TimeAgo time={event.endTime} focusable />,
        Id: <IdText id={event.id} />,
        Message: event.messageId && <IdText id={event.messageId} label="Copy message id" />,
        Deliveries: event.messageId && <Deliveries messageId={event.messageId} />,
      }}
    />
  </Modal>
);

/** The message that has the event, at its destination. */
function Deliveries({ messageId }: { messageId: string }): JSX.Element {
  const projectIdOrName = useProjectName();
  const input = { projectIdOrName, eventId: messageId };
  const { data, error } = useCall("listProjectDeliveries", input, { everyMs: POLL_MS.list });
  if (!data) return error ? <ProblemView error={error} /> : <>…</>;
  if (data.results.length === 0) return <>no longer kept</>;
  return (
    <Stack gap={2}>
      {data.results.map(({ id, destinationName, status }) => (
        <div key={id}>
          <ProjectLink to={`/destinations/${encodePart(destinationName)}/deliveries/${encodePart(id)}`}>
            {destinationName}
          </ProjectLink>{" "}
          <Status status={status} />
        </div>
      ))}
    </Stack>
  );
}

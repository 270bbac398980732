/** What became of each event that the provider reported, to be searched by record. */
import { useState, type JSX } from "react";
import { Anchor } from "@mantine/core";
import type { RowOf } from "../../api/live-list.ts";
import { LiveTable } from "../../frame/list-page.tsx";
import { encodePart, ProjectButton, ProjectLink } from "../../frame/page-link.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { FilterField } from "../../ui/filter-bar.tsx";
import { Status, describeStatus } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import type { InstallationInput } from "./configuration/installation-input.ts";
import { SubscriptionEventDialog } from "./subscription-event-dialog.tsx";
import type { Schemas } from "../../api.gen.ts";

type SubscriptionEvent = RowOf<"listSubscriptionEvents">;

const OUTCOMES = [
  "received",
  "filtered",
  "repeated",
  "queued",
  "in_message",
  "delivered",
  "refused",
  "given_up",
];
/** States that will still change by themselves. */
const UNDER_WAY = new Set(["received", "queued", "in_message", "refused"]);

const buildColumns = (onOpen: (event: SubscriptionEvent) => void): Column<SubscriptionEvent>[] => [
  {
    head: "Record",
    cell: (event) => (
      <Anchor component="button" type="button" size="sm" onClick={() => onOpen(event)}>
        <code className="foreign">{event.recordId}</code>
      </Anchor>
    ),
    line: 1,
  },
  { head: "Outcome", cell: ({ outcome }) => <Status status={outcome} />, line: 1 },
  { head: "Received", cell: ({ receivedTime }) => <TimeAgo time={receivedTime} />, line: 2 },
  { head: "Object", cell: ({ objectName }) => objectName },
  { head: "Event", cell: ({ providerEventType }) => <span className="foreign">{providerEventType}</span> },
  {
    head: "Why",
    cell: ({ reason, delivery }) => (
      <>
        <span className="foreign">{reason ?? ""}</span>
        {delivery && <DeliveryState delivery={delivery} />}
      </>
    ),
    grows: true,
    line: 2,
  },
];

interface SubscriptionEventsProps {
  input: InstallationInput;
  objects: readonly string[];
}

export function SubscriptionEvents({ input, objects }: SubscriptionEventsProps): JSX.Element {
  const [opened, setOpened] = useState<SubscriptionEvent>();
  const filters: FilterField[] = [
    { kind: "text", name: "recordId", label: "Record", placeholder: "The provider's id" },
    defineChoiceField("outcome", "Outcome", OUTCOMES),
    defineChoiceField("objectName", "Object", objects),
    { kind: "window", name: "since", label: "Window" },
  ];
  return (
    <>
      <LiveTable
        name="Events of the provider"
        heading
        operationId="listSubscriptionEvents"
        input={input}
        columns={buildColumns(setOpened)}
        getId={({ id }) => id}
        onOpen={setOpened}
        filters={filters}
        isUnderWay={({ outcome }) => UNDER_WAY.has(outcome)}
        notFound="The provider reported no such change within seven days, or not of an object that is subscribed to. “Find missed changes” asks the account itself."
        empty={
          <EmptyState
            title="No events yet"
            action={
              <ProjectButton to={`/integrations/${encodePart(input.integrationId)}?tab=registration`}>
                What must be registered at the provider
              </ProjectButton>
            }
          >
            The provider has reported no change since the installation subscribes. Events are kept for seven
            days.
          </EmptyState>
        }
      />
      {opened && (
        <SubscriptionEventDialog event={opened} input={input} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}

const defineChoiceField = (name: string, label: string, values: readonly string[]): FilterField => ({
  kind: "choice",
  name,
  label,
  options: values.map((value) => ({ value, label: describeStatus(value) })),
});

/** How the delivery of a message stands, in a row about one of its records. */
function DeliveryState({ delivery }: { delivery: Schemas["MessageDelivery"] }): JSX.Element {
  const { destinationName, status, nextAttemptTime, lastAttempt } = delivery;
  const answer = lastAttempt?.status === undefined ? lastAttempt?.error : `answered ${lastAttempt.status}`;
  return (
    <div>
      <ProjectLink to={`/destinations/${encodePart(destinationName)}`}>{destinationName}</ProjectLink>{" "}
      <Status status={status} />
      {answer !== undefined && <span className="foreign">, {answer}</span>}
      {nextAttemptTime !== undefined && (
        <>
          , next attempt <TimeAgo time={nextAttemptTime} />
        </>
      )}
    </div>
  );
}

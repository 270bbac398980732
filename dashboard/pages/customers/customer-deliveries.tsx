/** What is on its way to the application about a customer, and what has arrived. */
import type { JSX } from "react";
import type { RowOf } from "../../api/live-list.ts";
import { DELIVERY_STATUSES, OBJECT_COLUMNS, OBJECT_FILTERS } from "../../frame/data/delivery-subject.tsx";
import { LiveTable } from "../../frame/list-page.tsx";
import { encodePart, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { toOptions, type FilterField } from "../../ui/filter-bar.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

type Delivery = RowOf<"listProjectDeliveries">;

const buildDeliveryPath = ({ destinationName, id }: Delivery): string =>
  `/destinations/${encodePart(destinationName)}/deliveries/${encodePart(id)}`;

const COLUMNS: Column<Delivery>[] = [
  {
    head: "Time",
    cell: (row) => (
      <ProjectLink to={buildDeliveryPath(row)}>
        <TimeAgo time={row.eventTime} />
      </ProjectLink>
    ),
    line: 1,
  },
  { head: "Status", cell: ({ status }) => <Status status={status} />, line: 1 },
  { head: "Type", cell: ({ eventType }) => eventType, line: 2 },
  ...OBJECT_COLUMNS,
  { head: "Destination", cell: ({ destinationName }) => <span className="foreign">{destinationName}</span> },
  {
    head: "Answer",
    cell: ({ attempts }) => (
      <span className="foreign">{attempts.at(-1)?.error ?? attempts.at(-1)?.status ?? "–"}</span>
    ),
    grows: true,
  },
];

const FILTERS: FilterField[] = [
  { kind: "choice", name: "status", label: "Delivery status", options: toOptions(DELIVERY_STATUSES) },
  ...OBJECT_FILTERS,
];

interface CustomerDeliveriesProps {
  input: { projectIdOrName: string; groupRef: string };
}

export function CustomerDeliveries({ input }: CustomerDeliveriesProps): JSX.Element {
  const open = useOpenInProject();
  return (
    <LiveTable
      name="Deliveries"
      heading
      operationId="listProjectDeliveries"
      input={input}
      columns={COLUMNS}
      filters={FILTERS}
      getId={({ id, destinationId }) => `${id}.${destinationId}`}
      onOpen={(row) => open(buildDeliveryPath(row))}
      isUnderWay={({ status }) => status === "sending" || status === "waiting"}
      empty={
        <EmptyState title="No deliveries">
          Records that are read or changed, and events of the customer, are delivered to your destinations.
        </EmptyState>
      }
    />
  );
}

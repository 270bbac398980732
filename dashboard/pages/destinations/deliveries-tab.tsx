/** The deliveries of a destination, with filters; chosen rows are sent again. */
import { useState, type JSX } from "react";
import { Button, Checkbox, Group, Text } from "@mantine/core";
import type { RowOf } from "../../api/live-list.ts";
import { useCall, useChange } from "../../api/queries.ts";
import {
  CUSTOMER_COLUMN,
  DELIVERY_STATUSES,
  OBJECT_COLUMNS,
  SUBJECT_FILTERS,
} from "../../frame/data/delivery-subject.tsx";
import { LiveTable } from "../../frame/list-page.tsx";
import { encodePart, ProjectButton, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { toOptions, type FilterField } from "../../ui/filter-bar.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

type Delivery = RowOf<"listDeliveries">;

/** Types of messages that are no events. */
const MESSAGE_TYPES = ["read", "subscribe", "schema.watch"];

const buildPath = (destination: string, { id }: Delivery): string =>
  `/destinations/${encodePart(destination)}/deliveries/${encodePart(id)}`;

const COLUMNS: Column<Delivery>[] = [
  { head: "Status", cell: ({ status }) => <Status status={status} />, line: 1 },
  { head: "Type", cell: ({ eventType }) => eventType, line: 2 },
  CUSTOMER_COLUMN,
  ...OBJECT_COLUMNS,
  { head: "Attempts", align: "right", labelled: true, cell: ({ attempts }) => attempts.length, line: 2 },
  {
    head: "Answer",
    cell: ({ attempts }) => (
      <span className="foreign">{attempts.at(-1)?.error ?? attempts.at(-1)?.status ?? "–"}</span>
    ),
    grows: true,
  },
  {
    head: "Next",
    cell: ({ nextAttemptTime }) => (nextAttemptTime ? <TimeAgo time={nextAttemptTime} /> : "–"),
  },
];

const buildColumns = (
  destination: string,
  chosen: ReadonlySet<string>,
  toggle: (id: string) => void,
): Column<Delivery>[] => [
  {
    head: "Choose",
    cell: ({ id }) => (
      <Checkbox aria-label={`Choose delivery ${id}`} checked={chosen.has(id)} onChange={() => toggle(id)} />
    ),
    line: 2,
  },
  {
    head: "Time",
    cell: (row) => (
      <ProjectLink to={buildPath(destination, row)}>
        <TimeAgo time={row.eventTime} />
      </ProjectLink>
    ),
    line: 1,
  },
  ...COLUMNS,
];

export function DeliveriesTab({ destination }: { destination: string }): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  const types = useCall("listEventTypes", {}, { staysFresh: true }).data ?? [];
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setChosen(
      (before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]),
    );
  const filters: FilterField[] = [
    { kind: "choice", name: "status", label: "Status", options: toOptions(DELIVERY_STATUSES) },
    {
      kind: "choice",
      name: "type",
      label: "Type",
      options: toOptions([...types.map(({ type }) => type), ...MESSAGE_TYPES]),
    },
    ...SUBJECT_FILTERS,
    { kind: "window", name: "since", label: "Window" },
  ];
  return (
    <>
      <ResendChosen destination={destination} chosen={chosen} onClear={() => setChosen(new Set())} />
      <LiveTable
        name="Deliveries"
        operationId="listDeliveries"
        input={{ projectIdOrName, destination }}
        columns={buildColumns(destination, chosen, toggle)}
        getId={({ id }) => id}
        onOpen={(row) => open(buildPath(destination, row))}
        filters={filters}
        moreFilters={["until"]}
        isUnderWay={({ status }) => status === "sending"}
        empty={
          <EmptyState
            title="No deliveries yet"
            action={<ProjectButton to="/notifications">Choose its events</ProjectButton>}
          >
            A delivery is the sending of one event or message. A topic leads events here.
          </EmptyState>
        }
      />
    </>
  );
}

interface ResendChosenProps {
  destination: string;
  chosen: ReadonlySet<string>;
  onClear: () => void;
}

function ResendChosen({ destination, chosen, onClear }: ResendChosenProps): JSX.Element | null {
  const projectIdOrName = useProjectName();
  const reason = useReason("support");
  const resend = useChange("resendDeliveries", { forget: ["listDeliveries", "getDestination"] });
  const send = () =>
    resend.mutate(
      { projectIdOrName, destination, body: { ids: [...chosen], status: "all" } },
      { onSuccess: onClear },
    );
  if (chosen.size === 0 && !resend.data && !resend.error) return null;
  return (
    <Group gap="xs" mb="sm" align="flex-start">
      {chosen.size > 0 && (
        <>
          <ActionButton size="xs" reason={reason} loading={resend.isPending} onClick={send}>
            {`Resend ${chosen.size} chosen`}
          </ActionButton>
          <Button size="xs" variant="subtle" onClick={onClear}>
            Choose none
          </Button>
        </>
      )}
      <ProblemView error={resend.error} />
      <Text size="sm" role="status" mt={5}>
        {resend.data && chosen.size === 0 && describeResent(resend.data.count)}
      </Text>
    </Group>
  );
}

const describeResent = (count: number): string =>
  count === 0
    ? "None was sent again: deliveries that wait are sent by themselves."
    : `${count} sent again. Those that wait are sent by themselves.`;

/** One destination: its health, its deliveries, resending and a sample. */
import { useState, type JSX } from "react";
import { useParams } from "@tanstack/react-router";
import { Group } from "@mantine/core";
import type { RowOf } from "../../api/live-list.ts";
import { POLL_MS, useCall, useChange } from "../../api/queries.ts";
import { LiveTable } from "../../frame/list-page.tsx";
import { part, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Facts } from "../../ui/facts.tsx";
import type { FilterField } from "../../ui/filter-bar.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { ResendRange } from "./resend-range.tsx";

type Delivery = RowOf<"listDeliveries">;

const STATUSES = ["waiting", "sending", "delivered", "failed"];

const pathOf = ({ id, destinationId }: Delivery): string =>
  `/destinations/${part(destinationId)}/deliveries/${part(id)}`;
const COLUMNS: Column<Delivery>[] = [
  {
    head: "Time",
    cell: (row) => (
      <ProjectLink to={pathOf(row)}>
        <TimeAgo time={row.eventTime} />
      </ProjectLink>
    ),
    line: 1,
  },
  { head: "Status", cell: ({ status }) => <Status status={status} />, line: 1 },
  { head: "Type", cell: ({ eventType }) => eventType, line: 2 },
  { head: "Attempts", cell: ({ attempts }) => attempts.length, line: 2 },
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

export function DestinationPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { name: destination = "" } = useParams({ strict: false });
  const input = { projectIdOrName, destination };
  const { data, error, refetch } = useCall("getDestination", input, { everyMs: POLL_MS.list });
  const test = useChange("testDestination");
  const [resending, setResending] = useState(false);
  const reason = useReason("support");
  const disabled = data?.disabledTime ? "It is disabled. Change its address to enable it." : undefined;
  return (
    <Page
      title={data?.name ?? destination}
      above={<ProjectLink to="/destinations">Destinations</ProjectLink>}
      mark={data && <Status status={data.health?.state ?? "idle"} />}
      actions={
        <Group gap="xs" align="flex-start">
          <ActionButton
            variant="default"
            reason={reason}
            onClick={() => test.mutate(input)}
            loading={test.isPending}
          >
            Send sample
          </ActionButton>
          <ActionButton reason={reason ?? disabled} onClick={() => setResending(true)}>
            Resend a range
          </ActionButton>
        </Group>
      }
    >
      <ProblemView error={data ? test.error : error} onRetry={() => void refetch()} />
      {test.data && (
        <Section title="Answer to the sample">
          <Status status={test.data.delivered ? "delivered" : "failed"} />
          <JsonView name="Sample" value={test.data.attempt} />
        </Section>
      )}
      {data && (
        <Section>
          <Facts
            facts={{
              Id: <IdText id={data.id} />,
              Type: data.type,
              Address: data.metadata["url"] === undefined ? undefined : String(data.metadata["url"]),
              "Failing since": data.health?.failingSince && (
                <TimeAgo time={data.health.failingSince} focusable />
              ),
              "Last delivered": data.health?.lastDeliveredTime && (
                <TimeAgo time={data.health.lastDeliveredTime} focusable />
              ),
              Waiting: data.health?.waiting,
              Failed: data.health?.failed,
              Disabled: data.disabledReason,
            }}
          />
        </Section>
      )}
      <Deliveries destination={data?.name ?? destination} />
      {data && <ResendRange destination={data} opened={resending} onClose={() => setResending(false)} />}
    </Page>
  );
}

function Deliveries({ destination }: { destination: string }): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  const types = useCall("listEventTypes", {}, { staysFresh: true }).data ?? [];
  const filters: FilterField[] = [
    {
      kind: "choice",
      name: "status",
      label: "Status",
      options: STATUSES.map((value) => ({ value, label: value })),
    },
    {
      kind: "choice",
      name: "type",
      label: "Type",
      options: [...types.map(({ type }) => type), "read", "schema.watch"].map((value) => ({
        value,
        label: value,
      })),
    },
    { kind: "window", name: "since", label: "Window" },
  ];
  return (
    <LiveTable
      name="Deliveries"
      operationId="listDeliveries"
      input={{ projectIdOrName, destination }}
      columns={COLUMNS}
      idOf={({ id }) => id}
      onOpen={(row) => open(pathOf(row))}
      filters={filters}
      moreFilters={["until"]}
      isUnderWay={({ status }) => status === "sending"}
      empty={
        <EmptyState title="No deliveries yet">
          A delivery is the sending of one event or message. A topic leads events here.
        </EmptyState>
      }
    />
  );
}

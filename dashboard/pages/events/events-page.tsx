/** The events of a project, newest first, and where each went. */
import type { JSX } from "react";
import { Anchor, Group, Modal, Stack } from "@mantine/core";
import { useCall } from "../../api/queries.ts";
import type { RowOf } from "../../api/live-list.ts";
import { useFilters } from "../../frame/data/filters.ts";
import { ListPage } from "../../frame/list-page.tsx";
import { encodePart, ProjectButton, ProjectLink } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { FilterField } from "../../ui/filter-bar.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { JsonView } from "../../ui/code/code-block.tsx";

type Event = RowOf<"listEvents">;

const MISSING = {
  topic: "nowhere: no topic has this type",
  destination: "nowhere: its topic has no destination",
};

const COLUMNS: Column<Event>[] = [
  { head: "Time", cell: ({ time }) => <TimeAgo time={time} />, line: 1 },
  {
    head: "Type",
    cell: (event) => <EventName event={event} />,
    line: 1,
  },
  { head: "Customer", cell: ({ groupRef }) => <span className="foreign">{groupRef ?? "–"}</span>, line: 2 },
  { head: "Went to", cell: (event) => <WentTo event={event} />, grows: true, line: 2 },
  { head: "Id", cell: ({ id }) => <CopyButton text={id} label="Copy id" /> },
];

/** Opens the event over the list, with the filters as they are. */
function EventName({ event: { id, type } }: { event: Event }): JSX.Element {
  const [, setEvent] = useFilters("event");
  return (
    <Anchor component="button" type="button" size="sm" onClick={() => setEvent({ event: id })}>
      {type}
    </Anchor>
  );
}

function WentTo({ event: { missing, deliveries } }: { event: Event }): JSX.Element {
  if (missing) return <Status status="nowhere">{MISSING[missing]}</Status>;
  return (
    <Stack gap={0}>
      {deliveries.map(({ id, destinationId, destinationName, status }) => (
        <Group key={destinationId} gap={6}>
          <ProjectLink to={`/destinations/${encodePart(destinationName)}/deliveries/${encodePart(id)}`}>
            {destinationName}
          </ProjectLink>
          <Status status={status} />
        </Group>
      ))}
    </Stack>
  );
}

/** Types of messages that are no events; they are listed of a customer, an installation, or by their type. */
const MESSAGE_TYPES = ["read", "subscribe", "schema.watch"];

export function EventsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const types = useCall("listEventTypes", {}, { staysFresh: true }).data ?? [];
  const filters: FilterField[] = [
    {
      kind: "choice",
      name: "type",
      label: "Type",
      options: [...types.map(({ type }) => type), ...MESSAGE_TYPES].map((type) => ({
        value: type,
        label: type,
      })),
    },
    { kind: "text", name: "groupRef", label: "Customer" },
    {
      kind: "choice",
      name: "nowhere",
      label: "Went",
      options: [
        { value: "true", label: "nowhere" },
        { value: "false", label: "somewhere" },
      ],
    },
    { kind: "window", name: "since", label: "Window" },
    { kind: "text", name: "text", label: "Filter", placeholder: "Id, name or value" },
  ];
  const [{ event }, setEvent] = useFilters("event");
  const close = () => setEvent({});
  return (
    <ListPage
      title="Events"
      actions={event && <EventDialog eventId={event} onClose={close} />}
      operationId="listEvents"
      input={{ projectIdOrName }}
      columns={COLUMNS}
      getId={({ id }) => id}
      filters={filters}
      moreFilters={["connectionId", "installationId", "operationId", "until"]}
      empty={
        <EmptyState
          title="No events yet"
          action={<ProjectButton to="/customers">Connect a customer</ProjectButton>}
        >
          Busbar records an event when a customer connects or installs, and when an asynchronous write or a
          read ends.
        </EmptyState>
      }
    />
  );
}

interface EventDialogProps {
  eventId: string;
  onClose: () => void;
}

/** Shows one event in a dialog: its data, the topics that took it, and its deliveries. */
function EventDialog({ eventId, onClose }: EventDialogProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const { data, error, refetch } = useCall("getEvent", { projectIdOrName, eventId });
  return (
    <Modal opened onClose={onClose} title={data?.type ?? "Event"} size="xl">
      <Stack>
        <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
        {data && (
          <>
            <Facts
              facts={{
                Time: <TimeAgo time={data.time} focusable />,
                Message: <IdText id={data.messageId} label="Copy message id" />,
                Customer: data.groupRef && (
                  <ProjectLink to={`/customers/${encodePart(data.groupRef)}`}>{data.groupRef}</ProjectLink>
                ),
                Operation: data.operationId && (
                  <ProjectLink to={`/operations/${encodePart(data.operationId)}`}>
                    {data.operationId}
                  </ProjectLink>
                ),
                Topics: data.topics.map(({ name }) => name).join(", ") || "none",
                Deliveries:
                  data.deliveries.length === 0
                    ? "none"
                    : data.deliveries.map(({ id, destinationName, status }) => (
                        <div key={id}>
                          <ProjectLink
                            to={`/destinations/${encodePart(destinationName)}/deliveries/${encodePart(id)}`}
                          >
                            {destinationName}
                          </ProjectLink>{" "}
                          {status}
                        </div>
                      )),
              }}
            />
            <JsonView name="Data" value={data.data} />
          </>
        )}
      </Stack>
    </Modal>
  );
}

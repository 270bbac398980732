/** The destinations of a project, with their health, and the form for a new one. */
import { useState, type JSX } from "react";
import type { Schemas } from "../../api.gen.ts";
import { AnswerTable } from "../../frame/data/answer-table.tsx";
import { Page } from "../../frame/page.tsx";
import { encodePart, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { NewDestination } from "./new-destination.tsx";

const COLUMNS: Column<Schemas["Destination"]>[] = [
  {
    head: "Name",
    cell: ({ name }) => <ProjectLink to={`/destinations/${encodePart(name)}`}>{name}</ProjectLink>,
    line: 1,
  },
  { head: "Type", cell: ({ type }) => type, line: 2 },
  { head: "Status", cell: ({ health }) => <Status status={health?.state ?? "idle"} />, line: 1 },
  {
    head: "Since",
    cell: ({ health, disabledTime }) => {
      const time = disabledTime ?? health?.failingSince;
      return time ? <TimeAgo time={time} /> : "–";
    },
  },
  {
    head: "Why",
    cell: ({ health, disabledReason }) => disabledReason ?? health?.lastFailure?.error ?? "–",
    line: 2,
  },
  { head: "Last delivered", cell: ({ health }) => <TimeAgo time={health?.lastDeliveredTime} /> },
  { head: "Waiting", align: "right", labelled: true, cell: ({ health }) => health?.waiting ?? "–", line: 2 },
  { head: "Failed", align: "right", labelled: true, cell: ({ health }) => health?.failed ?? "–", line: 2 },
  {
    head: "Address",
    cell: ({ metadata }) => <span className="foreign">{String(metadata["url"] ?? "")}</span>,
    grows: true,
  },
];

export function DestinationsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  const [creating, setCreating] = useState(false);
  const reason = useReason("editor");
  const create = (
    <ActionButton reason={reason} onClick={() => setCreating(true)}>
      New destination
    </ActionButton>
  );
  return (
    <Page title="Destinations" about="Where events and records are sent." actions={create}>
      <AnswerTable
        name="Destinations"
        operationId="listDestinations"
        input={{ projectIdOrName }}
        columns={COLUMNS}
        getId={({ id }) => id}
        onOpen={({ name }) => open(`/destinations/${encodePart(name)}`)}
        empty={
          <EmptyState
            title="No destinations"
            action="Create a destination"
            reason={reason}
            onAction={() => setCreating(true)}
          >
            A destination is a webhook, a queue or another receiver of what happens in this project.
          </EmptyState>
        }
      />
      <NewDestination
        opened={creating}
        onClose={() => setCreating(false)}
        onCreated={({ name }) => open(`/destinations/${encodePart(name)}`)}
      />
    </Page>
  );
}

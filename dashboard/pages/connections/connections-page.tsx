/** The connections of a project: which customer's account works, and which does not. */
import type { JSX } from "react";
import type { RowOf } from "../../api/live-list.ts";
import { ListPage } from "../../frame/list-page.tsx";
import { encodePart, ProjectButton, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import { ProviderName } from "../../frame/data/provider-name.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { FilterField } from "../../ui/filter-bar.tsx";
import { describeStatus } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { ConnectionStatus } from "../../frame/data/connection-status.tsx";

type Connection = RowOf<"listProjectConnections">;

const STATUSES = ["created", "working", "bad_credentials"] as const;

const FILTERS: FilterField[] = [
  {
    kind: "choice",
    name: "status",
    label: "Status",
    options: STATUSES.map((value) => ({ value, label: describeStatus(value) })),
  },
  { kind: "text", name: "provider", label: "Provider" },
  { kind: "text", name: "groupRef", label: "Customer" },
  { kind: "text", name: "text", label: "Filter", placeholder: "Customer or provider" },
];

const COLUMNS: Column<Connection>[] = [
  {
    head: "Customer",
    cell: ({ id, group }) => (
      <ProjectLink to={`/connections/${encodePart(id)}`}>{group.groupName ?? group.groupRef}</ProjectLink>
    ),
    grows: true,
    line: 1,
  },
  { head: "Provider", cell: ({ provider }) => <ProviderName provider={provider} />, line: 2 },
  { head: "Status", cell: (connection) => <ConnectionStatus connection={connection} />, line: 1 },
  {
    head: "Workspace",
    cell: ({ providerWorkspaceRef }) => <span className="foreign">{providerWorkspaceRef ?? "–"}</span>,
    line: 2,
  },
  { head: "Created", cell: ({ createTime }) => <TimeAgo time={createTime} /> },
];

export function ConnectionsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  return (
    <ListPage
      title="Connections"
      operationId="listProjectConnections"
      input={{ projectIdOrName }}
      columns={COLUMNS}
      getId={getId}
      onOpen={({ id }) => open(`/connections/${encodePart(id)}`)}
      filters={FILTERS}
      empty={
        <EmptyState
          title="No connections"
          action={<ProjectButton to="/customers">Connect a customer</ProjectButton>}
        >
          A connection is a customer's account at a provider. It is made when a customer connects in your
          application.
        </EmptyState>
      }
    />
  );
}

const getId = ({ id }: Connection): string => id;

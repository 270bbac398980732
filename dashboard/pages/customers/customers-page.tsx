/** The customers of a project, and whether what they use works. */
import { useState, type JSX } from "react";
import type { RowOf } from "../../api/live-list.ts";
import { ListPage } from "../../frame/list-page.tsx";
import { encodePart, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { toOptions, type FilterField } from "../../ui/filter-bar.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { ConnectCustomer } from "./connect-customer.tsx";

type Customer = RowOf<"listGroups">;

const FILTERS: FilterField[] = [
  {
    kind: "choice",
    name: "healthStatus",
    label: "Status",
    options: toOptions(["healthy", "unhealthy"]),
  },
  { kind: "text", name: "text", label: "Filter", placeholder: "Name or id" },
];

const COLUMNS: Column<Customer>[] = [
  {
    head: "Customer",
    cell: ({ groupRef, groupName }) => (
      <ProjectLink to={`/customers/${encodePart(groupRef)}`}>{groupName}</ProjectLink>
    ),
    grows: true,
    line: 1,
  },
  { head: "Id", cell: ({ groupRef }) => <span className="foreign">{groupRef}</span>, line: 2 },
  {
    head: "Status",
    cell: ({ healthStatus }) => (healthStatus ? <Status status={healthStatus} /> : "–"),
    line: 1,
  },
  { head: "Connections", align: "right", cell: ({ connectionCount }) => connectionCount },
  { head: "Installations", align: "right", cell: ({ installationCount }) => installationCount },
  {
    head: "Last operation",
    labelled: true,
    cell: ({ lastActivityTime }) => <TimeAgo time={lastActivityTime} />,
    line: 2,
  },
];

export function CustomersPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  const reason = useReason("editor");
  const [connecting, setConnecting] = useState(false);
  const to = (groupRef: string) => open(`/customers/${encodePart(groupRef)}`);
  return (
    <ListPage
      title="Customers"
      actions={
        <>
          <ActionButton reason={reason} onClick={() => setConnecting(true)}>
            Connect
          </ActionButton>
          {connecting && <ConnectCustomer onClose={() => setConnecting(false)} onConnected={to} />}
        </>
      }
      operationId="listGroups"
      input={{ projectIdOrName }}
      columns={COLUMNS}
      getId={getId}
      onOpen={({ groupRef }) => to(groupRef)}
      filters={FILTERS}
      empty={
        <EmptyState
          title="No customers yet"
          action="Connect a customer"
          reason={reason}
          onAction={() => setConnecting(true)}
        >
          A customer appears when it connects an account in your application, or when you create the group.
        </EmptyState>
      }
    />
  );
}

const getId = ({ groupRef }: Customer): string => groupRef;

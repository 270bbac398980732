/** The connections of a project: which customer's account works, and which does not. */
import type { JSX } from "react";
import type { Schemas } from "../../api.gen.ts";
import { AnswerTable } from "../../frame/answer-table.tsx";
import { useFilters } from "../../frame/filters.ts";
import { part, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { useProjectName } from "../../frame/project.ts";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar, type FilterField } from "../../ui/filter-bar.tsx";
import { Status, statusWords } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

type Connection = Schemas["Connection"];

const STATUSES = ["created", "working", "bad_credentials"] as const;

const FILTERS: FilterField[] = [
  {
    kind: "choice",
    name: "status",
    label: "Status",
    options: STATUSES.map((value) => ({ value, label: statusWords(value) })),
  },
  { kind: "text", name: "text", label: "Filter", placeholder: "Customer or provider" },
];

const COLUMNS: Column<Connection>[] = [
  {
    head: "Customer",
    cell: ({ id, group }) => (
      <ProjectLink to={`/connections/${part(id)}`}>{group.groupName ?? group.groupRef}</ProjectLink>
    ),
    grows: true,
    line: 1,
  },
  { head: "Provider", cell: ({ provider }) => provider, line: 2 },
  { head: "Status", cell: ({ status }) => <Status status={status} />, line: 1 },
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
  const [filters, setFilters] = useFilters("status", "text");
  const fits = ({ status, provider, group }: Connection) =>
    (!filters.status || status === filters.status) &&
    `${provider} ${group.groupRef} ${group.groupName ?? ""}`
      .toLowerCase()
      .includes((filters.text ?? "").toLowerCase());
  return (
    <Page title="Connections">
      <FilterBar fields={FILTERS} values={filters} onChange={setFilters} />
      <AnswerTable
        name="Connections"
        operationId="listConnections"
        input={{ projectIdOrName }}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ id }) => open(`/connections/${part(id)}`)}
        choose={(rows) => rows.filter(fits)}
        onClear={() => setFilters({})}
        empty={
          <EmptyState title="No connections">
            A connection is a customer's account at a provider. It is made when a customer connects in your
            application.
          </EmptyState>
        }
      />
    </Page>
  );
}

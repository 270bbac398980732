/** The operations of a project, newest first: what was written or read for which customer, and how it went. */
import type { JSX } from "react";
import type { RowOf } from "../../api/live-list.ts";
import { ListPage } from "../../frame/list-page.tsx";
import { part, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { FilterField } from "../../ui/filter-bar.tsx";
import { Status, statusWords } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

type Operation = RowOf<"listProjectOperations">;

const FILTERS: FilterField[] = [
  {
    kind: "choice",
    name: "status",
    label: "Status",
    options: ["in_progress", "success", "failure"].map((value) => ({ value, label: statusWords(value) })),
  },
  { kind: "text", name: "integration", label: "Integration" },
  { kind: "text", name: "groupRef", label: "Customer" },
  { kind: "text", name: "object", label: "Object" },
  {
    kind: "choice",
    name: "type",
    label: "Type",
    options: ["write", "read"].map((value) => ({ value, label: value })),
  },
  { kind: "window", name: "since", label: "Window" },
  { kind: "text", name: "text", label: "Filter", placeholder: "Name, id or result" },
];

const COLUMNS: Column<Operation>[] = [
  {
    head: "Time",
    cell: ({ id, createTime }) => (
      <ProjectLink to={`/operations/${part(id)}`}>
        <TimeAgo time={createTime} />
      </ProjectLink>
    ),
    line: 1,
  },
  { head: "Status", cell: ({ status }) => <Status status={status} />, line: 1 },
  {
    head: "Customer",
    cell: ({ groupName, groupRef }) => <span className="foreign">{groupName ?? groupRef ?? "–"}</span>,
    line: 2,
  },
  { head: "Integration", cell: ({ integrationName }) => integrationName ?? "–" },
  { head: "Object", cell: ({ metadata }) => metadata.objects?.join(", ") ?? "–", line: 2 },
  { head: "Type", cell: ({ actionType }) => actionType },
  { head: "Result", cell: ({ result }) => <span className="foreign">{result ?? ""}</span>, grows: true },
];

export function OperationsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  return (
    <ListPage
      title="Operations"
      operationId="listProjectOperations"
      input={{ projectIdOrName }}
      columns={COLUMNS}
      idOf={idOf}
      onOpen={({ id }) => open(`/operations/${part(id)}`)}
      isUnderWay={({ status }) => status === "in_progress"}
      filters={FILTERS}
      moreFilters={["installationId", "until"]}
      empty={
        <EmptyState title="No operations yet">
          Each write and each read for a customer is an operation, kept for 30 days unless configured
          otherwise.
        </EmptyState>
      }
    />
  );
}

const idOf = ({ id }: Operation): string => id;

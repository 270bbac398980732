/** The operations of a project, newest first: what was written or read for which customer, and how it went. */
import type { JSX } from "react";
import type { RowOf } from "../../api/live-list.ts";
import { ListPage } from "../../frame/list-page.tsx";
import { OPERATION_COLUMNS } from "../../frame/data/operations-table.tsx";
import { encodePart, ProjectButton, useOpenInProject } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { toOptions, type FilterField } from "../../ui/filter-bar.tsx";
import { describeStatus } from "../../ui/status.tsx";

type Operation = RowOf<"listProjectOperations">;

const FILTERS: FilterField[] = [
  {
    kind: "choice",
    name: "status",
    label: "Status",
    options: ["in_progress", "success", "failure"].map((value) => ({ value, label: describeStatus(value) })),
  },
  { kind: "text", name: "integration", label: "Integration" },
  { kind: "text", name: "groupRef", label: "Customer" },
  { kind: "text", name: "object", label: "Object" },
  { kind: "text", name: "actor", label: "Asked by", placeholder: "Id of a key, person or agent" },
  {
    kind: "choice",
    name: "type",
    label: "Type",
    options: toOptions(["write", "read"]),
  },
  { kind: "window", name: "since", label: "Window" },
  { kind: "text", name: "text", label: "Filter", placeholder: "Name, id or result" },
];

export function OperationsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  return (
    <ListPage
      title="Operations"
      operationId="listProjectOperations"
      input={{ projectIdOrName }}
      columns={OPERATION_COLUMNS}
      getId={getId}
      onOpen={({ id }) => open(`/operations/${encodePart(id)}`)}
      isUnderWay={({ status }) => status === "in_progress"}
      filters={FILTERS}
      moreFilters={["installationId", "until"]}
      empty={
        <EmptyState
          title="No operations yet"
          action={<ProjectButton to="/playground">Write a record in the playground</ProjectButton>}
        >
          Each write and each read for a customer is an operation, kept for 30 days unless configured
          otherwise.
        </EmptyState>
      }
    />
  );
}

const getId = ({ id }: Operation): string => id;

/** The acts of agents that need or needed a decision, newest first. */
import type { JSX } from "react";
import type { RowOf } from "../../api/live-list.ts";
import { ListPage } from "../../frame/list-page.tsx";
import { encodePart, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { FilterField } from "../../ui/filter-bar.tsx";
import { Status, describeStatus } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { changeWords } from "./change-words.ts";

type Approval = RowOf<"listApprovals">;

const STATUSES = ["pending", "approved", "rejected", "expired", "executed", "stale", "failed"];

const FILTERS: FilterField[] = [
  {
    kind: "choice",
    name: "status",
    label: "Status",
    options: STATUSES.map((value) => ({ value, label: describeStatus(value) })),
  },
  { kind: "text", name: "groupRef", label: "Customer" },
  { kind: "text", name: "object", label: "Object" },
];

const COLUMNS: Column<Approval>[] = [
  {
    head: "Time",
    cell: ({ id, createTime }) => (
      <ProjectLink to={`/approvals/${encodePart(id)}`}>
        <TimeAgo time={createTime} />
      </ProjectLink>
    ),
    line: 1,
  },
  { head: "Status", cell: ({ status }) => <Status status={status} />, line: 1 },
  { head: "Customer", cell: ({ groupRef }) => <span className="foreign">{groupRef ?? "–"}</span>, line: 2 },
  { head: "Tool", cell: ({ tool }) => tool, line: 2 },
  { head: "Object", cell: ({ object }) => <span className="foreign">{object ?? "–"}</span> },
  {
    head: "Agent",
    cell: ({ actor }) => <span className="foreign">{actor.client ?? actor.name ?? actor.id}</span>,
  },
  {
    head: "Change",
    cell: (approval) => <span className="foreign">{changeWords(approval)}</span>,
    grows: true,
  },
];

export function ApprovalsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  return (
    <ListPage
      title="Approvals"
      operationId="listApprovals"
      input={{ projectIdOrName }}
      columns={COLUMNS}
      getId={getId}
      onOpen={({ id }) => open(`/approvals/${encodePart(id)}`)}
      isUnderWay={({ status }) => status === "pending" || status === "approved"}
      filters={FILTERS}
      empty={
        <EmptyState title="No approvals">
          Where the policy for agents says `ask`, an act of an agent waits here for a decision. Nothing is
          sent before.
        </EmptyState>
      }
    />
  );
}

const getId = ({ id }: Approval): string => id;

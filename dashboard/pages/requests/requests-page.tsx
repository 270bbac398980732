/** The refused requests of a project: what was asked for, with which key, and why it was refused. */
import type { JSX } from "react";
import type { RowOf } from "../../api/live-list.ts";
import { useFilters } from "../../frame/data/filters.ts";
import { ListPage } from "../../frame/list-page.tsx";
import { FilterLink, ProjectButton } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { FilterField } from "../../ui/filter-bar.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { RequestDialog } from "./request-dialog.tsx";

type RefusedRequest = RowOf<"listRequests">;

const FILTERS: FilterField[] = [
  {
    kind: "choice",
    name: "status",
    label: "Status",
    options: ["4xx", "5xx", "400", "403", "404", "409", "422", "429"].map((value) => ({
      value,
      label: value,
    })),
  },
  { kind: "text", name: "operationId", label: "Operation" },
  { kind: "text", name: "apiKeyId", label: "API key id" },
  { kind: "window", name: "since", label: "Window" },
  { kind: "text", name: "text", label: "Filter", placeholder: "Path, detail or request id" },
];

const COLUMNS: Column<RefusedRequest>[] = [
  { head: "Time", cell: ({ time }) => <TimeAgo time={time} />, line: 1 },
  { head: "Status", cell: ({ status }) => status, line: 1 },
  {
    head: "Problem",
    cell: ({ id, title }) => <FilterLink filter={{ request: id }}>{title}</FilterLink>,
    line: 2,
  },
  { head: "Operation", cell: ({ operationId, method }) => operationId ?? method },
  { head: "Detail", cell: ({ detail }) => <span className="foreign">{detail}</span>, grows: true, line: 2 },
  { head: "Request", cell: ({ requestId }) => <CopyButton text={requestId} label="Copy request id" /> },
];

export function RequestsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const [{ request }, setRequest] = useFilters("request");
  return (
    <ListPage
      title="Requests"
      about="Requests to the API that were refused."
      actions={request && <RequestDialog requestId={request} onClose={() => void setRequest({})} />}
      operationId="listRequests"
      input={{ projectIdOrName }}
      columns={COLUMNS}
      getId={({ id }) => id}
      onOpen={({ id }) => void setRequest({ request: id })}
      filters={FILTERS}
      moreFilters={["until"]}
      empty={
        <EmptyState
          title="No refused requests"
          action={<ProjectButton to="/operations">See the operations</ProjectButton>}
        >
          Requests to the API that were answered with 400 or more appear here, if their credential was valid.
          A write that was accepted and failed later is an operation.
        </EmptyState>
      }
    />
  );
}

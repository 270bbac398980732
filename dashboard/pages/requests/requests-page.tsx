/** The refused requests of a project: what was asked for, with which key, and why it was refused. */
import type { JSX } from "react";
import { Modal } from "@mantine/core";
import type { RowOf } from "../../api/live-list.ts";
import { useFilters } from "../../frame/data/filters.ts";
import { ListPage } from "../../frame/list-page.tsx";
import { FilterLink, OutLink, ProjectButton } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { FilterField } from "../../ui/filter-bar.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { useCall } from "../../api/queries.ts";
import { ActorName } from "../../frame/data/actor-name.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";

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

interface RequestDialogProps {
  requestId: string;
  onClose: () => void;
}

function RequestDialog({ requestId, onClose }: RequestDialogProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const input = { projectIdOrName, text: requestId, pageSize: 1 };
  const { data, error, refetch } = useCall("listRequests", input, { staysFresh: true });
  const found = data?.results[0];
  return (
    <Modal opened onClose={onClose} title={found?.title ?? "Request"} size="lg">
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && !found && "It is not listed any more."}
      {found && (
        <Facts
          facts={{
            Detail: found.detail,
            Status: found.status,
            Request: `${found.method} ${found.path}`,
            Operation: found.operationId,
            By: found.apiKeyId ? (
              <ActorName actor={`apiKey:${found.apiKeyId}`} />
            ) : (
              found.builderId && <ActorName actor={`builder:${found.builderId}`} />
            ),
            Time: <TimeAgo time={found.time} focusable />,
            Id: <IdText id={found.requestId} label="Copy request id" />,
            Meaning: <OutLink href={found.type}>What this means</OutLink>,
          }}
        />
      )}
    </Modal>
  );
}

/** The calls through the proxy: what was called for whom, what came of it, and who refused. */
import type { JSX } from "react";
import type { RowOf } from "../../api/live-list.ts";
import { ListPage } from "../../frame/list-page.tsx";
import { ProjectButton } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { toOptions, type FilterField } from "../../ui/filter-bar.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

type ProxyCall = RowOf<"listProjectProxyCalls">;

const FILTERS: FilterField[] = [
  { kind: "choice", name: "status", label: "Status", options: toOptions(["2xx", "3xx", "4xx", "5xx"]) },
  { kind: "choice", name: "refusedBy", label: "Refused by", options: toOptions(["busbar", "provider"]) },
  {
    kind: "choice",
    name: "method",
    label: "Method",
    options: toOptions(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  },
  { kind: "text", name: "path", label: "Path" },
  { kind: "text", name: "groupRef", label: "Customer" },
  { kind: "text", name: "integration", label: "Integration" },
  { kind: "window", name: "since", label: "Window" },
];

const COLUMNS: Column<ProxyCall>[] = [
  { head: "Time", cell: ({ time }) => <TimeAgo time={time} />, line: 1 },
  { head: "Status", cell: ({ status }) => status, line: 1 },
  { head: "Method", cell: ({ method }) => method, line: 2 },
  { head: "Path", cell: ({ path }) => <span className="foreign">{path}</span>, grows: true, line: 2 },
  { head: "Customer", cell: ({ groupRef }) => <span className="foreign">{groupRef ?? "–"}</span> },
  { head: "Integration", cell: ({ integrationName }) => integrationName ?? "–" },
  { head: "Refused by", cell: ({ refusedBy }) => refusedBy ?? "" },
  { head: "Duration", cell: ({ durationMs }) => `${durationMs} ms`, align: "right" },
  { head: "Bytes", cell: ({ bytesDown }) => bytesDown.toLocaleString(), align: "right" },
  {
    head: "Request",
    cell: ({ requestId }) => requestId && <CopyButton text={requestId} label="Copy request id" />,
  },
];

export function ProxyCallsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  return (
    <ListPage
      title="Proxy calls"
      operationId="listProjectProxyCalls"
      input={{ projectIdOrName }}
      columns={COLUMNS}
      getId={({ id }) => id}
      filters={FILTERS}
      moreFilters={["installationId", "until"]}
      empty={
        <EmptyState
          title="No proxied calls yet"
          action={<ProjectButton to="/playground?tab=proxy">Send one in the playground</ProjectButton>}
        >
          Calls to a provider's API through the proxy appear here a second after their end. The manifest
          enables the proxy of an integration.
        </EmptyState>
      }
    />
  );
}

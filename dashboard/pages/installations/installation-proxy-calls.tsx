/** The proxied calls of one installation. */
import type { JSX } from "react";
import type { RowOf } from "../../api/live-list.ts";
import { LiveTable } from "../../frame/list-page.tsx";
import { ProjectButton } from "../../frame/page-link.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import type { InstallationInput } from "./configuration/installation-input.ts";

type ProxyCall = RowOf<"listProxyCalls">;

const COLUMNS: Column<ProxyCall>[] = [
  { head: "Time", cell: ({ time }) => <TimeAgo time={time} />, line: 1 },
  { head: "Status", align: "right", cell: ({ status }) => status, line: 1 },
  { head: "Method", cell: ({ method }) => method, line: 2 },
  { head: "Path", cell: ({ path }) => <code className="foreign">{path}</code>, grows: true, line: 2 },
  { head: "Took", align: "right", cell: ({ durationMs }) => `${durationMs} ms` },
  { head: "Bytes", align: "right", cell: ({ bytesDown }) => bytesDown },
];

interface InstallationProxyCallsProps {
  input: InstallationInput;
  /** Filters of the playground for a first call. */
  playground: string;
}

export const InstallationProxyCalls = ({ input, playground }: InstallationProxyCallsProps): JSX.Element => (
  <LiveTable
    name="Proxy calls"
    operationId="listProxyCalls"
    input={input}
    columns={COLUMNS}
    getId={getId}
    empty={
      <EmptyState
        title="No proxied calls"
        action={
          <ProjectButton to={`/playground?tab=proxy&${playground}`}>Send one in the playground</ProjectButton>
        }
      >
        A call through the proxy appears here a second or two after its end.
      </EmptyState>
    }
  />
);

const getId = ({ id }: ProxyCall): string => id;

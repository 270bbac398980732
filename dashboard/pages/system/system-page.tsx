/** This Busbar: version, processes, queues, retention and addresses. */
import type { JSX } from "react";
import type { Answer } from "../../api/call.ts";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Section } from "../../ui/section.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

const PROCESSES: Column<Answer<"getSystem">["processes"][number]>[] = [
  { head: "Number", cell: ({ id }) => id, line: 1 },
  { head: "Version", cell: ({ version }) => version, line: 1 },
  { head: "Roles", cell: ({ roles }) => roles.join(", "), line: 1, grows: true },
  { head: "Started", labelled: true, cell: ({ startTime }) => <TimeAgo time={startTime} />, line: 2 },
  { head: "Last seen", labelled: true, cell: ({ lastSeenTime }) => <TimeAgo time={lastSeenTime} />, line: 2 },
];

export function SystemPage(): JSX.Element {
  const { data, error, refetch } = useCall("getSystem", {}, { everyMs: POLL_MS.overview });
  return (
    <Page title="System">
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && (
        <>
          <Section>
            <Facts facts={{ Version: data.version, Started: <TimeAgo time={data.startTime} focusable /> }} />
          </Section>
          <Section title="Processes" flush>
            <DataTable
              name="Processes"
              columns={PROCESSES}
              rows={data.processes}
              getId={({ id }) => String(id)}
            />
          </Section>
          <Section title="Queues">
            <Facts
              facts={Object.fromEntries(
                data.queues.map(({ name, waiting }) => [name, waiting.toLocaleString()]),
              )}
            />
          </Section>
          <Section title="Kept for">
            <Facts
              facts={{
                Operations: `${data.retention.operationDays} days`,
                Events: `${data.retention.eventDays} days`,
                "Proxied calls": `${data.retention.usageDays} days`,
                "Refused requests": `${data.retention.requestDays} days`,
                Audit: `${data.retention.auditDays} days`,
              }}
            />
          </Section>
          <Section title="Addresses">
            <Facts
              facts={{
                API: data.urls.base,
                Write: data.urls.write,
                Read: data.urls.read,
                Search: data.urls.search,
                Proxy: data.urls.proxy,
              }}
            />
          </Section>
        </>
      )}
    </Page>
  );
}

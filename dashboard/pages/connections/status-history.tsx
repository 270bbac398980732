/** The history of a connection's status: the events that changed it, newest first. */
import type { JSX } from "react";
import { Text } from "@mantine/core";
import type { RowOf } from "../../api/live-list.ts";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

type Event = RowOf<"listEvents">;

/** What each event says about the connection. */
const MEANING: Readonly<Record<string, { status: string; words: string }>> = {
  "connection.created": { status: "created", words: "connected" },
  "connection.updated": { status: "created", words: "changed or connected again" },
  "connection.refreshed": { status: "working", words: "token refreshed" },
  "connection.error": { status: "bad_credentials", words: "refused by the provider" },
  "connection.deleted": { status: "disabled", words: "deleted" },
};

const COLUMNS: Column<Event>[] = [
  { head: "Time", cell: ({ time }) => <TimeAgo time={time} focusable />, line: 2 },
  {
    head: "Status",
    cell: ({ type }) => (
      <Status status={MEANING[type]?.status ?? "idle"}>{MEANING[type]?.words ?? type}</Status>
    ),
    line: 1,
    grows: true,
  },
  { head: "Event", cell: ({ type }) => type, line: 2 },
];

const MAX_SHOWN = 20;

export function StatusHistory({
  connectionId,
  projectIdOrName,
}: {
  connectionId: string;
  projectIdOrName: string;
}): JSX.Element {
  const input = { projectIdOrName, connectionId, pageSize: 100 };
  const { data, error, refetch } = useCall("listEvents", input, { everyMs: POLL_MS.overview });
  const rows = data?.results.filter(({ type }) => type.startsWith("connection.")).slice(0, MAX_SHOWN);
  const refusal = data?.results.find(({ type }) => type === "connection.error");
  const all = <ProjectLink to={`/events?connectionId=${encodePart(connectionId)}`}>All events</ProjectLink>;
  return (
    <Section title="Status history" actions={all} flush>
      {refusal && <ProviderWords projectIdOrName={projectIdOrName} eventId={refusal.id} />}
      {rows && rows.length > 0 ? (
        <DataTable name="Status history" columns={COLUMNS} rows={rows} getId={({ id }) => id} />
      ) : error && !rows ? (
        <ProblemView error={error} onRetry={() => void refetch()} />
      ) : (
        <Text size="sm" p="sm">
          {rows ? "No event of this connection is kept any more." : "Loading …"}
        </Text>
      )}
    </Section>
  );
}

/** Shows the provider's answer to the last refusal of the credentials. */
function ProviderWords(input: { projectIdOrName: string; eventId: string }): JSX.Element | null {
  const { data } = useCall("getEvent", input, { staysFresh: true });
  const { errors = [] } = (data?.data ?? {}) as { errors?: readonly string[] };
  if (errors.length === 0) return null;
  return (
    <Text size="sm" p="sm">
      The last refusal: <span className="foreign">{errors.join(" ")}</span>
    </Text>
  );
}

/** The calls that were sent in this tab; each can be filled into the form again. */
import type { JSX } from "react";
import { Button, Text } from "@mantine/core";
import { ProjectLink } from "../../frame/page-link.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { useSentCalls, type SentCall } from "./sent-calls.ts";

const buildColumns = (onUse: (sent: SentCall) => void): Column<SentCall>[] => [
  { head: "Time", cell: ({ time }) => <TimeAgo time={time} />, line: 2 },
  { head: "Status", cell: ({ status }) => <Status status={status} />, line: 2 },
  {
    head: "Call",
    cell: ({ words, to }) =>
      to ? <ProjectLink to={to}>{words}</ProjectLink> : <span className="foreign">{words}</span>,
    grows: true,
    line: 1,
  },
  {
    head: "Again",
    cell: (sent) => (
      <Button size="compact-sm" variant="default" onClick={() => onUse(sent)}>
        Fill in again
      </Button>
    ),
    line: 1,
  },
];

export function SentCallsTable({ onUse }: { onUse: (sent: SentCall) => void }): JSX.Element | null {
  const calls = useSentCalls();
  if (calls.length === 0) return null;
  return (
    <Section title="Sent in this tab" flush>
      <DataTable
        name="Sent in this tab"
        columns={buildColumns(onUse)}
        rows={calls}
        getId={({ id }) => String(id)}
      />
      <Text size="xs" c="dimmed" p="xs">
        Kept in the memory of this tab only.
      </Text>
    </Section>
  );
}

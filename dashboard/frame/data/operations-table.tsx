/** The columns of operations, and a live table of those of one customer or installation. */
import type { JSX } from "react";
import type { Input } from "../../api/call.ts";
import type { RowOf } from "../../api/live-list.ts";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { formatSpan } from "../../ui/time-words.ts";
import { LiveTable } from "../list-page.tsx";
import { encodePart, ProjectButton, ProjectLink, useOpenInProject } from "../page-link.tsx";

type Operation = RowOf<"listProjectOperations">;

const recordCount = ({ metadata }: Operation): number | undefined => {
  const { successfulRecordIds, failedRecordIds, read } = metadata;
  if (read) return read.records;
  if (!successfulRecordIds && !failedRecordIds) return undefined;
  return (successfulRecordIds?.length ?? 0) + (failedRecordIds?.length ?? 0);
};

/** The object and the failure, which have columns of their own: what differs between the rows is to be seen. */
const TOLD_BEFORE = /^\[[^\]]*\] (Error (writing to|reading from) provider: )?/;

export const OPERATION_COLUMNS: Column<Operation>[] = [
  {
    head: "Time",
    cell: ({ id, createTime }) => (
      <ProjectLink to={`/operations/${encodePart(id)}`}>
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
  { head: "Object", cell: ({ metadata, resource }) => metadata.objects?.join(", ") ?? resource, line: 2 },
  { head: "Type", cell: ({ actionType }) => actionType, line: 2 },
  { head: "Records", align: "right", cell: (row) => recordCount(row) ?? "–" },
  { head: "Attempts", align: "right", cell: ({ metadata }) => metadata.retry?.attempts ?? 1 },
  {
    head: "Took",
    align: "right",
    cell: ({ status, createTime, updateTime }) =>
      status === "in_progress" || !updateTime ? "–" : formatSpan(createTime, updateTime),
  },
  {
    head: "Result",
    cell: ({ result = "" }) => {
      const told = result.replace(TOLD_BEFORE, "");
      return told && <span className="foreign">{told}</span>;
    },
    grows: true,
    line: 3,
  },
];

/** The columns for pages of one customer. */
const OF_ONE_CUSTOMER = OPERATION_COLUMNS.filter(({ head }) => head !== "Customer");

interface OperationsTableProps {
  /** Filters by an installation or only a customer; the table has no fields for filters. */
  input: Input<"listProjectOperations">;
  /** Filters of the playground for a first operation. */
  playground: string;
  heading?: boolean;
}

export function OperationsTable({ input, playground, heading = false }: OperationsTableProps): JSX.Element {
  const open = useOpenInProject();
  return (
    <LiveTable
      name="Operations"
      heading={heading}
      operationId="listProjectOperations"
      input={input}
      columns={OF_ONE_CUSTOMER}
      getId={getId}
      onOpen={({ id }) => open(`/operations/${encodePart(id)}`)}
      isUnderWay={({ status }) => status === "in_progress"}
      empty={
        <EmptyState
          title="No operations"
          action={
            <ProjectButton to={`/playground?${playground}`}>Write a record in the playground</ProjectButton>
          }
        >
          Each write and each read for a customer is an operation.
        </EmptyState>
      }
    />
  );
}

const getId = ({ id }: Operation): string => id;

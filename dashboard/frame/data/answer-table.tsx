/** A table of an operation that answers an array: asked for again every few seconds, with its empty state. */
import type { JSX, ReactNode } from "react";
import type { Answer, Input, OperationId } from "../../api/call.ts";
import { POLL_MS, useCall, useLastingError } from "../../api/queries.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Section } from "../../ui/section.tsx";
import { isReportedByBar } from "../away-bar.tsx";
import { FilteredEmpty, TableSkeleton } from "../list-page.tsx";
import { ProblemView } from "../problem-view.tsx";

/** Operations that answer an array. */
type ArrayId = {
  [Id in OperationId]: Answer<Id> extends readonly unknown[] ? Id : never;
}[OperationId];

export type EntryOf<Id extends ArrayId> = Answer<Id> extends readonly (infer Row)[] ? Row : never;

interface AnswerTableProps<Id extends ArrayId> {
  /** Accessible name of the table: the heading of the page. */
  name: string;
  operationId: Id;
  input: Input<Id>;
  columns: readonly Column<EntryOf<Id>>[];
  getId: (row: EntryOf<Id>) => string;
  onOpen?: (row: EntryOf<Id>) => void;
  /** Filters and sorts the rows in the browser, which has the whole answer. */
  choose?: (rows: readonly EntryOf<Id>[]) => readonly EntryOf<Id>[];
  /** Set if `choose` filters: clears the filters. */
  onClear?: () => void;
  empty: ReactNode;
}

export function AnswerTable<Id extends ArrayId>(props: AnswerTableProps<Id>): JSX.Element {
  const { name, operationId, input, columns, getId, onOpen, choose, onClear, empty } = props;
  const call = useCall(operationId, input, { everyMs: POLL_MS.list });
  const all = call.data as readonly EntryOf<Id>[] | undefined;
  const error = useLastingError(call.error, all !== undefined, JSON.stringify(input));
  const problem = error && !(all && isReportedByBar(error)) && (
    <ProblemView error={error} onRetry={() => void call.refetch()} />
  );
  if (!all) return problem || <TableSkeleton />;
  const rows = choose ? choose(all) : all;
  return (
    <>
      {problem}
      <Section flush>
        {rows.length > 0 ? (
          <DataTable name={name} columns={columns} rows={rows} getId={getId} onOpen={onOpen} />
        ) : onClear && all.length > 0 ? (
          <FilteredEmpty onClear={onClear} />
        ) : (
          empty
        )}
      </Section>
    </>
  );
}

/** The steps of an operation as a table: plan, withheld fields with reasons, requests, errors, next attempts. */
import type { JSX } from "react";
import type { Answer } from "../../api/call.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { tookWords } from "../../ui/took-words.ts";

type Step = Answer<"listOperationLogs">[number] & { id: string };

interface Props {
  steps: Answer<"listOperationLogs">;
  begun: string;
}

export function OperationSteps({ steps, begun }: Props): JSX.Element {
  if (steps.length === 0)
    return <EmptyState title="No steps yet">They appear as the operation goes on.</EmptyState>;
  const columns: Column<Step>[] = [
    { head: "After", cell: ({ timestamp }) => tookWords(begun, timestamp), line: 2 },
    { head: "Severity", cell: ({ severity }) => severity.toLowerCase(), line: 2 },
    {
      head: "Step",
      grows: true,
      line: 1,
      cell: ({ message: { msg, error, details = {} } }) => (
        <>
          <div className="foreign">{error ? `${msg}: ${error}` : msg}</div>
          {Object.entries(details).map(([name, value]) => (
            <div key={name} className="foreign soft">
              <code>{name}</code>: {value}
            </div>
          ))}
        </>
      ),
    },
  ];
  const rows = steps.map((step, index) => ({ ...step, id: String(index) }));
  return <DataTable name="Steps" columns={columns} rows={rows} idOf={({ id }) => id} />;
}

/** The steps of an operation as a table: plan, withheld fields with reasons, requests, errors, next attempts. */
import type { JSX } from "react";
import type { Answer } from "../../api/call.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatSpan } from "../../ui/time-words.ts";
import classes from "./operation-steps.module.css";

type Step = Answer<"listOperationLogs">[number] & { id: string; begun: string };

interface Props {
  steps: Answer<"listOperationLogs">;
  begun: string;
}

const COLUMNS: Column<Step>[] = [
  { head: "After", cell: ({ timestamp, begun }) => formatSpan(begun, timestamp), line: 2 },
  { head: "Severity", cell: ({ severity }) => severity.toLowerCase(), line: 2 },
  { head: "Step", grows: true, line: 1, cell: (step) => <StepText step={step} /> },
];

export function OperationSteps({ steps, begun }: Props): JSX.Element {
  if (steps.length === 0)
    return <EmptyState title="No steps yet">They appear as the operation goes on.</EmptyState>;
  const rows = steps.map((step, index) => ({ ...step, id: String(index), begun }));
  return <DataTable name="Steps" columns={COLUMNS} rows={rows} getId={({ id }) => id} />;
}

/** The whole text, on as many lines as it takes. */
const StepText = ({ step: { message } }: { step: Step }): JSX.Element => (
  <div className={classes["step"]}>
    <div className="foreign">{message.error ? `${message.msg}: ${message.error}` : message.msg}</div>
    {Object.entries(message.details ?? {}).map(([name, value]) => (
      <div key={name} className="foreign soft">
        <code>{name}</code>: {value}
      </div>
    ))}
  </div>
);

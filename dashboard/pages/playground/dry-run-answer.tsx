/** What a dry run says: of each record every field, whether it is sent, and why not. */
import type { JSX } from "react";
import { Title } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Status } from "../../ui/status.tsx";

interface PlannedField {
  id: string;
  field: string;
  value: string;
  fate: "accepted" | "partial" | "disabled";
  words: string;
}

const COLUMNS: Column<PlannedField>[] = [
  { head: "Field", cell: ({ field }) => <code className="foreign">{field}</code>, line: 1 },
  { head: "Value", cell: ({ value }) => <span className="foreign">{value}</span>, line: 2 },
  { head: "Sent", grows: true, cell: ({ fate, words }) => <Status status={fate}>{words}</Status>, line: 1 },
];

function listFields({ fields, withheld, ifEmpty }: Schemas["DryRun"]["records"][number]): PlannedField[] {
  const sent = Object.entries(fields).map(([field, value]): PlannedField => ({
    id: `sent ${field}`,
    field,
    value: typeof value === "string" ? value : JSON.stringify(value),
    ...(ifEmpty.includes(field)
      ? { fate: "partial", words: "if it is empty at the provider" }
      : { fate: "accepted", words: "sent" }),
  }));
  const kept = withheld.map(({ field, reason }): PlannedField => ({
    id: `withheld ${field}`,
    field,
    value: "–",
    fate: "disabled",
    words: `withheld: ${reason}`,
  }));
  return [...sent, ...kept];
}

export const DryRunAnswer = ({ answer }: { answer: Schemas["DryRun"] }): JSX.Element => (
  <>
    {answer.records.map((record, index) => {
      const name = answer.records.length > 1 ? `Fields of record ${index + 1}` : "Fields";
      return (
        // oxlint-disable-next-line react/no-array-index-key -- records have no ids, and the answer does not change
        <div key={index}>
          <Title order={3} mb={4}>
            {record.id === undefined ? name : `${name}, ${record.id}`}
          </Title>
          <DataTable name={name} columns={COLUMNS} rows={listFields(record)} getId={({ id }) => id} />
        </div>
      );
    })}
  </>
);

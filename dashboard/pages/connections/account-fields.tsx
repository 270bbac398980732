/** The fields of an object in the customer's account, as the provider describes them. */
import { useState, type JSX } from "react";
import { Button, Group, TextInput } from "@mantine/core";
import type { Answer, Input } from "../../api/call.ts";
import { useCall } from "../../api/queries.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Section } from "../../ui/section.tsx";

type Field = Answer<"getObjectMetadataForConnection">["fields"][string];

const COLUMNS: Column<Field>[] = [
  { head: "Field", cell: ({ fieldName }) => <code className="foreign">{fieldName}</code>, line: 1 },
  {
    head: "Name",
    cell: ({ displayName }) => <span className="foreign">{displayName}</span>,
    grows: true,
    line: 2,
  },
  { head: "Type", cell: ({ valueType, providerType }) => valueType ?? providerType ?? "–", line: 2 },
  {
    head: "Written",
    cell: ({ readOnly, isRequired }) => (readOnly ? "read only" : isRequired ? "required" : "yes"),
  },
  { head: "Custom", cell: ({ isCustom }) => (isCustom ? "custom" : "") },
];

export function AccountFields({ connection }: { connection: Answer<"getConnection"> }): JSX.Element {
  const { projectId: projectIdOrName, provider, group } = connection;
  const [typed, setTyped] = useState("");
  const [objectName, setObjectName] = useState("");
  const input: Input<"getObjectMetadataForConnection"> = {
    projectIdOrName,
    provider,
    objectName,
    groupRef: group.groupRef,
  };
  const { data, error, isFetching } = useCall("getObjectMetadataForConnection", input, {
    enabled: objectName !== "",
    staysFresh: true,
  });
  const rows = Object.values(data?.fields ?? {}).toSorted((one, other) =>
    one.fieldName.localeCompare(other.fieldName),
  );
  return (
    <Section title="Fields in the account">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setObjectName(typed.trim());
        }}
      >
        <Group align="flex-end" gap="xs" mb="sm">
          <TextInput
            label="Object"
            placeholder="As the provider names it"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={isFetching && objectName !== ""}>
            Show fields
          </Button>
        </Group>
      </form>
      <ProblemView error={error} />
      {rows.length > 0 && (
        <DataTable name="Fields" columns={COLUMNS} rows={rows} getId={({ fieldName }) => fieldName} />
      )}
    </Section>
  );
}

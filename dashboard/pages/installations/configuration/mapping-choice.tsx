/** The customer's field for a mapped name: one of the account's, or a path into one, such as an entry of a list. */
import { useState, type JSX } from "react";
import { NativeSelect, Stack, TextInput } from "@mantine/core";
import type { Schemas } from "../../../api.gen.ts";

interface MappingChoiceProps {
  field: Schemas["HydratedField"] & { mapToName: string };
  /** The fields of the account. */
  offered: Schemas["HydratedReadObject"]["allFields"];
  /** Empty: the manifest decides. */
  value: string;
  error: string | undefined;
  onValue: (value: string) => void;
}

/** Value of the choice; no field has this name. */
const PATH = "$";

export function MappingChoice({ field, offered, value, error, onValue }: MappingChoiceProps): JSX.Element {
  const [isTyping, setTyping] = useState(false);
  const { mapToName, mapToDisplayName, prompt, default: standard } = field;
  const label = mapToDisplayName ?? mapToName;
  const isPath = isTyping || (value !== "" && offered.every(({ fieldName }) => fieldName !== value));
  return (
    <Stack gap="xs">
      <NativeSelect
        label={label}
        description={prompt}
        data={[
          { value: "", label: standard === undefined ? "None" : `As the manifest: ${standard}` },
          ...offered.map(({ fieldName, displayName }) => ({
            value: fieldName,
            label: `${displayName} (${fieldName})`,
          })),
          { value: PATH, label: "A path into a field" },
        ]}
        value={isPath ? PATH : value}
        error={isPath ? undefined : error}
        onChange={({ currentTarget }) => {
          const isOther = currentTarget.value === PATH;
          setTyping(isOther);
          if (!isOther) onValue(currentTarget.value);
        }}
      />
      {isPath && (
        <TextInput
          label={`Path of ${label}`}
          description="For example $['emails'][?primary]['value']"
          value={value}
          error={error}
          onChange={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Stack>
  );
}

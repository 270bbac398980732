/** Fields to choose from by checkboxes; many can be narrowed by a text. */
import { useState, type JSX } from "react";
import { Checkbox, Text, TextInput } from "@mantine/core";
import classes from "./field-choices.module.css";

/** More than this many can be narrowed by a text. */
const MANY = 12;

interface FieldChoicesProps {
  title: string;
  fields: readonly { fieldName: string; displayName: string }[];
  isChosen: (fieldName: string) => boolean;
  error?: string;
  onField: (fieldName: string, isWanted: boolean) => void;
}

export function FieldChoices({ title, fields, isChosen, error, onField }: FieldChoicesProps): JSX.Element {
  const [text, setText] = useState("");
  const isShown = ({ fieldName, displayName }: { fieldName: string; displayName: string }) =>
    `${fieldName} ${displayName}`.toLowerCase().includes(text.toLowerCase());
  const shown = fields.filter(isShown);
  const chosen = fields.filter(({ fieldName }) => isChosen(fieldName)).length;
  return (
    <div role="group" aria-label={title}>
      <Text size="sm" fw={600} mb={4}>
        {title}
        {fields.length > MANY && (
          <Text component="span" size="xs" c="dimmed">
            {" "}
            {chosen} of {fields.length} chosen
          </Text>
        )}
      </Text>
      {fields.length > MANY && (
        <TextInput
          label="Find a field"
          maw={320}
          mb="xs"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <div className={classes["fields"]} data-many={fields.length > MANY}>
        {shown.length === 0 && fields.length > 0 && (
          <Text size="sm" c="dimmed">
            No field is called so.
          </Text>
        )}
        {shown.map(({ fieldName, displayName }) => (
          <Checkbox
            key={fieldName}
            label={displayName === fieldName ? fieldName : `${displayName} (${fieldName})`}
            checked={isChosen(fieldName)}
            onChange={(event) => onField(fieldName, event.currentTarget.checked)}
          />
        ))}
      </div>
      {error !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" mt={4}>
          {error}
        </Text>
      )}
    </div>
  );
}

/** What a customer chooses of an object that is read: optional fields, and the fields that are mapped. */
import { useState, type JSX } from "react";
import { Checkbox, NativeSelect, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { readChoices, withAllFields, withField, withMapping, type Content } from "./config-content.ts";
import classes from "./read-object-form.module.css";

type Hydrated = NonNullable<NonNullable<Answer<"getHydratedRevision">["content"]["read"]>["objects"]>[number];
type Field = NonNullable<Hydrated["requiredFields"]>[number];

interface ReadObjectFormProps {
  object: Hydrated;
  content: Content;
  onContent: (content: Content) => void;
}

export function ReadObjectForm({ object, content, onContent }: ReadObjectFormProps): JSX.Element | null {
  const { objectName, requiredFields = [], optionalFields = [], optionalFieldsAuto } = object;
  const chosen = readChoices(content, objectName);
  if (!chosen) return null;
  const fixed = requiredFields.filter(({ fieldName }) => fieldName !== undefined);
  const mapped = [...requiredFields, ...optionalFields].filter(isMapped);
  const offered = optionalFieldsAuto
    ? object.allFields
    : optionalFields.filter((field) => !isMapped(field)).map(toOffered);
  return (
    <Stack gap="sm" mt="sm">
      {object.error !== undefined && <Text size="sm">{object.error}</Text>}
      {fixed.length > 0 && (
        <Text size="sm" c="dimmed">
          Always read: <span className="foreign">{fixed.map(({ fieldName }) => fieldName).join(", ")}</span>
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {mapped.map((field) => (
          <NativeSelect
            key={field.mapToName}
            label={field.mapToDisplayName ?? field.mapToName}
            description={field.prompt}
            data={[
              { value: "", label: "None" },
              ...object.allFields.map(({ fieldName, displayName }) => ({
                value: fieldName,
                label: `${displayName} (${fieldName})`,
              })),
            ]}
            value={chosen.selectedFieldMappings[field.mapToName] ?? ""}
            onChange={(event) =>
              onContent(
                withMapping(content, objectName, {
                  mapToName: field.mapToName,
                  fieldName: event.currentTarget.value || undefined,
                }),
              )
            }
          />
        ))}
      </SimpleGrid>
      {optionalFieldsAuto && (
        <Checkbox
          label="All fields, also those that are added later"
          checked={chosen.selectedFieldsAuto === "all"}
          onChange={(event) => onContent(withAllFields(content, objectName, event.currentTarget.checked))}
        />
      )}
      {offered.length > 0 && chosen.selectedFieldsAuto !== "all" && (
        <OfferedFields
          fields={offered}
          chosen={chosen.selectedFields}
          onField={(name, isWanted) => onContent(withField(content, objectName, name, isWanted))}
        />
      )}
    </Stack>
  );
}

/** The customer chooses the field that is mapped to this name. */
const isMapped = (field: Field): field is Field & { mapToName: string } =>
  field.fieldName === undefined && field.mapToName !== undefined;

const toOffered = ({ fieldName = "", displayName, mapToDisplayName }: Field) => ({
  fieldName,
  displayName: mapToDisplayName ?? displayName ?? fieldName,
});

/** More than this many can be narrowed by a text. */
const MANY = 12;

interface OfferedFieldsProps {
  fields: readonly { fieldName: string; displayName: string }[];
  chosen: Readonly<Record<string, boolean>>;
  onField: (name: string, isWanted: boolean) => void;
}

function OfferedFields({ fields, chosen, onField }: OfferedFieldsProps): JSX.Element {
  const [text, setText] = useState("");
  const isShown = ({ fieldName, displayName }: { fieldName: string; displayName: string }) =>
    `${fieldName} ${displayName}`.toLowerCase().includes(text.toLowerCase());
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        Optional fields
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
      <div className={classes["fields"]}>
        {fields.filter(isShown).map(({ fieldName, displayName }) => (
          <Checkbox
            key={fieldName}
            label={displayName === fieldName ? fieldName : `${displayName} (${fieldName})`}
            checked={chosen[fieldName] === true}
            onChange={(event) => onField(fieldName, event.currentTarget.checked)}
          />
        ))}
      </div>
    </div>
  );
}

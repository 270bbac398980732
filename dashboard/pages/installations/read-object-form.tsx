/** What a customer chooses of an object that is read: optional fields, and the fields that are mapped. */
import type { JSX } from "react";
import { Checkbox, NativeSelect, SimpleGrid, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { keyOf, readChoices, withField, withMapping, withMember } from "./config-content.ts";
import { FieldChoices } from "./field-choices.tsx";
import type { FormPart } from "./form-part.ts";

interface ReadObjectFormProps extends FormPart {
  object: Schemas["HydratedReadObject"];
}

export function ReadObjectForm(props: ReadObjectFormProps): JSX.Element | null {
  const { object, content, onContent, issueAt } = props;
  const { objectName, requiredFields = [], optionalFields = [], optionalFieldsAuto } = object;
  const chosen = readChoices(content, objectName);
  if (!chosen) return null;
  const path = `read.objects.${keyOf(content, "read", objectName)}`;
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
            error={issueAt(`${path}.selectedFieldMappings.${field.mapToName}`)}
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
          onChange={(event) =>
            onContent(
              withMember(
                content,
                ["read", objectName, "selectedFieldsAuto"],
                event.currentTarget.checked ? "all" : undefined,
              ),
            )
          }
        />
      )}
      {offered.length > 0 && chosen.selectedFieldsAuto !== "all" && (
        <FieldChoices
          title="Optional fields"
          fields={offered}
          isChosen={(name) => chosen.selectedFields[name] === true}
          error={issueAt(`${path}.selectedFields`)}
          onField={(name, isWanted) => onContent(withField(content, objectName, name, isWanted))}
        />
      )}
    </Stack>
  );
}

type Field = Schemas["HydratedField"];

/** The customer chooses the field that is mapped to this name. */
const isMapped = (field: Field): field is Field & { mapToName: string } =>
  field.fieldName === undefined && field.mapToName !== undefined;

const toOffered = ({ fieldName = "", displayName, mapToDisplayName }: Field) => ({
  fieldName,
  displayName: mapToDisplayName ?? displayName ?? fieldName,
});

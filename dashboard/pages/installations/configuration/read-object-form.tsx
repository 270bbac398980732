/** What a customer chooses of an object that is read: optional fields, and the fields that are mapped. */
import type { JSX } from "react";
import { Checkbox, SimpleGrid, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../../api.gen.ts";
import { getKey, readChoices, withField, withMapping, withMember, type Content } from "./config-content.ts";
import { FieldChoices } from "./field-choices.tsx";
import type { FormPart } from "./form-part.ts";
import { MappingChoice } from "./mapping-choice.tsx";

interface ReadObjectFormProps extends FormPart {
  object: Schemas["HydratedReadObject"];
}

export function ReadObjectForm(props: ReadObjectFormProps): JSX.Element | null {
  const { object, content, onContent, issueAt } = props;
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
      {mapped.length > 0 && <Mappings {...props} fields={mapped} chosen={chosen.selectedFieldMappings} />}
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
          error={issueAt(`${buildPath(content, object)}.selectedFields`)}
          onField={(name, isWanted) => onContent(withField(content, objectName, name, isWanted))}
        />
      )}
    </Stack>
  );
}

interface MappingsProps extends ReadObjectFormProps {
  fields: readonly MappedField[];
  /** The customer's field, by mapped name. */
  chosen: Readonly<Record<string, string>>;
}

const Mappings = ({ fields, chosen, object, content, onContent, issueAt }: MappingsProps): JSX.Element => (
  <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
    {fields.map((field) => (
      <MappingChoice
        key={field.mapToName}
        field={field}
        offered={object.allFields}
        value={chosen[field.mapToName] ?? ""}
        error={issueAt(`${buildPath(content, object)}.selectedFieldMappings.${field.mapToName}`)}
        onValue={(value) =>
          onContent(
            withMapping(content, object.objectName, {
              mapToName: field.mapToName,
              fieldName: value || undefined,
            }),
          )
        }
      />
    ))}
  </SimpleGrid>
);

const buildPath = (content: Content, { objectName }: { objectName: string }): string =>
  `read.objects.${getKey(content, "read", objectName)}`;

type Field = Schemas["HydratedField"];
type MappedField = Field & { mapToName: string };

/** The customer chooses the field that is mapped to this name. */
const isMapped = (field: Field): field is MappedField =>
  field.fieldName === undefined && field.mapToName !== undefined;

const toOffered = ({ fieldName = "", displayName, mapToDisplayName }: Field) => ({
  fieldName,
  displayName: mapToDisplayName ?? displayName ?? fieldName,
});

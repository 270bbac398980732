/** Conditions that limit which records are read: a field and the value that it must have. */
import type { JSX } from "react";
import {
  Button,
  CloseButton,
  Fieldset,
  NativeSelect,
  NumberInput,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import type { Schemas } from "../../../api.gen.ts";
import type { Filter } from "./config-content.ts";
import classes from "./filter-rows.module.css";

type Fields = Readonly<Record<string, Schemas["FieldMetadata"]>>;

interface FilterRowsProps {
  title: string;
  filters: readonly Filter[];
  /** Fields of the customer's account; empty if unknown. */
  fields: Fields;
  /** Returns the refusal about a member of a condition, such as `[0].fieldName`. */
  issueAt: (place: string) => string | undefined;
  onFilters: (filters: readonly Filter[]) => void;
}

export function FilterRows({ title, filters, fields, issueAt, onFilters }: FilterRowsProps): JSX.Element {
  const set = (place: number, filter: Filter) =>
    onFilters(filters.map((one, index) => (index === place ? filter : one)));
  return (
    <Fieldset legend={title}>
      <Stack gap="xs">
        {filters.length === 0 && (
          <Text size="sm" c="dimmed">
            No condition: all records are read.
          </Text>
        )}
        {filters.map((filter, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a condition has no id, and its field changes
          <div key={index} className={classes["row"]}>
            <FieldChoice
              filter={filter}
              fields={fields}
              error={issueAt(`[${index}].fieldName`)}
              onFilter={(changed) => set(index, changed)}
            />
            <ValueField
              filter={filter}
              field={fields[filter.fieldName]}
              error={issueAt(`[${index}].value`)}
              onFilter={(changed) => set(index, changed)}
            />
            <CloseButton
              size={36}
              aria-label={`Remove the condition on ${filter.fieldName || "no field"}`}
              onClick={() => onFilters(filters.filter((_one, place) => place !== index))}
            />
          </div>
        ))}
        <Button
          variant="default"
          size="compact-sm"
          className={classes["add"]}
          onClick={() => onFilters([...filters, { fieldName: "", operator: "eq", value: "" }])}
        >
          Add a condition
        </Button>
        {issueAt("") !== undefined && (
          <Text size="xs" c="var(--mantine-color-error)">
            {issueAt("")}
          </Text>
        )}
      </Stack>
    </Fieldset>
  );
}

interface FilterFieldProps {
  filter: Filter;
  error: string | undefined;
  onFilter: (filter: Filter) => void;
}

function FieldChoice({
  filter,
  fields,
  error,
  onFilter,
}: FilterFieldProps & { fields: Fields }): JSX.Element {
  const choose = (fieldName: string) =>
    onFilter({ ...filter, fieldName, value: chooseFirstValue(fields[fieldName]) ?? filter.value });
  const known = Object.values(fields);
  if (known.length === 0)
    return (
      <TextInput
        label="Field"
        value={filter.fieldName}
        error={error}
        onChange={(event) => choose(event.currentTarget.value)}
      />
    );
  const isOther = fields[filter.fieldName] === undefined;
  return (
    <NativeSelect
      label="Field"
      data={[
        ...(isOther ? [{ value: filter.fieldName, label: filter.fieldName || "Choose" }] : []),
        ...known.map(({ fieldName, displayName }) => ({
          value: fieldName,
          label: displayName === fieldName ? fieldName : `${displayName} (${fieldName})`,
        })),
      ]}
      value={filter.fieldName}
      error={error}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
}

/** Returns a value of the field's type, for a field that was just chosen. */
function chooseFirstValue(field: Schemas["FieldMetadata"] | undefined): Filter["value"] | undefined {
  if (field?.valueType === "boolean") return true;
  if (isNumeric(field)) return 0;
  return field && (field.values?.[0]?.value ?? "");
}

const isNumeric = (field: Schemas["FieldMetadata"] | undefined): boolean =>
  field?.valueType === "int" || field?.valueType === "float";

interface ValueFieldProps extends FilterFieldProps {
  field: Schemas["FieldMetadata"] | undefined;
}

/** The value has the type of the field, and a stored one keeps its own. */
function ValueField({ filter, field, error, onFilter }: ValueFieldProps): JSX.Element {
  const { value } = filter;
  const shared = { label: "Equals", error };
  if (typeof value === "boolean")
    return (
      <NativeSelect
        {...shared}
        data={["true", "false"]}
        value={String(value)}
        onChange={(event) => onFilter({ ...filter, value: event.currentTarget.value === "true" })}
      />
    );
  if (typeof value === "number" || isNumeric(field))
    return (
      <NumberInput
        {...shared}
        value={value}
        onChange={(changed) => onFilter({ ...filter, value: changed })}
      />
    );
  const values = field?.values ?? [];
  if (values.length > 0)
    return (
      <NativeSelect
        {...shared}
        data={[
          ...(values.some((one) => one.value === value) ? [] : [value]),
          ...values.map((one) => ({ value: one.value, label: one.displayValue })),
        ]}
        value={value}
        onChange={(event) => onFilter({ ...filter, value: event.currentTarget.value })}
      />
    );
  return (
    <TextInput
      {...shared}
      value={value}
      onChange={(event) => onFilter({ ...filter, value: event.currentTarget.value })}
    />
  );
}

/** The filters of a list: fields, chips of what is set, and a button that clears them. */
import { useState, type JSX, type KeyboardEvent } from "react";
import { Button, CloseButton, Group, NativeSelect, TextInput } from "@mantine/core";
import { nowMs } from "./clock.ts";
import { Icon } from "./icons.tsx";
import { usePausedText } from "./paused-text.ts";
import { formatExactTime } from "./time-words.ts";
import classes from "./filter-bar.module.css";

/** `name` is the filter's name in the address and in the API; `label` the field's, as "Status". */
export type FilterField =
  | { kind: "choice"; name: string; label: string; options: readonly { value: string; label: string }[] }
  | { kind: "text"; name: string; label: string; placeholder?: string }
  /** Sets `since` to an exact time, so that a copied address shows the same rows. */
  | { kind: "window"; name: "since"; label: "Window" };

/** Returns options whose labels are the values. */
export const toOptions = (values: readonly string[]): { value: string; label: string }[] =>
  values.map((value) => ({ value, label: value }));

type FilterValues = Readonly<Record<string, string | undefined>>;

interface FilterBarProps {
  fields: readonly FilterField[];
  values: FilterValues;
  onChange: (values: FilterValues) => void;
}

export function FilterBar({ fields, values, onChange }: FilterBarProps): JSX.Element {
  const set = (name: string, value: string) => onChange({ ...values, [name]: value || undefined });
  const known = new Map(fields.map((field) => [field.name, field]));
  const chosen = Object.entries(values).filter(([, value]) => value !== undefined);
  // On a small screen the fields are behind a button.
  const [opened, setOpened] = useState(false);
  return (
    <div className={classes["bar"]}>
      {fields.length > 2 && (
        <Button
          variant="default"
          className={classes["opener"]}
          aria-expanded={opened}
          leftSection={<Icon name="filter" size={14} />}
          onClick={() => setOpened(!opened)}
        >
          Filters
        </Button>
      )}
      <Group
        gap="xs"
        align="flex-end"
        className={classes["fields"]}
        data-opened={opened || fields.length <= 2}
      >
        {fields.map((field) => (
          <Field key={field.name} field={field} value={values[field.name] ?? ""} onSet={set} />
        ))}
      </Group>
      {chosen.length > 0 && (
        <Group gap={6} component="div">
          {chosen.map(([name, value]) => (
            <span key={name} className={classes["chip"]}>
              <span className="foreign">{describeChip(known.get(name), name, value ?? "")}</span>
              <CloseButton
                size={24}
                iconSize={14}
                aria-label={`Remove filter ${known.get(name)?.label ?? name}`}
                onClick={() => set(name, "")}
              />
            </span>
          ))}
          <Button variant="subtle" size="compact-sm" onClick={() => onChange({})}>
            Clear filters
          </Button>
        </Group>
      )}
    </div>
  );
}

function describeChip(field: FilterField | undefined, name: string, value: string): string {
  if (name === "since" || name === "until") return `${name} ${formatExactTime(value)}`;
  const option = field?.kind === "choice" && field.options.find((one) => one.value === value);
  return `${field?.label ?? name}: ${option ? option.label : value}`;
}

interface FieldProps {
  field: FilterField;
  value: string;
  onSet: (name: string, value: string) => void;
}

function Field({ field, value, onSet }: FieldProps): JSX.Element {
  if (field.kind === "text") return <TextField field={field} value={value} onSet={onSet} />;
  if (field.kind === "window") return <WindowField value={value} onSet={onSet} />;
  const isOther = value !== "" && !field.options.some((option) => option.value === value);
  return (
    <NativeSelect
      label={field.label}
      value={value}
      onChange={(event) => onSet(field.name, event.currentTarget.value)}
      data={[{ value: "", label: "All" }, ...field.options, ...(isOther ? [{ value, label: value }] : [])]}
      className={classes["field"]}
    />
  );
}

/** Sets its filter when the typing pauses, or with Enter. */
function TextField({ field, value, onSet }: FieldProps & { field: { placeholder?: string } }): JSX.Element {
  const { typed, type, finish } = usePausedText(value, (text) => onSet(field.name, text));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") finish();
  };
  return (
    <TextInput
      label={field.label}
      placeholder={field.placeholder}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      leftSection={field.label === "Filter" ? <Icon name="filter" size={14} /> : undefined}
      data-filter={field.label === "Filter" ? true : undefined}
      className={classes["field"]}
    />
  );
}

const HOUR_MS = 3_600_000;
const WINDOWS = [
  { label: "Last hour", ms: HOUR_MS },
  { label: "Last 24 hours", ms: 24 * HOUR_MS },
  { label: "Last 7 days", ms: 168 * HOUR_MS },
  { label: "Last 30 days", ms: 720 * HOUR_MS },
];

function WindowField({ value, onSet }: { value: string; onSet: FieldProps["onSet"] }): JSX.Element {
  const choose = (chosen: string) => {
    const ms = WINDOWS.find(({ label }) => label === chosen)?.ms;
    onSet("since", ms === undefined ? "" : new Date(nowMs() - ms).toISOString());
  };
  return (
    <NativeSelect
      label="Window"
      value={value === "" ? "" : "chosen"}
      onChange={(event) => choose(event.currentTarget.value)}
      data={[
        { value: "", label: "Any time" },
        ...(value === "" ? [] : [{ value: "chosen", label: "As below" }]),
        ...WINDOWS.map(({ label }) => ({ value: label, label })),
      ]}
      className={classes["field"]}
    />
  );
}

/** A field for each member of the schemas of a destination's type; those of secrets do not show what is typed. */
import type { JSX } from "react";
import { PasswordInput, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { findIssue } from "../../api/queries.ts";

interface Member {
  name: string;
  description: string | undefined;
  type: string | undefined;
  required: boolean;
}

type SettingGroup = "metadata" | "secrets";
export type SettingGroups = readonly (readonly [SettingGroup, Member[]])[];

/** Texts of the fields, by `metadata.url`. */
export type SettingTexts = Readonly<Record<string, string>>;

export const groupMembers = (type: Schemas["DestinationType"] | undefined): SettingGroups => [
  ["metadata", listMembers(type?.metadataSchema)],
  ["secrets", listMembers(type?.secretsSchema)],
];

function listMembers(schema: Record<string, unknown> | undefined): Member[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, { description?: string; type?: string; anyOf?: unknown }>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, type }]) => ({
    name,
    description,
    type,
    required: required.includes(name),
  }));
}

/** Returns the text of a field as the member's value: JSON where the member is no text. Key files are JSON in a text. */
export function readValue({ type }: Member, text: string): unknown {
  if (type === "string" || (type === undefined && !text.startsWith("{"))) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Returns a member's value as the text of its field. */
export const toText = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};

interface SettingFieldsProps {
  groups: SettingGroups;
  texts: SettingTexts;
  error: Error | null;
  /** Where issues of the API begin, as "destination.". */
  issuePrefix?: string;
  /** Placeholder for a secret that is stored already. */
  secretPlaceholder?: string;
  onText: (path: string, text: string) => void;
}

export function SettingFields(props: SettingFieldsProps): JSX.Element {
  const { groups, texts, error, issuePrefix = "", secretPlaceholder, onText } = props;
  return (
    <>
      {groups.flatMap(([group, members]) =>
        members.map(({ name, description, type, required }) => {
          const path = `${group}.${name}`;
          const isSecret = group === "secrets";
          const Field = isSecret ? PasswordInput : TextInput;
          return (
            <Field
              key={path}
              label={name}
              description={description ?? (type === "string" ? undefined : "As JSON.")}
              placeholder={isSecret ? secretPlaceholder : undefined}
              required={required && !(isSecret && secretPlaceholder !== undefined)}
              value={texts[path] ?? ""}
              onChange={(event) => onText(path, event.currentTarget.value)}
              error={findIssue(error, issuePrefix + path)}
              autoComplete="off"
            />
          );
        }),
      )}
    </>
  );
}

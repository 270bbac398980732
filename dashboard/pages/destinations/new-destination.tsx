/** The form for a new destination: a field for each member of the schemas of its type. */
import { useState, type JSX } from "react";
import { Modal, NativeSelect, PasswordInput, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { issueOf, useCall, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";

interface NewDestinationProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (destination: Schemas["Destination"]) => void;
}

export const NewDestination = ({ opened, onClose, onCreated }: NewDestinationProps): JSX.Element => (
  <Modal opened={opened} onClose={onClose} title="New destination">
    <Form onClose={onClose} onCreated={onCreated} />
  </Modal>
);

interface Member {
  name: string;
  description: string | undefined;
  type: string | undefined;
  required: boolean;
}

function membersOf(schema: Record<string, unknown> | undefined): Member[] {
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

/** Text of a field as the member's value: JSON where the member is no text. */
function valueOf({ type }: Member, text: string): unknown {
  if (type === "string" || type === undefined) {
    if (!text.startsWith("{")) return text;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

type Groups = readonly (readonly ["metadata" | "secrets", Member[]])[];

const groupsOf = (type: Schemas["DestinationType"] | undefined): Groups => [
  ["metadata", membersOf(type?.metadataSchema)],
  ["secrets", membersOf(type?.secretsSchema)],
];

/** Returns the values of the fields that are filled. */
function settingsOf(
  groups: Groups,
  texts: Readonly<Record<string, string>>,
): { metadata: Record<string, unknown>; secrets?: Record<string, unknown> } {
  const [metadata = {}, secrets = {}] = groups.map(([group, members]) =>
    Object.fromEntries(
      members.flatMap((member) => {
        const text = texts[`${group}.${member.name}`];
        return text ? [[member.name, valueOf(member, text)]] : [];
      }),
    ),
  );
  return { metadata, ...(Object.keys(secrets).length > 0 && { secrets }) };
}

function Form({ onClose, onCreated }: Omit<NewDestinationProps, "opened">): JSX.Element {
  const projectIdOrName = useProjectName();
  const types = (useCall("listDestinationTypes", {}, { staysFresh: true }).data ?? []).filter(
    ({ built }) => built,
  );
  const [name, setName] = useState("");
  const [type, setType] = useState("webhook");
  const [texts, setTexts] = useState<Record<string, string>>({});
  const chosen = types.find((one) => one.type === type);
  const create = useChange("createDestination", { forget: ["listDestinations"] });
  const groups = groupsOf(chosen);
  const body = { name, type, ...settingsOf(groups, texts) };
  useDraft("createDestination", { projectIdOrName, body: { ...body, ...(body.secrets && { secrets: {} }) } });
  return (
    <DialogForm
      submit="Create destination"
      busy={create.isPending}
      problem={<ProblemView error={create.error} />}
      onSubmit={() => {
        create.mutate(
          { projectIdOrName, body },
          {
            onSuccess: (made) => {
              onClose();
              onCreated(made);
            },
          },
        );
      }}
      onCancel={onClose}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={issueOf(create.error, "name")}
        data-autofocus
      />
      <NativeSelect
        label="Type"
        value={type}
        onChange={(event) => setType(event.currentTarget.value)}
        data={types.map((one) => ({ value: one.type, label: one.displayName }))}
        description={chosen?.description}
      />
      {groups.map(([group, members]) => (
        <Members
          key={group}
          group={group}
          members={members}
          texts={texts}
          error={create.error}
          onText={(path, text) => setTexts((before) => ({ ...before, [path]: text }))}
        />
      ))}
    </DialogForm>
  );
}

interface MembersProps {
  group: "metadata" | "secrets";
  members: readonly Member[];
  texts: Readonly<Record<string, string>>;
  error: Error | null;
  onText: (path: string, text: string) => void;
}

/** A field for each member; those of secrets do not show what is typed. */
function Members({ group, members, texts, error, onText }: MembersProps): JSX.Element {
  const Input = group === "secrets" ? PasswordInput : TextInput;
  return (
    <>
      {members.map(({ name, description, required }) => {
        const path = `${group}.${name}`;
        return (
          <Input
            key={path}
            label={name}
            description={description}
            required={required}
            withAsterisk={false}
            value={texts[path] ?? ""}
            onChange={(event) => onText(path, event.currentTarget.value)}
            error={issueOf(error, path)}
            autoComplete="off"
          />
        );
      })}
    </>
  );
}

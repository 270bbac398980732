/** The form for a new destination: a field for each member of the schemas of its type. */
import { useState, type JSX } from "react";
import { Modal, NativeSelect, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { useCallForm } from "../../api/call-form.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { DialogForm } from "../../ui/form-dialog.tsx";
import {
  groupMembers,
  SettingFields,
  readValue,
  type SettingGroups,
  type SettingTexts,
} from "./setting-fields.tsx";

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

/** Returns the values of the fields that are filled. */
function listSettings(
  groups: SettingGroups,
  texts: SettingTexts,
): { metadata: Record<string, unknown>; secrets?: Record<string, unknown> } {
  const [metadata = {}, secrets = {}] = groups.map(([group, members]) =>
    Object.fromEntries(
      members.flatMap((member) => {
        const text = texts[`${group}.${member.name}`];
        return text ? [[member.name, readValue(member, text)]] : [];
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
  const [texts, setTexts] = useState<Record<string, string>>({});
  const create = useChange("createDestination", { forget: ["listDestinations"] });
  const fields = useCallForm({ name: "", type: "webhook" }, create.error);
  const chosen = types.find(({ type }) => type === fields.values.type);
  const groups = groupMembers(chosen);
  const body = { ...fields.values, ...listSettings(groups, texts) };
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
      onClose={onClose}
    >
      <TextInput label="Name" {...fields.getInputProps("name")} data-autofocus />
      <NativeSelect
        label="Type"
        {...fields.getInputProps("type")}
        data={types.map((one) => ({ value: one.type, label: one.displayName }))}
        description={chosen?.description}
      />
      <SettingFields
        groups={groups}
        texts={texts}
        error={create.error}
        onText={(path, text) => setTexts((before) => ({ ...before, [path]: text }))}
      />
    </DialogForm>
  );
}

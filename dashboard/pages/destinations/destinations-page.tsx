/** The destinations of a project, with their health, and the form for a new one. */
import { type JSX, useState } from "react";
import { Modal, NativeSelect, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { AnswerTable } from "../../frame/data/answer-table.tsx";
import { Page } from "../../frame/page.tsx";
import { encodePart, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { useCallForm } from "../../api/call-form.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { DialogForm } from "../../ui/form-dialog.tsx";
import {
  groupMembers,
  readValue,
  SettingFields,
  type SettingGroups,
  type SettingTexts,
} from "./setting-fields.tsx";

const COLUMNS: Column<Schemas["Destination"]>[] = [
  {
    head: "Name",
    cell: ({ name }) => <ProjectLink to={`/destinations/${encodePart(name)}`}>{name}</ProjectLink>,
    line: 1,
  },
  { head: "Type", cell: ({ type }) => type, line: 2 },
  { head: "Status", cell: ({ health }) => <Status status={health?.state ?? "idle"} />, line: 1 },
  {
    head: "Since",
    cell: ({ health, disabledTime }) => {
      const time = disabledTime ?? health?.failingSince;
      return time ? <TimeAgo time={time} /> : "–";
    },
  },
  {
    head: "Why",
    cell: ({ health, disabledReason }) => disabledReason ?? health?.lastFailure?.error ?? "–",
    line: 2,
  },
  { head: "Last delivered", cell: ({ health }) => <TimeAgo time={health?.lastDeliveredTime} /> },
  { head: "Waiting", align: "right", labelled: true, cell: ({ health }) => health?.waiting ?? "–", line: 2 },
  { head: "Failed", align: "right", labelled: true, cell: ({ health }) => health?.failed ?? "–", line: 2 },
  {
    head: "Address",
    cell: ({ metadata }) => <span className="foreign">{String(metadata["url"] ?? "")}</span>,
    grows: true,
  },
];

export function DestinationsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  const [creating, setCreating] = useState(false);
  const reason = useReason("editor");
  const create = (
    <ActionButton reason={reason} onClick={() => setCreating(true)}>
      New destination
    </ActionButton>
  );
  return (
    <Page title="Destinations" about="Where events and records are sent." actions={create}>
      <AnswerTable
        name="Destinations"
        operationId="listDestinations"
        input={{ projectIdOrName }}
        columns={COLUMNS}
        getId={({ id }) => id}
        onOpen={({ name }) => open(`/destinations/${encodePart(name)}`)}
        empty={
          <EmptyState
            title="No destinations"
            action="Create a destination"
            reason={reason}
            onAction={() => setCreating(true)}
          >
            A destination is a webhook, a queue or another receiver of what happens in this project.
          </EmptyState>
        }
      />
      <NewDestination
        opened={creating}
        onClose={() => setCreating(false)}
        onCreated={({ name }) => open(`/destinations/${encodePart(name)}`)}
      />
    </Page>
  );
}

interface NewDestinationProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (destination: Schemas["Destination"]) => void;
}

/** The form for a new destination: a field for each member of the schemas of its type. */
const NewDestination = ({ opened, onClose, onCreated }: NewDestinationProps): JSX.Element => (
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

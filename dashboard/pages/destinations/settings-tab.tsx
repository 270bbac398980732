/** The settings of a destination: name, address and secrets; enabling and deleting it. */
import { useState, type JSX } from "react";
import { Group, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Answer, Input } from "../../api/call.ts";
import { findIssue, useCall, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { encodePart, toProjectPath } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ConfirmDelete } from "../../ui/confirm-delete.tsx";
import { Section } from "../../ui/section.tsx";
import {
  groupMembers,
  SettingFields,
  toText,
  readValue,
  type SettingGroups,
  type SettingTexts,
} from "./setting-fields.tsx";

type Destination = Answer<"getDestination">;
type Body = Input<"updateDestination">["body"];

export function SettingsTab({ destination }: { destination: Destination }): JSX.Element {
  return (
    <>
      {destination.disabledTime && <Enable destination={destination} />}
      <Change key={destination.id} destination={destination} />
      <Removal destination={destination} />
    </>
  );
}

/** Sending the address again enables the destination. */
function Enable({ destination }: { destination: Destination }): JSX.Element {
  const projectIdOrName = useProjectName();
  const reason = useReason("editor");
  const enable = useChange("updateDestination", { forget: ["getDestination", "listDestinations"] });
  const { url } = destination.metadata;
  const body: Body = { updateMask: ["metadata.url"], destination: { metadata: { url } } };
  return (
    <Section title="Disabled">
      <Text size="sm" mb="xs" className="foreign">
        {destination.disabledReason ?? "Every attempt has failed for too long."} Nothing is sent until it is
        enabled. Deliveries that failed meanwhile can be resent afterwards.
      </Text>
      <ActionButton
        size="xs"
        reason={reason}
        loading={enable.isPending}
        onClick={() => enable.mutate({ projectIdOrName, destination: destination.id, body })}
      >
        Enable
      </ActionButton>
      <ProblemView error={enable.error} />
    </Section>
  );
}

function toTexts(destination: Destination, groups: SettingGroups): SettingTexts {
  const metadata: Readonly<Record<string, unknown>> = destination.metadata;
  const members = groups.find(([group]) => group === "metadata")?.[1] ?? [];
  return Object.fromEntries(members.map(({ name }) => [`metadata.${name}`, toText(metadata[name])]));
}

/** Returns the update of the fields that were changed; an emptied one is removed. */
function buildChange(groups: SettingGroups, before: SettingTexts, texts: SettingTexts): Body {
  const updateMask: string[] = [];
  const values: Record<string, Record<string, unknown>> = {};
  for (const [group, members] of groups) {
    for (const member of members) {
      const path = `${group}.${member.name}`;
      const text = texts[path];
      if (text === undefined || text === (before[path] ?? "")) continue;
      updateMask.push(path);
      values[group] = { ...values[group], [member.name]: text === "" ? null : readValue(member, text) };
    }
  }
  // The API checks the members by the type's schema.
  return { updateMask, destination: values as Body["destination"] };
}

function Change({ destination }: { destination: Destination }): JSX.Element {
  const projectIdOrName = useProjectName();
  const navigate = useNavigate();
  const reason = useReason("editor");
  const types = useCall("listDestinationTypes", {}, { staysFresh: true }).data ?? [];
  const groups = groupMembers(types.find(({ type }) => type === destination.type));
  const before = toTexts(destination, groups);
  const [name, setName] = useState(destination.name);
  const [typed, setTyped] = useState<SettingTexts>({});
  const client = useQueryClient();
  // After a rename, the destination's old name must not be requested again.
  const save = useChange("updateDestination", { forget: ["listDestinations"] });
  const settings = buildChange(groups, before, { ...before, ...typed });
  const body: Body =
    name === destination.name
      ? settings
      : {
          updateMask: ["name", ...settings.updateMask],
          destination: { ...settings.destination, name },
        };
  const input = { projectIdOrName, destination: destination.id, body };
  const { secrets, ...shown } = body.destination;
  useDraft("updateDestination", {
    ...input,
    body: { ...body, destination: { ...shown, ...(secrets && { secrets: {} }) } },
  });
  const unchanged = body.updateMask.length === 0 ? "Nothing has changed." : undefined;
  const submit = () =>
    save.mutate(input, {
      onSuccess: (saved) => {
        setTyped({});
        const to = toProjectPath(projectIdOrName, `/destinations/${encodePart(saved.name)}`);
        if (saved.name === destination.name) void client.invalidateQueries({ queryKey: ["getDestination"] });
        else void navigate({ to, search: { tab: "settings" } as never, replace: true });
      },
    });
  return (
    <Section title="Settings">
      <Stack maw={560}>
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={findIssue(save.error, "destination.name")}
        />
        <SettingFields
          groups={groups}
          texts={{ ...before, ...typed }}
          error={save.error}
          issuePrefix="destination."
          secretPlaceholder="Stored; type to replace it"
          onText={(path, text) => setTyped((now) => ({ ...now, [path]: text }))}
        />
        <ProblemView error={save.error} />
        <Group>
          <ActionButton reason={reason ?? unchanged} loading={save.isPending} onClick={submit}>
            Save
          </ActionButton>
        </Group>
      </Stack>
    </Section>
  );
}

function Removal({ destination }: { destination: Destination }): JSX.Element {
  const projectIdOrName = useProjectName();
  const navigate = useNavigate();
  const reason = useReason("editor");
  const [asked, setAsked] = useState(false);
  const remove = useChange("deleteDestination", { forget: ["listDestinations", "listTopics"] });
  const leave = () => void navigate({ to: toProjectPath(projectIdOrName, "/destinations") });
  return (
    <Section title="Delete">
      <ActionButton size="xs" variant="default" reason={reason} onClick={() => setAsked(true)}>
        Delete destination
      </ActionButton>
      <ConfirmDelete
        opened={asked}
        what={`destination ${destination.name}`}
        typeName={destination.name}
        busy={remove.isPending}
        problem={<ProblemView error={remove.error} />}
        onDelete={() => remove.mutate({ projectIdOrName, destination: destination.id }, { onSuccess: leave })}
        onClose={() => setAsked(false)}
      >
        Its routes, its deliveries and their attempts are deleted. What waits is not sent.
      </ConfirmDelete>
    </Section>
  );
}

/** The settings of a project: names, ids, whether it is in production, and how long it keeps history. */
import { useState, type JSX } from "react";
import { Stack, Switch, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { Answer } from "../../api/call.ts";
import { findIssue, useCall, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ConfirmDelete } from "../../ui/confirm-delete.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { Section } from "../../ui/section.tsx";
import { Retention } from "./retention.tsx";
import { SaveButton } from "../../ui/save-button.tsx";

export function SettingsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { data, error, refetch } = useCall("getProject", { projectIdOrName });
  return (
    <Page title="Settings">
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && <SettingsForm key={data.id} project={data} />}
    </Page>
  );
}

type Project = Answer<"getProject">;
type Changeable = Pick<Project, "appName" | "production" | "dropUnmappedFields">;

function SettingsForm({ project }: { project: Project }): JSX.Element {
  const [typed, setTyped] = useState<Partial<Changeable>>({});
  const { appName, production, dropUnmappedFields } = { ...project, ...typed };
  const save = useChange("updateProject", { forget: ["getProject", "listProjects"] });
  const reason = useReason("editor");
  // Only what was changed here, so that nothing is undone that somebody changed meanwhile.
  const changed = Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => value !== project[name as keyof Changeable]),
  );
  const input = { projectIdOrName: project.id, body: { updateMask: Object.keys(changed), project: changed } };
  useDraft("updateProject", input);
  const unchanged = Object.keys(changed).length === 0;
  return (
    <>
      <Section>
        <Facts facts={{ Name: project.name, Id: <IdText id={project.id} /> }} />
      </Section>
      <Section title="Change">
        <Stack gap="sm" maw={480}>
          <TextInput
            label="Name shown to customers"
            value={appName}
            onChange={({ currentTarget }) => setTyped({ ...typed, appName: currentTarget.value })}
            error={findIssue(save.error, "project.appName")}
          />
          <Switch
            label="Production"
            description="A bar marks each page of the project, and the dashboard asks before it sends, deploys or switches off a key."
            checked={production}
            onChange={({ currentTarget }) => setTyped({ ...typed, production: currentTarget.checked })}
          />
          <Switch
            label="Drop fields of a write that are not mapped"
            checked={dropUnmappedFields ?? false}
            onChange={({ currentTarget }) =>
              setTyped({ ...typed, dropUnmappedFields: currentTarget.checked })
            }
          />
          <ProblemView error={save.error} />
          <SaveButton save={save} unchanged={unchanged} reason={reason} onSave={() => save.mutate(input)}>
            Save
          </SaveButton>
        </Stack>
      </Section>
      <Retention projectIdOrName={project.id} />
      <DeleteProject project={project} />
    </>
  );
}

function DeleteProject({ project }: { project: Answer<"getProject"> }): JSX.Element {
  const [deleting, setDeleting] = useState(false);
  const navigate = useNavigate();
  const { mutate, isPending, error } = useChange("deleteProject", { forget: ["listProjects", "getMyInfo"] });
  const onDelete = () =>
    mutate({ projectIdOrName: project.id }, { onSuccess: () => void navigate({ to: "/" }) });
  return (
    <Section title="Delete">
      <ActionButton
        variant="default"
        reason={useReason("owner")}
        onClick={() => setDeleting(true)}
      >{`Delete ${project.name}`}</ActionButton>
      {deleting && (
        <ConfirmDelete
          opened
          what={`project ${project.name}`}
          typeName={project.name}
          busy={isPending}
          problem={<ProblemView error={error} />}
          onDelete={onDelete}
          onClose={() => setDeleting(false)}
        >
          Everything in it goes along: integrations, customers, connections with their credentials, keys,
          destinations, events and operations. It cannot be undone.
        </ConfirmDelete>
      )}
    </Section>
  );
}

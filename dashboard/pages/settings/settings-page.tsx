/** The settings of a project: names, ids, whether it is in production, and how long it keeps history. */
import { useState, type JSX } from "react";
import { Group, Stack, Switch, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { Answer } from "../../api/call.ts";
import { issueOf, useCall, useChange } from "../../api/queries.ts";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ConfirmDelete } from "../../ui/confirm-delete.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { Section } from "../../ui/section.tsx";
import { Retention } from "./retention.tsx";

export function SettingsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { data, error, refetch } = useCall("getProject", { projectIdOrName });
  return (
    <Page title="Settings">
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && <SettingsForm key={data.updateTime ?? ""} project={data} />}
    </Page>
  );
}

function SettingsForm({ project }: { project: Answer<"getProject"> }): JSX.Element {
  const [appName, setAppName] = useState(project.appName);
  const [production, setProduction] = useState(project.production);
  const [drops, setDrops] = useState(project.dropUnmappedFields ?? false);
  const save = useChange("updateProject", { forget: ["getProject", "listProjects"] });
  const reason = useReason("editor");
  const onSave = () =>
    save.mutate({
      projectIdOrName: project.id,
      body: {
        updateMask: ["appName", "production", "dropUnmappedFields"],
        project: { appName, production, dropUnmappedFields: drops },
      },
    });
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
            onChange={({ currentTarget }) => setAppName(currentTarget.value)}
            error={issueOf(save.error, "project.appName")}
          />
          <Switch
            label="Production: the dashboard marks the project and asks once more"
            checked={production}
            onChange={({ currentTarget }) => setProduction(currentTarget.checked)}
          />
          <Switch
            label="Drop fields of a write that are not mapped"
            checked={drops}
            onChange={({ currentTarget }) => setDrops(currentTarget.checked)}
          />
          <ProblemView error={save.error} />
          <Group>
            <ActionButton reason={reason} onClick={onSave} loading={save.isPending}>
              Save
            </ActionButton>
            {save.isSuccess && (
              <span role="status" className="soft">
                Saved
              </span>
            )}
          </Group>
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

/** One integration: its customers, its manifest and its revisions. */
import { type JSX, useState } from "react";
import { Group } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import type { RowOf } from "../../api/live-list.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { ActivityGraphs } from "../../frame/data/activity-graph.tsx";
import { ActorName } from "../../frame/data/actor-name.tsx";
import { LiveTable } from "../../frame/list-page.tsx";
import { toOptions } from "../../ui/filter-bar.tsx";
import {
  encodePart,
  ProjectButton,
  ProjectLink,
  useOpenInProject,
  toInstallationPath,
} from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { PageTabs } from "../../frame/page-tabs.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { CodeBlock } from "../../ui/code/code-block.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { ReadPauses } from "../../frame/data/read-pauses.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { SubscribeSetup } from "./subscribe-setup.tsx";
import { ConfirmDelete } from "../../ui/confirm-delete.tsx";

export function IntegrationPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { name = "" } = useParams({ strict: false });
  const [deleting, setDeleting] = useState(false);
  const reason = useReason("editor");
  const { data, error, refetch } = useCall("getIntegration", { projectIdOrName, integrationIdOrName: name });
  const subscribes = (data?.latestRevision.content.subscribe?.objects ?? []).length > 0;
  return (
    <Page
      title={name}
      above={<ProjectLink to="/integrations">Integrations</ProjectLink>}
      actions={
        data && (
          <Group gap="md" align="flex-start">
            <ProjectLink to={`/deploy?integration=${encodePart(name)}`}>Change the manifest</ProjectLink>
            <ActionButton variant="default" reason={reason} onClick={() => setDeleting(true)}>
              Delete
            </ActionButton>
          </Group>
        )
      }
    >
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {(data || !error) && (
        <PageTabs
          tabs={[
            { value: "customers", title: "Customers", panel: <Customers name={name} /> },
            ...(data
              ? [
                  {
                    value: "numbers",
                    title: "Numbers",
                    panel: <ActivityGraphs only={{ by: "integration", key: data.id }} />,
                  },
                ]
              : []),
            { value: "manifest", title: "Manifest", panel: <Manifest name={name} /> },
            { value: "revisions", title: "Revisions", panel: <Revisions name={name} /> },
            ...(subscribes
              ? [{ value: "registration", title: "Registration", panel: <SubscribeSetup name={name} /> }]
              : []),
          ]}
        />
      )}
      {deleting && <DeleteIntegration name={name} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

type Installation = RowOf<"listProjectInstallations">;

const buildPath = ({ id, integrationName }: Installation): string => toInstallationPath(integrationName, id);

const CUSTOMERS: Column<Installation>[] = [
  {
    head: "Customer",
    cell: (row) => <ProjectLink to={buildPath(row)}>{row.group.groupName || row.group.groupRef}</ProjectLink>,
    line: 1,
    grows: true,
  },
  { head: "Health", cell: ({ healthStatus }) => <Status status={healthStatus} />, line: 1 },
  { head: "Reading", cell: (row) => <ReadPauses readPauses={row.readPauses} />, line: 2 },
  {
    head: "Last operation",
    labelled: true,
    cell: ({ lastOperationStatus: last }) => (last ? <Status status={last} /> : "–"),
    line: 2,
  },
  { head: "Installed", cell: ({ createTime }) => <TimeAgo time={createTime} />, line: 2 },
];

function Customers({ name }: { name: string }): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  return (
    <LiveTable
      name="Customers"
      operationId="listProjectInstallations"
      input={{ projectIdOrName, integration: name }}
      columns={CUSTOMERS}
      getId={({ id }) => id}
      onOpen={(row) => open(buildPath(row))}
      filters={[
        {
          kind: "choice",
          name: "healthStatus",
          label: "Status",
          options: toOptions(["healthy", "unhealthy"]),
        },
        { kind: "text", name: "text", label: "Filter", placeholder: "Customer" },
      ]}
      empty={
        <EmptyState
          title="No customer uses it yet"
          action={<ProjectButton to="/customers">Choose a customer</ProjectButton>}
        >
          Install it for a customer who is connected.
        </EmptyState>
      }
    />
  );
}

function Manifest({ name }: { name: string }): JSX.Element {
  const projectIdOrName = useProjectName();
  const revisions = useCall("listRevisions", { projectIdOrName, integrationId: name, pageSize: 1 });
  const revisionId = revisions.data?.results[0]?.id ?? "";
  const input = { projectIdOrName, integrationId: name, revisionId };
  const { data, error } = useCall("getRevision", input, { enabled: revisionId !== "" });
  const text = data && (data.source ?? JSON.stringify(data.content, undefined, 2));
  return (
    <Section>
      <ProblemView error={data ? null : (error ?? revisions.error)} />
      {text !== undefined && <CodeBlock name="Manifest" text={text} />}
    </Section>
  );
}

const listRevisionColumns = (name: string): Column<RowOf<"listRevisions">>[] => [
  { head: "Number", cell: ({ number }) => number, line: 1 },
  { head: "Deployed", cell: ({ createTime }) => <TimeAgo time={createTime} />, line: 1 },
  {
    head: "By",
    cell: ({ createdBy }) => <ActorName actor={createdBy} />,
    grows: true,
    line: 2,
  },
  {
    head: "Back",
    cell: ({ id, number, current }) =>
      current ? (
        "current"
      ) : (
        <ProjectLink
          to={`/deploy?integration=${encodePart(name)}&revision=${id}`}
        >{`Back to ${number}`}</ProjectLink>
      ),
    line: 2,
  },
];

function Revisions({ name }: { name: string }): JSX.Element {
  const projectIdOrName = useProjectName();
  return (
    <LiveTable
      name="Revisions"
      operationId="listRevisions"
      input={{ projectIdOrName, integrationId: name }}
      columns={listRevisionColumns(name)}
      getId={({ id }) => id}
      empty={<EmptyState title="No revisions">Each deployment stores one.</EmptyState>}
    />
  );
}

/** More are not counted. */
const MAX_COUNTED = 200;

function DeleteIntegration({ name, onClose }: { name: string; onClose: () => void }): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  const input = { projectIdOrName, integration: name, pageSize: MAX_COUNTED };
  const { data: installed, isLoading: isCounting } = useCall("listProjectInstallations", input);
  const { mutate, isPending, error } = useChange("deleteIntegration", { forget: ["listIntegrations"] });
  const count = installed?.results.length;
  const customers = `${count}${installed?.pagination.done === false ? " or more" : ""} installation${count === 1 ? "" : "s"}`;
  return (
    <ConfirmDelete
      opened
      what={`integration ${name}`}
      // The name is also required if the installations could not be counted.
      {...(count !== 0 && !isCounting && { typeName: name })}
      busy={isPending || isCounting}
      problem={<ProblemView error={error} />}
      onDelete={() =>
        mutate({ projectIdOrName, integrationIdOrName: name }, { onSuccess: () => open("/integrations") })
      }
      onClose={onClose}
    >
      {installed
        ? `Its revisions go along, and ${customers}: writes and reads of these customers end. Their connections stay.`
        : isCounting
          ? "Counting installations …"
          : "Its revisions go along, and its installations, which could not be counted. Connections stay."}
    </ConfirmDelete>
  );
}

/** The integrations of a project, with their actions and the time of their last deployment. */
import type { JSX } from "react";
import { AnswerTable, type EntryOf } from "../../frame/answer-table.tsx";
import { part, ProjectButton, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { useProjectName } from "../../frame/project.ts";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

type Integration = EntryOf<"listIntegrations">;

const ACTIONS = ["read", "write", "subscribe", "proxy"] as const;

const COLUMNS: Column<Integration>[] = [
  {
    head: "Name",
    cell: ({ name }) => <ProjectLink to={`/integrations/${part(name)}`}>{name}</ProjectLink>,
    line: 1,
    grows: true,
  },
  { head: "Provider", cell: ({ provider }) => provider, line: 1 },
  {
    head: "Does",
    cell: ({ latestRevision: { content } }) => ACTIONS.filter((action) => content[action]).join(", "),
    line: 2,
  },
  {
    head: "Deployed",
    cell: ({ latestRevision }) => <TimeAgo time={latestRevision.createTime} />,
    line: 2,
  },
];

export function IntegrationsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  return (
    <Page title="Integrations" actions={<ProjectLink to="/deploy">Deploy a manifest</ProjectLink>}>
      <AnswerTable
        name="Integrations"
        operationId="listIntegrations"
        input={{ projectIdOrName }}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ name }) => open(`/integrations/${part(name)}`)}
        empty={
          <EmptyState
            title="No integrations yet"
            action={<ProjectButton to="/deploy">Write a manifest</ProjectButton>}
          >
            An integration says what your product does with one provider. It is declared in a manifest,
            amp.yaml.
          </EmptyState>
        }
      />
    </Page>
  );
}

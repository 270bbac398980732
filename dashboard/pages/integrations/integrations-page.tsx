/** The integrations of a project: what they do, whether they work for their customers, and who deployed them. */
import type { JSX } from "react";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { ActorName } from "../../frame/data/actor-name.tsx";
import { AnswerTable, type EntryOf } from "../../frame/data/answer-table.tsx";
import { useFilters } from "../../frame/data/filters.ts";
import { encodePart, ProjectButton, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { useProjectName } from "../../frame/project.ts";
import { ProviderName } from "../../frame/data/provider-name.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar, toOptions } from "../../ui/filter-bar.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

type Integration = EntryOf<"listIntegrations">;

const ACTIONS = ["read", "write", "subscribe", "proxy"] as const;

const COLUMNS: Column<Integration>[] = [
  {
    head: "Name",
    cell: ({ name }) => <ProjectLink to={`/integrations/${encodePart(name)}`}>{name}</ProjectLink>,
    line: 1,
    grows: true,
  },
  { head: "Provider", cell: ({ provider }) => <ProviderName provider={provider} />, line: 2 },
  {
    head: "Does",
    cell: ({ latestRevision: { content } }) => ACTIONS.filter((action) => content[action]).join(", "),
    line: 2,
  },
  { head: "Health", cell: (row) => <Health integration={row} />, line: 1 },
  { head: "Revision", align: "right", cell: ({ latestRevision }) => latestRevision.number ?? "–" },
  {
    head: "Deployed",
    cell: ({ latestRevision }) => <TimeAgo time={latestRevision.createTime} />,
    line: 2,
  },
  {
    head: "By",
    cell: ({ latestRevision }) =>
      latestRevision.createdBy === undefined ? "–" : <ActorName actor={latestRevision.createdBy} />,
  },
];

/** How many installations work, and the way to those that do not; of none there is nothing to say. */
function Health({ integration }: { integration: Integration }): JSX.Element {
  const { installationCount: all = 0, unhealthyInstallationCount: unhealthy = 0 } = integration;
  if (all === 0) return <>–</>;
  if (unhealthy === 0) return <Status status="healthy">{`${all} healthy`}</Status>;
  return (
    <ProjectLink to={`/integrations/${encodePart(integration.name)}?healthStatus=unhealthy`}>
      <Status status="unhealthy">{`${unhealthy} of ${all} unhealthy`}</Status>
    </ProjectLink>
  );
}

export function IntegrationsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  const [values, setValues] = useFilters("provider");
  // The same call as the table's.
  const { data = [] } = useCall("listIntegrations", { projectIdOrName }, { everyMs: POLL_MS.list });
  const providers = [...new Set(data.map(({ provider }) => provider))].toSorted();
  const wanted = values.provider;
  return (
    <Page title="Integrations" actions={<ProjectLink to="/deploy">Deploy a manifest</ProjectLink>}>
      {data.length > 0 && (
        <FilterBar
          fields={[
            {
              kind: "choice",
              name: "provider",
              label: "Provider",
              options: toOptions(providers),
            },
          ]}
          values={values}
          onChange={(next) => void setValues(next, "step")}
        />
      )}
      <AnswerTable
        name="Integrations"
        operationId="listIntegrations"
        input={{ projectIdOrName }}
        columns={COLUMNS}
        getId={({ id }) => id}
        onOpen={({ name }) => open(`/integrations/${encodePart(name)}`)}
        choose={(rows) => rows.filter(({ provider }) => !wanted || provider === wanted)}
        onClear={() => void setValues({}, "step")}
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

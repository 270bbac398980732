/** One installation: a customer's use of an integration, in tabs. */
import type { JSX } from "react";
import { useParams } from "@tanstack/react-router";
import type { Answer } from "../../api/call.ts";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { ActorName } from "../../frame/data/actor-name.tsx";
import { HealthReasons } from "../../frame/data/health-reasons.tsx";
import { OperationsTable } from "../../frame/data/operations-table.tsx";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { PageTabs } from "../../frame/page-tabs.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { ProviderName } from "../../frame/data/provider-name.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { isolated } from "../../ui/isolated.ts";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { ConfigurationTab } from "./configuration/configuration-tab.tsx";
import { InstallationProxyCalls } from "./installation-proxy-calls.tsx";
import { ReadingTab } from "./reading-tab.tsx";
import { SubscriptionsTab } from "./subscriptions-tab.tsx";

export function InstallationPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { name: integrationId = "", id: installationId = "" } = useParams({ strict: false });
  const input = { projectIdOrName, integrationId, installationId };
  const { data, error, refetch } = useCall("getInstallation", input, { everyMs: POLL_MS.list });
  const playground =
    data && `installationId=${encodePart(data.id)}&groupRef=${encodePart(data.group.groupRef)}`;
  const customer = data?.group.groupName || data?.group.groupRef || "";
  return (
    <Page
      title={data ? `${isolated(customer)} · ${integrationId}` : installationId}
      above={<ProjectLink to={`/integrations/${encodePart(integrationId)}`}>{integrationId}</ProjectLink>}
      mark={data && <Status status={data.healthStatus} />}
      actions={
        playground && <ProjectLink to={`/playground?${playground}`}>Try in the playground</ProjectLink>
      }
    >
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && playground && (
        <>
          <HealthReasons reasons={data.healthReasons} />
          <About installation={data} />
          <PageTabs
            tabs={[
              {
                value: "operations",
                title: "Operations",
                panel: (
                  <OperationsTable input={{ projectIdOrName, installationId }} playground={playground} />
                ),
              },
              {
                value: "configuration",
                title: "Configuration",
                panel: <ConfigurationTab installation={data} input={input} />,
              },
              {
                value: "proxy-calls",
                title: "Proxy calls",
                panel: <InstallationProxyCalls input={input} playground={playground} />,
              },
              {
                value: "reading",
                title: "Reading",
                panel: <ReadingTab installation={data} input={input} />,
              },
              {
                value: "subscriptions",
                title: "Subscriptions",
                panel: <SubscriptionsTab input={input} />,
              },
            ]}
          />
        </>
      )}
    </Page>
  );
}

const About = ({ installation }: { installation: Answer<"getInstallation"> }): JSX.Element => (
  <Section>
    <Facts
      facts={{
        Customer: (
          <ProjectLink to={`/customers/${encodePart(installation.group.groupRef)}`}>
            {installation.group.groupRef}
          </ProjectLink>
        ),
        Connection: (
          <>
            <ProjectLink to={`/connections/${encodePart(installation.connection.id)}`}>
              <ProviderName provider={installation.connection.provider} />
            </ProjectLink>{" "}
            <Status status={installation.connection.status} />
          </>
        ),
        "Installed by": <ActorName actor={installation.createdBy} />,
        Created: <TimeAgo time={installation.createTime} focusable />,
        Id: <IdText id={installation.id} />,
      }}
    />
  </Section>
);

/** One installation: a customer's use of an integration, in tabs. */
import type { JSX } from "react";
import { useParams } from "@tanstack/react-router";
import type { Answer } from "../../api/call.ts";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { ActorName } from "../../frame/data/actor-name.tsx";
import { HealthReasons } from "../../frame/data/health-reasons.tsx";
import { OperationsTable } from "../../frame/data/operations-table.tsx";
import { encodePart, ProjectButton, ProjectLink } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { PageTabs } from "../../frame/page-tabs.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { ProviderName } from "../../frame/data/provider-name.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { isolateName } from "../../ui/isolated.ts";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { ConnectionStatus } from "../../frame/data/connection-status.tsx";
import { ConfigurationTab } from "./configuration/configuration-tab.tsx";
import { ReadingTab } from "./reading-tab.tsx";
import type { RowOf } from "../../api/live-list.ts";
import { LiveTable } from "../../frame/list-page.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { InstallationInput } from "./configuration/installation-input.ts";
import { SubscriptionEvents } from "./subscription-events.tsx";
import { SubscriptionSection } from "./subscription-section.tsx";

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
      title={data ? `${isolateName(customer)} · ${integrationId}` : installationId}
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
            <ConnectionStatus connection={installation.connection} />
          </>
        ),
        "Installed by": <ActorName actor={installation.createdBy} />,
        Created: <TimeAgo time={installation.createTime} focusable />,
        Id: <IdText id={installation.id} />,
      }}
    />
  </Section>
);

type ProxyCall = RowOf<"listProxyCalls">;

const COLUMNS: Column<ProxyCall>[] = [
  { head: "Time", cell: ({ time }) => <TimeAgo time={time} />, line: 1 },
  { head: "Status", align: "right", cell: ({ status }) => status, line: 1 },
  { head: "Method", cell: ({ method }) => method, line: 2 },
  { head: "Path", cell: ({ path }) => <code className="foreign">{path}</code>, grows: true, line: 2 },
  { head: "Took", align: "right", cell: ({ durationMs }) => `${durationMs} ms` },
  { head: "Bytes", align: "right", cell: ({ bytesDown }) => bytesDown },
];

interface InstallationProxyCallsProps {
  input: InstallationInput;
  /** Filters of the playground for a first call. */
  playground: string;
}

const InstallationProxyCalls = ({ input, playground }: InstallationProxyCallsProps): JSX.Element => (
  <LiveTable
    name="Proxy calls"
    operationId="listProxyCalls"
    input={input}
    columns={COLUMNS}
    getId={getId}
    empty={
      <EmptyState
        title="No proxied calls"
        action={
          <ProjectButton to={`/playground?tab=proxy&${playground}`}>Send one in the playground</ProjectButton>
        }
      >
        A call through the proxy appears here a second or two after its end.
      </EmptyState>
    }
  />
);

const getId = ({ id }: ProxyCall): string => id;

function SubscriptionsTab({ input }: { input: InstallationInput }): JSX.Element | null {
  const { data, error, refetch } = useCall("listSubscriptions", input, {
    everyMs: (known) => (known?.some(isMoving) ? POLL_MS.underWay : POLL_MS.list),
  });
  if (!data) return <ProblemView error={error} onRetry={() => void refetch()} />;
  if (data.length === 0)
    return (
      <Section>
        <EmptyState
          title="Nothing is subscribed to"
          action={
            <ProjectButton to={`/deploy?integration=${encodePart(input.integrationId)}`}>
              Change the manifest
            </ProjectButton>
          }
        >
          Neither the manifest nor the configuration names an object.
        </EmptyState>
      </Section>
    );
  return (
    <>
      {data.map((subscription) => (
        <SubscriptionSection key={subscription.objectName} subscription={subscription} input={input} />
      ))}
      <SubscriptionEvents input={input} objects={data.map(({ objectName }) => objectName)} />
    </>
  );
}

/** Returns whether the state changes by itself within seconds. */
const isMoving = ({
  state,
  reconciliation,
}: {
  state: string;
  reconciliation?: { state: string };
}): boolean => state === "pending" || ["waiting", "running"].includes(reconciliation?.state ?? "");

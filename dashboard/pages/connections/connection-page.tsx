/** One connection: its customer, its status and what the provider gave. */
import type { JSX } from "react";
import { useParams } from "@tanstack/react-router";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { ProjectLink } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

export function ConnectionPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { id: connectionId = "" } = useParams({ strict: false });
  const input = { projectIdOrName, connectionId };
  const { data, error, refetch } = useCall("getConnection", input, { everyMs: POLL_MS.list });
  const customer = data?.group.groupName ?? data?.group.groupRef;
  return (
    <Page
      title={data ? `${customer} · ${data.provider}` : connectionId}
      above={<ProjectLink to="/connections">Connections</ProjectLink>}
      mark={data && <Status status={data.status} />}
    >
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && (
        <Section>
          <Facts
            facts={{
              Id: <IdText id={data.id} />,
              Provider: data.provider,
              Customer: <IdText id={data.group.groupRef} label="Copy customer" />,
              User: <IdText id={data.consumer.consumerRef} label="Copy user" />,
              Workspace: data.providerWorkspaceRef,
              Authentication: data.authScheme,
              Created: <TimeAgo time={data.createTime} focusable />,
              Changed: data.updateTime && <TimeAgo time={data.updateTime} focusable />,
            }}
          />
        </Section>
      )}
    </Page>
  );
}

/** One destination: its health, resending and a sample; its deliveries, numbers, settings and keys in tabs. */
import { type JSX, useState } from "react";
import { useParams } from "@tanstack/react-router";
import { Group, Text } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { POLL_MS, useCall, useChange } from "../../api/queries.ts";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { PageTabs } from "../../frame/page-tabs.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { JsonView } from "../../ui/code/code-block.tsx";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { DeliveriesTab } from "./deliveries-tab.tsx";
import { ResendRange } from "./resend-range.tsx";
import { SettingsTab } from "./settings-tab.tsx";
import { VerifyTab } from "./verify-tab.tsx";
import { ActivityGraph } from "../../frame/data/activity-graph.tsx";
import { useWindow } from "../../frame/data/activity-window.tsx";

export function DestinationPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { name: destination = "" } = useParams({ strict: false });
  const input = { projectIdOrName, destination };
  const { data, error, refetch } = useCall("getDestination", input, { everyMs: POLL_MS.list });
  const test = useChange("testDestination");
  const [resending, setResending] = useState(false);
  const [resent, setResent] = useState<number>();
  const reason = useReason("support");
  const disabled = data?.disabledTime ? "It is disabled. Enable it in its settings." : undefined;
  return (
    <Page
      title={data?.name ?? destination}
      above={<ProjectLink to="/destinations">Destinations</ProjectLink>}
      mark={data && <Status status={data.health?.state ?? "idle"} />}
      actions={
        <Group gap="xs" align="flex-start">
          <ActionButton
            variant="default"
            reason={reason}
            onClick={() => test.mutate(input)}
            loading={test.isPending}
          >
            Send sample
          </ActionButton>
          <ActionButton reason={reason ?? disabled} onClick={() => setResending(true)}>
            Resend a range
          </ActionButton>
        </Group>
      }
    >
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      <ProblemView error={test.error} onRetry={() => test.mutate(input)} />
      {test.data && (
        <Section title="Answer to the sample">
          <Status status={test.data.delivered ? "delivered" : "failed"} />
          <JsonView name="Sample" value={test.data.attempt} />
        </Section>
      )}
      <Text role="status" size="sm" mb={resent === undefined ? 0 : "sm"}>
        {resent !== undefined && `${resent} ${resent === 1 ? "delivery is" : "deliveries are"} sent again.`}
      </Text>
      {data && (
        <>
          <About destination={data} />
          <PageTabs
            tabs={[
              {
                value: "deliveries",
                title: "Deliveries",
                panel: <DeliveriesTab destination={data.name} />,
              },
              { value: "numbers", title: "Numbers", panel: <NumbersTab destination={data} /> },
              { value: "settings", title: "Settings", panel: <SettingsTab destination={data} /> },
              { value: "verify", title: "Verify", panel: <VerifyTab destination={data} /> },
            ]}
          />
          <ResendRange
            destination={data}
            opened={resending}
            onClose={() => setResending(false)}
            onResent={setResent}
          />
        </>
      )}
    </Page>
  );
}

type Failure = NonNullable<NonNullable<Answer<"getDestination">["health"]>["lastFailure"]>;

const FailureWords = ({ failure: { time, status, error } }: { failure: Failure }): JSX.Element => (
  <>
    {error ?? `HTTP ${status ?? "without an answer"}`}, <TimeAgo time={time} focusable />
  </>
);

const About = ({ destination }: { destination: Answer<"getDestination"> }): JSX.Element => {
  const { id, type, metadata, health, disabledReason } = destination;
  return (
    <Section>
      <Facts
        facts={{
          Id: <IdText id={id} />,
          Type: type,
          Address: metadata.url,
          "Failing since": health?.failingSince && <TimeAgo time={health.failingSince} focusable />,
          "Last failure": health?.lastFailure && <FailureWords failure={health.lastFailure} />,
          "Next attempt": health?.nextAttemptTime && <TimeAgo time={health.nextAttemptTime} focusable />,
          "Last delivered": health?.lastDeliveredTime && (
            <TimeAgo time={health.lastDeliveredTime} focusable />
          ),
          Waiting: health?.waiting,
          Failed: health?.failed,
          Disabled: disabledReason,
        }}
      />
    </Section>
  );
};

function NumbersTab({ destination: { id, name } }: { destination: Answer<"getDestination"> }): JSX.Element {
  const { period, control } = useWindow();
  return (
    <>
      <Group justify="flex-end" mb="sm">
        {control}
      </Group>
      <ActivityGraph
        name="Deliveries over time"
        of="deliveries"
        period={period}
        only={{ by: "destination", key: id }}
        to={`/destinations/${encodePart(name)}`}
        failed="status=failed"
      />
      <ActivityGraph
        name="Attempts over time"
        of="attempts"
        period={period}
        only={{ by: "destination", key: id }}
      />
    </>
  );
}

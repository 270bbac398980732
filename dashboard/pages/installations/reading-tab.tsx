/** What an installation reads: progress of backfills, lag, pauses, for each object. */
import type { JSX } from "react";
import { Group, Progress, Text } from "@mantine/core";
import { ApiProblem, type Answer } from "../../api/call.ts";
import { POLL_MS, useCall, useChange } from "../../api/queries.ts";
import { encodePart, ProjectButton, ProjectLink, toInstallationPath } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { formatCount } from "../../ui/format-count.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import type { InstallationInput } from "./configuration/installation-input.ts";
import { listReadObjects, type ReadRow } from "./read-objects.ts";
import { describeSchedule } from "./configuration/schedule-choice.tsx";

interface Props {
  installation: Answer<"getInstallation">;
  input: InstallationInput;
}

export function ReadingTab({ installation, input }: Props): JSX.Element {
  const integration = useCall("getIntegration", {
    projectIdOrName: input.projectIdOrName,
    integrationIdOrName: input.integrationId,
  });
  if (!integration.data)
    return <ProblemView error={integration.error} onRetry={() => void integration.refetch()} />;
  const { read } = integration.data.latestRevision.content;
  const objects = listReadObjects(installation.config.content, read?.objects ?? []);
  if (objects.length === 0)
    return (
      <Section>
        <EmptyState
          title="Nothing is read"
          action={<ProjectButton to={chooseTab(input, "configuration")}>Choose objects</ProjectButton>}
        >
          The configuration of this installation selects no object, and the manifest reads none for every
          customer.
        </EmptyState>
      </Section>
    );
  return (
    <>
      {objects.map((row) => (
        <ReadObject key={row.objectName} row={row} installation={installation} input={input} />
      ))}
    </>
  );
}

const chooseTab = ({ integrationId, installationId }: InstallationInput, tab: string): string =>
  `${toInstallationPath(integrationId, installationId)}?tab=${tab}`;

function ReadObject({ row, installation, input }: Props & { row: ReadRow }): JSX.Element {
  const { objectName, schedule, hasBackfill, isOff } = row;
  const about = {
    projectIdOrName: input.projectIdOrName,
    installationId: input.installationId,
    type: "read" as const,
    object: objectName,
    pageSize: 1,
  };
  const reads = useCall("listProjectOperations", about, { everyMs: POLL_MS.list });
  const last = reads.data?.results[0];
  // Before the first read there is no progress to ask for.
  const asked = { everyMs: POLL_MS.list, enabled: hasBackfill && last !== undefined };
  const backfill = useCall("getBackfillProgress", { ...input, objectName }, asked);
  const pause = installation.readPauses.find(({ object }) => object === objectName);
  return (
    <Section
      title={objectName}
      actions={<PauseButton input={input} objectName={objectName} isPaused={!!pause} />}
    >
      {pause && (
        <Text size="sm" mb="xs" component="div">
          <Status status="paused" />{" "}
          {pause.by === "auto" ? "by Busbar, after repeated failures" : "on request"}{" "}
          <TimeAgo time={pause.time} focusable /> <span className="foreign">{pause.error ?? pause.note}</span>
        </Text>
      )}
      {isOff && (
        <Text size="sm" mb="xs" component="div">
          <Status status="disabled">switched off</Status> in the configuration: it is read neither by schedule
          nor on request
        </Text>
      )}
      <Facts
        facts={{
          Schedule: describeSchedule(schedule),
          "Last read": last ? (
            <>
              <ProjectLink to={`/operations/${encodePart(last.id)}`}>
                {last.metadata.read?.readType ?? "read"}
              </ProjectLink>{" "}
              <Status status={last.status} /> <TimeAgo time={last.createTime} focusable />
            </>
          ) : (
            "none yet"
          ),
          "Changes read until": last?.metadata.read?.until && (
            <TimeAgo time={last.metadata.read.until} focusable />
          ),
          "Records in it": last?.metadata.read?.records,
          Backfill: backfill.data && <Backfill progress={backfill.data} />,
        }}
      />
      {backfill.error && !isMissing(backfill.error) && <ProblemView error={backfill.error} />}
    </Section>
  );
}

const isMissing = (error: Error): boolean => error instanceof ApiProblem && error.problem.status === 404;

function Backfill({ progress }: { progress: Answer<"getBackfillProgress"> }): JSX.Element {
  const { recordsProcessed: read, recordsEstimatedTotal: total, operationId } = progress;
  const share = total ? Math.min(100, Math.round((read / total) * 100)) : 100;
  const words =
    total === undefined ? formatCount(read, "record") : `${read} of about ${formatCount(total, "record")}`;
  return (
    <>
      <ProjectLink to={`/operations/${encodePart(operationId)}`}>{words}</ProjectLink>
      {describePace(progress)}
      {share < 100 && <Progress value={share} mt={4} aria-label={`Backfill ${share} %`} />}
    </>
  );
}

const WAITS = {
  destination: "for the destination",
  provider: "for",
  rate_limit: "for the rate limit of",
  connection: "until the customer connects again to",
};

function describePace({
  waitingFor,
  recordsPerSecond,
  secondsLeft,
}: Answer<"getBackfillProgress">): JSX.Element | string {
  if (waitingFor)
    return (
      <>
        , waits {WAITS[waitingFor.kind]} {waitingFor.name} since <TimeAgo time={waitingFor.since} focusable />
      </>
    );
  if (recordsPerSecond === undefined) return "";
  const left = secondsLeft === undefined ? "" : `, about ${computeMinutesLeft(secondsLeft)} left`;
  return `, ${recordsPerSecond} a second${left}`;
}

const computeMinutesLeft = (seconds: number): string =>
  seconds < 90 ? formatCount(seconds, "second") : formatCount(Math.round(seconds / 60), "minute");

function PauseButton({
  input,
  objectName,
  isPaused,
}: {
  input: InstallationInput;
  objectName: string;
  isPaused: boolean;
}): JSX.Element {
  const reason = useReason("editor");
  const pause = useChange("pauseReads", { forget: ["getInstallation"] });
  const resume = useChange("unpauseReads", { forget: ["getInstallation"] });
  const change = isPaused ? resume : pause;
  return (
    <Group gap="xs">
      <ActionButton
        size="xs"
        variant="default"
        reason={reason}
        loading={change.isPending}
        onClick={() => change.mutate({ ...input, body: { objects: [objectName] } })}
      >
        {isPaused ? "Resume reading" : "Pause reading"}
      </ActionButton>
      <ProblemView error={change.error} />
    </Group>
  );
}

/** What needs attention: failing destinations, refused connections, customers, failures by cause; and events that went nowhere. */
import type { JSX } from "react";
import type { Answer } from "../../api/call.ts";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import { nowMs } from "../../ui/clock.ts";
import { isolateName } from "../../ui/isolated.ts";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { formatClockTime } from "../../ui/time-words.ts";
import { Lines, SOON } from "./attention-lines.tsx";
import { countFailureCauses, type FailureCause } from "./failure-causes.ts";
import { UnhealthyCustomers } from "./unhealthy-customers.tsx";

const OF_PERIOD = { everyMs: POLL_MS.overview, keepsPrevious: true };
/** Causes are those of the newest failures. */
const MAX_GROUPED = 200;

export const Attention = ({ since }: { since: string }): JSX.Element => (
  <>
    <FailingDestinations />
    <RefusedConnections />
    <UnhealthyCustomers />
    <Failures since={since} />
  </>
);

type Destination = Answer<"listDestinations">[number];

function FailingDestinations(): JSX.Element | null {
  const projectIdOrName = useProjectName();
  const call = useCall("listDestinations", { projectIdOrName }, SOON);
  const troubled = (call.data ?? []).filter(
    ({ health }) => health?.state === "failing" || health?.state === "disabled",
  );
  const lines = troubled.map((destination) => ({
    key: destination.id,
    status: <Status status={destination.health?.state ?? "failing"} />,
    words: (
      <ProjectLink to={`/destinations/${encodePart(destination.name)}`}>
        {describeTrouble(destination)}
      </ProjectLink>
    ),
    more: `${destination.health?.waiting ?? 0} waiting, ${destination.health?.failed ?? 0} failed`,
  }));
  return <Lines title="Destinations that fail" call={call} lines={lines} />;
}

function describeTrouble({ name, health, disabledTime, disabledReason }: Destination): string {
  if (disabledTime)
    return `${name} is disabled since ${formatClockTime(disabledTime, nowMs())}${formatReason(disabledReason)}`;
  const since = health?.failingSince ? ` since ${formatClockTime(health.failingSince, nowMs())}` : "";
  return `${name} fails${since}${formatReason(health?.lastFailure?.error)}`;
}

const formatReason = (reason: string | undefined): string => (reason ? `: ${reason}` : "");

function RefusedConnections(): JSX.Element | null {
  const projectIdOrName = useProjectName();
  const input = { projectIdOrName, status: "bad_credentials" as const, pageSize: 50 };
  const call = useCall("listProjectConnections", input, SOON);
  const lines = (call.data?.results ?? []).map(({ id, provider, group, status, updateTime, createTime }) => ({
    key: id,
    status: <Status status={status} />,
    words: (
      <ProjectLink to={`/connections/${encodePart(id)}`}>
        {`${isolateName(group.groupName || group.groupRef)} · ${provider}`}
      </ProjectLink>
    ),
    more: <TimeAgo time={updateTime ?? createTime} />,
  }));
  return (
    <Lines
      title="Connections that the provider refuses"
      call={call}
      lines={lines}
      isCut={call.data?.pagination.done === false}
      more={<ProjectLink to="/connections?status=bad_credentials">All</ProjectLink>}
    />
  );
}

function Failures({ since }: { since: string }): JSX.Element | null {
  const projectIdOrName = useProjectName();
  const input = { projectIdOrName, status: "failure" as const, since, pageSize: MAX_GROUPED };
  const call = useCall("listProjectOperations", input, OF_PERIOD);
  const failures = call.data?.results ?? [];
  const all = `/operations?status=failure&since=${encodePart(since)}`;
  const lines = countFailureCauses(failures).map((cause) => ({
    key: cause.key,
    status: (
      <Status status="failure">{`${cause.count} ${cause.count === 1 ? "failure" : "failures"}`}</Status>
    ),
    words: <ProjectLink to={all + buildFilters(cause)}>{cause.words}</ProjectLink>,
    more: (
      <>
        {cause.integration} <TimeAgo time={cause.last} />
      </>
    ),
  }));
  const isCut = call.data?.pagination.done === false;
  return (
    <Lines
      title={isCut ? `Failures by cause, of the newest ${MAX_GROUPED}` : "Failures by cause"}
      call={call}
      lines={lines}
      more={<ProjectLink to={all}>All</ProjectLink>}
    />
  );
}

const buildFilters = ({ integration, text }: FailureCause): string =>
  (integration && `&integration=${encodePart(integration)}`) + (text ? `&text=${encodePart(text)}` : "");

const MISSING = { topic: "no topic has this type", destination: "its topic has no destination" };

/** Events without a route; in a new project all are, so they are the least urgent. */
export function EventsNowhere({ since }: { since: string }): JSX.Element | null {
  const projectIdOrName = useProjectName();
  const input = { projectIdOrName, nowhere: true, since, pageSize: 200 };
  const call = useCall("listEvents", input, OF_PERIOD);
  const counts = new Map<string, { type: string; missing: "topic" | "destination"; count: number }>();
  for (const { type, missing = "topic" } of call.data?.results ?? []) {
    const key = `${type} ${missing}`;
    counts.set(key, { type, missing, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const lines = [...counts].map(([key, { type, missing, count }]) => ({
    key,
    status: <Status status="idle">{`${count}${call.data?.pagination.done === false ? "+" : ""}`}</Status>,
    words: (
      <ProjectLink to={`/events?nowhere=true&type=${encodePart(type)}&since=${encodePart(since)}`}>
        {type}
      </ProjectLink>
    ),
    more: MISSING[missing],
  }));
  return (
    <Lines
      title="Events that went nowhere"
      call={call}
      lines={lines}
      more={<ProjectLink to="/notifications">Notifications</ProjectLink>}
    />
  );
}

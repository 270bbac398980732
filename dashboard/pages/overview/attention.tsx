/** What needs attention: failing destinations, refused connections, failures by cause; and events that went nowhere. */
import type { JSX, ReactNode } from "react";
import { Text } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { part, ProjectLink } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import { nowMs } from "../../ui/clock.ts";
import { isolated } from "../../ui/isolated.ts";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { clockTime } from "../../ui/time-words.ts";
import { failureCauses, type FailureCause } from "./failure-causes.ts";
import classes from "./attention.module.css";

/** More often than the graphs: what broke is named within half a minute. */
const SOON = { everyMs: 10_000 };
const OF_PERIOD = { everyMs: POLL_MS.overview, keepsPrevious: true };
const MOST_SHOWN = 8;
/** Causes are those of the newest failures. */
const MOST_GROUPED = 200;

export const Attention = ({ since }: { since: string }): JSX.Element => (
  <>
    <FailingDestinations />
    <RefusedConnections />
    <Failures since={since} />
  </>
);

interface Line {
  key: string;
  status: ReactNode;
  words: ReactNode;
  more: ReactNode;
}

const Lines = ({
  title,
  lines,
  more,
}: {
  title: string;
  lines: Line[];
  more?: ReactNode;
}): JSX.Element | null =>
  lines.length === 0 ? null : (
    <Section title={title} actions={more}>
      <ul className={classes["lines"]}>
        {lines.slice(0, MOST_SHOWN).map(({ key, status, words, more: aside }) => (
          <li key={key}>
            {status}
            <span className={classes["words"]}>{words}</span>
            <span className={classes["more"]}>{aside}</span>
          </li>
        ))}
      </ul>
      {lines.length > MOST_SHOWN && (
        <Text size="sm" c="dimmed">
          And {lines.length - MOST_SHOWN} more.
        </Text>
      )}
    </Section>
  );

type Destination = Answer<"listDestinations">[number];

function FailingDestinations(): JSX.Element | null {
  const projectIdOrName = useProjectName();
  const { data = [] } = useCall("listDestinations", { projectIdOrName }, SOON);
  const troubled = data.filter(({ health }) => health?.state === "failing" || health?.state === "disabled");
  const lines = troubled.map((destination) => ({
    key: destination.id,
    status: <Status status={destination.health?.state ?? "failing"} />,
    words: (
      <ProjectLink to={`/destinations/${part(destination.name)}`}>{troubleWords(destination)}</ProjectLink>
    ),
    more: `${destination.health?.waiting ?? 0} waiting, ${destination.health?.failed ?? 0} failed`,
  }));
  return <Lines title="Destinations that fail" lines={lines} />;
}

function troubleWords({ name, health, disabledTime }: Destination): string {
  if (disabledTime) return `${name} is disabled since ${clockTime(disabledTime, nowMs())}`;
  return health?.failingSince
    ? `${name} fails since ${clockTime(health.failingSince, nowMs())}`
    : `${name} fails`;
}

function RefusedConnections(): JSX.Element | null {
  const projectIdOrName = useProjectName();
  const input = { projectIdOrName, status: "bad_credentials" as const, pageSize: 50 };
  const { data } = useCall("listProjectConnections", input, SOON);
  const lines = (data?.results ?? []).map(({ id, provider, group, status, updateTime, createTime }) => ({
    key: id,
    status: <Status status={status} />,
    words: (
      <ProjectLink to={`/connections/${part(id)}`}>
        {`${isolated(group.groupName || group.groupRef)} · ${provider}`}
      </ProjectLink>
    ),
    more: <TimeAgo time={updateTime ?? createTime} />,
  }));
  return (
    <Lines
      title="Connections that the provider refuses"
      lines={lines}
      more={<ProjectLink to="/connections?status=bad_credentials">All</ProjectLink>}
    />
  );
}

function Failures({ since }: { since: string }): JSX.Element | null {
  const projectIdOrName = useProjectName();
  const input = { projectIdOrName, status: "failure" as const, since, pageSize: MOST_GROUPED };
  const { data } = useCall("listProjectOperations", input, OF_PERIOD);
  const failures = data?.results ?? [];
  const all = `/operations?status=failure&since=${part(since)}`;
  const lines = failureCauses(failures).map((cause) => ({
    key: cause.key,
    status: (
      <Status status="failure">{`${cause.count} ${cause.count === 1 ? "failure" : "failures"}`}</Status>
    ),
    words: <ProjectLink to={all + filtersOf(cause)}>{cause.words}</ProjectLink>,
    more: (
      <>
        {cause.integration} <TimeAgo time={cause.last} />
      </>
    ),
  }));
  const isCut = data !== undefined && !data.pagination.done;
  return (
    <Lines
      title={isCut ? `Failures by cause, of the newest ${MOST_GROUPED}` : "Failures by cause"}
      lines={lines}
      more={<ProjectLink to={all}>All</ProjectLink>}
    />
  );
}

const filtersOf = ({ integration, text }: FailureCause): string =>
  (integration && `&integration=${part(integration)}`) + (text ? `&text=${part(text)}` : "");

const MISSING = { topic: "no topic has this type", destination: "its topic has no destination" };

/** Events without a route; in a new project all are, so they are the least urgent. */
export function EventsNowhere({ since }: { since: string }): JSX.Element | null {
  const projectIdOrName = useProjectName();
  const { data } = useCall("listEvents", { projectIdOrName, nowhere: true, since, pageSize: 200 }, OF_PERIOD);
  const counts = new Map<string, { type: string; missing: "topic" | "destination"; count: number }>();
  for (const { type, missing = "topic" } of data?.results ?? []) {
    const key = `${type} ${missing}`;
    counts.set(key, { type, missing, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const lines = [...counts].map(([key, { type, missing, count }]) => ({
    key,
    status: <Status status="idle">{`${count}${data?.pagination.done === false ? "+" : ""}`}</Status>,
    words: (
      <ProjectLink to={`/events?nowhere=true&type=${part(type)}&since=${part(since)}`}>{type}</ProjectLink>
    ),
    more: MISSING[missing],
  }));
  return (
    <Lines
      title="Events that went nowhere"
      lines={lines}
      more={<ProjectLink to="/notifications">Notifications</ProjectLink>}
    />
  );
}

/** The start page of a project: what needs attention and the activity of a period, or the first steps. */
import { useState, type JSX } from "react";
import { SegmentedControl, Text } from "@mantine/core";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { part, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { BarChart } from "../../ui/bar-chart.tsx";
import { nowMs } from "../../ui/clock.ts";
import { Section } from "../../ui/section.tsx";
import { FirstSteps } from "./first-steps.tsx";

const WINDOWS: Record<string, { hours: number; bucketSeconds: number }> = {
  "1 h": { hours: 1, bucketSeconds: 60 },
  "24 h": { hours: 24, bucketSeconds: 1_800 },
  "7 d": { hours: 168, bucketSeconds: 10_800 },
  "30 d": { hours: 720, bucketSeconds: 43_200 },
};

export function OverviewPage(): JSX.Element {
  const [chosen, setChosen] = useState("24 h");
  const [startMs] = useState(nowMs);
  const { hours, bucketSeconds } = WINDOWS[chosen] ?? { hours: 1, bucketSeconds: 60 };
  // Whole buckets, so that the address of the call stays the same while the page is open.
  const bucketMs = bucketSeconds * 1_000;
  const endMs = (Math.floor(startMs / bucketMs) + 1) * bucketMs;
  const period = {
    since: new Date(endMs - hours * 3_600_000).toISOString(),
    until: new Date(endMs).toISOString(),
    bucketSeconds,
  };
  return (
    <Page
      title="Overview"
      actions={
        <SegmentedControl
          aria-label="Window"
          data={Object.keys(WINDOWS)}
          value={chosen}
          onChange={setChosen}
          size="xs"
        />
      }
    >
      <FirstSteps />
      <Attention />
      <Activity name="Operations" of="operations" to="/operations" failed="status=failure" {...period} />
      <Activity name="Deliveries" of="deliveries" {...period} />
      <Activity name="Proxy calls" of="proxyCalls" to="/proxy-calls" failed="status=4xx" {...period} />
    </Page>
  );
}

/** Connections that the provider refuses. */
function Attention(): JSX.Element | null {
  const projectIdOrName = useProjectName();
  const { data } = useCall(
    "listProjectConnections",
    { projectIdOrName, status: "bad_credentials", pageSize: 10 },
    { everyMs: POLL_MS.overview },
  );
  if (!data || data.results.length === 0) return null;
  return (
    <Section title="Connections that the provider refuses">
      {data.results.map(({ id, provider, group }) => (
        <div key={id}>
          <ProjectLink to={`/connections/${part(id)}`}>{`${group.groupName} · ${provider}`}</ProjectLink>
        </div>
      ))}
    </Section>
  );
}

interface ActivityProps {
  name: string;
  of: "operations" | "deliveries" | "proxyCalls";
  /** The list that a bar opens. */
  to?: string;
  /** Filter of the list for a bar with failures. */
  failed?: string;
  since: string;
  until: string;
  bucketSeconds: number;
}

function Activity({ name, of, to, failed, ...period }: ActivityProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  const input = { projectIdOrName, of, ...period };
  const { data, error, refetch } = useCall("getActivity", input, { everyMs: POLL_MS.overview });
  const bars = data?.buckets.map(({ time, values: [all] }) => ({
    time,
    count: all?.count ?? 0,
    failed: all?.failed ?? 0,
    ...(all?.p95Ms !== undefined && { ms: all.p95Ms }),
  }));
  return (
    <Section title={name}>
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {bars ? (
        <BarChart
          name={name}
          bars={bars}
          {...(of !== "deliveries" && { lineName: "p95" })}
          {...(to !== undefined && {
            onOpen: (bar) => {
              const end = new Date(Date.parse(bar.time) + period.bucketSeconds * 1_000).toISOString();
              open(`${to}?since=${bar.time}&until=${end}${bar.failed > 0 && failed ? `&${failed}` : ""}`);
            },
          })}
        />
      ) : (
        !error && <Text size="sm">Counting …</Text>
      )}
    </Section>
  );
}

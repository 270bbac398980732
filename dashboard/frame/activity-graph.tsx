/** A graph of what was done in a period; a bar opens the list of its rows. */
import type { JSX } from "react";
import { Text } from "@mantine/core";
import type { Input } from "../api/call.ts";
import { POLL_MS, useCall } from "../api/queries.ts";
import { BarChart } from "../ui/bar-chart.tsx";
import { Section } from "../ui/section.tsx";
import { TimeAgo } from "../ui/time-ago.tsx";
import type { Period } from "./activity-window.tsx";
import { useOpenInProject } from "./page-link.tsx";
import { ProblemView } from "./problem-view.tsx";
import { useProjectName } from "./project.ts";

export interface ActivityGraphProps {
  name: string;
  of: Input<"getActivity">["of"];
  period: Period;
  /** Counts only what has this key in a dimension, as one destination. */
  only?: { by: NonNullable<Input<"getActivity">["by"]>; key: string };
  /** Address of the list that a bar opens, with its fixed filters. */
  to?: string;
  /** More filters of the list for a bar with failures. */
  failed?: string;
}

export function ActivityGraph({ name, of, period, only, to, failed }: ActivityGraphProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  const input = { projectIdOrName, of, ...(only && { by: only.by }), ...period };
  const { data, error, refetch } = useCall("getActivity", input, {
    everyMs: POLL_MS.overview,
    keepsPrevious: true,
  });
  const bars = data?.buckets.map(({ time, values }) => {
    const all = only ? values.find(({ key }) => key === only.key) : values[0];
    return {
      time,
      count: all?.count ?? 0,
      failed: all?.failed ?? 0,
      ...(all?.p95Ms !== undefined && { ms: all.p95Ms }),
    };
  });
  const openBar = (bar: { time: string; failed: number }) => {
    const end = new Date(Date.parse(bar.time) + (data?.bucketSeconds ?? 0) * 1_000).toISOString();
    const filters = [`since=${bar.time}`, `until=${end}`, ...(bar.failed > 0 && failed ? [failed] : [])];
    open(`${to}${to?.includes("?") ? "&" : "?"}${filters.join("&")}`);
  };
  return (
    <Section title={name}>
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {bars ? (
        <BarChart
          name={name}
          bars={bars}
          {...(of !== "deliveries" && { lineName: "p95" })}
          {...(to !== undefined && { onOpen: openBar })}
        />
      ) : (
        !error && <Text size="sm">Counting …</Text>
      )}
      {data?.countedSince && (
        <Text size="xs" c="dimmed">
          Too many to count all: the oldest counted began <TimeAgo time={data.countedSince} />.
        </Text>
      )}
    </Section>
  );
}

/** Graphs of what was done in a period; a bar opens the list of its bucket. */
import { lazy, Suspense, type JSX } from "react";
import { Group, SimpleGrid, Text } from "@mantine/core";
import type { Input } from "../../api/call.ts";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { Section } from "../../ui/section.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { useWindow, type Period } from "./activity-window.tsx";
import { useOpenInProject } from "../page-link.tsx";
import { ProblemView } from "../problem-view.tsx";
import { useProjectName } from "../project.ts";

/** The chart, loaded later with its library, so that the first page does not wait for it. */
const TimeChart = lazy(async () => ({ default: (await import("../../ui/time-chart.tsx")).TimeChart }));

interface ActivityGraphProps {
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
  const input = { projectIdOrName, of, ...only, ...period };
  const { data, error, refetch } = useCall("getActivity", input, {
    everyMs: POLL_MS.overview,
    keepsPrevious: true,
  });
  const buckets = data?.buckets.map(({ time, values: [all] }) => ({ time, count: 0, failed: 0, ...all }));
  const openBucket = (bar: { time: string; failed: number }) => {
    const end = new Date(Date.parse(bar.time) + (data?.bucketSeconds ?? 0) * 1_000).toISOString();
    const filters = [`since=${bar.time}`, `until=${end}`, ...(bar.failed > 0 && failed ? [failed] : [])];
    open(`${to}${to?.includes("?") ? "&" : "?"}${filters.join("&")}`);
  };
  return (
    <Section title={name}>
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {buckets && data ? (
        <Suspense fallback={<Text size="sm">Drawing …</Text>}>
          <TimeChart
            name={name}
            buckets={buckets}
            bucketSeconds={data.bucketSeconds}
            {...(to !== undefined && { onOpen: openBucket })}
          />
        </Suspense>
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

/** What happened for one customer or with one integration: operations, records in messages, and proxied calls. */
export function ActivityGraphs({ only }: { only: NonNullable<ActivityGraphProps["only"]> }): JSX.Element {
  const { period, control } = useWindow();
  return (
    <>
      <Group justify="flex-end" mb="sm">
        {control}
      </Group>
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md" verticalSpacing={0}>
        <ActivityGraph name="Operations over time" of="operations" period={period} only={only} />
        <ActivityGraph name="Records over time" of="records" period={period} only={only} />
        <ActivityGraph name="Proxy calls over time" of="proxyCalls" period={period} only={only} />
      </SimpleGrid>
    </>
  );
}

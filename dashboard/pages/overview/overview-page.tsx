/** The start page of a project: first steps, what needs attention, and the activity of a period. */
import type { JSX } from "react";
import { SimpleGrid } from "@mantine/core";
import { ActivityGraph } from "../../frame/data/activity-graph.tsx";
import { useWindow } from "../../frame/data/activity-window.tsx";
import { Page } from "../../frame/page.tsx";
import { Attention, EventsNowhere } from "./attention.tsx";
import { FirstSteps } from "./first-steps.tsx";

export function OverviewPage(): JSX.Element {
  const { period, control } = useWindow();
  return (
    <Page title="Overview" actions={control}>
      <Attention since={period.since} />
      <FirstSteps />
      <EventsNowhere since={period.since} />
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md" verticalSpacing={0}>
        <ActivityGraph
          name="Operations"
          of="operations"
          period={period}
          to="/operations"
          failed="status=failure"
        />
        <ActivityGraph name="Deliveries" of="deliveries" period={period} />
        <ActivityGraph name="Attempts" of="attempts" period={period} />
        <ActivityGraph name="Records" of="records" period={period} />
        <ActivityGraph name="Proxy calls" of="proxyCalls" period={period} to="/proxy-calls" />
      </SimpleGrid>
    </Page>
  );
}

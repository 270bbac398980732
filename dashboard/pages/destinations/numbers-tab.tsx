/** The deliveries of a destination, and each attempt, over time. */
import type { JSX } from "react";
import { Group } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { ActivityGraph } from "../../frame/data/activity-graph.tsx";
import { useWindow } from "../../frame/data/activity-window.tsx";
import { encodePart } from "../../frame/page-link.tsx";

export function NumbersTab({
  destination: { id, name },
}: {
  destination: Answer<"getDestination">;
}): JSX.Element {
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

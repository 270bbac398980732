/** The numbers of a destination: its health, and deliveries over time. */
import type { JSX } from "react";
import type { Answer } from "../../api/call.ts";
import { ActivityGraph } from "../../frame/activity-graph.tsx";
import { useWindow } from "../../frame/activity-window.tsx";
import { part } from "../../frame/page-link.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Section } from "../../ui/section.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

export function NumbersTab({ destination }: { destination: Answer<"getDestination"> }): JSX.Element {
  const { period, control } = useWindow();
  const { id, name, health } = destination;
  return (
    <>
      <Section title="Now" actions={control}>
        <Facts
          facts={{
            Waiting: health?.waiting ?? 0,
            Failed: health?.failed ?? 0,
            "Last delivered": <TimeAgo time={health?.lastDeliveredTime} focusable />,
            "Failing since": health?.failingSince && <TimeAgo time={health.failingSince} focusable />,
          }}
        />
      </Section>
      <ActivityGraph
        name="Deliveries over time"
        of="deliveries"
        period={period}
        only={{ by: "destination", key: id }}
        to={`/destinations/${part(name)}`}
        failed="status=failed"
      />
    </>
  );
}

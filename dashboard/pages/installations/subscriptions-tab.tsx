/** What an installation subscribes to: state, source and counts of each object, and what became of the provider's events. */
import type { JSX } from "react";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { encodePart, ProjectButton } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Section } from "../../ui/section.tsx";
import type { InstallationInput } from "./configuration/installation-input.ts";
import { SubscriptionEvents } from "./subscription-events.tsx";
import { SubscriptionSection } from "./subscription-section.tsx";

export function SubscriptionsTab({ input }: { input: InstallationInput }): JSX.Element | null {
  const { data, error, refetch } = useCall("listSubscriptions", input, {
    everyMs: (known) => (known?.some(isMoving) ? POLL_MS.underWay : POLL_MS.list),
  });
  if (!data) return <ProblemView error={error} onRetry={() => void refetch()} />;
  if (data.length === 0)
    return (
      <Section>
        <EmptyState
          title="Nothing is subscribed to"
          action={
            <ProjectButton to={`/deploy?integration=${encodePart(input.integrationId)}`}>
              Change the manifest
            </ProjectButton>
          }
        >
          Neither the manifest nor the configuration names an object.
        </EmptyState>
      </Section>
    );
  return (
    <>
      {data.map((subscription) => (
        <SubscriptionSection key={subscription.objectName} subscription={subscription} input={input} />
      ))}
      <SubscriptionEvents input={input} objects={data.map(({ objectName }) => objectName)} />
    </>
  );
}

/** Returns whether the state changes by itself within seconds. */
const isMoving = ({
  state,
  reconciliation,
}: {
  state: string;
  reconciliation?: { state: string };
}): boolean => state === "pending" || ["waiting", "running"].includes(reconciliation?.state ?? "");

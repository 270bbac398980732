/** Lists the enabled events that the source of a subscription cannot report. Pure. */
import type { SubscribeConnector } from "../../../connector-kit/subscribe-connector.ts";
import type { SubscriptionSource } from "../../store/subscriptions/subscriptions.ts";
import type { WantedEvents } from "../definition/subscribe-definition.ts";

/** Returns warnings for the status of a subscription: without them a builder waits for events that never come. */
export function findEventWarnings(
  { associationChange, other }: Pick<WantedEvents, "associationChange" | "other">,
  { reportsAssociations }: Pick<SubscribeConnector, "reportsAssociations">,
  { provider, source }: { provider: string; source: SubscriptionSource },
): string[] {
  const warnings: string[] = [];
  if (associationChange && !reportsAssociations) {
    const remedy = "Watch the field that refers to the other record in `updateEvent`.";
    warnings.push(`\`associationChangeEvent\` has no effect: ${provider} does not report it. ${remedy}`);
  }
  if (source !== "polling") return warnings;
  const lost = [
    ...(associationChange && reportsAssociations ? ["`associationChangeEvent`"] : []),
    ...(other.length > 0 ? ["`otherEvents`"] : []),
  ];
  if (lost.length > 0) {
    const verb = lost.length === 1 ? "has" : "have";
    warnings.push(`${lost.join(" and ")} ${verb} no effect: polling finds only changed and deleted records.`);
  }
  return warnings;
}

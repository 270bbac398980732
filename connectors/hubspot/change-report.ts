/** Names a change in words that pushes and the journal have in common: HubSpot reports it by both if both are set up. Pure. */
import type { ChangeReport, ProviderEvent } from "../../connector-kit/subscribe-connector.ts";

type Reported = Pick<ProviderEvent, "type" | "providerEventType" | "to"> & {
  /** Properties that the event names. */
  properties: readonly string[];
  isRemoved: boolean;
};

/** Undefined for a change that cannot be recognised. */
export function changeReport(
  way: "push" | "journal",
  { type, providerEventType, to, properties, isRemoved }: Reported,
): ChangeReport | undefined {
  const fields = properties.map((name) => `property ${name}`);
  if (type === "update") return fields.length > 0 ? { way, changes: fields } : undefined;
  if (type === "associationUpdate") {
    return to && { way, changes: [`${isRemoved ? "without" : "with"} ${to.objectKey} ${to.id}`] };
  }
  // A creation in the journal has the first values, which are pushed as changes of properties.
  return { way, changes: [providerEventType.split(".").at(-1) ?? ""], includes: fields };
}

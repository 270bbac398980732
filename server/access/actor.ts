/** Says who makes a call, for what is kept of it, and whether it may learn which customers there are. */
import type { Caller } from "../http/endpoint.ts";
import type { Actor } from "../store/operations/operations.ts";

/** Returns who makes a call; undefined for nobody. */
export function toCallActor({ builderId, apiKeyId, groupRef, consumerRef, name }: Caller): Actor | undefined {
  const named = name === undefined ? {} : { name };
  if (builderId !== undefined) return { kind: "person", id: builderId, ...named };
  if (apiKeyId !== undefined) return { kind: "key", id: apiKeyId, ...named };
  if (groupRef !== undefined) return { kind: "customer", id: consumerRef ?? groupRef };
  return undefined;
}

/** Returns whether the caller may list all groups: not a customer's token, not a browser's key, and no agent of a customer. */
export const seesGroups = ({
  groupRef,
  scopes,
  agent,
}: Pick<Caller, "groupRef" | "scopes" | "agent">): boolean =>
  groupRef === undefined &&
  agent?.groupRef === undefined &&
  ["full", "read-only"].some((scope) => scopes.includes(scope));

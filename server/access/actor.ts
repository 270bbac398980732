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

/**
 * Returns whether the caller may learn which groups there are. A customer's token, an agent of a customer and a key of browsers may
 * not; a key that has further scopes beside `full` or `read-only` may.
 */
export const seesEveryGroup = ({ groupRef, agent, kind, role, scopes }: SeesGroups): boolean =>
  groupRef === undefined &&
  agent?.groupRef === undefined &&
  (kind === "person" || role !== undefined || ["full", "read-only"].some((scope) => scopes.includes(scope)));

type SeesGroups = Pick<Caller, "scopes"> & Partial<Pick<Caller, "groupRef" | "agent" | "kind" | "role">>;

/** Decides whose refusals may name customers of the project. */
import type { Caller } from "../http/endpoint.ts";

/** Returns whether the caller may list all groups: not a customer's token, not a browser's key, and no agent of a customer. */
export const seesGroups = ({
  groupRef,
  scopes,
  agent,
}: Pick<Caller, "groupRef" | "scopes" | "agent">): boolean =>
  groupRef === undefined &&
  agent?.groupRef === undefined &&
  ["full", "read-only"].some((scope) => scopes.includes(scope));

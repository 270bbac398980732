/** Keeps lists over all customers to servers: a browser has no business with them. */
import { Problem } from "../ground/errors.ts";
import type { Caller } from "../http/endpoint.ts";

/** Throws a 400 Problem when a caller without the scope `full` asks for more than one group. */
export function requireGroup(caller: Caller, query: { groupRef?: string }): void {
  if (query.groupRef || caller.scopes.includes("full")) return;
  const detail = "is missing; a key with the scope `frontend` must name the customer";
  throw new Problem("invalid-request", {
    detail: `groupRef: ${detail}`,
    issues: [{ in: "query", name: "groupRef", detail }],
  });
}

/** Requires `groupRef` for lists of customers from callers without the scope `full`, such as browsers. */
import { toMemberProblem } from "../../ground/member-problem.ts";
import type { Caller } from "../http/endpoint.ts";

/** Returns whether the caller may know about all customers: not from a browser of a customer. */
export const seesEveryGroup = (caller: Caller): boolean =>
  caller.role !== undefined || caller.kind === "person";

/** Throws a 400 Problem when a caller without the scope `full` asks for more than one group. */
export function requireGroup(caller: Caller, query: { groupRef?: string }): void {
  if (query.groupRef || seesEveryGroup(caller)) return;
  throw toMemberProblem("groupRef", "is missing; a key with the scope `frontend` must send it", {
    in: "query",
  });
}

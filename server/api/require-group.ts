/** Requires `groupRef` for lists of customers from callers that may not learn which groups there are, such as browsers. */
import { toMemberProblem } from "../../ground/member-problem.ts";
import { seesEveryGroup } from "../access/actor.ts";
import type { Caller } from "../http/endpoint.ts";

/** Throws a 400 Problem when such a caller asks for more than one group. */
export function requireGroup(caller: Caller, query: { groupRef?: string }): void {
  if (query.groupRef || seesEveryGroup(caller)) return;
  throw toMemberProblem("groupRef", "is missing; a key with the scope `frontend` must send it", {
    in: "query",
  });
}

/** Puts the members that a description names into the body of a request. */
import type { Json, JsonObject } from "../../../ground/json.ts";
import { fillText } from "../fill-path.ts";
import type { ObjectPlan } from "../object-plan.ts";
import { nestValue } from "../request-parts.ts";

/** Returns the body with the members, by path. Placeholders in texts are filled. */
export function buildBody(
  plan: ObjectPlan,
  members: Record<string, unknown> | undefined,
  around: JsonObject = {},
): JsonObject {
  let body = around;
  for (const [path, value] of Object.entries(members ?? {}))
    body = nestValue(path, fillMember(plan, value), body);
  return body;
}

/** Descriptions are JSON; the type of a member of the body is not known. */
const fillMember = (plan: ObjectPlan, value: unknown): Json =>
  typeof value === "string" ? fillText(value, plan) : (value as Json);

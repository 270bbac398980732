/** Tells deleted records, which some providers still show, from others. */
import type { JsonObject } from "../../ground/json.ts";
import { getTextAt } from "../calls/get-text-at.ts";
import { getMember, type ObjectPlan } from "./object-plan.ts";

/** Returns whether the record has the mark of a deleted one. */
export function hasMark(raw: JsonObject, { deleted }: Pick<ObjectPlan, "deleted">): boolean {
  if (!deleted) return false;
  const value = getMember(raw, deleted.at);
  if (deleted.is !== undefined) return deleted.is.split("|").includes(getTextAt(raw, deleted.at) ?? "");
  // Slack: `date_delete` is 0 in a user group that is not deleted.
  return Boolean(value) && value !== "0";
}

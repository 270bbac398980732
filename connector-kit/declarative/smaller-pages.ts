/** Asks for smaller pages where an answer is longer than may be read: records with all their members can be long. */
import type { Checkpoint, ReadPlan } from "../read-connector.ts";
import type { ObjectPlan } from "./object-plan.ts";

/** Returns the plan with the size that this scan has come down to. */
export function withKnownSize(plan: ReadPlan, checkpoint: Checkpoint | undefined): ReadPlan {
  const size = checkpoint?.["size"];
  return typeof size === "number" ? { ...plan, pageSize: size } : plan;
}

/**
 * Returns where the list goes on with pages of half the size: at the same record, or at its beginning where a place depends on the size of
 * pages. Undefined where a page cannot be smaller.
 */
export function restartWithHalf(
  { list, paging = {} }: ObjectPlan,
  { pageSize }: ReadPlan,
  checkpoint: Checkpoint | undefined,
): Checkpoint | undefined {
  const most = list?.pageSize?.most;
  if (most === undefined) return undefined;
  const size = Math.floor(Math.min(pageSize ?? most, most) / 2);
  if (size < 1) return undefined;
  const { cursor, offset, keyset } = paging;
  if (offset ?? keyset ?? (cursor && !cursor.scroll)) return { ...checkpoint, size };
  const { list: position, after, seen, isPartial } = checkpoint ?? {};
  return {
    ...(position !== undefined && { list: position }),
    ...(after !== undefined && { after, ...(seen !== undefined && { seen }) }),
    ...(isPartial !== undefined && { isPartial }),
    size,
  };
}

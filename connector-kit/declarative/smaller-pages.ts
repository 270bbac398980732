/**
 * The size of a scan's pages. It becomes smaller where an answer is longer than may be read, as records with all their members can be, or takes
 * the provider too long; and a number of page means another place where the size is another one.
 */
import type { Checkpoint, ReadPlan } from "../read-connector.ts";
import type { ObjectPlan } from "./object-plan.ts";

/** Returns the plan with the size that this scan has come down to. */
export function withKnownSize(plan: ReadPlan, checkpoint: Checkpoint | undefined): ReadPlan {
  const size = checkpoint?.["size"];
  return typeof size === "number" ? { ...plan, pageSize: size } : plan;
}

/**
 * Returns where a list by number of page begins anew: its pages had another size, or one that was not stored, so that the number would leave
 * records out. Undefined where the list goes on.
 */
export function restartWithOwnSize(
  { list, paging = {} }: ObjectPlan,
  { pageSize }: ReadPlan,
  checkpoint: Checkpoint | undefined,
): Checkpoint | undefined {
  const most = list?.pageSize?.most;
  if (!checkpoint || !paging.page || most === undefined) return undefined;
  const { place, size } = checkpoint;
  const isKnown = size !== undefined && size === chooseSize(most, pageSize);
  return typeof place !== "number" || isKnown ? undefined : beginAnew(checkpoint);
}

/** Returns the size of pages that is asked for. */
export const chooseSize = (most: number, wanted: number | undefined): number =>
  Math.min(wanted ?? most, most);

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
  const size = Math.floor(chooseSize(most, pageSize) / 2);
  if (size < 1) return undefined;
  const { cursor, offset, keyset } = paging;
  if (offset ?? keyset ?? (cursor && !cursor.scroll)) return { ...checkpoint, size };
  return { ...beginAnew(checkpoint), size };
}

/** Returns the beginning of the list that the checkpoint is in. */
function beginAnew({ list, after, seen, isPartial }: Checkpoint = {}): Checkpoint {
  return {
    ...(list !== undefined && { list }),
    ...(after !== undefined && { after, ...(seen !== undefined && { seen }) }),
    ...(isPartial !== undefined && { isPartial }),
  };
}

/** The filter of lists by an HTTP status, or by a class of statuses. */
import { Type } from "typebox";

export const StatusFilter = Type.Optional(
  Type.String({
    pattern: "^([1-5][0-9]{2}|[1-5]xx)$",
    description: "Return only those with this status, `404`, or of this class, `4xx`.",
  }),
);

/** Returns the lowest and the highest status; undefined without a filter. */
export function parseStatusFilter(filter: string | undefined): { from: number; to: number } | undefined {
  if (filter === undefined) return undefined;
  if (!filter.endsWith("xx")) return { from: Number(filter), to: Number(filter) };
  const from = Number(filter.charAt(0)) * 100;
  return { from, to: from + 99 };
}

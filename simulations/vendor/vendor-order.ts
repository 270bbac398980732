/** Order of a simulated list: the requested one, or the vendor's own. */
import type { ListFact } from "../../connector-kit/facts/facts.ts";
import type { VendorRecord } from "./vendor-records.ts";
import type { VendorRequest } from "./vendor-request.ts";
import { hasParameters } from "./vendor-checks.ts";

export type ListOrder = NonNullable<NonNullable<ListFact["sort"]>["default"]> | "unknown";

/** Returns what a request sorts by. `unknown`: no source describes it, and rows then stay where they are. */
export function chooseOrder(fact: ListFact, request: VendorRequest): ListOrder {
  for (const [key, by] of Object.entries(fact.sort?.by ?? {})) {
    if (hasParameters(fact, request, key)) return by;
  }
  // An order can lose records only between pages.
  return fact.sort?.default ?? (fact.paging.kind === "none" ? "other" : "unknown");
}

/** Sorts the records. Without a promised order, each `turn` has another one. */
export function sortRecords(records: VendorRecord[], order: ListOrder, turn: number): VendorRecord[] {
  if (order === "none") {
    const shift = records.length < 2 ? 0 : turn % records.length;
    const inOrder = records.toSorted((a, b) => a.place - b.place);
    return [...inOrder.slice(shift), ...inOrder.slice(0, shift)];
  }
  const key = ({ changedMs, place }: VendorRecord): number => {
    if (order === "updatable") return scatter(changedMs);
    return order.startsWith("changed") ? changedMs : place;
  };
  const direction = order.endsWith("-desc") ? -1 : 1;
  return records.toSorted((a, b) => direction * (key(a) - key(b) || a.place - b.place));
}

/** An update can move a record to any place, as a new name does in a list by names: the order is not that of the changes. */
const scatter = (changedMs: number): number => (Math.floor(changedMs / 1_000) * 7_919) % 10_007;

/** Returns the records after one, wherever that is now: a vendor's cursor names the row, not its number. */
export function listBehind(
  records: VendorRecord[],
  last: { place: number; changedMs: number } | undefined,
  order: ListOrder,
): VendorRecord[] {
  if (!last) return records;
  const direction = order.endsWith("-desc") ? -1 : 1;
  return records.filter(({ place, changedMs }) =>
    order.startsWith("changed")
      ? direction * (changedMs - last.changedMs || place - last.place) > 0
      : direction * (place - last.place) > 0,
  );
}

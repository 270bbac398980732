/** Fits the columns of a table to the width of a terminal: the widest are cut first, ids last. */
import { measureWidth } from "./printable.ts";

interface ColumnWidth {
  /** Width of the longest text. */
  natural: number;
  /** A cut id is useless. */
  isId: boolean;
  /** Given up where there is no room. */
  isExtra?: boolean;
}

/** Narrower columns are unreadable. */
const LEAST = 6;
const LEAST_ID = 9;
/** A column of texts is readable when it has this width. */
const READABLE = 16;

/** Returns the indexes of the columns to show: extra ones are given up, the last first, until the rest is readable. */
export function chooseColumnsThatFit(columns: ColumnWidth[], gap: number, available: number): number[] {
  const shown = [...columns.keys()];
  const needed = () =>
    shown.reduce((sum, index) => {
      const { natural = 0, isId = false } = columns[index] ?? {};
      return sum + gap + (isId ? natural : Math.min(natural, READABLE));
    }, -gap);
  while (needed() > available) {
    const last = shown.findLastIndex((index) => columns[index]?.isExtra);
    if (last < 0) break;
    shown.splice(last, 1);
  }
  return shown;
}

/** Returns the widths. Their sum exceeds `available` only if the minimum widths do not fit. */
export function fitColumns(columns: ColumnWidth[], gap: number, available: number): number[] {
  const widths = columns.map(({ natural }) => natural);
  const total = () => widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);
  for (const ids of [false, true]) {
    const least = ids ? LEAST_ID : LEAST;
    const shrinkable = [...columns.keys()].filter((index) => columns[index]?.isId === ids);
    for (let over = total() - available; over > 0; over -= 1) {
      const widest = shrinkable.reduce(
        (best, index) => ((widths[index] ?? 0) > (widths[best] ?? 0) ? index : best),
        shrinkable[0] ?? -1,
      );
      const width = widths[widest] ?? 0;
      if (width <= least) break;
      widths[widest] = width - 1;
    }
  }
  return widths;
}

/** Cuts a text that is too wide, with an ellipsis. */
export function cut(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  let kept = "";
  for (const character of text) {
    if (measureWidth(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

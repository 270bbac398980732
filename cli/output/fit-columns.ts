/** Shares the width of a terminal among the columns of a table: long ones are cut, those with ids last. */
import { widthOf } from "./printable.ts";

export interface ColumnWidth {
  /** That of its longest text. */
  natural: number;
  /** An id is of no use when it is cut. */
  isId: boolean;
}

/** Below this a column says nothing any more. */
const LEAST = 6;
const LEAST_ID = 9;

/** The widths; wider than `available` in sum only where even the least does not fit. */
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

/** The text, or as much of it as fits before an ellipsis. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  for (const character of text) {
    if (widthOf(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

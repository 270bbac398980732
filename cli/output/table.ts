/** Formats a table: aligned, and cut only where the terminal is too narrow. */
import { statusColour, type Column } from "./column.ts";
import { cut, fitColumns } from "./fit-columns.ts";
import type { Paint } from "./paint.ts";
import { printable, widthOf } from "./printable.ts";

const GAP = "  ";

interface Look {
  /** Of the terminal; without it nothing is cut. */
  width?: number;
  /** By column. */
  kinds?: Column["kind"][];
}

/** Returns lines without line ends; the last column is not padded. */
export function table(
  headings: string[],
  rows: string[][],
  paint: Paint,
  { width = Infinity, kinds = [] }: Look = {},
): string[] {
  const safe = rows.map((row) => row.map(printable));
  const columns = headings.map((heading, column) => ({
    natural: Math.max(widthOf(heading), ...safe.map((row) => widthOf(row[column] ?? ""))),
    isId: kinds[column] === "id",
  }));
  const widths = fitColumns(columns, GAP.length, width);
  const line = (cells: string[], look: (text: string, cell: string, column: number) => string): string =>
    cells
      .map((cell, column) => {
        const text = cut(cell, widths[column] ?? 0);
        const isLast = column === cells.length - 1;
        const fill = isLast ? "" : " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(text)));
        return look(text, cell, column) + fill;
      })
      .join(GAP)
      .trimEnd();
  const colour = (text: string, cell: string, column: number): string =>
    kinds[column] === "status" ? statusColour(cell, paint)(text) : text;
  return [paint.bold(line(headings, (text) => text)), ...safe.map((row) => line(row, colour))];
}

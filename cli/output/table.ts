/** Formats a table: aligned, and never cut off, so that every id can be copied. */
import type { Paint } from "./paint.ts";
import { printable, widthOf } from "./printable.ts";

const GAP = "  ";

/** Returns lines without line ends; the last column is not padded. */
export function table(headings: string[], rows: string[][], paint: Paint): string[] {
  const safe = rows.map((row) => row.map(printable));
  const widths = headings.map((heading, column) =>
    Math.max(widthOf(heading), ...safe.map((row) => widthOf(row[column] ?? ""))),
  );
  const line = (cells: string[]): string =>
    cells
      .map((cell, column) =>
        column === cells.length - 1
          ? cell
          : cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))),
      )
      .join(GAP)
      .trimEnd();
  return [paint.bold(line(headings)), ...safe.map(line)];
}

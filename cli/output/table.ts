/** Formats a table: aligned, and cut only where the terminal is too narrow. */
import { colourStatus, type Column } from "./column.ts";
import { chooseColumnsThatFit, cut, fitColumns } from "./fit-columns.ts";
import type { Paint } from "./paint.ts";
import { escapeUnsafe, measureWidth } from "./printable.ts";

const GAP = "  ";

interface TableStyle {
  /** Width of the terminal; without it nothing is truncated. */
  width?: number;
  /** Kind of each column. */
  kinds?: Column["kind"][];
  /** Indexes of columns that a narrow terminal does without. */
  extras?: number[];
}

/** Returns lines without line ends; the last column is not padded. */
export function formatTable(
  headings: string[],
  rows: string[][],
  paint: Paint,
  style: TableStyle = {},
): string[] {
  const { width = Infinity, kinds = [], extras = [] } = style;
  const safe = rows.map((row) => row.map(escapeUnsafe));
  const all = headings.map((heading, column) => ({
    natural: Math.max(measureWidth(heading), ...safe.map((row) => measureWidth(row[column] ?? ""))),
    isId: kinds[column] === "id",
    isExtra: extras.includes(column),
  }));
  const shown = chooseColumnsThatFit(all, GAP.length, width);
  const widths = fitColumns(
    shown.flatMap((column) => all[column] ?? []),
    GAP.length,
    width,
  );
  const line = (cells: string[], colour: (column: number, cell: string) => (text: string) => string) =>
    shown
      .map((column, index) => {
        const [cell, capacity] = [cells[column] ?? "", widths[index] ?? 0];
        const text = cut(cell, capacity);
        const isLast = index === shown.length - 1;
        return (
          colour(column, cell)(text) + (isLast ? "" : " ".repeat(Math.max(0, capacity - measureWidth(text))))
        );
      })
      .join(GAP)
      .trimEnd();
  const plain = () => (text: string) => text;
  const ofStatus = (column: number, cell: string) =>
    kinds[column] === "status" ? colourStatus(cell, paint) : plain();
  return [paint.bold(line(headings, plain)), ...safe.map((row) => line(row, ofStatus))];
}

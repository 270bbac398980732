/** A table of one page of rows; below 48 em each row is a card of up to three lines. */
// Safari forgets what a table is when its parts are no longer displayed as one, so the roles are explicit.
/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role */
import { memo, useRef, type JSX, type KeyboardEvent, type MouseEvent, type ReactNode } from "react";
import { moveToRow } from "./move-to-row.ts";
import classes from "./data-table.module.css";

export interface Column<Row> {
  /** Heading and key of the column, so it must be unique within the table. */
  head: string;
  /** The first column has the link to the row's page. */
  cell: (row: Row) => ReactNode;
  align?: "right";
  /** Fills the remaining width, and is truncated with an ellipsis. */
  grows?: boolean;
  /** Line of the card on a small screen, the third for a sentence; undefined leaves it out there, and in a table below 78 em. */
  line?: 1 | 2 | 3;
  /** The card names the value by the head, as for a number or for one of several times. */
  labelled?: boolean;
}

interface DataTableProps<Row> {
  /** Accessible name: the heading of the page. */
  name: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  getId: (row: Row) => string;
  /** Opens the page of a row: by a click anywhere in it. */
  onOpen?: (row: Row) => void;
}

export function DataTable<Row>({ name, columns, rows, getId, onOpen }: DataTableProps<Row>): JSX.Element {
  const body = useRef<HTMLTableSectionElement>(null);
  const open = ({ target }: MouseEvent) => {
    if (!(target instanceof Element) || target.closest("a, button, input, label")) return;
    const id = target.closest("tr")?.dataset["id"];
    const row = rows.find((one) => getId(one) === id);
    if (row && window.getSelection()?.type !== "Range") onOpen?.(row);
  };
  return (
    <table className={classes["table"]} aria-label={name} role="table">
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ head, align, grows, line }) => (
            <th
              key={head}
              scope="col"
              role="columnheader"
              data-align={align}
              data-grows={grows}
              data-line={line ?? "none"}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      {/* oxlint-disable jsx-a11y/click-events-have-key-events, jsx-a11y/mouse-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- arrow keys move among the links of rows, whose pages show all of what is cut off */}
      <tbody
        ref={body}
        role="rowgroup"
        onKeyDown={(event) => moveByKey(event, body.current)}
        onClick={open}
        onMouseOver={nameIfCut}
      >
        {/* oxlint-enable */}
        {rows.map((row) => (
          <TableRow
            key={getId(row)}
            id={getId(row)}
            row={row}
            columns={columns}
            opens={onOpen !== undefined}
          />
        ))}
      </tbody>
    </table>
  );
}

interface TableRowProps<Row> {
  id: string;
  row: Row;
  columns: readonly Column<Row>[];
  opens: boolean;
}

/** Drawn again only if the row has changed: a live list would otherwise draw all its rows every few seconds. */
const TableRow = memo(function TableRow<Row>({ id, row, columns, opens }: TableRowProps<Row>): JSX.Element {
  return (
    <tr role="row" data-id={id} data-opens={opens ? true : undefined}>
      {columns.map(({ head, cell, align, grows, line, labelled }) => (
        <td
          key={head}
          role="cell"
          data-head={head}
          data-align={align}
          data-grows={grows}
          data-line={line ?? "none"}
          data-labelled={labelled}
        >
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}) as <Row>(props: TableRowProps<Row>) => JSX.Element;

/** Shows the whole text of a cell that is cut off, below the mouse. */
function nameIfCut({ target }: MouseEvent): void {
  const cell = target instanceof Element ? target.closest("td") : null;
  if (cell) cell.title = cell.scrollWidth > cell.clientWidth ? cell.innerText : "";
}

function moveByKey(event: KeyboardEvent, body: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const isInField = event.target instanceof HTMLElement && event.target.closest("input, select, textarea");
  if (step && !isInField && body && moveToRow(body, step)) event.preventDefault();
}

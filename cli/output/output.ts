/** Prints results to stdout, as text or JSON, and everything else to stderr. */
import type { Json, JsonObject } from "../http/json.ts";
import { nowMs } from "../clock.ts";
import type { Screen, Terminal } from "../terminal.ts";
import { formatCell, toColumn, type Columns } from "./column.ts";
import { cut } from "./fit-columns.ts";
import { createPaint, type Paint } from "./paint.ts";
import { escapeUnsafe } from "./printable.ts";
import { formatTable } from "./table.ts";

export interface Output {
  /** `--json`: print results as JSON. */
  readonly json: boolean;
  /** Colours of stdout. */
  readonly paint: Paint;
  /** A line of the result. */
  line(text?: string): void;
  /** The result as JSON. */
  data(value: Json): void;
  /** Prints one value of a stream as a line of JSON. */
  item(value: Json): void;
  /** The result as a table, or the text `nothing` if it is empty; with `--json` the unchanged rows. */
  rows<Row extends JsonObject>(rows: Row[], columns: Columns<Row>, nothing: string): void;
  /** Progress and remarks, on stderr. */
  note(text: string): void;
  /** Prints progress on stderr, as one line that replaces the last one. Without a text the line is cleared. */
  progress(text?: string): void;
}

/** `--json` and its like. */
export interface OutputOptions {
  json?: boolean;
  wide?: boolean;
  quiet?: boolean;
}

/** Width if the terminal does not report one. */
const LEAST_WIDTH = 80;

export function createOutput(
  terminal: Pick<Terminal, "stdout" | "stderr" | "env">,
  { json = false, wide = false, quiet = false }: OutputOptions,
): Output {
  const { stdout, stderr, env } = terminal;
  const paint = createPaint(stdout, env);
  const notePaint = createPaint(stderr, env);
  let shown: string | undefined;
  const output: Output = {
    json,
    paint,
    line: (text = "") => void stdout.write(`${text}\n`),
    data: (value) => output.line(JSON.stringify(value, null, 2)),
    item: (value) => output.line(JSON.stringify(value)),
    rows(rows, columns, nothing) {
      if (json) return output.data(rows);
      if (rows.length === 0) return output.note(nothing);
      for (const line of printTable(rows, columns, { stdout, paint, wide })) output.line(line);
    },
    note(text) {
      if (!quiet) stderr.write(`${notePaint.dim(escapeUnsafe(text))}\n`);
    },
    progress(text) {
      if (text === shown || quiet) return;
      shown = text;
      const isTerminal = stderr.isTTY === true;
      // At the start of the line, which is emptied. The last column stays free: some terminals break the line there.
      if (isTerminal) {
        const line = cut(escapeUnsafe(text ?? ""), (stderr.columns ?? LEAST_WIDTH) - 1);
        stderr.write(`\r\u001B[K${text === undefined ? "" : notePaint.dim(line)}`);
      } else if (text !== undefined) output.note(text);
    },
  };
  return output;
}

/** Returns the lines of a table: cut to the width of a terminal; elsewhere, and with `--wide`, in full. */
function printTable<Row extends JsonObject>(
  rows: Row[],
  columns: Columns<Row>,
  { stdout, paint, wide }: { stdout: Screen; paint: Paint; wide: boolean },
): string[] {
  const isTerminal = stdout.isTTY === true;
  const named = Object.entries(columns).map(([heading, column]) => ({ heading, ...toColumn(column) }));
  // The last column is not padded, so that a long sentence there widens no other line.
  const all = [
    ...named.filter(({ kind }) => kind !== "prose"),
    ...named.filter(({ kind }) => kind === "prose"),
  ];
  const now = isTerminal ? nowMs() : undefined;
  return formatTable(
    all.map(({ heading }) => heading),
    rows.map((row) => all.map((column) => formatCell(column, row, now))),
    paint,
    {
      ...(isTerminal && !wide && stdout.columns && { width: stdout.columns }),
      kinds: all.map(({ kind }) => kind),
      extras: [...all.keys()].filter((index) => all[index]?.isExtra),
    },
  );
}

/** Prints results to stdout, as text or JSON, and everything else to stderr. */
import type { Json, JsonObject } from "../http/json.ts";
import type { Terminal } from "../terminal.ts";
import { createPaint, type Paint } from "./paint.ts";
import { printable } from "./printable.ts";
import { table } from "./table.ts";

export interface Output {
  /** `--json`: print results as JSON. */
  readonly json: boolean;
  /** Colours of stdout. */
  readonly paint: Paint;
  /** A line of the result. */
  line(text?: string): void;
  /** The result as JSON. */
  data(value: Json): void;
  /** One value of a stream, as one line of JSON. */
  item(value: Json): void;
  /** The result as a table, or the text `nothing` if it is empty; with `--json` the unchanged rows. */
  rows<Row extends JsonObject>(rows: Row[], columns: Columns<Row>, nothing: string): void;
  /** Progress and remarks, on stderr. */
  note(text: string): void;
}

/** Heading of each column, and the function that returns a row's cell. */
export type Columns<Row = JsonObject> = Record<string, (row: Row) => string>;

export function createOutput(terminal: Pick<Terminal, "stdout" | "stderr" | "env">, json: boolean): Output {
  const { stdout, stderr, env } = terminal;
  const paint = createPaint(stdout, env);
  const notePaint = createPaint(stderr, env);
  const output: Output = {
    json,
    paint,
    line: (text = "") => void stdout.write(`${text}\n`),
    data: (value) => output.line(JSON.stringify(value, null, 2)),
    item: (value) => output.line(JSON.stringify(value)),
    rows(rows, columns, nothing) {
      if (json) return output.data(rows);
      if (rows.length === 0) return output.note(nothing);
      const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)));
      for (const line of table(Object.keys(columns), cells, paint)) output.line(line);
    },
    note: (text) => void stderr.write(`${notePaint.dim(printable(text))}\n`),
  };
  return output;
}

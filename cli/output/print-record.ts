/** Prints one resource with all members: as YAML, or with `--json` as JSON. */
import type { Json } from "../http/json.ts";
import type { Output } from "./output.ts";
import { toPrintableLines } from "./printable.ts";

export async function printRecord(record: Json, out: Output): Promise<void> {
  if (out.json) return out.data(record);
  // Loaded on use, because most commands print tables.
  const { stringify } = await import("yaml");
  const text = stringify(record, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
  out.line(
    toPrintableLines(text).replaceAll(
      /^(\s*(?:- )?)([\w.-]+):/gm,
      (_, indent: string, key: string) => `${indent}${out.paint.blue(key)}:`,
    ),
  );
}

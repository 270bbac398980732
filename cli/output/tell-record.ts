/** Shows one thing whole: YAML for people, JSON for machines. */
import type { Json } from "../http/json.ts";
import type { Output } from "./output.ts";
import { printableLines } from "./printable.ts";

export async function tellRecord(record: Json, out: Output): Promise<void> {
  if (out.json) return out.data(record);
  // Loaded when used: most commands print tables.
  const { stringify } = await import("yaml");
  const text = stringify(record, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
  out.line(
    printableLines(text).replaceAll(
      /^(\s*(?:- )?)([\w.-]+):/gm,
      (_, indent: string, key: string) => `${indent}${out.paint.blue(key)}:`,
    ),
  );
}

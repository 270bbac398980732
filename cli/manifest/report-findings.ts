/** Prints findings about a manifest like a compiler: the place, the line with a caret below it, the remedy. */
import type { Paint } from "../output/paint.ts";
import { escapeUnsafe, measureWidth } from "../output/printable.ts";
import type { ManifestFile } from "./read-manifest.ts";

/** One finding, from the local check or from the server. Lines and columns are counted from 1. */
export interface Finding {
  severity: "error" | "warning";
  rule: string;
  message: string;
  line: number;
  column: number;
  remedy: string;
  /** The file of the line, where it is not the manifest. */
  file?: ManifestSource;
}

type ManifestSource = Pick<ManifestFile, "shown" | "source">;

/** Longer lines are cut to the part around the place. */
const MAX_LINE = 110;

export const listFindingLines = (
  findings: readonly Finding[],
  file: ManifestSource,
  paint: Paint,
): string[] => findings.flatMap((finding) => [...formatFinding(finding, finding.file ?? file, paint), ""]);

/** `2 errors, 1 warning in amp.yaml` */
export function summarizeFindings(findings: readonly Finding[], shown: string, paint: Paint): string {
  const count = (severity: Finding["severity"]) =>
    findings.filter((finding) => finding.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  const words = [
    ...(errors > 0 ? [paint.red(`${errors} error${errors === 1 ? "" : "s"}`)] : []),
    ...(warnings > 0 ? [paint.yellow(`${warnings} warning${warnings === 1 ? "" : "s"}`)] : []),
  ];
  if (words.length === 0) return `${shown}: ${paint.green("no errors")}`;
  const files = new Set(findings.map(({ file }) => file?.shown ?? shown));
  return `${words.join(", ")} in ${[...files].join(" and ")}`;
}

function formatFinding(finding: Finding, { shown, source }: ManifestSource, paint: Paint): string[] {
  const lines = source.split(/\r\n|\r|\n/);
  const { severity, rule, message, line, column, remedy } = finding;
  const colour = severity === "error" ? paint.red : paint.yellow;
  const number = String(line);
  const bar = paint.blue("|");
  const margin = " ".repeat(number.length);
  return [
    `${paint.bold(`${escapeUnsafe(shown)}:${line}:${column}`)}: ${colour(paint.bold(severity))}: ${paint.bold(escapeUnsafe(message))} ${paint.dim(`[${escapeUnsafe(rule)}]`)}`,
    ...showPlace(lines[line - 1] ?? "", column).map(
      (text, index) =>
        ` ${index === 0 ? paint.blue(number) : margin} ${bar} ${index === 0 ? text : colour(text)}`,
    ),
    ...(remedy ? [` ${margin} ${paint.blue("=")} ${escapeUnsafe(remedy)}`] : []),
  ];
}

/** Returns the line, and a caret under the word at the column. Returns nothing for an empty line. */
function showPlace(line: string, column: number): string[] {
  if (line.trim() === "") return [];
  // One character for each tab, so that columns stay correct.
  const flat = line.replaceAll("\t", " ");
  const start = Math.max(0, Math.min(column - 1, flat.length));
  const word = /^(?:"[^"]*"?|'[^']*'?|[^\s:,[\]{}#]+)/.exec(flat.slice(start))?.[0] ?? " ";
  const from = flat.length > MAX_LINE ? Math.max(0, start - MAX_LINE / 2) : 0;
  const lead = from > 0 ? "…" : "";
  const trail = flat.length > from + MAX_LINE ? "…" : "";
  const before = lead + escapeUnsafe(flat.slice(from, start));
  const marked = Math.max(1, Math.min(measureWidth(escapeUnsafe(word)), MAX_LINE));
  return [
    `${lead}${escapeUnsafe(flat.slice(from, from + MAX_LINE))}${trail}`,
    `${" ".repeat(measureWidth(before))}${"^".repeat(marked)}`,
  ];
}

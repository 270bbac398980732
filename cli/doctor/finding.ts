/** Defines a finding of `busbar doctor`: what was checked, the result, and the cure. */
import type { Output } from "../output/output.ts";
import { escapeUnsafe } from "../output/printable.ts";

export interface Finding {
  check: string;
  ok: boolean;
  detail: string;
  cure?: string;
}

export const reportGood = (check: string, detail: string): Finding => ({ check, ok: true, detail });

export const reportBad = (check: string, detail: string, cure: string): Finding => ({
  check,
  ok: false,
  detail,
  cure,
});

/** More findings of one kind are only counted. */
const MAX_LINES = 10;

/** Returns the faults of a kind, or that all of it is in order. */
export function summarize(check: string, all: readonly unknown[], faults: Finding[]): Finding[] {
  if (faults.length === 0)
    return [reportGood(check, all.length === 0 ? "none yet" : `${all.length} in order`)];
  const more = faults.length - MAX_LINES;
  if (more <= 0) return faults;
  const rest = reportBad(check, `${more} more are in trouble`, `List them with: busbar list ${check}`);
  return [...faults.slice(0, MAX_LINES), rest];
}

/** Prints findings: a line for each with its cure, or all as JSON. */
export function printFindings(findings: Finding[], out: Output): void {
  if (out.json) out.data(findings.map((finding) => ({ ...finding })));
  else for (const finding of findings) printFinding(finding, out);
}

function printFinding({ check, ok, detail, cure }: Finding, { line, paint }: Output): void {
  const sign = ok ? paint.green("✓") : paint.red("✗");
  line(`${sign} ${paint.bold(escapeUnsafe(check))}: ${escapeUnsafe(detail)}`);
  if (cure) line(`    ${paint.blue("→")} ${escapeUnsafe(cure)}`);
}

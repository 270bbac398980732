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

/** Prints findings: a line for each with its cure, or all as JSON. */
import type { Output } from "../output/output.ts";
import { printable } from "../output/printable.ts";
import type { Finding } from "./finding.ts";

export function printFindings(findings: Finding[], out: Output): void {
  if (out.json) out.data(findings.map((finding) => ({ ...finding })));
  else for (const finding of findings) printFinding(finding, out);
}

function printFinding({ check, ok, detail, cure }: Finding, { line, paint }: Output): void {
  const sign = ok ? paint.green("✓") : paint.red("✗");
  line(`${sign} ${paint.bold(printable(check))}: ${printable(detail)}`);
  if (cure) line(`    ${paint.blue("→")} ${printable(cure)}`);
}

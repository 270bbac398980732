/** Formats the result of the comparison. */
import type { Verdict } from "./explain.ts";

interface Counts {
  ours: number;
  theirs: number;
}

export function report({ explained, unexplained, stale }: Verdict, operations: Counts): string {
  const count = explained.reduce((sum, { differences }) => sum + differences.length, 0);
  const sections = explained
    .filter(({ differences }) => differences.length > 0)
    .map(({ why, differences }) => `${why}\n${differences.map((line) => `  ${line}`).join("\n")}`);
  const lines = [
    ...sections,
    ...(unexplained.length > 0
      ? [`NOT EXPLAINED\n${unexplained.map((line) => `  ${line}`).join("\n")}`]
      : []),
    ...(stale.length > 0
      ? [`STALE: remove these from docs/parity.md\n${stale.map((line) => `  ${line}`).join("\n")}`]
      : []),
    `${operations.theirs} public operations, ${operations.ours} here; ${count} differences explained, ` +
      `${unexplained.length} not; ${stale.length} stale explanations`,
  ];
  return lines.join("\n\n");
}

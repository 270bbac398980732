/** Says what the comparison found: in a terminal, and as a page of the guide. */
import type { Verdict } from "./explain.ts";

export interface Counts {
  ours: number;
  theirs: number;
  /** Names of ours that only say why they do nothing. */
  refusing: string[];
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
      ? [
          `NO LONGER SO: take these out of scripts/parity/explained.ts\n${stale.map((line) => `  ${line}`).join("\n")}`,
        ]
      : []),
    `${operations.theirs} public operations, ${operations.ours} here; ${count} differences explained, ` +
      `${unexplained.length} not; ${stale.length} stale explanations`,
  ];
  return lines.join("\n\n");
}

/** Figures and reasons; the single lines are for the terminal. */
export function compatibilityPage({ explained, unexplained }: Verdict, operations: Counts): string {
  const rows = explained
    .filter(({ differences }) => differences.length > 0)
    .map(({ why, differences }) => `| ${why} | ${differences.length} |`);
  const missing = [...explained.flatMap(({ differences }) => differences), ...unexplained].filter((line) =>
    line.endsWith("| operation | missing"),
  );
  const ownCount = operations.ours - (operations.theirs - missing.length);
  return `# Compatibility

Written by \`npm run parity -- <files> --write\`, which compares [openapi.json](../../openapi.json) with the public
descriptions of the API that Busbar keeps to: operations, parameters, members of requests and answers, statuses, media
types, what is required and which values are listed. It fails when a difference has no reason in
\`scripts/parity/explained.ts\`, or a reason no difference.

| | |
|---|---|
| public operations | ${operations.theirs} |
| of these missing here | ${missing.length} |
| of these here only to say that they are not built, or not sold | ${operations.refusing.length} |
| operations of Busbar's own | ${ownCount} |
| differences without a reason | ${unexplained.length} |

Here only to say so:

${operations.refusing.map((name) => `* \`${name}\``).join("\n")}

| What differs, and why | Lines |
|---|---|
${rows.join("\n")}
`;
}

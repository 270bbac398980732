/** Writes the sections of docs/guide/errors.md about each problem type, from the table of types. */
import { PROBLEM_TYPES } from "../ground/problem-types.ts";

const BEGIN = "<!-- Generated from ground/problem-types.ts by `npm run generate`. -->\n";
const END = "<!-- End of the generated part. -->\n";

/** Returns the guide with a fresh generated part. Throws if the guide has none. */
export function withProblemTypes(guide: string): string {
  const begin = guide.indexOf(BEGIN);
  const end = guide.indexOf(END);
  if (begin === -1 || end < begin)
    throw new Error("docs/guide/errors.md has lost the marks of its generated part");
  return guide.slice(0, begin + BEGIN.length) + formatSections() + guide.slice(end);
}

const formatSections = (): string =>
  Object.entries(PROBLEM_TYPES)
    .map(([slug, { status, title, retryable, causes, remedy }]) =>
      [
        `\n### ${status} \`${slug}\`\n`,
        `${title}. ${causes}\n`,
        `${remedy} Retry: ${retryable ? "yes" : "no"}.\n`,
      ].join("\n"),
    )
    .join("");

/** Sorts differences into those that have an explanation and those that have none. */
import type { Difference } from "./compare.ts";

interface Explanation {
  /** Patterns of the explained lines; `*` matches anything, `?` one character. */
  lines: string[];
  why: string;
}

interface Explained extends Explanation {
  differences: Difference[];
}

export interface Verdict {
  explained: Explained[];
  unexplained: Difference[];
  /** Patterns that match no difference. */
  stale: string[];
}

/** Returns the explanations of a page: list items, each a reason in bold and then its patterns as code. */
export const readExplanations = (page: string): Explanation[] =>
  [...page.matchAll(/^\* \*\*(.+?)\.?\*\* (`.+`)$/gm)].map(([, why = "", patterns = ""]) => ({
    why,
    lines: [...patterns.matchAll(/`([^`]+)`/g)].map(([, pattern = ""]) => pattern),
  }));

/** Assigns each difference to the first matching explanation. */
export function explain(differences: Difference[], explanations: Explanation[]): Verdict {
  const explained = explanations.map((one): Explained => ({ ...one, differences: [] }));
  const unexplained: Difference[] = [];
  const used = new Set<string>();
  for (const difference of differences) {
    const found = explained.find(({ lines }) => {
      const pattern = lines.find((line) => fitsPattern(difference, line));
      if (pattern !== undefined) used.add(pattern);
      return pattern !== undefined;
    });
    (found?.differences ?? unexplained).push(difference);
  }
  const stale = explanations.flatMap(({ lines }) => lines).filter((line) => !used.has(line));
  return { explained, unexplained, stale };
}

function fitsPattern(difference: Difference, pattern: string): boolean {
  const text = pattern.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${text.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(difference);
}

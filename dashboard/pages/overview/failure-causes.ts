/** Groups failed operations by cause: the result without ids and numbers. */

interface FailedOperation {
  integrationName?: string;
  resource: string;
  result?: string;
  createTime: string;
}

export interface FailureCause {
  key: string;
  words: string;
  integration: string;
  count: number;
  /** Time of the newest one. */
  last: string;
  /** What all of them have in common, for the filter of the list; undefined if it is too short to find them. */
  text: string | undefined;
}

/** Ids, numbers and quoted values differ between failures of one cause. */
const VARYING = /"[^"]*"|'[^']*'|[\w.+-]+@[\w.-]+|\b[\w-]*\d[\w-]*\b/g;
const SHORTEST_TEXT = 8;

/** Returns the causes, the most frequent one first. `operations` are the newest first. */
export function countFailureCauses(operations: readonly FailedOperation[]): FailureCause[] {
  const causes = new Map<string, FailureCause>();
  for (const { integrationName = "", resource, result, createTime } of operations) {
    const words = result ?? `[${resource}] failed`;
    const key = `${integrationName} ${words.replaceAll(VARYING, "…")}`;
    const known = causes.get(key);
    if (known) known.count += 1;
    else {
      const [text = ""] = words.split(VARYING);
      const common = text.trim();
      causes.set(key, {
        key,
        words: words.replaceAll(VARYING, "…"),
        integration: integrationName,
        count: 1,
        last: createTime,
        text: common.length >= SHORTEST_TEXT ? common : undefined,
      });
    }
  }
  return [...causes.values()].toSorted((one, other) => other.count - one.count);
}

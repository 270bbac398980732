/** Reads `# amp:ignore` comments, which silence warnings on their line or on the next one. */
import type { Complaint } from "./complaint.ts";

/** The silenced rules by line number; undefined stands for every rule. */
type Silenced = Map<number, Set<string> | undefined>;

/** The complaints that remain. Errors are never silenced. */
export function silence(source: string, complaints: readonly Complaint[]): Complaint[] {
  const silenced = directivesOf(source);
  if (silenced.size === 0) return [...complaints];
  return complaints.filter((complaint) => {
    if (complaint.severity === "error" || !silenced.has(complaint.line)) return true;
    const rules = silenced.get(complaint.line);
    return rules !== undefined && !rules.has(complaint.rule);
  });
}

function directivesOf(source: string): Silenced {
  const silenced: Silenced = new Map();
  const lines = source.split(/\r\n|\r|\n/);
  lines.forEach((line, index) => {
    const match = /(^|\s)#\s*amp:ignore(?:\[([^\]]*)\])?\s*(?:$|[^\w[])/.exec(line);
    if (!match) return;
    const rules =
      match[2] === undefined ? undefined : new Set(match[2].split(",").map((rule) => rule.trim()));
    add(silenced, isComment(line) ? nextContent(lines, index) : index + 1, rules);
  });
  return silenced;
}

const isComment = (line: string): boolean => line.trimStart().startsWith("#");

/** The number of the next line that is neither empty nor a comment. */
function nextContent(lines: readonly string[], from: number): number {
  let index = from + 1;
  while (index < lines.length && (lines[index]?.trim() === "" || isComment(lines[index] ?? ""))) index++;
  return index + 1;
}

function add(silenced: Silenced, line: number, rules: Set<string> | undefined): void {
  const before = silenced.get(line);
  if (rules === undefined || (silenced.has(line) && before === undefined)) silenced.set(line, undefined);
  else silenced.set(line, new Set([...(before ?? []), ...rules]));
}

/** Reads `# amp:ignore` comments, which silence warnings on their line or on the next one. */
import type { Finding } from "./finding.ts";

/** The silenced rules by line number; undefined stands for every rule. */
type Silenced = Map<number, Set<string> | undefined>;

/** The findings that remain. Errors are never silenced. */
export function applyIgnoreComments(source: string, findings: readonly Finding[]): Finding[] {
  const silenced = directivesOf(source);
  if (silenced.size === 0) return [...findings];
  return findings.filter((finding) => {
    if (finding.severity === "error" || !silenced.has(finding.line)) return true;
    const rules = silenced.get(finding.line);
    return rules !== undefined && !rules.has(finding.rule);
  });
}

function directivesOf(source: string): Silenced {
  const silenced: Silenced = new Map();
  /** Comments of their own wait for the next line that is neither empty nor a comment. */
  let waiting: (Set<string> | undefined)[] = [];
  source.split(/\r\n|\r|\n/).forEach((line, index) => {
    const content = line.trim();
    const match = /(?:^|\s)#\s*amp:ignore(?:\[([^\]]*)\])?(?:$|[^\w[])/.exec(content);
    const rules =
      match?.[1] === undefined ? undefined : new Set(match[1].split(",").map((rule) => rule.trim()));
    if (match) waiting.push(rules);
    if (content === "" || content.startsWith("#")) return;
    if (waiting.length > 0) silenced.set(index + 1, union(waiting));
    waiting = [];
  });
  return silenced;
}

function union(all: readonly (Set<string> | undefined)[]): Set<string> | undefined {
  return all.includes(undefined) ? undefined : new Set(all.flatMap((rules) => [...(rules ?? [])]));
}

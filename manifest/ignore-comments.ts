/** Reads `# amp:ignore` comments, which suppress warnings on their line or on the next one. */
import type { Finding } from "./finding.ts";

/** Suppressed rules by line number; undefined means every rule. */
type SuppressedRules = Map<number, Set<string> | undefined>;

/** Returns the findings that remain. Errors are never suppressed. */
export function applyIgnoreComments(source: string, findings: readonly Finding[]): Finding[] {
  const suppressed = parseDirectives(source);
  if (suppressed.size === 0) return [...findings];
  return findings.filter((finding) => {
    if (finding.severity === "error" || !suppressed.has(finding.line)) return true;
    const rules = suppressed.get(finding.line);
    return rules !== undefined && !rules.has(finding.rule);
  });
}

function parseDirectives(source: string): SuppressedRules {
  const suppressed: SuppressedRules = new Map();
  /** A comment on a line of its own counts for the next line that is neither empty nor a comment. */
  let waiting: (Set<string> | undefined)[] = [];
  source.split(/\r\n|\r|\n/).forEach((line, index) => {
    const content = line.trim();
    const match = /(?:^|\s)#\s*amp:ignore(?:\[([^\]]*)\])?(?:$|[^\w[])/.exec(content);
    const rules =
      match?.[1] === undefined ? undefined : new Set(match[1].split(",").map((rule) => rule.trim()));
    if (match) waiting.push(rules);
    if (content === "" || content.startsWith("#")) return;
    if (waiting.length > 0) suppressed.set(index + 1, uniteRules(waiting));
    waiting = [];
  });
  return suppressed;
}

function uniteRules(all: readonly (Set<string> | undefined)[]): Set<string> | undefined {
  return all.includes(undefined) ? undefined : new Set(all.flatMap((rules) => [...(rules ?? [])]));
}

/** Checks a manifest in the browser with the rules of the deployment, and finds the places in the text. */
import { checkManifest } from "../../../manifest/check-manifest.ts";
import type { Catalog } from "../../../manifest/rules/provider-rules.ts";

/** What the rules know about the project and this Busbar. */
export interface ManifestFacts {
  /** Providers with what a manifest may declare, and with what this Busbar can run. */
  declared: Catalog;
  runs: Catalog;
  providerApps: readonly string[];
  destinations: readonly string[];
}

export interface ManifestFinding {
  severity: "error" | "warning";
  /** Counted from 1. */
  line: number;
  rule: string;
  message: string;
  remedy: string;
  /** Offsets in the text. */
  from: number;
  to: number;
}

/** Returns the same findings as `batchUpsertIntegrations`, but for those that depend on what customers have installed. */
export function listManifestFindings(yaml: string, facts: ManifestFacts): ManifestFinding[] {
  const { declared, runs, providerApps, destinations } = facts;
  const { findings } = checkManifest(yaml, declared, {
    built: (provider, action) => runs[provider]?.support[action] ?? false,
    providerApps,
    destinations,
    destinationsMayFollow: true,
  });
  const lines = yaml.split("\n");
  return findings.map(({ severity, line, column, rule, message, remedy }) => ({
    severity,
    line,
    rule,
    message,
    remedy,
    ...findRange(lines, line, column),
  }));
}

/** Returns the range from a place to the end of its line. */
function findRange(lines: readonly string[], line: number, column: number): { from: number; to: number } {
  const before = lines.slice(0, line - 1).reduce((all, { length }) => all + length + 1, 0);
  const text = (lines[line - 1] ?? "").trimEnd();
  const from = before + Math.min(column - 1, text.length);
  return { from, to: Math.max(from, before + text.length) };
}

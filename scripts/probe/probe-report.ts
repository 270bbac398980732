/** Words what a probe found, without secrets. */
import type { Finding } from "./object-probe.ts";
import type { Probed } from "./probed.ts";

const MARKS: Record<Finding["verdict"], string> = { "as described": "✓", differs: "✗", "not seen": "·" };

export function report(
  { info }: Probed,
  findings: Finding[],
  { requests, date }: { requests: number; date: Date },
): string {
  const day = date.toISOString().slice(0, 10);
  const width = Math.max(...findings.map(({ place }) => place.length), 0);
  const differing = findings.filter(({ verdict }) => verdict === "differs");
  return [
    `${info.displayName ?? info.name} (${info.baseURL}), ${day}, ${requests} read-only calls`,
    "",
    ...findings.map(({ place, verdict, text }) => `${MARKS[verdict]} ${place.padEnd(width)}  ${text}`),
    "",
    `✓ as described: ${count(findings, "as described")}   ✗ differs: ${differing.length}   · not seen: ${count(findings, "not seen")}`,
    "",
    differing.length > 0
      ? "Correct the places marked with ✗, and run it again."
      : `For sources.checked of the description:\n  "${day}, live account: ${describeConfirmed(findings)}"`,
  ].join("\n");
}

const count = (findings: Finding[], wanted: Finding["verdict"]): number =>
  findings.filter(({ verdict }) => verdict === wanted).length;

/** Returns the members that were confirmed, each once, without their objects. */
function describeConfirmed(findings: Finding[]): string {
  const members = findings
    .filter(({ verdict }) => verdict === "as described")
    .map(({ place }) => place.replace(/ \(.*\)$/, "").replace(/^(defaults|objects\.[^.]+)\./, ""));
  const writes = "; writes unchecked";
  return members.length === 0 ? `nothing seen${writes}` : `${[...new Set(members)].join(", ")}${writes}`;
}

/** Replaces every secret in a text. */
export const redact = (text: string, secrets: string[]): string =>
  secrets
    .toSorted((left, right) => right.length - left.length)
    .reduce((left, secret) => left.replaceAll(secret, "[secret]"), text);

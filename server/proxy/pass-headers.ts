/** Which header lines pass: from the caller to the provider and from the provider to the caller. */
import type { Head } from "./read-head.ts";
import type { Target } from "./targets.ts";

/** Name and value in turn: the caller's lines in their order, then the credentials. */
export function toProvider(head: Head, target: Target): string[] {
  const { kept, hopNames } = head;
  const { headers, headerNames } = target;
  const lines: string[] = [];
  for (let at = 0; at < kept.length; at += 2) {
    const written = kept[at] ?? "";
    const name = written.toLowerCase();
    if (headerNames.has(name) || hopNames.has(name)) continue;
    lines.push(written, kept[at + 1] ?? "");
  }
  lines.push(...headers);
  return lines;
}

/** What HTTP defines for one connection only, in answers. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

export interface AnswerLines {
  /** Name and value in turn, as the provider wrote them. */
  lines: string[];
  /** Whether the provider said how long the body is. */
  hasLength: boolean;
}

/** `raw` is name and value in turn, as bytes. */
export function toCaller(raw: Buffer[], status: number): AnswerLines {
  const lines: string[] = [];
  let hopNames: string[] | undefined;
  let hasLength = false;
  for (let at = 0; at < raw.length; at += 2) {
    const written = raw[at]?.latin1Slice() ?? "";
    const value = raw[at + 1]?.latin1Slice() ?? "";
    const name = written.toLowerCase();
    if (HOP_BY_HOP.has(name)) {
      if (name === "connection") hopNames = listed(value, hopNames);
      continue;
    }
    // Ours by contract: a caller can tell our refusals from the provider's answers by them.
    if (name.startsWith("x-amp-")) continue;
    if (name === "content-length") {
      // An answer without content has no length; a provider that says so anyway would confuse the caller.
      if (status === 204) continue;
      hasLength = true;
    }
    lines.push(written, value);
  }
  return { lines: hopNames ? without(lines, hopNames) : lines, hasLength };
}

function listed(value: string, before: string[] = []): string[] | undefined {
  const names = value.split(",").map((token) => token.trim().toLowerCase());
  const worthy = names.filter((name) => name !== "close" && name !== "keep-alive" && name !== "content-length");
  return worthy.length > 0 ? [...before, ...worthy] : before.length > 0 ? before : undefined;
}

const without = (lines: string[], names: string[]): string[] =>
  lines.filter((_, at) => !names.includes((lines[at - (at % 2)] ?? "").toLowerCase()));

/** Which header lines pass: from the caller to the provider and from the provider to the caller. */
import type { Head } from "./read-head.ts";
import type { Target } from "./targets.ts";

/** Name and value in turn: the caller's lines in their order, then the credentials. */
export function toProvider(head: Head, target: Target): string[] {
  const { kept, hopNames } = head;
  const { headers, replaces } = target;
  if (replaces.size === 0 && hopNames.size === 0) return kept.concat(headers);
  const lines: string[] = [];
  for (let at = 0; at < kept.length; at += 2) {
    const written = kept[at] ?? "";
    const name = written.toLowerCase();
    if (replaces.has(name) || hopNames.has(name)) continue;
    lines.push(written, kept[at + 1] ?? "");
  }
  lines.push(...headers);
  return lines;
}

/** What needs a second look in answers: `drop` is for one connection only. */
const KINDS = new Map<string, "drop" | "connection" | "length">([
  ["connection", "connection"],
  ["content-length", "length"],
  ["keep-alive", "drop"],
  ["proxy-authenticate", "drop"],
  ["proxy-connection", "drop"],
  ["trailer", "drop"],
  ["transfer-encoding", "drop"],
  ["upgrade", "drop"],
]);

export interface AnswerLines {
  /** Name and value in turn, as the provider wrote them. */
  lines: string[];
  /** Of the body, where the provider told it. */
  length: number | undefined;
}

export interface AnswerHead {
  status: number;
  /** Name and value in turn, as bytes. */
  raw: Buffer[];
  /** The same by name in lower case; several values of one name as a list. */
  parsed: Record<string, string | string[] | undefined>;
}

export function toCaller({ status, raw, parsed }: AnswerHead): AnswerLines {
  const lines: string[] = [];
  let drop: string[] | undefined;
  let length: number | undefined;
  for (let at = 0; at < raw.length; at += 2) {
    const written = raw[at]?.toString("latin1") ?? "";
    const name = written.toLowerCase();
    const known = parsed[name];
    const value = typeof known === "string" ? known : (raw[at + 1]?.toString("latin1") ?? "");
    const kind = KINDS.get(name);
    if (kind === undefined) {
      // Ours by contract: a caller can tell our refusals from the provider's answers by them.
      if (name.startsWith("x-amp-")) continue;
    } else if (kind === "length") {
      // An answer without content has no length; one that is told all the same would confuse the caller.
      if (status === 204) continue;
      length = Number(value);
    } else {
      if (kind === "connection") drop = withListed(value, drop);
      continue;
    }
    lines.push(written, value);
  }
  return { lines: drop ? without(lines, drop) : lines, length };
}

/** Name and value in turn, as pairs of text. */
export const textPairs = (raw: Buffer[]): [name: string, value: string][] =>
  raw.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name.toString("latin1"), raw[at + 1]?.toString("latin1") ?? ""]] : [],
  );

/** Names that `Connection` lists, less those that mean something else here. */
function withListed(value: string, before: string[] | undefined): string[] | undefined {
  if (/^(close|keep-alive)$/i.test(value)) return before;
  const names = value.split(",").map((token) => token.trim().toLowerCase());
  return [...(before ?? []), ...names.filter((name) => name !== "content-length")];
}

const without = (lines: string[], names: string[]): string[] =>
  lines.filter((_, at) => !names.includes((lines[at - (at % 2)] ?? "").toLowerCase()));

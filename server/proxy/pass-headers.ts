/** Selects the headers that pass from the caller to the provider, and from the provider to the caller. */
import type { RequestHead } from "./read-head.ts";
import type { Target } from "./target.ts";

/** Returns alternating names and values: the caller's headers in their order, the credentials, then missing defaults. */
export function toProvider(head: RequestHead, target: Target): string[] {
  const lines = withCredentials(head, target);
  if (target.defaults.length === 0) return lines;
  const sent = new Set(lines.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()));
  for (const [name, value] of target.defaults) if (!sent.has(name.toLowerCase())) lines.push(name, value);
  return lines;
}

function withCredentials({ kept, hopNames }: RequestHead, { headers, replaces }: Target): string[] {
  if (replaces.size === 0 && hopNames.size === 0) return kept.concat(headers);
  const lines: string[] = [];
  for (let at = 0; at < kept.length; at += 2) {
    const written = kept[at] ?? "";
    const name = written.toLowerCase();
    // Servers behind CGI take `x_key` for `X-Key`.
    const isOurs = replaces.has(name) || (name.includes("_") && replaces.has(name.replaceAll("_", "-")));
    if (isOurs || hopNames.has(name)) continue;
    lines.push(written, kept[at + 1] ?? "");
  }
  lines.push(...headers);
  return lines;
}

/** Headers of answers that do not simply pass; `drop` for those that concern one connection only, and trailers. */
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

interface AnswerLines {
  /** Headers as the provider wrote them: alternating names and values. */
  lines: string[];
  /** Length of the body, if the provider announced it. */
  length: number | undefined;
}

export interface AnswerHead {
  status: number;
  /** Alternating names and values, as bytes. */
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
      // Reserved for the proxy: callers recognize its refusals by them.
      if (name.startsWith("x-amp-")) continue;
    } else if (kind === "length") {
      // An answer without content has no length; announcing one would confuse the caller.
      if (status === 204) continue;
      length = Number(value);
    } else {
      if (kind === "connection") drop = withListed(value, drop);
      continue;
    }
    lines.push(written, value);
  }
  return { lines: drop ? omitHeaders(lines, drop) : lines, length };
}

/** Decodes names and values in turn into pairs of text. */
export const toTextPairs = (raw: Buffer[]): [name: string, value: string][] =>
  raw.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name.toString("latin1"), raw[at + 1]?.toString("latin1") ?? ""]] : [],
  );

/** Returns the names that `Connection` lists, except options and `content-length`, which the caller needs. */
function withListed(value: string, before: string[] | undefined): string[] | undefined {
  if (/^(close|keep-alive)$/i.test(value)) return before;
  const names = value.split(",").map((token) => token.trim().toLowerCase());
  return [...(before ?? []), ...names.filter((name) => name !== "content-length")];
}

const omitHeaders = (lines: string[], names: string[]): string[] =>
  lines.filter((_, at) => !names.includes((lines[at - (at % 2)] ?? "").toLowerCase()));

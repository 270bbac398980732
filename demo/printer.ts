/** Prints the tour: steps, requests, answers, checks; in colour on a terminal only. */
import type { WriteStream } from "node:tty";

export interface Printer {
  title(text: string): void;
  plain(text: string): void;
  sent(text: string, body?: unknown): void;
  came(text: string, body?: unknown): void;
  check(text: string, passed: boolean): void;
}

const WIDTH = 110;
const MAX_LINES = 4;
const INDENT = "    ";

export function createPrinter(out: Pick<WriteStream, "write" | "isTTY">): Printer {
  const colour = (code: number) => (text: string) => (out.isTTY ? `\u001B[${code}m${text}\u001B[0m` : text);
  const [bold, dim, green, red] = [colour(1), colour(2), colour(32), colour(31)];
  const line = (text = "") => out.write(`${text}\n`);
  const exchange = (arrow: string, text: string, body: unknown) => {
    line(`${INDENT}${arrow} ${text}`);
    if (body !== undefined) for (const part of foldText(shortenBody(body))) line(dim(`${INDENT}  ${part}`));
  };
  return {
    title: (text) => line(`\n${bold(text)}`),
    plain: line,
    sent: (text, body) => exchange("→", text, body),
    came: (text, body) => exchange("←", text, body),
    check: (text, passed) => line(`${INDENT}${passed ? green("✓") : red("✗")} ${text}`),
  };
}

/** Shortens a body: secrets and long texts are cut, long lists show their first items. */
function shortenBody(body: unknown): string {
  if (typeof body === "string") return cut(body.replaceAll(/\s+/g, " "), 400);
  return JSON.stringify(body, (name, value: unknown) => {
    if (typeof value === "string") return cut(value, /token|secret/i.test(name) ? 12 : 160);
    if (Array.isArray(value) && value.length > 4) return [...value.slice(0, 4), `… ${value.length - 4} more`];
    return value;
  });
}

const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text);

/** Breaks lines after commas and spaces. */
function foldText(text: string): string[] {
  const lines = text.match(new RegExp(`.{1,${WIDTH}}(?:(?<=[ ,])|$)|.{1,${WIDTH}}`, "gu")) ?? [];
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), "…"] : lines;
}

/** Reads JSON of providers without losing digits of numbers or the texts of its parts. Pure. */
import type { Json } from "../server/ground/json.ts";

/** Returns the value of a JSON text; an integer that JavaScript would round becomes its text. Throws `SyntaxError`. */
export function parseExactly(text: string): Json {
  const exact = (_name: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? context?.source
      : value;
  return JSON.parse(text, exact);
}

/**
 * Returns the text of each item of a JSON array, byte for byte; undefined for another value. Throws `SyntaxError` for
 * what is not JSON.
 */
export function itemTexts(text: string): string[] | undefined {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) return undefined;
  const items: string[] = [];
  let begin = text.indexOf("[") + 1;
  let depth = 0;
  for (let at = begin; at < text.length && items.length < value.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfText(text, at);
    else if (character === "[" || character === "{") depth += 1;
    else if (depth === 0 && (character === "," || character === "]")) {
      items.push(text.slice(begin, at).trim());
      begin = at + 1;
    } else if (character === "]" || character === "}") depth -= 1;
  }
  return items;
}

/** Returns the position of the quote that closes the text which opens at `from`. */
function endOfText(text: string, from: number): number {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** Reads JSON of providers without losing digits of numbers or the texts of its parts. Pure. */
import { isJsonObject, MOST_LEVELS, type Json } from "../server/ground/json.ts";

/** Integers with fewer digits are exact in JavaScript. */
const MANY_DIGITS = /\d{16}/;

/** Returns the value of a JSON text; an integer that JavaScript would round becomes its text. Throws `SyntaxError`. */
export function parseExactly(text: string): Json {
  // A reviver takes eight times as long, and most texts need none.
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
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
  return partTexts(text);
}

/** Returns the texts of the members of a JSON object by name; undefined for another value. Throws `SyntaxError`. */
export function memberTexts(text: string): Map<string, string> | undefined {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) return undefined;
  return new Map(
    partTexts(text).map((part): [string, string] => {
      const end = endOfText(part, 0);
      const name: string = JSON.parse(part.slice(0, end + 1));
      return [name, part.slice(part.indexOf(":", end) + 1).trim()];
    }),
  );
}

/** Returns the texts between the commas of a list or an object, which is known to be JSON. */
function partTexts(text: string): string[] {
  const parts: string[] = [];
  let begin = text.search(/[[{]/) + 1;
  let depth = 0;
  for (let at = begin; at < text.length; at++) {
    const character = text[at];
    const closes = character === "]" || character === "}";
    if (character === '"') at = endOfText(text, at);
    else if (character === "[" || character === "{") depth += 1;
    else if (depth > 0 && closes) depth -= 1;
    else if (depth === 0 && (closes || character === ",")) {
      const part = text.slice(begin, at).trim();
      if (part !== "") parts.push(part);
      if (closes) break;
      begin = at + 1;
    }
  }
  return parts;
}

/** Whether a JSON text is nested more deeply than what walks it, a reviver included, can take. */
export function isTooDeep(text: string): boolean {
  if (text.length < 2 * MOST_LEVELS) return false;
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfText(text, at);
    else if (character === "[" || character === "{") level += 1;
    else if (character === "]" || character === "}") level -= 1;
    if (level > MOST_LEVELS) return true;
  }
  return false;
}

/** Returns the position of the quote that closes the text which opens at `from`. */
function endOfText(text: string, from: number): number {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

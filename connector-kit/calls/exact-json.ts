/** Reads JSON of providers without losing digits of numbers or the texts of its parts. Pure. */
import { isJsonObject, MAX_LEVELS, type Json } from "../../ground/json.ts";

/**
 * Returns the value of a JSON text. A number that JavaScript would round becomes its text: integers beyond 2^53, more than 17 digits with
 * a fraction, and what a double cannot hold at all. Throws `SyntaxError`.
 */
export function parseExactly(text: string): Json {
  const json = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  // A reviver takes eight times as long, and most texts need none.
  if (!hasManyDigits(json) && !hasLargeExponent(json)) return JSON.parse(json);
  const exact = (_name: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === "number" && losesDigits(value, context?.source ?? "") ? context?.source : value;
  return JSON.parse(json, exact);
}

const BYTE_ORDER_MARK = 0xfeff;
/** One digit more than a double always keeps. */
const MANY_DIGITS = 16;

/** Returns whether there is a number of many digits outside of texts. One character of 16 is looked at: a scan takes longer than parsing. */
function hasManyDigits(text: string): boolean {
  for (let at = MANY_DIGITS - 1; at < text.length; at += MANY_DIGITS) {
    if (!isOfNumber(text.charCodeAt(at))) continue;
    let from = at;
    while (isOfNumber(text.charCodeAt(from - 1))) from -= 1;
    while (isOfNumber(text.charCodeAt(at))) at += 1;
    if (at - from >= MANY_DIGITS && /^$|[-:,[\s]/.test(text.charAt(from - 1))) return true;
  }
  return false;
}

/** Digits and the point. */
const isOfNumber = (code: number): boolean => (code >= 0x30 && code <= 0x39) || code === 0x2e;

const hasLargeExponent = (text: string): boolean =>
  /\d[eE]\+?\d{3}/.test(text) && /(?:^|[:,[\s])-?\d[\d.]*[eE]\+?\d{3}/.test(text);

function losesDigits(value: number, source: string): boolean {
  if (/^-?\d+$/.test(source)) return !Number.isSafeInteger(value);
  if (!Number.isFinite(value)) return true;
  const digits = keepSignificantDigits(source);
  // 17 digits are how programs write a double so that it can be read again.
  return digits.length > 17 && digits !== keepSignificantDigits(String(value));
}

const keepSignificantDigits = (number: string): string =>
  number.replace(/e.*$/i, "").replace(/[-.]/g, "").replace(/^0+/, "").replace(/0+$/, "");

/**
 * Returns a value that stands in JSON as this integer, digit for digit: as `Number` does for one that it holds. Undefined for text that is
 * no integer.
 */
export function toExactInteger(digits: string): Json | undefined {
  if (!/^-?\d+$/.test(digits)) return undefined;
  const number = Number(digits);
  // `rawJSON` takes no leading zeros; TypeScript does not know it yet.
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): Json };
  return Number.isSafeInteger(number) ? number : rawJSON(BigInt(digits).toString());
}

/**
 * Returns the text of each item of a JSON array, byte for byte; undefined for another value. Throws `SyntaxError` for
 * what is not JSON.
 */
export function readItemTexts(text: string): string[] | undefined {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) return undefined;
  return splitParts(text);
}

/** Returns the texts of the members of a JSON object by name; undefined for another value. Throws `SyntaxError`. */
export function readMemberTexts(text: string): Map<string, string> | undefined {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) return undefined;
  return new Map(
    splitParts(text).map((part): [string, string] => {
      const end = endOfText(part, 0);
      const name: string = JSON.parse(part.slice(0, end + 1));
      return [name, part.slice(part.indexOf(":", end) + 1).trim()];
    }),
  );
}

/** Returns the texts between the commas of a list or an object, which is known to be JSON. */
function splitParts(text: string): string[] {
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

/** Returns whether a JSON text is nested more deeply than what scans it, a reviver included, can take. */
export function isTooDeep(text: string): boolean {
  if (text.length < 2 * MAX_LEVELS) return false;
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfText(text, at);
    else if (character === "[" || character === "{") level += 1;
    else if (character === "]" || character === "}") level -= 1;
    if (level > MAX_LEVELS) return true;
  }
  return false;
}

/** Returns the position of the quote that closes the text which opens at `from`. */
function endOfText(text: string, from: number): number {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

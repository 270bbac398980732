/** Parses JSON bodies without loss: numbers that JavaScript would round are refused. */
import { Problem } from "../../ground/errors.ts";
import { isExactNumber, SURE_DIGITS, MAX_LEVELS } from "../../ground/json.ts";
import { isStorable } from "../../ground/storable-text.ts";

/** Returns the value of a JSON text. Throws a Problem that names the member or the position. */
export function parseJson(text: string): unknown {
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "not JSON";
    throw new Problem("malformed-json", { detail: `The body is not valid JSON: ${reason}.`, cause });
  }
  inspect(json);
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/**
 * Checks every text, number and level in one pass over the characters: a reviver would be called for every value, which
 * takes many times as long as parsing. The text is valid JSON.
 */
function inspect(text: string): void {
  const escapes = findDangerousEscapes(text);
  let level = 0;
  let lastTextAt = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(text, at);
      if (escapes.isIn(at, end) || text.startsWith(PROTO, at)) checkText(text, at, end, lastTextAt);
      lastTextAt = at;
      at = end;
    } else if (isDigit(code)) {
      const end = endOfNumber(text, at);
      if (end - at > SURE_DIGITS) checkNumber(text, at, end, lastTextAt);
      at = end;
    } else {
      // Brackets and braces differ in the bit 0x20 only.
      const bracket = code | 0x20;
      if (bracket === 0x7b && ++level > MAX_LEVELS) throw refuseTooDeep();
      if (bracket === 0x7d) level -= 1;
      at += 1;
    }
  }
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Returns the position after the closing quote of the text that opens at `from`. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

function endOfNumber(text: string, from: number): number {
  let at = from + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // The other characters of a number: + - . E e
    if (!isDigit(code) && code !== 0x2e && code !== 0x2b && code !== 0x2d && (code | 0x20) !== 0x65) break;
  }
  return at;
}

const PROTO = '"__proto__"';

/** Escapes that may spell `__proto__`, and those of characters that PostgreSQL cannot store. */
const DANGEROUS_ESCAPE = /\\u(?:00(?:00|5f|6f|7[024])|d[89a-f])/gi;

/** Finds dangerous escapes of one text after another, each only once. */
function findDangerousEscapes(text: string): { isIn(from: number, end: number): boolean } {
  let next = text.includes("\\u") ? -1 : Infinity;
  return {
    isIn(from, end) {
      if (next < from) {
        DANGEROUS_ESCAPE.lastIndex = from;
        next = DANGEROUS_ESCAPE.exec(text)?.index ?? Infinity;
      }
      return next < end;
    },
  };
}

/** Throws a Problem for a member `__proto__`, which would change an object's prototype, and for texts no provider stores. */
function checkText(text: string, from: number, end: number, lastTextAt: number): void {
  const decoded: unknown = JSON.parse(text.slice(from, end));
  if (decoded === "__proto__" && text.charCodeAt(skipSpace(text, end)) === COLON) {
    throw new Problem("malformed-json", { detail: "The body contains a member `__proto__`. Remove it." });
  }
  if (typeof decoded !== "string" || isStorable(decoded)) return;
  throw new Problem("malformed-json", {
    detail: `The text ${describePosition(text, from, lastTextAt)} contains a NUL or half a surrogate pair, which no provider stores. Remove it.`,
  });
}

function checkNumber(text: string, from: number, end: number, lastTextAt: number): void {
  const source = text.slice(from, end);
  if (isExactNumber(source)) return;
  throw new Problem("malformed-json", {
    detail: `The number ${source.slice(0, 40)} ${describePosition(text, from, lastTextAt)} has more digits than a double can hold. Send it as a string.`,
  });
}

/** Returns the place of a value for a person: its member's name, or its position if it has none. */
function describePosition(text: string, from: number, lastTextAt: number): string {
  const nameEnd = text.charCodeAt(lastTextAt) === QUOTE ? endOfText(text, lastTextAt) : 0;
  const between = nameEnd > 0 ? text.slice(nameEnd, from).trim() : "";
  if (!/^:\s*-?$/.test(between)) return `at character ${from + 1}`;
  return `at ${JSON.stringify(JSON.parse(text.slice(lastTextAt, nameEnd))).slice(0, 100)}`;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

const refuseTooDeep = (): Problem =>
  new Problem("malformed-json", {
    detail: `The body is nested too deeply: ${MAX_LEVELS} levels are the most.`,
  });

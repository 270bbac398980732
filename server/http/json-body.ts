/** Parses JSON bodies without loss: numbers that JavaScript would round are refused. */
import { Problem } from "../ground/errors.ts";
import { isStorable } from "../ground/storable-text.ts";

/** Only a body with a run of digits this long can contain a number that does not fit. */
const LONG_NUMBER = /\d{16}/;

/**
 * Signs of a member `__proto__`, which would change an object's prototype, and of texts that PostgreSQL cannot store. Any
 * letter of the name may be escaped.
 */
const DANGEROUS = /"__proto__|\\u(?:00(?:00|5f|6f|7[024])|d[89a-f])/i;

/** Returns the value of a JSON text. Throws a Problem that names the position or the member. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "not JSON";
    throw new Problem("malformed-json", { detail: `The body is not valid JSON: ${reason}.`, cause });
  }
  if (LONG_NUMBER.test(text) || DANGEROUS.test(text)) inspect(text);
  return value;
}

/** A reviver with the source text of the value (ECMAScript's JSON.parse source text access). */
type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

/** Checks every member. Throws a Problem for the first that must not pass. */
function inspect(text: string): void {
  const reviver: Reviver = function check(key, value, context) {
    if (key === "__proto__") {
      throw new Problem("malformed-json", { detail: "The body contains a member `__proto__`. Remove it." });
    }
    if (typeof value === "string" && !isStorable(value)) {
      throw new Problem("malformed-json", {
        detail: `The text at "${key}" contains a NUL or half a surrogate pair, which no provider stores. Remove it.`,
      });
    }
    if (typeof value === "number" && context.source && !isExact(value, context.source)) {
      throw new Problem("malformed-json", {
        detail: `The number ${context.source.slice(0, 40)} at "${key}" has more digits than a double can hold. Send it as a string.`,
      });
    }
    return value;
  };
  try {
    JSON.parse(text, reviver as (this: unknown, key: string, value: unknown) => unknown);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new Problem("malformed-json", {
      detail: "The body is nested too deeply to be checked.",
      cause,
    });
  }
}

/** Digits that every double keeps. */
const SURE_DIGITS = 15;

/** Tells whether the integer part is exact; fractions are doubles at every provider anyway. */
function isExact(value: number, source: string): boolean {
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value) && BigInt(source) === BigInt(value);
  const digits = source
    .replace(/e.*$/i, "")
    .replace(/^[-0.]+/, "")
    .replace(".", "");
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER || digits.length <= SURE_DIGITS;
}

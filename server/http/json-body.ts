/** Parses JSON bodies without losing anything: a number that JavaScript would round is refused, not rounded. */
import { Problem } from "../ground/errors.ts";
import { isStorable } from "../ground/storable-text.ts";

/** Only a body with a run of digits this long can hold a number that does not fit. */
const LONG_NUMBER = /\d{16}/;

/** Members that would reach into JavaScript's own objects, and texts that PostgreSQL cannot store. */
const DANGEROUS = /"(?:__proto__|\\u005f)|\\u(?:0000|d[89a-f])/i;

/** The value of a JSON text. Throws a Problem that names the position or the member. */
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

/** What a reviver is told beside key and value (ECMAScript's JSON.parse source text access). */
type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

function inspect(text: string): void {
  const reviver: Reviver = function check(key, value, context) {
    if (key === "__proto__") {
      throw new Problem("malformed-json", { detail: "The body holds a member `__proto__`. Remove it." });
    }
    if (typeof value === "string" && !isStorable(value)) {
      throw new Problem("malformed-json", {
        detail: `The text at "${key}" holds a NUL or half a surrogate pair, which no provider stores. Remove it.`,
      });
    }
    if (typeof value === "number" && context.source && !exact(value, context.source)) {
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
      detail: "The body is nested too deeply to be looked through.",
      cause,
    });
  }
}

/** Digits that every double keeps. */
const SURE_DIGITS = 15;

/** What stands before the point must survive the trip; fractions are doubles everywhere anyway. */
function exact(value: number, source: string): boolean {
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value) && BigInt(source) === BigInt(value);
  const digits = source
    .replace(/e.*$/i, "")
    .replace(/^[-0.]+/, "")
    .replace(".", "");
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER || digits.length <= SURE_DIGITS;
}

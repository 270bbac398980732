/** Refuses pages that the provider's API does not describe: wrong types, pages that repeat, scans without an end. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { shorten } from "../../ground/storable-text.ts";
import { ProviderError } from "./provider-error.ts";

/** Returns the error for a page that cannot be used. The message is a sentence without a full stop. */
export const buildBrokenPage = (message: string): ProviderError =>
  new ProviderError({ kind: "unreadable", message, status: 200 });

/**
 * Returns whether a smaller page may be readable: this one was longer than this process reads, and then has no status, or the provider's
 * refusal or answer has these words.
 */
export const isTooLarge = (error: unknown, words?: string, answer = ""): error is ProviderError =>
  error instanceof ProviderError &&
  ((error.kind === "unreadable" && error.status === undefined) ||
    (words !== undefined && (error.message.includes(words) || answer.includes(words))));

/** Returns the object. Throws `ProviderError` with the name of what should have been one, and what it is instead. */
export function requireObject(value: Json | undefined, name: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw buildBrokenPage(`the provider's answer is broken: ${name} is not an object${quote(value)}`);
}

/** Returns the list. Throws `ProviderError` with the name of what should have been one, and what it, or the answer `around` it, is instead. */
export function listOrBroken(
  value: Json | undefined,
  name: string,
  around: Json | undefined = value,
): Json[] {
  if (Array.isArray(value)) return value;
  throw buildBrokenPage(`the provider's answer is broken: ${name} is not a list${quote(around)}`);
}

const MAX_WORDS = 200;

const quote = (value: Json | undefined): string =>
  value === undefined || value === null ? "" : `: ${shorten(JSON.stringify(value), MAX_WORDS)}`;

/**
 * Checks that ids rise from record to record and from page to page. Otherwise the scan would miss records, or never end.
 *
 * @param previous the last id of the page before, if there was one
 */
export function checkRising(
  records: { id: string }[],
  previous: string | undefined,
  isAfter: (id: string, other: string) => boolean,
): void {
  let last = previous;
  for (const { id } of records) {
    if (last !== undefined && !isAfter(id, last)) {
      throw buildBrokenPage(
        `the provider's page is out of order or repeated: record ${id} comes after ${last}`,
      );
    }
    last = id;
  }
}

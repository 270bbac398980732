/** Writes values as JSON that PostgreSQL accepts, whatever characters their texts contain. */

/** NUL and half a surrogate pair as `JSON.stringify` escapes them, after an even number of backslashes. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/**
 * Writes JSON for `jsonb`, which rejects NUL and half surrogate pairs, in member names too. A provider's answer may contain
 * them and must be stored all the same: they become the replacement character.
 */
export const toStoredJson = (value: unknown): string => toStorableJson(JSON.stringify(value));

/** Makes text that is JSON already storable. Most texts have no such escape, and the plain search costs much less. */
export const toStorableJson = (json: string): string =>
  json.includes("\\u") ? json.replace(UNSTORABLE, "$1\\ufffd") : json;

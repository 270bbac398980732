/** Spells values as JSON that PostgreSQL takes whatever other people's texts hold. */

/** NUL and half a surrogate pair as `JSON.stringify` escapes them: behind an odd number of backslashes. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/**
 * For `jsonb`, which refuses NUL and half characters, in member names too. A provider may answer with them, and what it
 * did must be noted all the same: they become the replacement character.
 */
export const toStoredJson = (value: unknown): string => storableJson(JSON.stringify(value));

/** The same for a text that is JSON already. */
export const storableJson = (json: string): string => json.replace(UNSTORABLE, "$1\\ufffd");

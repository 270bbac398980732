/** Texts as PostgreSQL takes them: without NUL and without half a character. */

/** Whether a text can be stored as it is. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** What cannot be stored becomes the replacement character. */
export const storable = (text: string): string => text.replaceAll("\0", "\ufffd").toWellFormed();

/** The beginning of what somebody else said, and storable: enough to understand it, small enough to keep. */
export const shorten = (text: string, maxLength = 16_384): string =>
  storable(text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`);

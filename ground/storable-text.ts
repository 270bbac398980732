/** Removes from texts what PostgreSQL cannot store: NUL and lone surrogates. */

/** Returns whether a text can be stored unchanged. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** Replaces characters that cannot be stored with the replacement character. */
export const toStorable = (text: string): string => text.replaceAll("\0", "\ufffd").toWellFormed();

/** Returns the storable beginning of a foreign text. */
export const shorten = (text: string, maxLength = 16_384): string =>
  toStorable(text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`);

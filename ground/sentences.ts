/** Writes parts of sentences for people. */

/** Returns "1 record" or "2 records". */
export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Returns a text of others with a full stop, unless it has an end already. */
export const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Ends a text of another program as a sentence. */

/** Returns the text with a full stop, unless it has an end already. */
export const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Writes a word of a command as a shell reads it. */

/** Returns it unchanged where no shell sees more in it than its characters, else in single quotes. */
export const quoteWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

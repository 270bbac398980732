/** Escapes control characters in foreign text, because they could move the cursor or hide words. */

/** Control characters and direction marks; tabs and line ends become spaces. */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the text as one harmless line. */
export const escapeUnsafe = (text: string): string =>
  text.replace(UNSAFE, (character) =>
    /\s/.test(character) ? " " : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Returns harmless text with its line ends. */
export const toPrintableLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => escapeUnsafe(line.replaceAll("\t", "  ")))
    .join("\n");

/** Returns the columns that a text takes: wide East Asian characters and emoji take two, combining marks none. */
export function measureWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{Mark}/u.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

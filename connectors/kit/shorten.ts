/** Cuts what a provider said to what can be shown and stored. */

/** Enough of a body to understand it, small enough to store: whole characters, and no NUL, which PostgreSQL refuses. */
export function shorten(text: string, maxLength = 16_384): string {
  const part = text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
  return part.replaceAll("\0", "\ufffd").toWellFormed();
}

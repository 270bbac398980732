/** Reads and writes times as Salesforce's query language has them. */

/** Returns a literal in UTC; comparisons ignore milliseconds. */
export const writeTimeLiteral = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** Returns the literal of a time with zone; undefined if the text is none. */
export function toIso(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : writeTimeLiteral(time);
}

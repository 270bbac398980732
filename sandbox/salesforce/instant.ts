// Parses Salesforce's forms of a time.

/** Returns the milliseconds of a date or a date-time text, `+0000` included; NaN for other texts. */
export function parseInstant(text: string): number {
  if (text.endsWith("+0000")) return Date.parse(`${text.slice(0, -5)}Z`);
  return Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));
}

// Reads Salesforce's forms of a time.

/** Milliseconds of a date or date-time text, `+0000` included; NaN for anything else. */
export function parseInstant(text: string): number {
  if (text.endsWith("+0000")) return Date.parse(`${text.slice(0, -5)}Z`);
  return Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));
}

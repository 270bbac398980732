// Ids of Salesforce records: 15 case-sensitive characters, or 18 with a checksum for lost case.

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHECKSUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";

/** Builds the id with number `n` of an object with this key prefix, in the form of 18 characters. */
export function toRecordId(prefix: string, n: number): string {
  let digits = "";
  for (let rest = n; rest > 0; rest = Math.floor(rest / 62)) digits = (ALPHABET[rest % 62] ?? "0") + digits;
  return addChecksum(`${prefix}Sb000000${digits.padStart(4, "0")}`.slice(0, 15));
}

const SCHEME = /^[a-zA-Z0-9]{3}Sb000000([a-zA-Z0-9]{4})/;

/** Returns the number of a record id; undefined if the id is not of this organisation. Numbers have the same order as the ids' bytes. */
export function toRecordNumber(id: string): number | undefined {
  const digits = SCHEME.exec(id)?.[1];
  if (digits === undefined) return undefined;
  let number = 0;
  for (const digit of digits) number = number * 62 + ALPHABET.indexOf(digit);
  return number;
}

/** Adds the checksum. Each of its characters encodes which of five characters are upper case. */
export function addChecksum(id15: string): string {
  let suffix = "";
  for (let block = 0; block < 3; block++) {
    let bits = 0;
    for (let i = 0; i < 5; i++) {
      const char = id15.charAt(block * 5 + i);
      if (char >= "A" && char <= "Z") bits |= 1 << i;
    }
    suffix += CHECKSUM.charAt(bits);
  }
  return id15 + suffix;
}

/** Returns the form of 18 characters; undefined if the text is no id, or its checksum is wrong. */
export function normalizeId(text: string): string | undefined {
  if (!/^[a-zA-Z0-9]+$/.test(text)) return undefined;
  if (text.length === 15) return addChecksum(text);
  if (text.length !== 18) return undefined;
  const full = addChecksum(text.slice(0, 15));
  return full.slice(15) === text.slice(15).toUpperCase() ? full : undefined;
}
